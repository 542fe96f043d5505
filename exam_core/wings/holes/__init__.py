"""Holes: how much a score could gain if what has no grade were graded."""

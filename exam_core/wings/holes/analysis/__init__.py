"""Bounds of scores."""

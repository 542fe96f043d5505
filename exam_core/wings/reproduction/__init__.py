"""Printed figures beside ours: which reproduce, and the known reasons of those that differ."""

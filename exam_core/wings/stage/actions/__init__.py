"""Verbs of the wing."""

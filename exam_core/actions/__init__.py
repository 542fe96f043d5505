"""Verbs: all that changes something."""

"""Sentences on banks."""

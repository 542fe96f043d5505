"""Slides of banks."""

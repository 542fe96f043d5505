"""Slides of generated answers."""

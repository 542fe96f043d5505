"""Comparisons as sentences."""

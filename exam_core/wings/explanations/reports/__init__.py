"""Explanations in words."""

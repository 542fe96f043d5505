"""Analyses of generated answers."""

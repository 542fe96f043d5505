"""Figures of generated answers."""

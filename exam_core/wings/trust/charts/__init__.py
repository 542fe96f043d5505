"""Figures on trust."""

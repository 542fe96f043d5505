"""Figures on a stage."""

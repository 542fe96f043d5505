"""Analyses of reviews."""

"""Comparisons of boards and runs, and resamplings."""

"""Leaderboards as figures for a paper: SVG, PDF, and source for pgfplots."""

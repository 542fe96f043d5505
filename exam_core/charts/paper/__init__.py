"""Figures for a paper, at the width of its column. Drawn by ourselves: Plotly takes a browser to make a file."""

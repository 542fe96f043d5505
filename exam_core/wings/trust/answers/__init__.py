"""Analyses of trust, a file each."""

"""Analyses of banks, a file each."""

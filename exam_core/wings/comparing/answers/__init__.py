"""Analyses of how sure an order is."""

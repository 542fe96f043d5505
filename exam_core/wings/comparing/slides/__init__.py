"""Slides of Compare and of how sure the order is."""

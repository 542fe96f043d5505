"""Slides of the pages, and stories."""

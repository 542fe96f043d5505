"""Measures of nuggets and of texts: each file declares its own in `ROWS`."""

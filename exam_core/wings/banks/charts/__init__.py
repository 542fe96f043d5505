"""Charts of banks."""

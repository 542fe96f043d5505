"""Statistics of trust, on numpy and scipy alone."""

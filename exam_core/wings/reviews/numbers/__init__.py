"""Statistics of reviews, on numpy and scipy alone."""

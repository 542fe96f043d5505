"""Statistics of questions, on numpy and scipy alone."""

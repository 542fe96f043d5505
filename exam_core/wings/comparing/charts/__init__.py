"""Charts of comparisons and resamplings."""

"""What rank correlations would be with endless queries: true means drawn from a model of the observed ones."""

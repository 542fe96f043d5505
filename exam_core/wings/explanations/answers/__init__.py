"""What explanations add to analyses of the core."""

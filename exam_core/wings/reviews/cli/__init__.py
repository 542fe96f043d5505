"""Commands of reviews."""

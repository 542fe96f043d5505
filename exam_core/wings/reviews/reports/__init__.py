"""Reviews in words and as JSON."""

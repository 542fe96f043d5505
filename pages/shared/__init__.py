"""What the pages share: controls, cached data, words."""

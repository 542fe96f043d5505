"""Charts of corrected leaderboards."""

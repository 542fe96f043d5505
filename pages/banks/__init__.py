"""Banks in the dashboard."""

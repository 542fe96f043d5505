"""The stage in the dashboard: presenting, pinned views, and the saved report."""

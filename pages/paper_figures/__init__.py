"""What grades are worth, in the dashboard: parts of other pages."""

"""What the live page adds to the dashboard."""

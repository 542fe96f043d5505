"""Generated answers in the dashboard: their nuggets, and their ranks."""

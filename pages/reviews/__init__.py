"""Reviews in the dashboard: the page, and the corrected leaderboard on the Leaderboard."""

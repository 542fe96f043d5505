"""How much of a leaderboard is chance: tests, draws, and which tau to use."""

"""Leaderboards beside each other and beside a reference."""

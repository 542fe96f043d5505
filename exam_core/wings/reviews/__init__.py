"""Reviews: people check the grader's work, and correct its leaderboards."""

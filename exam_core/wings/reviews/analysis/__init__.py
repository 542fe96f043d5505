"""What reviews say: what to draw, how far to trust the grader, and what humans would have found."""

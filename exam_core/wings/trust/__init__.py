"""Trust: what grades are worth: votes of graders, what tests find by grades, bias towards some systems, gullibility."""

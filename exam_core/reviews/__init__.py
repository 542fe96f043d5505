"""What people say of the grader's work, as values: reviews, and queues of what is to be reviewed."""

"""Jobs that probe a grader."""

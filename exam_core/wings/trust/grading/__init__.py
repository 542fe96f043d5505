"""What is asked of a grader that is probed."""

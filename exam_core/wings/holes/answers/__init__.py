"""What is asked of holes."""

"""Jobs that write questions."""

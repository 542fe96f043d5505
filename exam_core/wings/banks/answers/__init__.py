"""What banks are."""

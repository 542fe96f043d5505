"""What is measured and fuzzed of reviews."""

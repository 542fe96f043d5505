"""What is measured and fuzzed of serving."""

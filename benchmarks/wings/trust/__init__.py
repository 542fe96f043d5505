"""What is measured and fuzzed of trust."""

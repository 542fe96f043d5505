"""What is measured and fuzzed of the neighbour methods."""

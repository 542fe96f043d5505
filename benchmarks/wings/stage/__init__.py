"""What is measured and fuzzed of the stage."""

"""What is fuzzed of servers."""

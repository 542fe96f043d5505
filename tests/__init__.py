"""The tests: a package, so that no other of that name comes before it."""

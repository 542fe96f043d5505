"""Banks as other tools have them, read and written: a file for each."""

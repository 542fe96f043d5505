"""The live page as a file."""

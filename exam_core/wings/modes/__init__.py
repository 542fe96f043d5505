"""Modes of grading of one's own: a file that says what is asked and how answers are read."""

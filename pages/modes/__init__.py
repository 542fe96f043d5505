"""Modes of one's own, below the form of a job."""

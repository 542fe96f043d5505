"""Stories on disk."""

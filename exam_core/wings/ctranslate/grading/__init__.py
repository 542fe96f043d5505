"""The backend of the wing."""

"""The command of the wing."""

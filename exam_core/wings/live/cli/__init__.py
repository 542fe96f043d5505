"""The command of the live page."""

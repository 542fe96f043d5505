"""The command of serving."""

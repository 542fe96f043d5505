"""The files of modes."""

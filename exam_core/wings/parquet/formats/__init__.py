"""Names of folders that hold a part of a table."""

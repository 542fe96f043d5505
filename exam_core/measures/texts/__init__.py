"""Measures of what runs wrote, against nuggets: each file declares its own in `ROWS`, as those of `effectiveness` do."""

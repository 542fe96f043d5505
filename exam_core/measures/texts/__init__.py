"""Measures of what runs wrote, against nuggets: each file declares its own in `ROWS`, as in `effectiveness`."""

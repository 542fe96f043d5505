"""The measures of effectiveness: each file declares its own in `ROWS`, and `exam_core.measures` collects them."""

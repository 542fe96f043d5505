"""The page of judges: whether what a grading mode shows holds on other collections."""

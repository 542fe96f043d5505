"""What explanations add to tests of the whole."""

READING = {"outliers": ["outliers {of} --draws 20", "outliers {of} --draws 20 --run {run}"]}

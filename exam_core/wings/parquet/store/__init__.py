"""Files of Parquet, and the README beside them."""

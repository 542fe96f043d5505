"""A collection as a folder of Parquet files for other tools."""

"""What parquet adds to tests of the whole."""

ELSEWHERE = {"export parquet": "wings/parquet/actions/test_exporting_parquet.py"}

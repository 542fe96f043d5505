"""What is measured of wings, a folder each: benchmarks by themselves, and where texts and bytes enter (`seams.py`)."""

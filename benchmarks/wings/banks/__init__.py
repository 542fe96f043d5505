"""What is measured of banks."""

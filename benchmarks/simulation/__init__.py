"""What is measured on simulated collections, whose size and truth are known."""

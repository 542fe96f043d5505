"""What each page shows, block by block."""

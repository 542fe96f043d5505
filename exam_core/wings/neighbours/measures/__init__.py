"""Arrays behind the neighbour methods."""

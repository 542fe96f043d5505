"""Commands of the neighbour methods."""

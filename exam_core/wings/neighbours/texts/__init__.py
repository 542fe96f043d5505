"""Words as the neighbour methods make them."""

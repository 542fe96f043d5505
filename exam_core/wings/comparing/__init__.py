"""Two leaderboards or runs beside each other, and what of an order chance explains."""

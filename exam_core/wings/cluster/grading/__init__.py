"""A model on each machine, and the process that hires them."""

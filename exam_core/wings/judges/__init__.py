"""The judge on trial: whether its order of runs holds on other collections."""

"""Statistics by themselves: modules here import numpy, scipy, the standard library and each other alone."""

DRAWS = 2000
"""Draws of a bootstrap over queries, or from a distribution."""

SEED = 0

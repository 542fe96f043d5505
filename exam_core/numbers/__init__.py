"""Numbers that stand by themselves: modules here import numpy, scipy, the standard library and each other alone."""

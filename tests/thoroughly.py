"""Values of a parameter that only `make test-all` takes."""

import pytest
from _pytest.mark import ParameterSet


def thoroughly(*values: object) -> list[ParameterSet]:
    """Values of one parameter, each marked: the others stand before them, and have what these have but once more."""
    return [pytest.param(value, marks=pytest.mark.thorough) for value in values]

"""How far runs stand from where a reference has them, and which stand around them."""

import numpy as np
import pytest

from exam_core.numbers.displacement import neighbours_of


@pytest.mark.parametrize(
    ("ranks", "run", "expected"),
    [
        ([1, 2, 3, 4, 5, 6], 2, [0, 1, 3, 4]),
        ([1, 2, 3, 4, 5, 6], 0, [1, 2]),
        ([6, 5, 4, 3, 2, 1], 0, [2, 1]),
        ([2.5, 1, 2.5, 4], 2, [1, 0, 3]),
        ([1], 0, []),
    ],
    ids=["between", "at the top", "at the bottom", "tied", "alone"],
)
def test_neighbours_are_two_on_each_side(ranks, run, expected):
    assert neighbours_of(np.array(ranks, float), run) == expected

"""`bench circularity`: that it has a row for each setting."""

import pytest

from benchmarks.simulation.circularity import benchmark


@pytest.mark.thorough
def test_the_benchmark_has_a_row_for_each_displacement_reference_bias_and_size():
    actual = benchmark(2, 2)
    assert len(actual["rows"]) == 2 * 2 * 3 * 3
    assert {row["samples"] for row in actual["rows"]} == {8}
    assert all(0 <= row["coverage"] <= 1 for row in actual["rows"])

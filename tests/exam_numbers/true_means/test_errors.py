"""`bench errors`: that it counts what it says."""

import numpy as np
import pytest

from benchmarks import errors
from benchmarks.boards import Shape, population
from benchmarks.tables import errors_table, ranks_table
from exam_core.numbers.rank_correlations import mean_rank


def test_it_counts_errors_and_power_of_each_test_and_its_tables_show_them(monkeypatch):
    monkeypatch.setattr(errors, "SHAPES", (Shape("small", 9, 12, 1.0),))
    monkeypatch.setattr(errors, "RANKED", (Shape("smaller", 6, 8, 1.0),))
    answer = errors.benchmark(3)
    assert [(row["statistic"], row["reference"]) for row in answer["errors"]] == [
        ("flags", "exact list"),
        ("flags", "list of other queries"),
        ("flags", "list of the same queries"),
        ("flags", "measure"),
        ("pairs", None),
        ("tiers", None),
    ]
    assert all(0 <= row[share] <= 1 for row in answer["errors"] for share in ("error", "power"))
    assert [(row["population"], row["statistic"]) for row in answer["ranks"]][1:4] == [
        ("small", "rank of the best run"),
        ("small", "places of tagged runs"),
        ("smaller", "rank"),
    ]
    assert errors_table(answer).count("\n") == 2
    assert ranks_table(answer).count("\n") == 3


@pytest.mark.parametrize("seed", range(6))
def test_one_run_is_moved_by_a_third_of_the_board(seed):
    rng = np.random.default_rng(seed)
    runs = population(Shape("any", 12, 5, 1.0), rng)
    moved, run = errors._displaced(runs, rng)
    apart = mean_rank(moved.other_truth) - mean_rank(runs.other_truth)
    assert abs(apart[run]) == 4
    assert np.abs(np.delete(apart, run)).max() == 1
    assert (moved.truth == runs.truth).all()


def test_a_better_run_parts_from_equal_ones_where_queries_are_many():
    runs = population(Shape("many", 5, 2000, 1.0), np.random.default_rng(1))
    actual = {name: (wrong, right) for name, wrong, right in errors._apart(runs, np.random.default_rng(3))}
    assert actual == {"pairs": (False, 1.0), "tiers": (False, 1.0)}

"""The objects of the JSON contract."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from exam_core.analysis.agreement import Agreement
from exam_core.analysis.leaderboard import Leaderboard, Ungraded, ranked
from exam_core.measures.correlation import Correlation
from exam_core.reports.answers import agreement_answer, correlation_answer, leaderboard_answer
from exam_core.reports.tables import as_json


def board(**changes):
    """A leaderboard of two runs."""
    rows = pd.DataFrame({"run_id": ["a", "b"], "mean": [0.5, 0.25], "stderr": [0.1, np.nan], "n_queries": [43, 1]})
    known = {
        "collection": "dl19",
        "title": "genq Cover@20 tau=3",
        "bank": "genq",
        "grader": "flan",
        "measure": "Cover@20",
        "tau": 3,
        "tau_applies": True,
        "depth": 20,
        "label_rank": 1,
        "rows": ranked(rows).assign(reference_rank=[13.0, np.nan]),
        "overall": (0.893, 0.017),
        "reference": "official",
        "correlation": Correlation(0.719, 0.535, 36),
        "ungraded": Ungraded(0, 3649, 0.115),
    }
    return Leaderboard(**(known | changes))


def as_object(answer):
    """The answer as a reader of the JSON gets it."""
    return json.loads(as_json(answer))


def test_a_leaderboard_has_the_keys_of_the_contract():
    keys = ["collection", "bank", "grader", "measure", "tau", "tau_applies", "depth", "label_rank", "rows"]
    keys += ["overall", "correlation", "ungraded", "notes"]
    assert list(as_object(leaderboard_answer(board()))) == keys


def test_a_row_has_the_keys_of_the_contract():
    assert as_object(leaderboard_answer(board()))["rows"][0] == {
        "run_id": "a",
        "mean": 0.5,
        "stderr": 0.1,
        "n_queries": 43,
        "normalised": 1,
        "normalised_stderr": 0.4,
        "rank": 1,
        "reference_rank": 13,
    }


def test_an_undefined_value_of_a_row_is_null():
    row = as_object(leaderboard_answer(board()))["rows"][1]
    assert [row["stderr"], row["normalised_stderr"], row["reference_rank"]] == [None] * 3


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("overall", {"mean": 0.893, "stderr": 0.017}),
        ("correlation", {"official": {"spearman": 0.719, "kendall": 0.535, "n": 36}}),
        ("ungraded", {"pairs": 0, "slots_missing": 3649, "share_at_depth": 0.115}),
    ],
)
def test_what_belongs_to_the_whole_board_stands_beside_the_rows(key, expected):
    assert as_object(leaderboard_answer(board()))[key] == expected


@pytest.mark.parametrize(
    ("key", "changes", "expected"),
    [
        ("overall", {"overall": None}, None),
        ("correlation", {"correlation": None, "reference": None}, {}),
        ("ungraded", {"ungraded": None}, None),
        ("tau", {"tau": None}, None),
        ("depth", {"depth": None}, None),
    ],
)
def test_what_a_board_does_not_have_is_empty(key, changes, expected):
    assert as_object(leaderboard_answer(board(**changes)))[key] == expected


def test_correlations_have_an_object_for_each_board_that_has_one():
    boards = [board(), board(correlation=None), board(title="P", correlation=Correlation(np.nan, np.nan, 2))]
    first = {
        "leaderboard": "genq Cover@20 tau=3",
        "reference": "official",
        "n": 36,
        "spearman": 0.719,
        "kendall": 0.535,
        "spearman_interval": None,
        "kendall_interval": None,
    }
    second = first | {"leaderboard": "P", "n": 2, "spearman": None, "kendall": None}
    assert as_object(correlation_answer(boards)) == [first, second]


def test_agreement_has_the_keys_of_the_contract():
    found = Agreement(4, 2, 1, np.array([[1, 2], [3, 4]]), {"5": {"3": 1}}, np.nan, 10, ["a note"])
    assert as_object(agreement_answer(found)) == {
        "tau": 4,
        "relevant_from": 2,
        "label_rank": 1,
        "confusion": [[1, 2], [3, 4]],
        "graded": {"5": {"3": 1}},
        "kappa": None,
        "kappa_interval": None,
        "n": 10,
        "notes": ["a note"],
    }

"""The objects of the JSON contract."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from exam_core.analysis.agreement import Agreement, AgreementGrid
from exam_core.analysis.comparison import Correlated
from exam_core.analysis.leaderboard import Leaderboard, ranked
from exam_core.analysis.references import TruthInterval
from exam_core.measures.places import Gaps
from exam_core.numbers.rank_correlations import Correlation
from exam_core.reports.json_objects import (
    agreement_answer,
    correlation_answer,
    grid_answer,
    leaderboard_answer,
    shown_rows,
)
from exam_core.table_text import as_json


def board(**changes):
    columns = {"run_id": ["a", "b"], "mean": [0.5, 0.25], "stderr": [0.1, np.nan], "n_queries": [43, 1]}
    rows = pd.DataFrame(columns | {"unanswered": [0, 42]})
    known = {
        "collection": "dl19",
        "title": "genq Cover@20 tau=3",
        "bank": "genq",
        "grader": "flan",
        "measure": "Cover@20",
        "heading": "Cover@20",
        "tau": 3,
        "tau_applies": True,
        "depth": 20,
        "label_rank": 1,
        "rows": ranked(rows).assign(reference_rank=[13.0, np.nan]),
        "overall": (0.893, 0.017),
        "reference": "official",
        "correlation": Correlation(0.719, 0.535, 36),
        "ungraded": Gaps(0, 2, 25, 300, 3649, 40, 0.115, 0.01),
    }
    return Leaderboard(**(known | changes))


def as_object(answer):
    return json.loads(as_json(answer))


def test_a_leaderboard_has_the_keys_of_the_contract_and_null_for_what_is_undefined():
    keys = ["collection", "title", "bank", "grader", "judgments", "measure", "tau", "tau_applies", "depth"]
    keys += ["label_rank", "rows", "overall", "correlation", "ungraded", "notes"]
    found = as_object(leaderboard_answer(board()))
    assert list(found) == keys
    row = found["rows"][1]
    assert [row["stderr"], row["normalised_stderr"], row["reference_rank"]] == [None] * 3


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
        "unanswered": 0,
    }


def test_a_reader_sees_unanswered_queries_only_where_there_are_some():
    rows = board().rows
    shown = ["unanswered" in shown_rows(one) for one in (rows, rows.head(1), rows.assign(unanswered=pd.NA))]
    assert shown == [True, False, False]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("overall", {"mean": 0.893, "stderr": 0.017}),
        ("correlation", {"official": {"spearman": 0.719, "kendall": 0.535, "n": 36}}),
        ("ungraded", {"pairs": 0, "unreadable": 25, "slots_missing": 3649, "slots_empty": 40, "share_at_depth": 0.115}),
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


def test_correlations_have_an_object_each_with_an_interval_where_there_is_one():
    found = [
        Correlated("genq", "official", Correlation(0.5, 0.25, 4), {"spearman": TruthInterval(0.125, 0.625, 0.75)}),
        Correlated("P", "official", Correlation(np.nan, np.nan, 2), notes=["undefined"]),
    ]
    rest = dict.fromkeys(("tau_ap", "tau_ap_b", "rbo", "r2", "rmse"))
    none = {f"{name}_{part}": None for name in ("kendall", *rest) for part in ("interval", "middle")}
    first = {"leaderboard": "genq", "reference": "official", "n": 4, "spearman": 0.5, "kendall": 0.25}
    second = {"leaderboard": "P", "reference": "official", "n": 2, "spearman": None, "kendall": None}
    assert as_object(correlation_answer(found)) == [
        first | rest | {"spearman_interval": [0.125, 0.75], "spearman_middle": 0.625} | none | {"notes": []},
        second | rest | {"spearman_interval": None, "spearman_middle": None} | none | {"notes": ["undefined"]},
    ]


AGREEMENT = Agreement(
    tau=4,
    relevant_from=2,
    label_rank=1,
    confusion=np.array([[1, 2], [3, 4]]),
    graded={"5": {"3": 1}},
    kappa=0.5,
    n=10,
    notes=["a note"],
    kappa_interval=(0.25, 0.75),
    precision=1 / 3,
    recall=0.25,
    scale_notes=["on scales"],
    bank="genq",
    per_query=pd.DataFrame({"query_id": ["q"], "kappa": [np.nan]}),
    scale=5,
    scale_from="declared",
)
AGREEMENT_KEYS = {
    "collection": "demo",
    "bank": "genq",
    "grader": None,
    "judgments": None,
    "tau": 4,
    "relevant_from": 2,
    "label_map": None,
    "label_rank": 1,
    "scale": 5,
    "scale_from": "declared",
    "confusion": [[1, 2], [3, 4]],
    "graded": {"5": {"3": 1}},
    "kappa": 0.5,
    "kappa_interval": [0.25, 0.75],
    "n": 10,
    "multiclass_kappa": None,
    "linear_kappa": None,
    "quadratic_kappa": None,
    "krippendorff_alpha": None,
    "precision": 1 / 3,
    "recall": 0.25,
    "f1": None,
    "observed_agreement": None,
    "gwet_ac1": None,
    "pabak": None,
    "notes": ["a note", "on scales"],
}


@pytest.mark.parametrize(
    ("changes", "more", "expected"),
    [
        ({}, {}, {}),
        ({"label_map": "4=1,5=3"}, {}, {"label_map": "4=1,5=3"}),
        ({"kappa_interval": None}, {}, {"kappa_interval": None}),
        ({}, {"per_query": True}, {"per_query": [{"query_id": "q", "kappa": None}]}),
    ],
    ids=["contract", "what was asked", "undefined", "each query"],
)
def test_agreement_has_the_keys_of_the_contract(changes, more, expected):
    found = as_object(agreement_answer(replace(AGREEMENT, **changes), collection="demo", **more))
    assert (found, list(found)[:2]) == (AGREEMENT_KEYS | expected, ["collection", "bank"])


def test_a_grid_says_what_was_asked_and_which_cuts_there_are():
    rows = pd.DataFrame({"tau": [1, 4], "relevant_from": [2, 2], "label_rank": pd.array([None, None], "Int64")})
    found = as_object(grid_answer(AgreementGrid(rows, ["a note"], "genq"), collection="demo"))
    cuts = {"tau": [1, 4], "relevant_from": [2], "label_rank": []}
    printed = [{"tau": tau, "relevant_from": 2, "label_rank": None} for tau in (1, 4)]
    nobody = dict.fromkeys(("grader", "judgments", "label_map"))
    head = {"collection": "demo", "bank": "genq", **nobody, **cuts}
    assert found == {**head, "rows": printed, "notes": ["a note"]}

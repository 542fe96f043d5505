"""Sentences about displaced runs: the published outlier, and boards made by hand."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from exam_core.analysis.causes.outliers import Outliers
from exam_core.analysis.figures import figures_of
from exam_core.analysis.figures.protocol import Sampling
from exam_core.asked import Asked
from exam_core.demo.printed import printed
from exam_core.reports.displacements import (
    agreement_sentences,
    around,
    around_columns,
    displacement_sentence,
    flag_sentences,
    flagged_first,
    runs_to_explain,
)
from exam_core.store import Store
from tests.analysis.unread import unread


@pytest.fixture(scope="module")
def car(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("car"))
    store.commit("car", printed("car-y3-published"), source="published")
    return figures_of(store.snapshot("car")).outliers(Asked())[0]


def test_the_published_outlier_is_promoted_by_all_methods_over_questions(car):
    assert agreement_sentences(car)[1] == "All of them promote: ICT-DRMMTKS (3, 4 and 3 places)."


def test_the_published_outlier_is_explained_first(car):
    assert runs_to_explain(car)[0] == "ICT-DRMMTKS"


def test_every_run_can_be_explained_once(car):
    assert sorted(runs_to_explain(car)) == sorted(set(car.rows["run_id"]))


def test_where_no_run_has_a_mean_none_is_displaced_or_explained(tmp_path):
    unread(tmp_path, readable=False)
    figures = figures_of(Store(tmp_path).snapshot("world"))
    found = figures.outliers(Asked(grader="rater"), ("Cover@2",), ("rater",), Sampling(draws=9))[0]
    assert (runs_to_explain(found), flag_sentences(found)) == ([], ["No run is displaced: none has a mean."])


def test_printed_figures_flag_nothing_and_say_nothing_of_flags(car):
    assert flag_sentences(car) == []


def test_the_board_around_a_run_is_in_the_reference_order_with_a_rank_for_each_method(car):
    board = around(car, "ICT-DRMMTKS")
    assert board["run_id"].tolist() == ["UvABottomUpChangeOrder", "UvABottomUp2", "ICT-DRMMTKS"]
    assert board.columns.tolist() == around_columns(car).names == ["run_id", "reference_rank", *car.methods["method"]]
    for row in car.rows[car.rows["run_id"] == "ICT-DRMMTKS"].itertuples():
        assert board[row.method].iloc[2] == row.rank


ROW = {"method": "m", "rank": 2.0, "reference_rank": 5.0, "low": 1.0, "high": 4.0, "p": 0.01, "p_holm": 0.02}


def row(run, moved, flagged, **more):
    return {**ROW, "run_id": run, "rank_displacement": moved, "flagged": flagged, **more}


def answer(*rows, draws=2000):
    methods = pd.DataFrame({"method": ["m"], "of": ["questions"], "n_runs": [len(rows)]})
    return Outliers("official", methods, pd.DataFrame(rows), pd.DataFrame(columns=["over"]), draws, 0)


def test_flagged_runs_come_first_and_the_others_keep_their_order():
    rows = pd.DataFrame([row("a", 9, False), row("b", 3, pd.NA), row("c", -2, True)])
    assert flagged_first(rows)["run_id"].tolist() == ["c", "a", "b"]


def test_each_flagged_run_has_a_sentence():
    found = answer(row("a", 9.0, False), row("b", -3.0, True))
    assert flag_sentences(found) == [
        "Flagged: b is demoted by 3 places by m: rank 2, 5 in the reference; 95% of the draws +1.0 to +4.0, "
        "Holm p = 0.020."
    ]


def test_many_flagged_runs_are_counted():
    sentences = flag_sentences(answer(*(row(str(n), 1.0, True) for n in range(8))))
    assert (len(sentences), sentences[-1]) == (6, "3 more are flagged; see the table.")


def test_where_none_is_flagged_the_largest_is_told():
    first, second = flag_sentences(answer(row("a", 1.0, False), row("b", -1.0, False)))
    assert first == "No run is flagged: after Holm's adjustment over 2 runs, no displacement has p < 0.05."
    assert second.startswith("The largest: a is promoted by 1 place by m")


@pytest.mark.parametrize(
    ("moved", "says"),
    [(0.0, "a is not displaced by m: rank 2, 5 in the reference."), (math.nan, "a has no displacement by m.")],
    ids=["not displaced", "undefined"],
)
def test_a_run_that_is_not_displaced_is_told_so(moved, says):
    one = next(pd.DataFrame([row("a", moved, pd.NA, low=math.nan, high=math.nan)]).itertuples())
    assert displacement_sentence(one) == says

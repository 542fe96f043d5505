"""The latent model: what is drawn has the sizes, shares and orders that the settings name."""

import math

import numpy as np
import pandas as pd
import pytest

from benchmarks.simulation.settings import Settings
from exam_core.analysis.choosing import choose
from exam_core.analysis.leaderboard import leaderboard
from exam_core.formats.reading import trec_rank
from exam_core.measures.trec_eval import trec_measure
from exam_core.request import Request
from exam_core.store.summary import summary


def test_every_pair_has_a_grade_for_each_question(simulated):
    counts = summary(simulated(questions=13))
    assert counts["grades"] == 13 * counts["passages"] == 13 * 4_735


@pytest.mark.parametrize(("depth", "expected"), [(1, 1), (20, 20), (1_000, 118)], ids=["one", "twenty", "all there is"])
def test_a_run_returns_as_many_passages_as_asked_for_and_there_are(simulated, depth, expected):
    rows = simulated(depth=depth, passages=118 * 40).frame("rankings")
    assert set(rows.groupby(["run_id", "query_id"]).size()) == {expected}


def test_ranks_are_those_that_trec_eval_takes_from_the_scores(simulated):
    rows = simulated(depth=1_000).frame("rankings")
    assert rows["rank"].tolist() == trec_rank(rows).tolist()


def test_grades_have_the_shares_that_are_asked_for(simulated):
    grades = simulated(queries=100, passages=11_835).frame("grades")["grade"]
    actual = np.bincount(grades.to_numpy(int), minlength=6) / len(grades)
    np.testing.assert_allclose(actual, Settings().grade_shares, atol=0.02)


@pytest.mark.parametrize("share", [0.0, 0.25])
def test_a_share_of_the_grades_cannot_be_read(simulated, share):
    grades = simulated(unreadable=share).frame("grades")["grade"]
    assert math.isclose(grades.isna().mean(), share, abs_tol=0.01)


@pytest.mark.parametrize("share", [0.0744, 0.5, 1.0])
def test_a_share_of_the_passages_is_judged(simulated, share):
    snapshot = simulated(judged=share)
    assert math.isclose(len(snapshot.frame("judgments")) / 4_735, share, abs_tol=0.01)


def test_official_ranks_are_by_average_precision(simulated):
    snapshot = simulated()
    rankings, judgments = snapshot.frame("rankings"), snapshot.frame("judgments")
    runs = {str(name): run for name, run in rankings.groupby("run_id")}
    values = trec_measure("AP(rel=1)", judgments, runs)
    relevant = judgments[judgments["relevance"] >= 1]["query_id"].unique()
    official = snapshot.frame("leaderboards").set_index("run_id")["rank"]
    expected = values.loc[relevant].mean()[official.index].rank(ascending=False)
    pd.testing.assert_series_equal(official, expected, check_names=False, check_index=False, check_dtype=False)


@pytest.mark.thorough
@pytest.mark.parametrize("measure", ["Cover@20", "P@20"])
def test_exam_and_official_leaderboards_agree_as_they_do_in_the_papers(simulated, measure):
    actual = []
    for seed in range(5):
        snapshot = simulated(queries=100, passages=11_835, seed=seed)
        board = leaderboard(snapshot, choose(snapshot, Request(measure=measure, tau=4)))
        actual.append((board.correlation.spearman, board.correlation.kendall))
    spearman, kendall = np.median(actual, axis=0)
    assert (0.8 <= spearman <= 0.95, 0.65 <= kendall <= 0.85) == (True, True)

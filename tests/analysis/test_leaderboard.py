"""Leaderboards: averaging, re-normalising, ranks, references and notes."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from exam_core.analysis.choosing import choose
from exam_core.analysis.figures import figures_of
from exam_core.analysis.leaderboard import leaderboard, mean_and_stderr, ranked, title
from exam_core.request import Request
from tests.analysis.twins import agreement_of

from .worlds import question, ranking, store_of

OPTIONS = {"bank": "genq", "grader": "rater", "tau": 2}


def board_of(snapshot, measure="Cover@5", reference=None, **options):
    return leaderboard(snapshot, choose(snapshot, Request(measure=measure, **(OPTIONS | options), reference=reference)))


def test_mean_and_standard_error_by_hand():
    # mean (0.2 + 0.4 + 0.9) / 3 = 0.5; squares 0.09 + 0.01 + 0.16 = 0.26; sqrt(0.26 / 2 / 3)
    mean, stderr, n = mean_and_stderr(np.array([[0.2, 0.4, np.nan, 0.9]]))
    assert (mean[0], stderr[0], n[0]) == (pytest.approx(0.5), pytest.approx(np.sqrt(0.26 / 6)), 3)


@pytest.mark.parametrize(("values", "n"), [([0.3, np.nan], 1), ([np.nan, np.nan], 0)])
def test_the_error_of_fewer_than_two_queries_is_undefined(values, n):
    _, stderr, counted = mean_and_stderr(np.array([values]))
    assert (bool(np.isnan(stderr[0])), int(counted[0])) == (True, n)


def rows(means, errors):
    return pd.DataFrame({"run_id": list("abcd")[: len(means)], "mean": means, "stderr": errors, "n_queries": 2})


def test_scores_and_errors_are_normalised_by_the_same_range():
    # range 0.6 - 0.2 = 0.4: (0.6 - 0.2) / 0.4, (0.3 - 0.2) / 0.4, 0; errors 0.1 / 0.4, 0.02 / 0.4, 0.04 / 0.4
    actual = ranked(rows([0.3, 0.6, 0.2], [0.02, 0.1, 0.04]))
    np.testing.assert_allclose(actual[["normalised", "normalised_stderr"]].T, [[1, 0.25, 0], [0.25, 0.05, 0.1]])


def test_a_board_where_all_scores_are_equal_cannot_be_normalised():
    actual = ranked(rows([0.5, 0.5], [0.1, 0.1]))
    assert actual[["normalised", "normalised_stderr"]].isna().all(axis=None)


@pytest.mark.parametrize(
    ("measure", "tau", "said"),
    [
        ("Cover@5", 5, "All runs score 0: no passage within the depth reaches tau 5. Try a smaller tau."),
        ("nDCG@5", 1, "All runs score 0."),
        ("Cover@5", 1, ""),
    ],
)
def test_a_board_of_zeros_says_what_to_do(plain_world, measure, tau, said):
    board = board_of(plain_world, measure, tau=tau)
    scored = replace(board, rows=board.rows.assign(mean=0.0 if said else board.rows["mean"], normalised=np.nan))
    assert scored.all_zero == said
    assert scored.population.startswith(said or "Re-normalised scores are undefined")


def test_rows_are_ordered_by_rank_and_ties_by_name():
    actual = ranked(rows([0.1, 0.5, 0.3 - 0.2, 0.5], [0.0] * 4))
    assert list(zip(actual["run_id"], actual["rank"], strict=True)) == [("b", 1.5), ("d", 1.5), ("a", 3.5), ("c", 3.5)]


def test_runs_without_a_rank_in_the_official_leaderboard_are_left_out_of_the_correlation_and_named(random_world):
    board = board_of(random_world)
    note = "1 of 5 runs has no rank in the official ranking and is left out of correlations."
    assert (board.reference, board.correlation.n, note in board.notes) == ("official", 4, True)


def test_a_query_without_an_enabled_question_is_left_out_and_named(random_world):
    notes = board_of(random_world).notes
    assert "Left out, because they have no question that is switched on: switched off." in notes


@pytest.mark.parametrize(("missing", "n"), [("zero", 3), ("skip", 1)])
def test_a_run_with_one_query_is_averaged_over_all_queries_or_over_its_own(plain_world, missing, n):
    # Of the five graded queries one has no question that is switched on, and one has no answer that can be read.
    actual = board_of(plain_world, missing=missing).rows.set_index("run_id")
    assert actual.loc["one query only", "n_queries"] == n


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, "genq Cover@5 tau=2"),
        ({"measure": "P@5", "label_rank": 2}, "genq P@5 tau=2 label rank 2"),
        ({"measure": "P@5", "bank": None, "grader": "labels"}, "labels P@5 tau=2"),
        (
            {"measure": "P@5", "bank": None, "grader": None, "judgments": "official", "relevant_from": 1},
            "official judgments P@5 relevant from 1",
        ),
    ],
    ids=["questions", "label rank", "direct labels", "judgments"],
)
def test_a_choice_has_a_title(plain_world, options, expected):
    assert title(choose(plain_world, Request(**({"measure": "Cover@5"} | OPTIONS | options)))) == expected


def test_tau_does_not_apply_to_judgments(plain_world):
    board = leaderboard(plain_world, choose(plain_world, Request(measure="P@5", judgments="official")))
    assert (board.tau, board.tau_applies) == (None, False)


def test_the_graded_matrix_has_the_largest_label_and_relevance_first(plain_world):
    graded = agreement_of(plain_world, choose(plain_world, Request(measure="P@1", **OPTIONS)), relevant_from=2).graded
    shown = [list(graded), list(graded["5"])]
    assert shown == [["5", "4", "3", "2", "1", "0"], ["3", "2", "1", "0", "-1", "-2"]]


def test_an_uncut_reading_of_a_cut_file_counts_no_more_places_than_the_file_speaks_of(tmp_path):
    snapshot = store_of(
        tmp_path,
        {
            "grades": [("labels", None, "q", "a", 2)],
            "rankings": [("run", "q", "a", 1, 1, 2.0, True), ("run", "q", "b", 2, 3, 1.0, True)],
        },
    )
    # Ranks 1 and 3 are there, rank 2 is not; what follows is unknown.
    board = leaderboard(snapshot, choose(snapshot, Request(measure="P@1", depth=None)))
    assert board.ungraded.slots_missing == 1


def comparison(snapshot, series, **options):
    return figures_of(snapshot).compare(series, Request("P@5", tau=2).but(**options))


def test_graders_are_compared_under_one_measure_and_their_runs_stand_in_the_order_of_the_reference(plain_world):
    actual = comparison(plain_world, ["labels", "rater"])
    assert list(actual.boards) == ["labels", "rater"]
    assert actual.order == ["alpha", "beta", "gamma", "one query only", "1"]
    assert comparison(plain_world, []).order == []


def test_a_grader_that_cannot_be_measured_is_a_problem_and_not_the_end(plain_world):
    actual = comparison(plain_world, ["rater", "labels"], measure="Cover@5")
    assert (list(actual.boards), actual.unasked, actual.problems) == (["rater"], ["labels"], [])
    assert actual.missing[0].startswith("labels labels whole passages: it has no questions")


def test_direct_labels_keep_label_rank_1_in_a_comparison_and_the_notes_say_so(plain_world):
    actual = comparison(plain_world, ["rater", "labels"], label_rank=2)
    ranks = {name: board.label_rank for name, board in actual.boards.items()}
    note = "labels labels whole passages: its label rank is 1."
    assert (ranks, note in actual.notes) == ({"rater": 2, "labels": 1}, True)


def test_each_grader_of_a_comparison_has_its_kappa(plain_world):
    kappas = comparison(plain_world, ["rater", "second"]).agreements.set_index("series")["kappa"]
    expected = [
        agreement_of(
            plain_world, choose(plain_world, Request(measure="P@5", grader=name, tau=2)), relevant_from=2
        ).kappa
        for name in ("rater", "second")
    ]
    assert kappas.tolist() == expected


def test_a_comparison_says_where_labels_are_cut_because_their_scale_ends_below_tau(plain_world):
    actual = comparison(plain_world, ["rater", "labels"], measure="P@5", tau=5)
    assert actual.agreements["tau"].tolist() == [5, 2]
    assert "The scale of labels ends at 2: tau 2 is used." in actual.notes
    assert actual.names == {"rater": "rater, tau 5", "labels": "labels, tau 2"}


@pytest.fixture(scope="module")
def partly_off(tmp_path_factory):
    """Of q1 question a is on and graded; of q2 b is graded and off, and c is on and was never graded."""
    frames = {
        "questions": [question("q1/a", "q1"), question("q2/b", "q2", enabled=False), question("q2/c", "q2")],
        "grades": [("rater", "q1/a", "q1", "d1", 5), ("rater", "q2/b", "q2", "d2", 5)],
        "rankings": [row for run in ("r1", "r2") for n in "12" for row in ranking(run, f"q{n}", [f"d{n}"])],
        "judgments": [("official", "q1", "d1", 1), ("official", "q2", "d2", 1)],
    }
    return store_of(tmp_path_factory.mktemp("partly_off"), frames, {"rater": {"scale": 5}})


@pytest.mark.parametrize("missing", ["zero", "skip"])
@pytest.mark.parametrize("measure", ["Cover@20", "AP", "nDCG@20"])
def test_a_query_graded_on_switched_off_questions_alone_is_left_out_and_named(partly_off, measure, missing):
    board = leaderboard(partly_off, choose(partly_off, Request(measure=measure, tau=4, missing=missing)))
    assert board.rows["n_queries"].tolist() == [1, 1]
    assert "Left out, because they have no grade on a question that is switched on: q2." in board.notes
    if measure == "Cover@20":
        assert (board.rows["mean"].tolist(), board.overall[0]) == ([1, 1], 1)

"""What a grader said that nobody can read: counted, and undefined where nothing else is there; never 0."""

import numpy as np
import pytest
from dashboards import opened

from exam_core.analysis.agreement_matrices import agreement_lines
from exam_core.analysis.choosing import choose
from exam_core.analysis.comparison import correlations_of
from exam_core.analysis.figures import figures_of
from exam_core.analysis.leaderboard import leaderboard, standing
from exam_core.reports.board_lines import board_lines
from exam_core.reports.json_objects import leaderboard_answer
from exam_core.request import Request
from tests.wings import added_to

from .unread import RUNS, unread


@pytest.fixture(scope="module")
def partly(tmp_path_factory):
    return unread(tmp_path_factory.mktemp("partly"))


@pytest.fixture(scope="module")
def nothing(tmp_path_factory):
    return unread(tmp_path_factory.mktemp("nothing"), readable=False)


def asking(snapshot, measure="Cover@2", grader="rater", **options):
    return choose(snapshot, Request(measure=measure, grader=grader, tau=2, **options))


@pytest.mark.parametrize(("measure", "grader"), [("Cover@2", "rater"), ("Success@2", "rater"), ("Success@2", "labels")])
def test_a_mean_is_over_what_can_be_read_and_undefined_where_that_is_nothing(partly, measure, grader):
    rows = leaderboard(partly, asking(partly, measure, grader)).rows.set_index("run_id")
    actual = rows.loc[list(RUNS), ["mean", "n_queries", "rank"]].to_numpy(float)
    # q3 counts for nobody; half has a value of q1 alone; lost has none, although it returned nothing for q2.
    expected = [[1, 2, 1.5], [1, 1, 1.5], [np.nan, 0, np.nan], [0, 2, 3]]
    np.testing.assert_array_equal(actual, expected)


def test_a_board_says_first_how_much_cannot_be_read_and_then_what_is_undefined(partly):
    board = leaderboard(partly, asking(partly))
    assert board.notes[:4] == [
        "Unreadable: 10 of 18 answers of rater on the passages of these rankings (55.6%). They count as no answer; "
        "values that rest on them alone are undefined.",
        "Left out, without any readable grade: q3.",
        "Without a mean, because no passage that they returned has a readable grade: lost.",
        "Left out of a run's mean, queries for which no passage that it returned has a readable grade: 1 for half.",
    ]
    lines = board_lines(board)
    assert (lines[0], lines.count(board.notes[0])) == (board.notes[0], 1)
    assert leaderboard_answer(board)["ungraded"] == {
        "pairs": 0,
        "unreadable": 10,
        "slots_missing": 0,
        "slots_empty": 224,
        "share_at_depth": 0,
    }


def test_judged_counts_what_has_a_label_also_where_nothing_can_be_read(nothing):
    assert leaderboard(nothing, asking(nothing, "Judged@2")).rows["mean"].tolist() == [0, 0, 0, 0]


SHOWN = added_to(
    {
        "board": lambda *asked: leaderboard(*asked).rows[["mean", "stderr", "normalised", "rank"]],
        "all passages together": lambda *asked: np.array(leaderboard(*asked).overall),
        "standing": lambda *asked: standing(*asked, draws=20)[["rank", "rank_low", "tier", "displacement"]].astype(
            float
        ),
        "correlation": lambda *asked: np.array([correlations_of(asked[0], [asked[1]])[0].correlation.kendall]),
    },
    "OF_UNREADABLE",
)


@pytest.mark.parametrize("shown", SHOWN.values(), ids=SHOWN)
def test_of_a_grader_of_which_nothing_can_be_read_no_figure_is_shown(nothing, shown):
    assert np.isnan(np.asarray(shown(nothing, asking(nothing)), float)).all()


def test_of_such_a_grader_every_passage_is_a_hole(nothing):
    shares = standing(nothing, asking(nothing, "Cover@1"), draws=5).set_index("run_id")["holes"]
    assert shares[list(RUNS)].tolist() == [1, 1, 1, 1]


def test_a_correlation_is_over_the_runs_that_have_a_mean(partly):
    (correlation,) = correlations_of(partly, [asking(partly)])
    assert correlation.correlation.n == 3
    assert not any("no rank in the official ranking" in note for note in correlation.notes)


@pytest.mark.parametrize("ranked", [True, False])
def test_agreement_says_first_how_much_cannot_be_read_also_without_runs(tmp_path, monkeypatch, ranked):
    # Of q1 and q2 two passages can be read and one can't, of q3 none: 5 of 9, each by two questions.
    said = "Unreadable: 10 of 18 answers of rater on the passages that it graded (55.6%)."
    figures = figures_of(unread(tmp_path, ranked=ranked))
    agreement = figures.agreement(Request("P@2", grader="rater", tau=2))
    assert agreement_lines(agreement)[0].startswith(said)
    assert sum(line.startswith(said) for line in agreement_lines(agreement)) == 1
    assert figures.agreement_grid(Request("P@2", grader="rater")).notes[0].startswith(said)
    if not ranked:
        return
    page = list(opened("pages/agreement/agreement.py", tmp_path, monkeypatch, collection="world", modes="rater").main)
    place = next(at for at, one in enumerate(page) if one.type == "html" and said in one.proto.body)
    assert place < next(at for at, one in enumerate(page) if one.type == "metric")

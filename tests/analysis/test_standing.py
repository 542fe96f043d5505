"""Where each run stands: equal to the analyses that it gathers, and displacements by hand."""

from dataclasses import replace

import pandas as pd
import pytest

from exam_core.analysis import printed
from exam_core.analysis.choosing import choose
from exam_core.analysis.figures import figures_of
from exam_core.analysis.leaderboard import leaderboard, own_order, standing
from exam_core.analysis.outliers import outliers
from exam_core.request import Request

from .planted import planted


def test_scores_and_ranks_are_those_of_the_leaderboard(random_world):
    choice = choose(random_world, Request(measure="Cover@5", bank="genq", grader="rater", tau=3))
    rows = leaderboard(random_world, choice).rows
    pd.testing.assert_frame_equal(standing(random_world, choice)[rows.columns], rows)


def test_displacements_are_those_of_the_outliers(dl19):
    choice = choose(dl19, Request(measure="P@20", bank="genq", grader=_grader(dl19), tau=4))
    theirs = outliers(dl19, [choice], draws=10).rows.set_index("run_id")["rank_displacement"]
    ours = standing(dl19, choice).set_index("run_id")["displacement"].dropna()
    assert ours.to_dict() == theirs.to_dict()


@pytest.mark.parametrize("tau", [3, 4])
def test_the_displacement_is_the_rank_in_the_reference_less_the_own(planted_world, tau):
    rows = standing(planted_world, choose(planted_world, Request(measure="Cover@1", tau=tau)))
    # every run is in both, and the reference has no ties: the ranks are those of all runs
    assert rows["displacement"].tolist() == (rows["reference_rank"] - rows["rank"]).tolist()
    assert (rows["displacement"] == 0).all() == (tau == 3)  # where the planted order shows


def test_without_a_reference_nothing_is_displaced(tmp_path):
    bare = planted(tmp_path, official=False)
    assert standing(bare, choose(bare, Request(measure="Cover@1", tau=3)))["displacement"].isna().all()


def test_a_printed_column_has_displacements_and_neither_intervals_nor_holes(printed_store):
    snapshot = printed_store.snapshot("car-y3-published")
    rows = figures_of(snapshot).standing("genq Cover@20 tau=4", Request()).set_index("run_id")
    # EXAM, table 3: rank 1 of ours, 3 of the official ranks among the 16 that both have
    assert rows.loc["ReRnak2_BERT", ["rank", "reference_rank", "displacement"]].tolist() == [1.0, 3.0, 2.0]
    assert rows[["rank_low", "rank_high", "holes", "tier"]].isna().all(axis=None)


def test_own_order_is_that_of_the_first_board_with_the_others_runs_behind(printed_store):
    snapshot = printed_store.snapshot("dl19-published")
    first = printed.board(snapshot, "genq Cover@20 tau=3")
    fewer = replace(first, rows=first.rows.iloc[5:])
    assert own_order({"fewer": fewer, "all": first}) == [*first.rows["run_id"].iloc[5:], *first.rows["run_id"].iloc[:5]]


def _grader(snapshot):
    return next(name for name in snapshot.graders if "SelfRated" in name)

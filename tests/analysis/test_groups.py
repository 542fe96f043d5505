"""Groups of runs as systems: means over runs query by query, their spread, and the reference of systems."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from exam_core.analysis.choosing import choose
from exam_core.analysis.comparison import correlations_of
from exam_core.analysis.groups import systems_of
from exam_core.analysis.leaderboard import GROUP_ROWS, ROWS, leaderboard, standing
from exam_core.analysis.references import find_reference
from exam_core.analysis.values import by_query
from exam_core.errors import UsageError
from exam_core.request import Request
from tests.analysis.worlds import store_of, world

SYSTEM = {"alpha": "ab", "beta": "ab", "gamma": "gamma", "1": "1", "one query only": "one query only"}
BY_TAG = {"alpha": ("fast", "group:ab"), "beta": ("group:ab",)}
REFERENCES = {"ranks": "official", "scores": "printed", "by query": "qrels:nDCG@10"}


def tagged(snapshot, tags=BY_TAG):
    return replace(snapshot, tags=tuple(tags.items()))


def choice_of(snapshot, **options):
    asked = {"measure": "P@3", "bank": "genq", "grader": "rater", "tau": 2, "groups": "yes"}
    return choose(snapshot, Request(**(asked | options)))


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    frames = world(1)
    scores = [("printed", run, float(rank), 1 / rank) for rank, run in enumerate(("beta", "gamma", "1", "alpha"), 1)]
    columns = frames["leaderboards"].columns[:4]
    frames["leaderboards"] = pd.concat([frames["leaderboards"], pd.DataFrame(scores, columns=columns)])
    return tagged(store_of(tmp_path_factory.mktemp("groups"), frames))


@pytest.fixture(params=["zero", "skip"])
def choice(request, snapshot):
    return choice_of(snapshot, missing=request.param)


def test_a_group_has_on_each_query_the_mean_of_its_runs(snapshot, choice):
    runs = by_query(snapshot, replace(choice, groups=False)).dropna()
    expected = runs.groupby([runs["run_id"].map(SYSTEM), "query_id"])["value"].mean()
    rows = by_query(snapshot, choice).dropna().set_index(["run_id", "query_id"])["value"]
    pd.testing.assert_series_equal(rows.sort_index(), expected.sort_index(), check_names=False)


def test_its_row_has_the_mean_over_queries_and_the_spread_between_its_runs(snapshot, choice):
    board, by_run = leaderboard(snapshot, choice), leaderboard(snapshot, replace(choice, groups=False))
    values = by_query(snapshot, choice).dropna().groupby("run_id")["value"]
    means = by_run.rows.set_index("run_id")["mean"]
    for row in board.rows.itertuples():
        own = values.get_group(row.run_id)
        assert (row.mean, row.n_queries) == (pytest.approx(own.mean()), len(own))
        assert row.stderr == pytest.approx(own.std() / np.sqrt(len(own)), nan_ok=True)
        members = means[[run for run, system in SYSTEM.items() if system == row.run_id]]
        assert row.spread == pytest.approx(members.std(), nan_ok=True)
        assert row.n_runs == len(members)
    assert set(board.rows["run_id"]) == {*SYSTEM.values()}
    assert (board.table, by_run.table) == (GROUP_ROWS, ROWS)
    assert any("ab (2 runs)" in note for note in board.notes)
    assert by_run.rules.get("groups", "no") == "no"


@pytest.mark.parametrize("name", REFERENCES.values(), ids=REFERENCES)
def test_the_reference_has_the_mean_of_its_runs_there_and_correlations_are_of_systems(snapshot, name):
    choice = choice_of(snapshot, reference=name)
    runs = find_reference(snapshot, name, replace(choice, groups=False))
    known = runs.scores if runs.scores.notna().all() else -runs.ranks
    expected = known.groupby(known.index.map(SYSTEM)).mean()
    reference = find_reference(snapshot, name, choice)
    ranks = expected.rank(ascending=False)
    pd.testing.assert_series_equal(reference.ranks.sort_index(), ranks.sort_index(), check_names=False)
    board = leaderboard(snapshot, choice)
    shared = board.rows[board.rows["run_id"].isin(expected.index)]
    kendall = stats.kendalltau(shared["mean"].round(9), expected[shared["run_id"]].round(9)).statistic
    assert board.correlation.kendall == pytest.approx(kendall, nan_ok=True)
    (correlated,) = correlations_of(snapshot, [choice])
    assert correlated.correlation.kendall == pytest.approx(kendall, nan_ok=True)
    assert any("A group stands in" in note for note in board.notes)


def test_intervals_of_ranks_and_shares_of_holes_are_those_of_systems(snapshot):
    choice = choice_of(snapshot)
    rows = standing(snapshot, choice).set_index("run_id")
    alone = standing(snapshot, replace(choice, groups=False)).set_index("run_id")
    assert set(rows.index) == {*SYSTEM.values()}
    assert rows.loc["ab", "holes"] == pytest.approx(alone.loc[["alpha", "beta"], "holes"].mean())
    assert rows["rank_low"].notna().tolist() == rows["rank_high"].notna().tolist()


def test_a_run_that_is_left_out_is_out_of_its_group(snapshot):
    without = snapshot.without(["beta"])
    rows = leaderboard(without, choice_of(without)).rows.set_index("run_id")
    alone = leaderboard(without, choice_of(without, groups="no")).rows.set_index("run_id")
    assert (rows.loc["ab", "mean"], rows.loc["ab", "n_runs"]) == (alone.loc["alpha", "mean"], 1)


@pytest.mark.parametrize(
    ("tags", "why"),
    [
        ({}, "No run of world is in a group"),
        ({"alpha": ("fast",)}, "No run of world is in a group"),
        ({"alpha": ("group:a", "group:b")}, "in one group at most"),
        ({"alpha": ("group:",)}, "in one group at most, which has a name"),
        ({"alpha": ("group:beta",)}, "The group beta has the name of a run outside it"),
    ],
)
def test_tags_that_make_no_systems_are_refused(snapshot, tags, why):
    other = tagged(snapshot, tags)
    with pytest.raises(UsageError, match=why):
        leaderboard(other, choice_of(other))


def test_a_group_may_have_the_name_of_one_of_its_runs(snapshot):
    assert systems_of(tagged(snapshot, {"alpha": ("group:alpha",), "1": ("group:alpha",)}), ["1", "alpha", "x"]) == {
        "alpha": [0, 1],
        "x": [2],
    }

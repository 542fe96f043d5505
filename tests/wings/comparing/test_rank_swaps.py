"""Rank swaps: by hand, against a loop over pairs, and in their relation to Kendall's tau."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exam_core.analysis.choosing import choose
from exam_core.analysis.figures import figures_of
from exam_core.analysis.leaderboard import leaderboard
from exam_core.errors import UsageError
from exam_core.request import Request
from exam_core.wings.comparing.of_figures import swaps_of
from exam_core.wings.comparing.swaps import histogram, pair_frame, rank_swaps

BOARDS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=9)

# Four runs, ours 0.9 0.8 0.8 0.5, theirs 0.60 0.64 0.60 0.70. Of the six pairs
#   a b: ours a first, theirs b, 0.04 apart: swapped      a c: tied by them alone
#   a d: ours a first, theirs d, 0.10 apart: swapped      b c: tied by us alone, 0.04 apart
#   b d: swapped, 0.06 apart                              c d: swapped, 0.10 apart
OURS, THEIRS = np.array([0.9, 0.8, 0.8, 0.5]), np.array([0.60, 0.64, 0.60, 0.70])
BY_HAND = pair_frame(["a", "b", "c", "d"], OURS, THEIRS)
APART = BY_HAND.assign(apart=BY_HAND["reference_difference"].abs())


def test_the_pairs_the_ties_on_one_side_and_the_histogram_by_hand():
    found = {name: BY_HAND[BY_HAND[name]][["run_a", "run_b"]].agg("".join, axis=1) for name in ("swapped", "tied_once")}
    assert {name: pairs.tolist() for name, pairs in found.items()} == {
        "swapped": ["ab", "ad", "bd", "cd"],
        "tied_once": ["ac", "bc"],
    }
    rows = histogram(APART, 0.02)
    # a bin holds its lower end: 0.04 is in [0.04, 0.06), 0.06 in [0.06, 0.08), 0.10 in [0.10, 0.12)
    assert rows["pairs"].tolist() == [1, 0, 2, 1, 0, 2]
    assert rows["swaps"].tolist() == [0, 0, 1, 1, 0, 2]
    assert rows["tied_once"].tolist() == [1, 0, 1, 0, 0, 0]
    assert rows["share"].tolist() == pytest.approx([0, np.nan, 0.5, 1, np.nan, 1], nan_ok=True)


@pytest.mark.parametrize("width", [0.0, -0.1, np.nan, np.inf, 1e-6], ids=str)
def test_bins_without_width_or_thousands_of_them_are_refused(width):
    with pytest.raises(UsageError, match="--bin"):
        histogram(APART, width)


def test_scores_up_to_1000_make_about_fifty_bins():
    pairs = pair_frame(["a", "b"], np.array([1000.0, 0.0]), np.array([0.0, 1000.0])).assign(apart=1000.0)
    assert len(histogram(pairs)) == 51


@given(BOARDS)
def test_swaps_and_ties_equal_a_loop_over_pairs(board):
    ours, theirs = (np.array(side, float) for side in zip(*board, strict=True))
    found = pair_frame([str(run) for run in range(len(board))], ours, theirs)
    swaps = ties = 0
    for (our_a, their_a), (our_b, their_b) in combinations(board, 2):
        swaps += (our_a > our_b and their_a < their_b) or (our_a < our_b and their_a > their_b)
        ties += (our_a == our_b) != (their_a == their_b)
    assert (found["swapped"].sum(), found["tied_once"].sum()) == (swaps, ties)
    assert len(found) == len(board) * (len(board) - 1) / 2


def test_the_histogram_holds_every_pair_and_no_swap_is_farther_apart_than_the_largest(random_world):
    asked = Request(measure="P@3", bank="genq", grader="rater", reference="qrels:AP")
    found = rank_swaps(random_world, choose(random_world, asked))
    assert found.rows[["pairs", "swaps", "tied_once"]].sum().tolist() == [found.pairs, found.swaps, found.tied_once]
    assert found.differences_of == "reference"
    assert (found.swapped["reference_difference"].abs().max(), len(found.swapped)) == (found.largest, found.swaps)


def test_where_the_reference_has_only_ranks_our_own_differences_are_used_and_it_is_said(plain_world):
    choice = choose(plain_world, Request(measure="P@3", bank="genq", grader="rater", tau=3))
    found = rank_swaps(plain_world, choice)
    assert (found.differences_of, found.swapped["reference_difference"].isna().all()) == ("board", True)
    assert any("Of the official ranking only ranks are known" in note for note in found.notes)


def test_printed_columns_are_compared_with_each_other_by_their_scores(printed_store):
    snapshot = printed_store.snapshot("dl20-published")
    found = swaps_of(figures_of(snapshot), Request("Cover@20", reference="genq P@20 tau=4"))
    columns = snapshot.frame("leaderboards").pivot(index="run_id", columns="leaderboard_id", values="score")
    both = columns[["genq Cover@20 tau=4", "genq P@20 tau=4"]].drop("_overall_")
    expected = slow_swaps(both)
    assert (found.n, found.swaps, found.largest) == (50, len(expected), pytest.approx(max(expected)))


def slow_swaps(scores):
    """Differences in the second column of pairs that the two columns order differently."""
    rows = scores.to_numpy().tolist()
    return [abs(a[1] - b[1]) for a, b in combinations(rows, 2) if (a[0] - b[0]) * (a[1] - b[1]) < 0]


def test_of_printed_figures_it_is_undefined_whether_swapped_pairs_can_be_told_apart(printed_store):
    snapshot = printed_store.snapshot("car-y3-published")
    found = swaps_of(figures_of(snapshot), Request(), "genq P@20 tau=4")
    assert np.isnan(found.separable_swaps)
    assert found.swapped["separable"].isna().all()


def test_a_run_keeps_its_reference_rank_in_the_list_of_swaps(dl19):
    choice = choose(dl19, Request(measure="Cover@20", bank="genq", tau=3))
    ranks = leaderboard(dl19, choice).rows.set_index("run_id")["reference_rank"]
    swapped = rank_swaps(dl19, choice).swapped
    assert swapped["reference_rank_a"].tolist() == ranks[swapped["run_a"]].tolist()
    assert swapped["reference_rank_b"].tolist() == ranks[swapped["run_b"]].tolist()

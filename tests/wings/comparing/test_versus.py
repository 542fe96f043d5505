"""Two leaderboards side by side: pairs by hand and by loops, and their relation to the other analyses."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from exam_core.analysis import printed
from exam_core.analysis.choosing import choose
from exam_core.analysis.comparison import correlations_of
from exam_core.analysis.figures import figures_of
from exam_core.analysis.leaderboard import leaderboard
from exam_core.request import Request
from exam_core.store import Store
from exam_core.wings.comparing.of_figures import columns_beside, swaps_of
from exam_core.wings.comparing.run_pairs import significance
from exam_core.wings.comparing.swaps import rank_swaps
from exam_core.wings.comparing.two_boards import ORDERS, SIDES, Versus, agreement_sentence, flipped_passages, versus
from tests.analysis.planted import RUNS, planted
from tests.analysis.twins import Twin


@pytest.fixture(scope="module")
def choices(dl19):
    grader = next(name for name in dl19.graders if "SelfRated" in name)
    return [
        choose(dl19, Request(measure=measure, bank="genq", grader=grader, tau=tau))
        for measure, tau in (("Cover@20", 4), ("P@20", 3))
    ]


@pytest.fixture(scope="module")
def found(dl19, choices):
    return versus(dl19, *choices)


def test_ranks_and_scores_are_those_of_both_leaderboards_in_the_order_of_the_first(dl19, choices, found):
    for side, choice in zip("ab", choices, strict=True):
        rows = leaderboard(dl19, choice).rows.set_index("run_id").loc[found.rows["run_id"]]
        for name in ("rank", "mean", "stderr", "normalised"):
            assert found.rows[f"{name}_{side}"].tolist() == pytest.approx(rows[name].tolist()), name
    assert found.rows["displacement"].tolist() == (found.rows["rank_a"] - found.rows["rank_b"]).tolist()
    assert found.rows["rank_a"].is_monotonic_increasing


def test_boards_that_order_all_pairs_alike_are_said_so(dl19, choices):
    same = versus(dl19, choices[0], choices[0])
    pairs = same.n * (same.n - 1) // 2
    assert agreement_sentence(same, "a", "b").endswith(f"They order all {pairs:,} pairs of runs alike.")
    tied = replace(same, pairs=same.pairs.assign(total=[3, 3, 0]))
    assert agreement_sentence(tied, "a", "b").endswith(
        "They order 3 of 6 pairs of runs alike; 3 are tied on one side only."
    )


def test_flips_are_the_rank_swaps_against_the_second_board_as_reference(dl19, choices, found):
    swaps = rank_swaps(dl19, replace(choices[0], reference="grades:P@20:tau=3"))
    ours = set(zip(found.flips["run_a"], found.flips["run_b"], strict=True))
    assert ((found.flips["difference_a"] > 0) & (found.flips["difference_b"] < 0)).all()
    assert ours == set(zip(swaps.swapped["run_a"], swaps.swapped["run_b"], strict=True))
    assert found.pairs.set_index("order")["total"].to_dict() == {
        "flipped": swaps.swaps,
        "tied once": swaps.tied_once,
        "same": swaps.pairs - swaps.swaps - swaps.tied_once,
    }


def test_whose_test_separates_a_pair_equals_a_loop_over_pairs(dl19, choices, found):
    p = [_adjusted(dl19, choice) for choice in choices]
    mean = [leaderboard(dl19, choice).rows.set_index("run_id")["mean"].round(9) for choice in choices]
    expected = dict.fromkeys(((order, side) for order in ORDERS for side in SIDES), 0)
    for pair in combinations(found.rows["run_id"], 2):
        moved = [np.sign(one[pair[0]] - one[pair[1]]) for one in mean]
        order = "same" if moved[0] == moved[1] else ("tied once" if 0 in moved else "flipped")
        apart = tuple(one[frozenset(pair)] < 0.05 for one in p)
        side = {(True, True): "both", (True, False): "A", (False, True): "B", (False, False): "neither"}[apart]
        expected[order, side] += 1
    counts = found.pairs.set_index("order")
    assert {(order, side): int(counts.loc[order, side]) for order in ORDERS for side in SIDES} == expected


def _adjusted(snapshot, choice):
    pairs = significance(snapshot, choice, draws=10).pairs
    names = zip(pairs["run_a"], pairs["run_b"], strict=True)
    return dict(zip(map(frozenset, names), pairs["p_holm"], strict=True))


def test_the_correlation_is_that_with_the_second_board_as_reference(dl19, choices, found):
    theirs = correlations_of(dl19, [replace(one, reference="grades:P@20:tau=3") for one in choices[:1]])[0]
    rows = found.correlation.set_index("coefficient")
    for name in rows.index:
        assert rows.loc[name, "value"] == pytest.approx(getattr(theirs.correlation, name), nan_ok=True)
        expected = theirs.intervals.get(name, (np.nan, np.nan))
        assert tuple(rows.loc[name, ["low", "high"]]) == pytest.approx(expected, nan_ok=True)
    # P@20 has ties, so that tau-AP a has no value.
    assert rows.index[rows["low"].isna()].tolist() == ["tau_ap", "rbo"]
    assert any("tau-AP b" in note for note in found.notes)


def test_contradictions_come_first_then_what_one_board_separates(demo_store):
    demo = Store(demo_store).snapshot("demo")
    mixed = versus(
        demo, *(choose(demo, Request(measure=name, bank="open", tau=1)) for name in ("P@20", "SetP")), draws=20
    )
    places = mixed.flips["separable"].map({"both": 0, "A": 1, "B": 1, "neither": 2})
    assert (set(places), places.is_monotonic_increasing) == ({0, 1, 2}, True)


def test_a_constant_difference_separates_on_its_own_board_alone(tmp_path):
    # at tau 3 every pair differs by the same number of questions on every query, at tau 4 by chance
    world = planted(tmp_path)
    choices = [choose(world, Request(measure="Cover@1", tau=tau)) for tau in (3, 4)]
    found = versus(world, *choices, draws=20)
    assert (found.n, set(found.rows["run_id"]), set(found.flips["separable"])) == (len(RUNS), set(RUNS), {"A"})
    # boards of the same title are told apart by their graders
    same = versus(world, *choices[:1] * 2, draws=20)
    assert (same.title_a, same.title_b) == ("bank Cover@1 tau=3 rater",) * 2


def test_printed_columns_have_flips_but_no_tests(printed_store):
    snapshot = printed_store.snapshot("car-y3-published")
    names = ("genq Cover@20 tau=4", "genq P@20 tau=4")
    pair = columns_beside(figures_of(snapshot), *names)
    swaps = swaps_of(figures_of(snapshot), Request(reference=names[1]), names[0])
    assert len(pair.flips) == swaps.swaps > 0
    assert pair.flips[["p_a", "p_b", "separable"]].isna().all(axis=None)
    assert pair.pairs[list(SIDES)].isna().all(axis=None)
    assert pair.correlation[["low", "high"]].isna().all(axis=None)


def test_runs_of_one_column_only_are_left_out_and_counted(printed_store):
    snapshot = printed_store.snapshot("car-y3-published")
    ranked = set(printed.board(snapshot, "official").rows["run_id"])
    names = set(printed.board(snapshot, "genq P@20 tau=4").rows["run_id"])
    pair = columns_beside(figures_of(snapshot), "official", "genq P@20 tau=4")
    assert (set(pair.rows["run_id"]), pair.notes[0]) == (
        ranked & names,
        f"{len(ranked ^ names)} runs are on one of the two leaderboards only and are left out.",
    )


@pytest.mark.parametrize("second", [{"tau": 1}, {"label_rank": 2}, {"depth": 1, "measure": "P@1"}])
def test_flipped_passages_are_those_that_one_side_alone_takes_as_relevant(random_world, second):
    first = {"measure": "P@3", "bank": "genq", "grader": "rater", "tau": 3}
    choices = [choose(random_world, Request(**one)) for one in (first, first | second)]
    found, known = flipped_passages(random_world, *choices)
    twins = [Twin(random_world, choice) for choice in choices]
    labels = [
        {
            (unit, doc): label
            for unit in twin.units
            for doc in twin.grades[unit]
            if (label := twin.label(unit, doc)) is not None
        }
        for twin in twins
    ]
    both = labels[0].keys() & labels[1].keys()
    flips = {
        (*key, labels[0][key], labels[1][key])
        for key in both
        if (labels[0][key] >= choices[0].cut) != (labels[1][key] >= choices[1].cut)
    }
    rows = found[["query_id", "doc_id", "label_a", "label_b"]].itertuples(index=False, name=None)
    assert (set(rows), known) == (flips, len(both))


def test_the_comparison_of_two_boards_has_the_reason():
    row = ("spearman", 0.84, 0.83, 0.9, 0.99)
    frame = pd.DataFrame([row], columns=["coefficient", "value", "low", "middle", "high"])
    found = Versus("a", "b", 2, pd.DataFrame(), frame, pd.DataFrame(), pd.DataFrame())
    assert "Few queries make scores noisy, which lowers correlations." in found.caveats[0]

"""Which runs can be told apart: against scipy, slow loops and what print allows; and the matrix of wins."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from exam_core.analysis import printed
from exam_core.analysis.choosing import choose
from exam_core.analysis.leaderboard import leaderboard, standing
from exam_core.analysis.uncertainty import TESTS
from exam_core.analysis.values import counted_values
from exam_core.request import Request
from exam_core.wings.comparing.run_pairs import (
    HIGHEST,
    MARK,
    MARKED,
    against,
    every_pair,
    of_board,
    significance,
    wins_alternative,
    wins_figure,
)
from exam_core.wings.comparing.stability import significance_lines
from tests.analysis.test_standing import _grader
from tests.analysis.worlds import store_of, world


def choice_of(snapshot, **options):
    return choose(snapshot, Request(**({"measure": "P@3", "bank": "genq", "grader": "rater", "tau": 2} | options)))


@pytest.fixture(scope="module", params=["zero", "skip"])
def found(request, random_world):
    choice = choice_of(random_world, missing=request.param)
    values = counted_values(random_world, choice)
    frame = pd.DataFrame(values.values, values.run_ids, values.query_ids)
    return significance(random_world, choice, draws=300, seed=4), frame


def test_every_pair_is_listed_once_with_the_mean_difference_over_the_queries_of_both(found):
    tested, values = found
    mean = values.mean(axis=1)
    runs = mean[mean.notna()].index
    assert {frozenset(pair) for pair in tested.pairs[["run_a", "run_b"]].itertuples(index=False)} == {
        frozenset(pair) for pair in combinations(runs, 2)
    }
    assert (mean[tested.pairs["run_a"]].to_numpy() >= mean[tested.pairs["run_b"]].to_numpy() - 1e-9).all()
    tested, values = found
    for row in tested.pairs.itertuples():
        differences = (values.loc[row.run_a] - values.loc[row.run_b]).dropna()
        assert row.n_queries == len(differences)
        assert row.difference == pytest.approx(differences.mean(), nan_ok=True)
    tested, values = found
    for row in tested.pairs.itertuples():
        assert (row.wins, row.ties, row.losses) == slow_wins(values, row.run_a, row.run_b)


def test_p_is_that_of_the_paired_t_test_and_holm_goes_down_from_the_smallest(found):
    tested, values = found
    for row in tested.pairs.itertuples():
        both = values.loc[[row.run_a, row.run_b]].dropna(axis=1)
        if both.shape[1] > 1 and both.diff().iloc[1].round(9).nunique() > 1:
            assert row.p == pytest.approx(stats.ttest_rel(*both.to_numpy()).pvalue)
    tested, _ = found
    ordered = tested.pairs.dropna(subset="p").sort_values("p", kind="stable")
    largest = 0.0
    for place, row in enumerate(ordered.itertuples()):
        largest = max(largest, row.p * (len(ordered) - place))
        assert row.p_holm == pytest.approx(min(largest, 1.0))


def test_the_shares_are_counted_over_the_pairs(random_world):
    tested = significance(random_world, choice_of(random_world))
    counted = {
        "t": tested.pairs["p"] < 0.05,
        "t_holm": tested.pairs["separable"],
        "error_bars": ~tested.pairs["bars_overlap"],
    }
    assert {name: tested.shares[name] for name in counted} == {
        name: pytest.approx(which.mean()) for name, which in counted.items()
    }


@pytest.mark.parametrize("missing", ["zero", "skip"])
def test_the_rows_are_those_of_the_leaderboard(random_world, missing):
    choice = choice_of(random_world, missing=missing)
    shared = ["run_id", "mean", "stderr", "n_queries", "rank"]
    tested, board = significance(random_world, choice).rows, leaderboard(random_world, choice).rows
    pd.testing.assert_frame_equal(tested[shared], board[shared])


@pytest.mark.parametrize("test", [*TESTS, "tukey"])
def test_tiers_go_down_the_board_and_start_at_one(random_world, test):
    tested = significance(random_world, choice_of(random_world), test=test, draws=300)
    tiers = tested.rows["tier"].dropna().tolist()
    assert tiers[0] == 1
    assert set(np.diff(tiers)) <= {0, 1}


def test_tukeys_test_is_adjusted_already_and_stands_beside_the_usual_shares(random_world):
    choice = choice_of(random_world)
    usual, tested = (significance(random_world, choice, test=test, draws=300) for test in ("t", "tukey"))
    pd.testing.assert_series_equal(tested.pairs["p"], tested.pairs["p_holm"], check_names=False)
    assert list(tested.shares) == [*usual.shares, "tukey"]
    assert {name: tested.shares[name] for name in usual.shares} == usual.shares
    assert significance_lines(tested)[1].startswith("Tiers: randomised Tukey HSD, p < 0.05.")


def test_tukeys_test_says_how_many_queries_count_for_every_run(random_world):
    choice = choice_of(random_world, missing="skip")
    values = counted_values(random_world, choice).values
    some = values[~np.isnan(values).all(axis=1)]
    count = int((~np.isnan(some)).all(axis=0).sum())
    notes = " ".join(significance(random_world, choice, test="tukey", draws=20).notes)
    assert (f"takes the {count} of {values.shape[1]} queries" in notes) == (count < values.shape[1])
    assert "Tukey" not in " ".join(significance(random_world, choice, draws=20).notes)


@pytest.mark.parametrize("missing", ["zero", "skip"])
def test_effect_sizes_are_those_of_the_better_run_against_the_other_and_of_a_run_against_the_baseline(
    random_world, missing
):
    choice = choice_of(random_world, missing=missing)
    values = counted_values(random_world, choice)
    frame = pd.DataFrame(values.values, values.run_ids, values.query_ids)
    base = values.run_ids[1]
    beside = against(random_world, choice, base).rows.assign(run_a=lambda rows: rows["run_id"], run_b=base)
    for rows in (every_pair(random_world, choice).pairs, beside):
        for row in rows.itertuples():
            differences = (frame.loc[row.run_a] - frame.loc[row.run_b]).dropna().round(9)
            expected = differences.mean() / differences.std() if differences.nunique() > 1 else np.nan
            assert row.effect == pytest.approx(expected, abs=1e-8, nan_ok=True)
            assert np.isnan(row.effect) or row.effect_low < row.effect < row.effect_high
            ranks = differences[differences != 0].abs().rank()
            signed = (ranks * np.sign(differences[differences != 0])).sum()
            assert row.rank_biserial == pytest.approx(signed / ranks.sum() if len(ranks) else np.nan, nan_ok=True)


def test_too_few_draws_for_holm_are_told(random_world):
    # 10 pairs: 1 / (draws + 1) times 10 is below 0.05 from 200 draws on
    choice = choice_of(random_world)
    few, enough = (" ".join(significance(random_world, choice, draws=draws).notes) for draws in (199, 200))
    assert ("at least 200" in few, "--draws" in enough) == (True, False)


def test_one_query_tests_nothing_and_says_so(tmp_path):
    frames = world(1)
    frames["questions"] = frames["questions"][frames["questions"]["query_id"] == "q0"]
    snapshot = store_of(tmp_path, frames)
    tested = significance(snapshot, choice_of(snapshot))
    assert any("fewer than two queries" in note for note in tested.notes)
    assert tested.rows[["stderr", "low", "high"]].isna().all(axis=None)


@pytest.fixture(scope="session")
def printed_errors(tmp_path_factory):
    """A printed column with standard errors: a and b overlap, c does not overlap with a."""
    rows = [
        ("genq P@20", run, rank, mean, 0.03) for run, rank, mean in (("a", 1.0, 0.9), ("b", 2.0, 0.85), ("c", 3.0, 0.8))
    ]
    snapshot = store_of(tmp_path_factory.mktemp("errors"), {"leaderboards": rows}, {})
    return printed.board(snapshot, "genq P@20")


def test_printed_error_bars_are_compared_pair_by_pair_and_make_tiers(printed_errors):
    # 0.90 - 0.03 = 0.87 <= 0.85 + 0.03, but 0.80 + 0.03 = 0.83 < 0.87
    found = of_board(printed_errors)
    assert found.rows["tier"].tolist() == [1, 1, 2]
    assert found.pairs["bars_overlap"].astype(bool).tolist() == [True, False, True]
    assert found.pairs[["p", "p_holm", "separable", "n_queries"]].isna().all(axis=None)


def test_printed_means_without_errors_show_nothing(printed_store):
    snapshot = printed_store.snapshot("car-y3-published")
    found = of_board(printed.board(snapshot, "genq P@20 tau=4"))
    assert (len(found.rows), len(found.pairs), len(found.notes)) == (0, 0, 1)


def test_on_dl19_error_bars_tell_more_pairs_apart_than_adjusted_tests_and_identical_runs_are_never_apart(dl19):
    tested = significance(dl19, choose(dl19, Request(measure="P@20", bank="genq", tau=3)))
    assert tested.shares["error_bars"] > tested.shares["t_holm"] > 0
    assert len(tested.pairs) == 37 * 36 / 2
    pair = tested.pairs[tested.pairs["run_a"].isin(["ICT-BERT2", "ICT-CKNRM_B"])]
    pair = pair[pair["run_b"].isin(["ICT-BERT2", "ICT-CKNRM_B"])].iloc[0]
    assert (pair["p"], pair["p_holm"], pair["difference"], bool(pair["separable"])) == (1, 1, 0, False)


def slow_wins(values, run, other):
    """Wins, ties and losses of a run over the queries that both have, one query at a time."""
    both = [
        (one, two) for one, two in zip(values.loc[run], values.loc[other], strict=True) if one == one and two == two
    ]
    wins = sum(one > two + 1e-9 for one, two in both)
    losses = sum(two > one + 1e-9 for one, two in both)
    return wins, len(both) - wins - losses, losses


def test_every_pair_is_as_in_the_whole_answer(random_world):
    choice = choice_of(random_world)
    pd.testing.assert_frame_equal(
        every_pair(random_world, choice).pairs, significance(random_world, choice, draws=9).pairs
    )


@pytest.mark.parametrize("test", TESTS)
def test_a_baseline_is_adjusted_for_its_own_comparisons_alone(random_world, test):
    choice = choice_of(random_world)
    values = counted_values(random_world, choice)
    frame = pd.DataFrame(values.values, values.run_ids, values.query_ids)
    square = TESTS[test](values.values, 300, 4)
    for place, base in enumerate(values.run_ids):
        rows = against(random_world, choice, base, test=test, draws=300, seed=4).rows
        others = [run for run in values.run_ids if run != base and frame.loc[run].notna().any()]
        assert sorted(rows["run_id"]) == sorted(others)
        p = dict(zip(values.run_ids, square[place], strict=True))
        largest, tested = 0.0, sorted((run for run in others if p[run] == p[run]), key=p.get)
        known = rows.set_index("run_id")
        for number, run in enumerate(tested):
            largest = max(largest, p[run] * (len(tested) - number))
            assert known.loc[run, "p"] == p[run]
            assert known.loc[run, "p_holm"] == pytest.approx(min(largest, 1.0))
        for run in others:
            assert tuple(known.loc[run, ["wins", "ties", "losses"]]) == slow_wins(frame, run, base)
            assert known.loc[run, "difference"] == pytest.approx((frame.loc[run] - frame.loc[base]).mean())


def test_intervals_and_tiers_are_those_of_the_significance(dl19):
    choice = choose(dl19, Request(measure="Cover@20", bank="genq", grader=_grader(dl19), tau=3))
    names = ["run_id", "rank", "rank_low", "rank_high", "tier"]
    pd.testing.assert_frame_equal(standing(dl19, choice)[names], significance(dl19, choice).rows[names])


def test_the_matrix_of_wins_has_each_pair_both_ways():
    pairs = pd.DataFrame(
        [("a", "b", 3, 1, 1, 5, 0.01, True), ("a", "c", 2, 1, 2, 5, 0.9, False), ("b", "c", 1, 0, 4, 5, 0.3, False)],
        columns=["run_a", "run_b", "wins", "ties", "losses", "n_queries", "p_holm", "separable"],
    )
    figure = wins_figure(pairs, baseline="b")
    assert [list(row) for row in figure.data[0].z] == [[None, 0.6, 0.4], [0.2, None, 0.2], [0.4, 0.8, None]]
    assert [list(row) for row in figure.data[0].text] == [["", MARK, ""], [MARK, "", ""], ["", "", ""]]
    assert figure.data[0].hovertext[1][0].startswith("b beats a on 1 of 5 queries, 1 ties")
    assert [(shape.x0, shape.y0) for shape in figure.layout.shapes] == [(0.5, -0.5), (-0.5, 0.5)]
    assert "1 of 3 pairs differ significantly. In 1 pairs" in wins_alternative(pairs)


def test_of_many_runs_only_pairs_that_differ_significantly_have_a_colour_and_nothing_is_written_into_cells():
    runs = [f"run{place}" for place in range(MARKED + 1)]
    rows = [(*pair, 3, 1, 1, 5, 0.01, pair == ("run0", "run1")) for pair in combinations(runs, 2)]
    figure = wins_figure(
        pd.DataFrame(rows, columns=["run_a", "run_b", "wins", "ties", "losses", "n_queries", "p_holm", "separable"])
    )
    cells = [(row, column, z) for row, line in enumerate(figure.data[0].z) for column, z in enumerate(line)]
    filled = [(row, column) for row, column, z in cells if z is not None]
    assert filled == [(0, 1), (1, 0)]
    assert figure.data[0].texttemplate is None
    assert figure.layout.height == HIGHEST < 768  # a screen

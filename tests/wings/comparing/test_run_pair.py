"""Two runs query by query: by hand and against scipy."""

import numpy as np
import pytest
from scipy import stats

from exam_core.analysis.choosing import choose
from exam_core.analysis.leaderboard import leaderboard
from exam_core.analysis.values import counted_values
from exam_core.errors import UsageError
from exam_core.request import Request
from exam_core.wings.comparing.run_pairs import run_pair, significance
from tests.analysis.planted import QUERIES, planted


@pytest.fixture(scope="module")
def choice(dl19):
    grader = next(name for name in dl19.graders if "SelfRated" in name)
    return choose(dl19, Request(measure="Cover@20", bank="genq", grader=grader, tau=4))


@pytest.fixture(scope="module")
def values(dl19, choice):
    found = counted_values(dl19, choice)
    return dict(zip(found.run_ids, found.values, strict=True))


A, B = "idst_bert_p1", "UNH_bm25"


@pytest.fixture(scope="module")
def pair(dl19, choice):
    return run_pair(dl19, choice, A, B)


@pytest.mark.parametrize("test", ["t", "bootstrap", "randomisation", "wilcoxon"])
def test_p_is_that_of_the_pair_before_adjustment_among_all_pairs(dl19, choice, pair, test):
    rows = significance(dl19, choice, test=test).pairs
    p = rows.loc[(rows["run_a"] == A) & (rows["run_b"] == B), "p"].iloc[0]
    assert pair.tests.set_index("test").loc[test, "p"] == pytest.approx(p)


def test_means_are_those_of_the_leaderboard_and_the_effect_the_mean_difference_over_its_standard_deviation(
    dl19, choice, pair, values
):
    difference = values[A] - values[B]
    mean = leaderboard(dl19, choice).rows.set_index("run_id")["mean"]
    assert (pair.mean_a, pair.mean_b) == pytest.approx((mean[A], mean[B]))
    assert pair.effect == pytest.approx(difference.mean() / difference.std(ddof=1))
    assert pair.effect_low < pair.effect < pair.effect_high
    both = pair.rows["difference"][pair.rows["difference"] != 0]
    ranks = stats.rankdata(both.abs())
    assert pair.rank_biserial == pytest.approx((ranks * np.sign(both)).sum() / ranks.sum())


def test_turning_the_runs_round_turns_the_signs_and_the_largest_win_comes_first(dl19, choice, pair):
    back = run_pair(dl19, choice, B, A)
    assert (back.wins, back.losses, back.low) == (pair.losses, pair.wins, pytest.approx(-pair.high))
    assert all(one.rows["difference"].is_monotonic_decreasing for one in (pair, back))


def test_a_constant_difference_has_no_effect_size(tmp_path):
    world = planted(tmp_path)
    found = run_pair(world, choose(world, Request(measure="Cover@1", tau=3)), "run7", "run0")
    # run7 answers 8 of 10 questions of each query, run0 one
    assert (found.wins, found.difference) == (len(QUERIES), pytest.approx(0.7))
    assert np.isnan(found.effect)


def test_an_unknown_run_is_refused(dl19, choice):
    with pytest.raises(UsageError, match="no run nobody"):
        run_pair(dl19, choice, A, "nobody")


def test_the_mean_difference_is_that_of_scipys_paired_t_test_and_every_query_counts_once(pair, values):
    test = stats.ttest_rel(values[A], values[B])
    interval = test.confidence_interval(0.95)
    assert (pair.low, pair.high) == pytest.approx((interval.low, interval.high))
    assert pair.difference == pytest.approx(np.mean(values[A] - values[B]))
    assert pair.tests["p"].iloc[0] == pytest.approx(test.pvalue)
    difference = np.round(values[A] - values[B], 9)
    assert (pair.wins, pair.ties, pair.losses) == tuple((np.sign(difference) == sign).sum() for sign in (1, 0, -1))

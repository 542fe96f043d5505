"""Leaderboards of fewer questions or queries: against slow loops, and at the ends of the curve."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from exam_core.analysis.choice import QuestionChoice
from exam_core.analysis.choosing import choose
from exam_core.analysis.leaderboard import leaderboard
from exam_core.analysis.references import find_reference
from exam_core.analysis.uncertainty import shuffled_places
from exam_core.analysis.values import counted_values, gradebook
from exam_core.numbers.rank_correlations import rank_correlation
from exam_core.request import Request
from exam_core.wings.comparing.stability import ITSELF, SIZE_ROWS, size_curve, sizes_up_to
from tests.analysis.worlds import choice_of

CURVES = ["bank-size", "queries"]
COEFFICIENTS = ["spearman", "kendall"]


@pytest.mark.parametrize("of", CURVES)
@pytest.mark.parametrize("measure", ["Cover@3", "P@3", "nDCG@3"])
def test_the_curve_ends_at_the_whole_leaderboard(random_world, of, measure):
    choice = choice_of(random_world, measure=measure)
    rows = size_curve(random_world, choice, of=of, subsets=5).rows
    last = rows[rows["against"] == "official"].iloc[-1]
    whole = leaderboard(random_world, choice).correlation
    for name in COEFFICIENTS:
        expected = pytest.approx(getattr(whole, name), nan_ok=True)
        assert [last[name], last[f"{name}_low"], last[f"{name}_high"]] == [expected] * 3


@pytest.mark.thorough
def test_a_subset_of_questions_is_a_bank_that_asks_only_these(plain_world):
    choice, subsets, size, seed = choice_of(plain_world, measure="P@3"), 12, 2, 9
    rows = size_curve(plain_world, choice, subsets=subsets, seed=seed).rows.set_index(["against", "size"])
    book, rng = gradebook(plain_world, choice.labelling), np.random.default_rng(seed)
    found = []
    for _ in range(subsets):
        kept = shuffled_places(book.enabled, rng) < size
        others = {name for q, row in enumerate(book.question_ids) for s, name in enumerate(row) if not kept[q, s]}
        found.append(leaderboard(plain_world, choice.labelled(asking=QuestionChoice(frozenset(others)))).correlation)
    row = rows.loc[("official", size)]
    for name in COEFFICIENTS:
        samples = [getattr(one, name) for one in found]
        expected = [np.mean(samples), *np.percentile(samples, [2.5, 97.5])]
        assert row[[name, f"{name}_low", f"{name}_high"]].tolist() == pytest.approx(expected)


@pytest.mark.parametrize("reference", ["official", "qrels:P@3"])
def test_a_subset_of_queries_has_their_means_and_so_has_a_computed_reference(random_world, reference):
    choice, subsets, size, seed = choice_of(random_world, measure="P@3"), 10, 2, 9
    rows = size_curve(random_world, replace(choice, reference=reference), of="queries", subsets=subsets, seed=seed).rows
    row = rows[(rows["against"] == reference) & (rows["size"] == size)].iloc[0]
    values, other = counted_values(random_world, choice), find_reference(random_world, reference, choice)
    ours = pd.DataFrame(values.values, values.run_ids, values.query_ids)
    n = len(values.query_ids)
    places = shuffled_places(np.ones((subsets, n), bool), np.random.default_rng(seed))
    samples = []
    for place in places:
        mine = ours.loc[:, place < size]
        theirs = -other.ranks
        if other.values is not None:
            frame = pd.DataFrame(other.values.values, other.values.run_ids, other.values.query_ids)
            theirs = frame.reindex(columns=mine.columns).mean(axis=1)
        shared = [run for run in ours.index if run in theirs.index]
        samples.append(rank_correlation(mine.mean(axis=1)[shared].to_numpy(), theirs[shared].to_numpy()).kendall)
    defined = ~np.isnan(samples)
    expected = np.mean(np.array(samples)[defined]) if defined.mean() >= 0.9 else np.nan
    assert row["kendall"] == pytest.approx(expected, nan_ok=True)


def test_up_to_25_sizes_are_all_there_and_more_are_25_from_1_to_the_last():
    assert [sizes_up_to(n) for n in (0, 1, 3, 25)] == [[], [1], [1, 2, 3], list(range(1, 26))]
    for n in (26, 43, 721):
        sizes = sizes_up_to(n)
        assert (len(sizes), sizes[0], sizes[-1]) == (25, 1, n)


def test_fewer_questions_of_dl19_give_another_order_more_often(dl19):
    rows = size_curve(dl19, choose(dl19, Request(measure="Cover@20", bank="genq", tau=3))).rows
    kendall = rows[rows["against"] == ITSELF]["kendall"]
    assert (list(rows), len(kendall), kendall.is_monotonic_increasing) == (SIZE_ROWS.names, 10, True)

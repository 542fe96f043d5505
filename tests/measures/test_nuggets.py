"""Nugget scores where importances differ: by hand, as the slow twin has them, and as they were released."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exam_core.analysis.evaluation.books import gradebook
from exam_core.analysis.evaluation.choice import Grading, Labelling
from exam_core.measures import MEASURES, Measure
from exam_core.measures.gradebook import Gradebook
from exam_core.measures.sweep import sweep
from exam_core.store import Store
from exam_core.store.names import BankRef
from exam_core.tables import AVOID, OKAY, OTHER, VITAL

from .books import book_of, random_book
from .slow import slow_values

SCORES = {
    "NuggetVitalStrict": "strict_vital_score",
    "NuggetVital": "vital_score",
    "NuggetWeightedStrict": "strict_weighted_score",
    "NuggetWeighted": "weighted_score",
    "NuggetAllStrict": "strict_all_score",
    "NuggetAll": "all_score",
}


def values(book: Gradebook, name: str) -> list[list[float]]:
    """(R, Q) all that is read of the rankings."""
    return sweep(book, [Measure(name)], taus=(1,))[0, 0].tolist()


# One query with two vital nuggets, an okay one, one of another word, and one to avoid. The first run supports the
# first vital and the avoided one and has the others in part; the second supports all but the vital ones.
IMPORTANCE = [[VITAL, VITAL, OKAY, OTHER, AVOID]]
BY_HAND = {
    "NuggetVitalStrict": (1 / 2, 0),
    "NuggetVital": (1.5 / 2, 0),
    "NuggetWeightedStrict": (1 / 2.5, 0.5 / 2.5),
    "NuggetWeighted": (1.75 / 2.5, 0.5 / 2.5),
    "NuggetAllStrict": (1 / 4, 2 / 4),
    "NuggetAll": (2.5 / 4, 2 / 4),
}


@pytest.mark.parametrize(("name", "expected"), BY_HAND.items(), ids=BY_HAND)
def test_importances_count_as_they_say(name: str, expected: tuple[float, float]) -> None:
    book = book_of([[2, 1, 1, 1, 2], [0, 0, 2, 2, 2]], [0, 0], [[1] * 5], [[[0]], [[1]]], importance=IMPORTANCE)
    assert values(book, name) == [[expected[0]], [expected[1]]]


@pytest.mark.parametrize(("name", "expected"), BY_HAND.items(), ids=BY_HAND)
def test_everything_graded_together_has_the_best_grade_of_each_nugget(name: str, expected: tuple[float, float]) -> None:
    # The same grades, each on a passage of its own, and no run that ranks them.
    grades = [[2, 0, 0, 0, 2], [0, 1, 1, 1, 0]]
    book = book_of(grades, [0, 0], [[1] * 5], [[[]]], importance=IMPORTANCE)
    overall = MEASURES[name].overall
    assert overall is not None
    assert overall(book, tau=4).tolist() == [expected[0]]


def test_a_query_without_a_vital_nugget_has_no_vital_score() -> None:
    book = book_of([[2], [2]], [0, 1], [[1], [1]], [[[0], [1]]], importance=[[OKAY], [VITAL]])
    np.testing.assert_array_equal(values(book, "NuggetVital"), [[np.nan, 1]])
    assert values(book, "NuggetWeighted") == [[1, 1]]


@given(seed=st.integers(0, 2**32), width=st.sampled_from([1, 3, 11, 66]), depth=st.sampled_from([1, 3, 20]))
def test_values_of_any_importances_are_those_of_the_slow_twin(seed: int, width: int, depth: int) -> None:
    rng = np.random.default_rng(seed)
    book = random_book(rng, queries=3, width=width, places=4, passages=5)
    importance = rng.choice([VITAL, OKAY, OTHER, AVOID], book.enabled.shape)
    book = book_of(book.grades, book.pair_query, book.enabled, book.slots.transpose(1, 2, 0), importance=importance)
    measures = [Measure.at(name, depth) for name in SCORES]
    fast = sweep(book, measures, taus=(1,))
    np.testing.assert_allclose(fast, slow_values(book, measures, taus=(1,)), rtol=0, atol=1e-15)


def test_the_six_released_scores_of_all_topics_are_equal(rag24_store: Path, shared_data: Path) -> None:
    grading = Grading("nuggetizer", BankRef("nuggets", 1))
    book = gradebook(Store(rag24_store).snapshot("rag24"), Labelling(grading))
    found = sweep(book, [Measure(name) for name in SCORES], taus=(1,))[:, 0, 0]
    lines = (shared_data / "data/rag24_nuggets/expected_metrics_gpt-4o.jsonl").read_text().splitlines()
    expected = {line["qid"]: [line[key] for key in SCORES.values()] for line in map(json.loads, lines)}
    assert len(book.query_ids) == 301
    assert found.T.tolist() == [expected[query_id] for query_id in book.query_ids]
    np.testing.assert_allclose(found.mean(axis=1), expected["all"], rtol=0, atol=1e-12)

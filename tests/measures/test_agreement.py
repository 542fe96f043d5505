"""Confusion and Cohen's kappa."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from exam_core.measures.agreement import cohen_kappa, confusion

GRADED = {5: {3: 1, 0: 2}, 4: {2: 3, 1: 4}, 1: {3: 5}, 0: {-2: 6, 1: 7}}


@pytest.mark.parametrize(
    ("tau", "relevant_from", "expected"),
    [
        # labels 4, 5 are positive: relevance 2, 3 in them 1 + 3, below 2 + 4; under them 5, and 6 + 7
        (4, 2, [[4, 6], [5, 13]]),
        # label 5 alone: 1 | 2; under it 3 + 5 | 4 + 6 + 7
        (5, 2, [[1, 2], [8, 17]]),
        # labels from 1, relevance from 1: 1 + 3 + 4 + 5 | 2; under it 7 | 6
        (1, 1, [[13, 2], [7, 6]]),
        # relevance from 3: 1 + 5 | 2 + 3 + 4; under it 0 | 6 + 7
        (1, 3, [[6, 9], [0, 13]]),
    ],
)
def test_a_graded_matrix_is_cut_at_tau_and_at_relevant_from(tau, relevant_from, expected):
    assert confusion(GRADED, tau=tau, relevant_from=relevant_from).tolist() == expected


@pytest.mark.parametrize(("tau", "relevant_from"), [(tau, cut) for tau in range(1, 6) for cut in range(4)])
def test_every_cut_counts_each_passage_once(tau, relevant_from):
    assert confusion(GRADED, tau=tau, relevant_from=relevant_from).sum() == 28


def test_an_empty_matrix_has_no_counts():
    assert confusion({}, tau=4, relevant_from=2).tolist() == [[0, 0], [0, 0]]


def test_kappa_by_hand():
    # po = (20 + 15) / 50 = 0.7; pe = (25 * 30 + 25 * 20) / 50^2 = 0.5; kappa = 0.2 / 0.5
    assert cohen_kappa(np.array([[20, 5], [10, 15]])) == pytest.approx(0.4)


TABLES = {
    "car-y3 lenient": [[2361, 1920], [429, 1642]],
    "dl19 strict": [[1439, 1356], [1062, 5403]],
    "perfect": [[7, 0], [0, 3]],
    "reversed": [[0, 7], [3, 0]],
    "one column empty": [[4, 0], [6, 0]],
    "large": [[3_000_000_000, 1], [2, 3_000_000_000]],
    "three labels": [[5, 1, 2], [0, 7, 1], [3, 2, 9]],
}


@pytest.mark.parametrize("counts", TABLES.values(), ids=TABLES)
def test_kappa_is_that_of_scikit_learn(counts):
    size = len(counts)
    predicted, judged = np.divmod(np.arange(size * size), size)
    expected = cohen_kappa_score(predicted, judged, sample_weight=np.ravel(counts).astype(float))
    assert cohen_kappa(np.array(counts)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_kappa_of_random_counts_is_that_of_scikit_learn(seed):
    counts = np.random.default_rng(seed).integers(0, 50, (2, 2))
    expected = cohen_kappa_score([0, 0, 1, 1], [0, 1, 0, 1], sample_weight=counts.ravel())
    assert cohen_kappa(counts) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("counts", [[[0, 0], [0, 0]], [[9, 0], [0, 0]], [[0, 0], [0, 9]]])
def test_kappa_is_undefined_where_there_is_nothing_or_one_label_only(counts):
    assert np.isnan(cohen_kappa(np.array(counts)))

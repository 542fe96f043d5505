"""Coefficients of agreement of two columns of reviews, or of all reviewers, each with its interval."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from exam_core.numbers.annotator_agreement import cohen_kappa, krippendorff_alpha, weighted_kappa
from exam_core.numbers.arrays import Floats, Ints
from exam_core.wings.reviews.analysis.compared_reviews import ComparedReviews
from exam_core.wings.reviews.numbers.sample_estimates import (
    UNKNOWN,
    Estimate,
    Sample,
    coincidences,
    estimate,
    estimate_kappa,
    share,
    table_of,
)

LARGEST_SPAN = 16
"""Steps between the smallest and the largest value up to which values are compared one by one."""
OF_CUTS: dict[str, Callable[[Floats, Sample], Estimate]] = {
    "kappa": estimate_kappa,
    "alpha": partial(estimate, partial(krippendorff_alpha, level="nominal")),
}
"""Of yes and no: what reaches the cuts, and what doesn't."""
OF_VALUES: dict[str, Callable[..., float]] = {
    "multiclass_kappa": cohen_kappa,
    "linear_kappa": partial(weighted_kappa, weights="linear"),
    "quadratic_kappa": partial(weighted_kappa, weights="quadratic"),
    "alpha_ordinal": partial(krippendorff_alpha, level="ordinal"),
    "alpha_interval": partial(krippendorff_alpha, level="interval"),
}
"""Of the values themselves, as numbers on one scale."""
NAMES = {
    "agreement": "Share that agrees",
    "kappa": "Cohen's kappa",
    "alpha": "Krippendorff's alpha",
    "multiclass_kappa": "Kappa, all classes",
    "linear_kappa": "Linear kappa",
    "quadratic_kappa": "Quadratic kappa",
    "alpha_ordinal": "Alpha, ordinal",
    "alpha_interval": "Alpha, interval",
    "good": "Share good",
}
"""Every coefficient in words, in the order in which they are shown."""


def of_two(found: ComparedReviews, first: str, second: str) -> Iterator[tuple[str, Estimate]]:
    """Every coefficient of two columns, in order; of the rows that have both."""
    both = found.known(first).known(second)
    sample = both.sample
    if second == "model" and not found.reached:
        yield from ((name, UNKNOWN._replace(n=both.rows["item"].nunique())) for name in ("agreement", *OF_CUTS))
    else:
        yield from _of_cuts(both, first, second, sample)
    if found.task == "question":
        return
    values = codes(both.values(first), both.values(second))
    if values is not None:
        tables = table_of(values[0], values[1], int(values.max(initial=0)) + 1)
        for name, statistic in OF_VALUES.items():
            yield name, estimate(statistic, tables, sample)


def _of_cuts(both: ComparedReviews, first: str, second: str, sample: Sample) -> Iterator[tuple[str, Estimate]]:
    rows, columns = both.positive(first).astype(np.int64), both.positive(second).astype(np.int64)
    yield "agreement", share(rows == columns, sample)
    tables = table_of(rows, columns, 2)
    for name, estimated in OF_CUTS.items():
        yield name, estimated(tables, sample)


def of_all(found: ComparedReviews) -> Iterator[tuple[str, Estimate]]:
    """Alpha of all reviewers together; each item must have answers of two or more of them."""
    newest = found.only(~found.rows.duplicated(["reviewer", "item"], keep="last"))
    _, item = np.unique(newest.rows["item"], return_inverse=True)
    sample = _of_items(found)
    yield "alpha", OF_CUTS["alpha"](coincidences(_counts(item, newest.positive("answer"), 2)), sample)
    if found.task != "question":
        answers = newest.values("answer").astype(np.int64)
        tables = coincidences(_counts(item, answers, int(answers.max()) + 1))
        for name in ("alpha_ordinal", "alpha_interval"):
            yield name, estimate(OF_VALUES[name], tables, sample)


def _counts(item: Ints, value: Any, size: int) -> Ints:
    """(items, size) how often each item got each value."""
    return np.bincount(item * size + value, minlength=(int(item.max()) + 1) * size).reshape(-1, size)


def _of_items(found: ComparedReviews) -> Sample:
    """The sample with one row for each item, in order, that has the weight of all of the item's rows."""
    sample = found.sample
    _, first, item = np.unique(sample.items, return_index=True, return_inverse=True)
    return Sample(np.arange(len(first)), np.bincount(item, sample.weights).astype(float), sample.chances[first])


def codes(first: Floats, second: Floats) -> Ints | None:
    """(2, n) both as places from 0 on one scale; None where they are too far apart to be one."""
    both = np.stack([first, second]).astype(np.int64)
    both -= both.min(initial=0) if both.size == 0 else both.min()
    return both if both.max(initial=0) <= LARGEST_SPAN else None

"""Simulated review campaigns: what so many reviews would bring, where it is known what humans say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.reviews.corrected import correct, order_by
from exam_core.analysis.reviews.drawing import sizes
from exam_core.analysis.reviews.lists import Lists, lists_of
from exam_core.analysis.reviews.population import Population, population
from exam_core.asked import RELEVANT_FROM
from exam_core.errors import UsageError
from exam_core.measures.corrected import LEVEL, Sampled
from exam_core.measures.gradebook import Floats
from exam_core.measures.sampling import inclusion_probabilities, pivotal
from exam_core.numbers.correlation import rank_correlation
from exam_core.progress import Progress, no_progress
from exam_core.results import ResultTable, decimal, number, text
from exam_core.reviews.review import Sampler
from exam_core.store import Snapshot
from exam_core.tables import OFFICIAL

ROWS = ResultTable(
    "reviews: campaigns",
    "What simulated campaigns of so many reviews bring",
    text("sampler", "Sampler", "How passages are drawn."),
    number("n", "Reviews", "Passages that are reviewed, each by one person.", "passages"),
    decimal("error", "Error", "Mean distance of the corrected means from the truth.", "score"),
    decimal("half_width", "Half-width", "Mean half-width of the 95% intervals.", "score"),
    decimal("holds", "Holds the truth", "Share of intervals that hold the truth; 0.95 is what they promise.", "share"),
    decimal("shrunk_error", "Error of the best guess", "Mean distance of the best guess from the truth.", "score"),
    decimal("kendall", "Kendall", "Kendall's tau-b of the corrected board's order with the true one."),
    decimal("alone", "Humans alone", "Mean half-width by the answers of a uniform sample alone.", "score"),
    decimal("ratio", "Of humans alone", "Half-width over that of humans alone.", "share"),
)


@dataclass(frozen=True, eq=False)
class Truth:
    """A collection of which it is known what humans say of each passage.

    Parameters
    ----------
    answers : (P,) 1 where humans find the pair relevant, else 0
    means : (R,) what humans' answers make of the runs
    """

    lists: Lists
    found: Population
    answers: Floats
    means: Floats


def truth_of(snapshot: Snapshot, choice: Evaluation, relevant_from: int = RELEVANT_FROM) -> Truth:
    """A choice's lists with judgments in place of the humans; passages without a judgment are not relevant.

    Raises
    ------
    UsageError : there are no such judgments, or the measure can't be corrected
    """
    lists = lists_of(snapshot, choice)
    found = population(snapshot, choice, "relevance")
    rows = snapshot.query(
        "SELECT query_id, doc_id FROM judgments WHERE qrels_id = ? AND relevance >= ?",
        [OFFICIAL, relevant_from],
    )
    if not len(rows):
        raise UsageError(f"{snapshot.collection} has no judgments {OFFICIAL} to play the humans.")
    relevant = set(zip(rows["query_id"], rows["doc_id"], strict=True))
    queries = [lists.book.query_ids[query] for query in lists.book.pair_query]
    keys = zip(queries, lists.book.docs.to_pylist(), strict=True)
    answers = np.array([key in relevant for key in keys], float)
    return Truth(lists, found, answers, lists.parts(np.zeros(0, int), answers).predicted)


@dataclass(frozen=True)
class Campaign:
    """Who is asked about what: how passages are drawn, how many, how often that is simulated, and from which seed."""

    sampler: Sampler
    n: int
    rounds: int
    seed: int = 0


def campaigns(
    snapshot: Snapshot, choice: Evaluation, truth: Truth, one: Campaign, progress: Progress = no_progress
) -> dict[str, Any]:
    """What campaigns of n reviews bring on average.

    Returns
    -------
    a row of `ROWS`, and `holds_least`: the share for the run whose intervals hold the truth least often
    """
    probabilities = inclusion_probabilities(sizes(snapshot, choice, truth.found, one.sampler), one.n)
    rng = np.random.default_rng([one.seed, one.n])
    found = []
    for done in range(one.rounds):
        sample = pivotal(probabilities, rng)
        items = truth.found.pairs[sample]
        found.append(correct(truth.lists, Sampled(items, truth.answers[items], 1 / probabilities[sample])))
        progress((done + 1) / one.rounds)
    # A run of which every passage was reviewed has an interval without width, but for rounding.
    holds = np.mean([(means.low <= truth.means + 1e-9) & (truth.means <= means.high + 1e-9) for means in found], axis=0)
    half_width = float(np.mean([means.high - means.low for means in found]) / 2)
    alone = humans_alone(truth, one.n)
    return {
        "sampler": one.sampler,
        "n": one.n,
        "error": float(np.mean([np.abs(means.mean - truth.means) for means in found])),
        "half_width": half_width,
        "holds": float(holds.mean()),
        "holds_least": float(holds.min()),
        "shrunk_error": float(np.mean([np.abs(means.shrunk - truth.means) for means in found])),
        "kendall": float(
            np.mean([rank_correlation(order_by(truth.lists, means), truth.means).kendall for means in found])
        ),
        "alone": alone,
        "ratio": half_width / alone if alone else np.nan,
    }


def humans_alone(truth: Truth, n: int) -> float:
    """Mean half-width of the runs' intervals by n answers of a uniform sample, without the grader's help.

    It is the exact standard error of the weighted sum of answers, for drawing without replacement.
    """
    from scipy.special import stdtrit  # not at the top: scipy takes long to load

    pairs = truth.found.pairs
    size = len(pairs)
    if n >= size:
        return 0.0
    adds = truth.lists.parts(pairs, truth.answers).answered * truth.answers[pairs]
    spread = adds.var(axis=1, ddof=1) * size**2
    reach = stdtrit(n - 1, (1 + LEVEL) / 2)
    return float((reach * np.sqrt(spread * (1 / n - 1 / size))).mean())

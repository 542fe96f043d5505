"""What a leaderboard of nugget scores owes to somebody's view of which nuggets are vital."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from exam_core.analysis.evaluation.books import gradebook, no_runs
from exam_core.analysis.evaluation.choice import LabelRule
from exam_core.analysis.shared_columns import RUN
from exam_core.defaults import SEED, SHUFFLES
from exam_core.errors import UsageError
from exam_core.measures.gradebook import Gradebook
from exam_core.numbers.rank_correlations import mean_rank
from exam_core.results import ResultTable, count, decimal, number, rank, share, text
from exam_core.store import Snapshot
from exam_core.tables import OKAY, UNGRADED, VITAL
from exam_core.wings.neighbours.analysis.nuggets import best_grades, of_questions
from exam_core.wings.neighbours.measures.effectiveness.nuggets import PARTIAL, SUPPORT
from exam_core.wings.neighbours.measures.variability import Variability, variability

SOURCE = "Lin & Demner-Fushman 2005, section 7"
CONFIDENCE = 0.95
IN_SHUFFLES = "Rank in 95% of the shuffles."
ROWS = ResultTable(
    "nuggets: variability",
    "Each run as if other nuggets were vital, in the order of the leaderboard",
    RUN,
    rank("rank", "Rank", "By vital recall with the bank's labels; tied runs share their mean rank.", "rank"),
    decimal("vital_score", "Bank's labels", "Mean share of vital nuggets; partial support as chosen.", "score"),
    decimal("all_vital", "All vital", "This mean if every nugget were vital.", "score", SOURCE),
    decimal("flipped", "Exchanged", "This mean if vital and okay were exchanged.", "score", SOURCE),
    share("first", "First", "Share of the shuffles in which the run comes first; ties share.", "shuffles", SOURCE),
    number("rank_low", "from", IN_SHUFFLES, "rank", form="%.1f"),
    number("rank_high", "to", IN_SHUFFLES, "rank", form="%.1f"),
)
TAUS = ResultTable(
    "nuggets: variants",
    "Kendall's tau-b of leaderboards under other labels with the leaderboard by the bank's labels",
    text("labels", "Labels"),
    decimal(
        "kendall",
        "Kendall",
        "tau-b with the leaderboard by the bank's labels; the mean over all shuffles.",
        source=SOURCE,
    ),
    decimal("deviation", "± deviation", "Sample standard deviation of the shuffles' tau-b."),
    count("n_queries", "Queries", "Queries with a vital nugget under these labels.", "queries"),
)


@dataclass(frozen=True)
class ImportanceEffect:
    """A leaderboard by vital recall under other labels.

    Parameters
    ----------
    rows : `ROWS`
    variants : `TAUS`: everything vital, vital and okay exchanged, and shuffled within each query
    kendall : tau-b of each shuffle, NaN where it is undefined
    """

    strict: bool
    draws: int
    seed: int
    rows: pd.DataFrame
    variants: pd.DataFrame
    kendall: list[float]
    notes: list[str] = field(default_factory=list)


def importance_effect(
    snapshot: Snapshot, labelling: LabelRule, *, strict: bool = False, draws: int = SHUFFLES, seed: int = SEED
) -> ImportanceEffect:
    """How the order of the runs by vital recall depends on which nuggets are called vital.

    A nugget that is neither vital nor okay is left out, as in the vital and weighted scores.

    Parameters
    ----------
    strict : whether partial support counts nothing, or half

    Raises
    ------
    UsageError : no runs, or nothing to evaluate
    UndefinedMeasure : the grader labels whole passages

    Source: Lin & Demner-Fushman 2005, section 7.
    """
    of_questions(labelling)
    book = gradebook(snapshot, labelling).without_strangers()
    if not book.run_ids:
        raise UsageError(no_runs(snapshot))
    found = _variability(book, strict=strict, draws=draws, seed=seed)
    beyond = (1 - CONFIDENCE) / 2
    known = len(found.ranks) and not np.isnan(found.ranks).all()
    ends = np.quantile(found.ranks, (beyond, 1 - beyond), axis=0) if known else np.full((2, len(book.run_ids)), np.nan)
    rows = pd.DataFrame(
        {
            "run_id": book.run_ids,
            "rank": mean_rank(found.as_is.means),
            "vital_score": found.as_is.means,
            "all_vital": found.all_vital.means,
            "flipped": found.flipped.means,
            "first": found.first,
            "rank_low": ends[0],
            "rank_high": ends[1],
        }
    )
    variants = [
        ("everything vital", found.all_vital.kendall, np.nan, found.all_vital.queries),
        ("vital and okay exchanged", found.flipped.kendall, np.nan, found.flipped.queries),
        (f"{draws:,} shuffles", found.kendall_mean, found.kendall_deviation, found.as_is.queries),
    ]
    rows = rows.sort_values(["rank", "run_id"], ignore_index=True)
    return ImportanceEffect(strict, draws, seed, ROWS.of(rows), TAUS.of(variants), found.kendall.tolist(), _notes(book))


def _variability(book: Gradebook, *, strict: bool, draws: int, seed: int) -> Variability:
    vital = book.important(VITAL)
    query, slot = np.nonzero(vital | book.important(OKAY))
    best = best_grades(book)[:, query, slot]
    credit = np.where(best >= SUPPORT, 1.0, np.where((best == PARTIAL) & (not strict), 0.5, 0.0))
    credit[best == UNGRADED] = np.nan
    return variability(credit, query, vital[query, slot], draws=draws, seed=seed)


def _notes(book: Gradebook) -> list[str]:
    if not book.important(OKAY).any():
        return ["The bank has no okay nugget, so there is nothing to exchange or to shuffle."]
    return []

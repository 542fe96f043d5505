"""Leaderboards: every run's mean with its standard error, re-normalised, against a reference."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from exam_core.analysis.evaluation.books import gaps, no_runs
from exam_core.analysis.evaluation.caveats import ROUNDED, about_depth, about_missing_runs, about_rounding
from exam_core.analysis.evaluation.choice import Evaluation, Grading
from exam_core.analysis.evaluation.grade_scales import about_grader
from exam_core.analysis.evaluation.misfits import about_other_passages, about_ranks
from exam_core.analysis.evaluation.references import (
    Reference,
    about_left_out,
    about_order,
    correlation_with,
    find_reference,
)
from exam_core.analysis.evaluation.scope import Scope, scope_of
from exam_core.analysis.evaluation.unlabelled import unlabelled
from exam_core.analysis.evaluation.values import query_values
from exam_core.analysis.shared_columns import MEAN, NORMALISED, NORMALISED_STDERR, RANK, REFERENCE_RANK, RUN, STDERR
from exam_core.asked import DEPTH, JUDGED
from exam_core.errors import UsageError
from exam_core.measures import MEASURES
from exam_core.measures.places import Gaps
from exam_core.numbers.arrays import Floats, Ints
from exam_core.numbers.means import mean_and_stderr, rounded_means, span
from exam_core.numbers.rank_correlations import Correlation, mean_rank
from exam_core.results import ResultTable, number
from exam_core.store import Snapshot
from exam_core.store.summary import bank_version
from exam_core.wording import counted

ROWS = ResultTable(
    "leaderboard: rows",
    "Runs with their scores, best first; undefined values are NaN",
    RUN,
    MEAN,
    STDERR,
    number("n_queries", "Queries", "Queries that the mean is taken over.", unit="queries"),
    NORMALISED,
    NORMALISED_STDERR,
    RANK,
    REFERENCE_RANK,
    number(
        "unanswered",
        "Unanswered",
        "Queries for which the run returned nothing; they count 0, unless it answers none.",
        unit="queries",
    ),
)


ITSELF = "is compared with itself: that correlation says nothing."
"""How a note ends on a board whose reference has the same means."""


@dataclass(frozen=True)
class Leaderboard:
    """Runs ordered by a measure.

    `rows` are `ROWS`. `heading` is the measure with the depth that its spelling leaves open. `tau` is None where
    `judgments` are evaluated; `overall` is the measure of everything graded for a query, ranked or not, with its
    standard error, None where the measure has none; `ungraded` is None where the measure looks at no grades, or no run
    returned anything for the queries; `rules` are those of the averaging.
    """

    collection: str
    title: str
    bank: str | None
    grader: str | None
    measure: str
    heading: str
    tau: int | None
    tau_applies: bool
    depth: int | None
    label_rank: int | None
    rows: pd.DataFrame
    overall: tuple[float, float] | None
    reference: str | None
    correlation: Correlation | None
    ungraded: Gaps | None
    judgments: str | None = None
    rules: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def bounds(self) -> tuple[float, float]:
        """The smallest and the largest mean that there can be; infinite for what is printed in percent, say."""
        info = MEASURES.get(re.split("[(@]", self.measure)[0])
        means = self.rows["mean"].dropna().round(9)
        return info.bounds if info and means.between(*info.bounds).all() else (-math.inf, math.inf)

    @property
    def of_itself(self) -> str:
        """The note that the board is compared with itself; empty where it is not."""
        return next((note for note in self.notes if note.endswith(ITSELF)), "")

    @property
    def overall_heading(self) -> str:
        """What `overall` is: the measure without its @k, because everything graded has no first passages."""
        return self.measure.partition("@")[0]

    @cached_property
    def population(self) -> str:
        """Which runs the re-normalised scores are about, and which of them are 0 and 1."""
        known = self.rows[self.rows["normalised"].notna()]
        if known.empty:
            undefined = "Re-normalised scores are undefined: all runs have the same score, or none has one."
            return self.all_zero or undefined
        best, worst = (known.loc[at] for at in (known["mean"].idxmax(), known["mean"].idxmin()))
        return (
            f"Re-normalised over the {counted({'runs': len(known)})} of this leaderboard: 0 is {worst['run_id']} "
            f"({worst['mean']:.3f}), 1 is {best['run_id']} ({best['mean']:.3f})."
        )

    @property
    def all_zero(self) -> str:
        """A sentence where all runs score 0, and what to do; empty where they don't."""
        means = self.rows["mean"].dropna()
        if means.empty or (means != 0).any():
            return ""
        if self.tau is None or not self.tau_applies or self.tau == 1:
            return "All runs score 0."
        return f"All runs score 0: no passage within the depth reaches tau {self.tau}. Try a smaller tau."

    @property
    def fits_nobody(self) -> bool:
        """Whether no run returned anything for the queries of its grades or judgments, so that nothing is known."""
        computed = self.tau is not None or self.judgments is not None
        return computed and self.ungraded is None and bool((self.rows["n_queries"] == 0).all())

    @property
    def ungraded_heading(self) -> str:
        """What passages are called that `ungraded` counts."""
        return "Unjudged" if self.judgments else "Ungraded"


def leaderboard(snapshot: Snapshot, choice: Evaluation) -> Leaderboard:
    """The leaderboard of a choice, beside its reference.

    Raises
    ------
    UsageError : no such reference, or nothing to evaluate
    UndefinedMeasure : the measure needs questions and the grader has none
    """
    grading, scope = choice.grading, scope_of(snapshot, choice)
    if scope.book and not scope.run_ids:
        raise UsageError(no_runs(snapshot))
    ungraded = gaps(snapshot, choice.labelling) if scope.book and scope.book.returned.any() else None
    rows, notes = board_rows(scope)
    notes += about_depth(snapshot, choice) + about_ranks(snapshot, choice)
    notes += about_other_passages(snapshot, scope.book, scope.kind) if scope.book else []
    notes += about_grader(snapshot, choice) + about_missing_runs(snapshot)
    board = Leaderboard(
        collection=snapshot.collection,
        title=title(choice),
        bank=bank_name(snapshot, grading),
        grader=grading.grader,
        measure=str(choice.measure),
        heading=choice.heading,
        tau=choice.tau if choice.of_grades and not grading.judgments else None,
        tau_applies=choice.measure.tau_applies and not grading.judgments,
        depth=choice.labelling.depth,
        label_rank=choice.labelling.label_rank,
        rows=rows,
        judgments=grading.judgments,
        rules={
            "missing": choice.missing,
            "order": choice.labelling.order,
            "ncover_pool": choice.pool,
            "rounded": choice.rounded,
            **({"without": list(snapshot.left_out)} if snapshot.left_out else {}),
        },
        overall=_overall(scope),
        reference=None,
        correlation=None,
        ungraded=ungraded,
        notes=notes,
    )
    return against(board, find_reference(snapshot, choice.reference, choice), choice)


def title(choice: Evaluation, called: Mapping[str, str] | None = None) -> str:
    """A choice in one line, for instance `genq Cover@20 tau=4` or `genq AP (first 20) tau=4`.

    Parameters
    ----------
    called : names of graders by id, for readers; where there are several, the grader stands in the place of its bank
    """
    grading, names = choice.grading, called or {}
    several = sum(not name.startswith(JUDGED) for name in names) > 1
    name = names.get(str(grading.grader), grading.grader)
    if grading.judgments:
        words = [f"{grading.judgments} judgments", choice.heading, f"relevant from {grading.relevant_from}"]
    else:
        tau = [f"tau={choice.tau}"] if choice.of_grades else []
        words = [
            *filter(None, [name if several and name else grading.bank_id or name]),
            choice.heading,
            *tau,
        ]
    depth_is_said = choice.heading != str(choice.measure)
    rules = {
        f"label rank {choice.labelling.label_rank}": choice.labelling.label_rank > 1,
        f"depth {choice.labelling.depth or 'all'}": choice.labelling.depth != DEPTH and not depth_is_said,
        "missing skipped": choice.missing == "skip",
        "by the files' ranks": choice.labelling.order == "rank",
        "of ranked passages": choice.pool == "ranked",
        f"labels {choice.labelling.written_map}": choice.labelling.label_map is not None,
        ROUNDED: choice.rounded == "trec_eval",
    }
    return " ".join(words + [rule for rule, applies in rules.items() if applies])


def bank_name(snapshot: Snapshot, grading: Grading) -> str | None:
    """The bank, with its version if that isn't the newest."""
    if grading.bank is None or grading.bank.version == bank_version(snapshot, grading.bank.name):
        return grading.bank_id
    return str(grading.bank)


def board_rows(scope: Scope) -> tuple[pd.DataFrame, list[str]]:
    """Rows of a leaderboard, best first, and notes on the queries that are left out or not answered.

    A run is averaged over the queries where its value is not NaN.
    """
    mean, stderr, n_queries = _means(scope.snapshot, scope.choice)
    columns = {
        "run_id": scope.run_ids,
        "mean": rounded_means(mean) if scope.choice.rounded == "trec_eval" else mean,
        "stderr": stderr,
        "n_queries": n_queries,
        "unanswered": scope.unanswered.sum(axis=1),
    }
    notes = [*scope.about_unreadable(), *scope.left_out, *scope.about_unanswered()]
    return ranked(pd.DataFrame(columns)), notes


def _means(snapshot: Snapshot, choice: Evaluation) -> tuple[Floats, Floats, Ints]:
    """(R,) means over queries, their standard errors, and over how many; what is no mean over queries has no error."""
    found = None if choice.of_grades else unlabelled(snapshot, choice)
    if found is None or found.pooled is None:
        return mean_and_stderr(query_values(snapshot, choice))
    answers = found.returned.any(axis=1)
    n = np.where(answers, found.counted.sum(), 0)
    return np.where(answers, found.pooled, np.nan), np.full(len(n), np.nan), n


def _overall(scope: Scope) -> tuple[float, float] | None:
    """The measure of everything graded for a query, ranked or not; None where it has none."""
    measured, book = scope.choice.measure.info.overall, scope.book
    if measured is None or book is None or not book.has_questions:
        return None
    values = np.where(scope.counted, measured(book, tau=scope.choice.cut), np.nan)
    mean, stderr, _ = mean_and_stderr(values[None, ~np.isnan(values)])
    return float(mean[0]), float(stderr[0])


def ranked(rows: pd.DataFrame) -> pd.DataFrame:
    """Add the re-normalised scores and the ranks, and order by rank.

    Scores are mapped to (score - min) / (max - min) over these runs, their errors divided by the same range
    (EXAM++, figure 2); both are undefined where all scores are equal. Whatever else shows re-normalised scores of this
    board takes them over the same runs. Tied runs share their mean rank.
    """
    over = span(rows["mean"].to_numpy(float))
    rows = rows.assign(
        normalised=over.mapped(rows["mean"].to_numpy(float)),
        normalised_stderr=rows["stderr"] / over.width,
        rank=mean_rank(rows["mean"].to_numpy(float)),
    )
    return rows.sort_values(["rank", "run_id"], ignore_index=True)


def against(
    board: Leaderboard, found: Reference | None, choice: Evaluation | None = None, *, of_scores: bool = True
) -> Leaderboard:
    """The board with the reference's ranks beside it, and the correlation over the runs that both have.

    Parameters
    ----------
    found : the reference; None where there is nothing to compare with
    of_scores : whether the board's means are scores; false where they stand for ranks
    """
    if found is None:
        return replace(board, rows=board.rows.assign(reference_rank=np.nan))
    rows = board.rows.assign(reference_rank=board.rows["run_id"].map(found.ranks).astype(float))
    shared = rows[rows["reference_rank"].notna() & rows["mean"].notna()]
    scores = shared["run_id"].map(found.scores).to_numpy(float)
    has_scores = not np.isnan(scores).any()
    order = scores if has_scores else -shared["reference_rank"].to_numpy(float)
    mean = shared["mean"].to_numpy(float)
    correlation = correlation_with(mean, order, of_scores=of_scores and has_scores)
    averaged = int(rows["mean"].notna().sum())
    rounding = [] if choice is None else about_rounding(choice, board.title, mean, order, computed=found.is_computed)
    notes = about_left_out(averaged - len(shared), averaged, found.name)
    if found.is_computed and len(mean) and np.allclose(mean, order, rtol=0, atol=1e-12):
        notes.append(f"{board.grader or board.judgments} {ITSELF}")
    notes += [*about_order(found.name, correlation.spearman), *found.notes, *rounding]
    return replace(board, rows=rows, reference=found.name, correlation=correlation, notes=[*board.notes, *notes])

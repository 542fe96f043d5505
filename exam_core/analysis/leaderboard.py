"""Leaderboards: every run's mean with its standard error, re-normalised, against a reference."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from exam_core.analysis.books import gradebook
from exam_core.analysis.configuration import DEPTH, Choice, Grading
from exam_core.analysis.references import reference_ranks
from exam_core.errors import UsageError
from exam_core.measures.correlation import Correlation, mean_rank, rank_correlation
from exam_core.measures.cover import overall_cover
from exam_core.measures.gradebook import HOLE, Floats, Gradebook
from exam_core.store import Snapshot
from exam_core.store.summary import bank_version


@dataclass(frozen=True)
class Ungraded:
    """What the grades don't cover: passages never graded, and places that the files left out."""

    pairs: int
    slots_missing: int
    share_at_depth: float


@dataclass(frozen=True)
class Leaderboard:
    """Runs ordered by a measure.

    `rows` has run_id, mean, stderr, n_queries, normalised, normalised_stderr, rank and
    reference_rank; NaN where a value is undefined. `tau` is None where judgments are evaluated; `rules`
    are those of the averaging.
    """

    collection: str
    title: str
    bank: str | None
    grader: str | None
    measure: str
    tau: int | None
    tau_applies: bool
    depth: int | None
    label_rank: int | None
    rows: pd.DataFrame
    overall: tuple[float, float] | None
    reference: str | None
    correlation: Correlation | None
    ungraded: Ungraded | None
    rules: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def leaderboard(snapshot: Snapshot, choice: Choice, reference: str | None = None) -> Leaderboard:
    """The leaderboard of a choice.

    Parameters
    ----------
    reference : leaderboard to correlate with; None takes `official` if there is one

    Raises
    ------
    UsageError : no such reference, or nothing to evaluate
    UndefinedMeasure : the measure needs questions and the grader has none
    """
    book, grading, info = gradebook(snapshot, choice), choice.grading, choice.measure.info
    if not book.run_ids:
        raise UsageError(
            f"{snapshot.collection} has no runs. Add them with: "
            f"python -m exam_core import run FILE --collection {snapshot.collection}"
        )
    tau = grading.relevant_from if grading.judgments else choice.tau
    rows, notes = board_rows(book, query_values(snapshot, choice), skip_missing=choice.missing == "skip")
    notes += _about_grader(snapshot, choice)
    overall = None
    if not info.of_labels and book.has_questions:
        total = overall_cover(book, tau=tau)
        mean, stderr, _ = mean_and_stderr(total[None, ~np.isnan(total)])
        overall = (float(mean[0]), float(stderr[0]))
    board = Leaderboard(
        collection=snapshot.collection,
        title=title(choice),
        bank=bank_name(snapshot, grading),
        grader=grading.grader,
        measure=str(choice.measure),
        tau=None if grading.judgments else choice.tau,
        tau_applies=info.tau_applies and not grading.judgments,
        depth=choice.depth,
        label_rank=choice.label_rank,
        rows=rows,
        rules={"missing": choice.missing, "order": choice.order, "ncover_pool": choice.ncover_pool},
        overall=overall,
        reference=None,
        correlation=None,
        ungraded=_ungraded(book),
        notes=notes,
    )
    return against(snapshot, board, reference)


def query_values(snapshot: Snapshot, choice: Choice) -> Floats:
    """(R, Q) values of the choice's measure; NaN where a query has no enabled question."""
    info, depth, read_to = choice.measure.info, choice.measure.depth, choice.depth
    if choice.order == "rank" and not info.of_labels:
        # By the file's ranks, k is a limit of ranks: a run that counts from 0 has one more place.
        depth, read_to = depth + 1, depth
    book = gradebook(snapshot, replace(choice, depth=read_to))
    if choice.ncover_pool == "ranked":
        book = book.ranked_only()
    tau = choice.grading.relevant_from if choice.grading.judgments else choice.tau
    return info.compute(book, tau, depth, choice.label_rank)


def title(choice: Choice) -> str:
    """A choice in one line, for instance `genq Cover@20 tau=4`."""
    grading = choice.grading
    if grading.judgments:
        return f"{grading.judgments} judgments {choice.measure} relevant from {grading.relevant_from}"
    rules = {
        f"label rank {choice.label_rank}": choice.label_rank > 1,
        f"depth {choice.depth or 'all'}": choice.depth != DEPTH,
        "missing skipped": choice.missing == "skip",
        "by the files' ranks": choice.order == "rank",
        "of ranked passages": choice.ncover_pool == "ranked",
    }
    words = [grading.bank or str(grading.grader), str(choice.measure), f"tau={choice.tau}"]
    return " ".join(words + [rule for rule, applies in rules.items() if applies])


def bank_name(snapshot: Snapshot, grading: Grading) -> str | None:
    """The bank, with its version if that isn't the newest."""
    if grading.bank is None or grading.version == bank_version(snapshot, grading.bank):
        return grading.bank
    return f"{grading.bank}@{grading.version}"


def _about_grader(snapshot: Snapshot, choice: Choice) -> list[str]:
    """What a reader must know of the grader."""
    grader = choice.grading.grader
    known = snapshot.graders.get(grader or "", {})
    notes = [f"{grader}: {known['about']}"] if "about" in known else []
    scale = int(known.get("scale", choice.tau))
    if grader and scale < choice.tau and choice.measure.info.tau_applies:
        notes.append(f"{grader} gives grades up to {scale}: hardly anything can reach tau {choice.tau}.")
    return notes


def board_rows(book: Gradebook, values: Floats, *, skip_missing: bool) -> tuple[pd.DataFrame, list[str]]:
    """Rows of a leaderboard from (R, Q) values, best first.

    `skip_missing` averages a run over the queries that it returned something for, as the authors'
    code does; otherwise all queries count and a missing one is 0, as in trec_eval -c.
    """
    defined = ~np.isnan(values).any(axis=0)
    notes = []
    if book.ungraded_queries:
        named = _listed(book.ungraded_queries)
        notes.append(f"{len(book.ungraded_queries)} queries have no grades and are left out: {named}.")
    if not defined.all():
        undefined = [book.query_ids[query] for query in np.flatnonzero(~defined)]
        notes.append(f"Left out, because they have no question that is switched on: {_listed(undefined)}.")
    counted = np.broadcast_to(defined, values.shape) & (book.returned | (not skip_missing))
    mean, stderr, n_queries = mean_and_stderr(np.where(counted, values, np.nan))
    rows = pd.DataFrame({"run_id": book.run_ids, "mean": mean, "stderr": stderr, "n_queries": n_queries})
    return ranked(rows), notes


def _listed(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def mean_and_stderr(values: Floats) -> tuple[Floats, Floats, np.ndarray]:
    """Mean, sample standard deviation (n - 1) over the square root of n, and n, along the last axis.

    NaN values don't count; the standard error of fewer than two values is undefined (NaN).
    """
    counted = ~np.isnan(values)
    n = counted.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(counted, values, 0).sum(axis=-1) / n
        squares = np.where(counted, (values - mean[..., None]) ** 2, 0).sum(axis=-1)
        stderr = np.sqrt(squares / (n - 1) / n)
    return mean, np.where(n > 1, stderr, np.nan), n


def ranked(rows: pd.DataFrame) -> pd.DataFrame:
    """Add the re-normalised scores and the ranks, and order by rank.

    Scores are mapped to (score - min) / (max - min), their errors divided by the same range (EXAM++,
    figure 2); both are undefined where all scores are equal. Tied runs share their mean rank.
    """
    low, high = rows["mean"].min(), rows["mean"].max()
    span = high - low if high > low else np.nan
    rows = rows.assign(
        normalised=(rows["mean"] - low) / span,
        normalised_stderr=rows["stderr"] / span,
        rank=mean_rank(rows["mean"].to_numpy(float)),
    )
    return rows.sort_values(["rank", "run_id"], ignore_index=True)


def against(snapshot: Snapshot, board: Leaderboard, reference: str | None) -> Leaderboard:
    """The board with the reference's ranks beside it, and the correlation over the runs that both have."""
    name, ranks = reference_ranks(snapshot, reference)
    rows = board.rows.assign(reference_rank=board.rows["run_id"].map(ranks).astype(float))
    if name is None:
        return replace(board, rows=rows)
    shared = rows[rows["reference_rank"].notna() & rows["mean"].notna()]
    correlation = rank_correlation(shared["mean"].to_numpy(float), -shared["reference_rank"].to_numpy(float))
    unranked = len(rows) - len(shared)
    notes = list(board.notes)
    if unranked:
        notes.append(f"{unranked} of {len(rows)} runs have no rank in {name}; correlations leave them out.")
    if np.isnan(correlation.spearman):
        notes.append(f"The correlation with {name} is undefined: there is no order to compare.")
    return replace(board, rows=rows, reference=name, correlation=correlation, notes=notes)


def _ungraded(book: Gradebook) -> Ungraded:
    missing = int(book.missing.sum())
    places = book.slots.shape[0] * book.slots.shape[1] * (book.depth or book.slots.shape[2])
    holes = int((book.slots == HOLE).sum())
    return Ungraded(book.ungraded_pairs, missing, (holes + missing) / places if places else 0.0)

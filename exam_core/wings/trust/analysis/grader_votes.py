"""How many graders several are worth: how they agree, whether they err on the same passages, and what a vote gains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce

import numpy as np
import numpy.typing as npt
import pandas as pd

from exam_core.analysis.evaluation.books import gradebook, pair_labels
from exam_core.analysis.evaluation.choosing import choose_labelling
from exam_core.analysis.evaluation.ensemble_modes import is_ensemble, member, spelled
from exam_core.analysis.evaluation.grade_scales import about_scale
from exam_core.analysis.judges.agreement_columns import OF_KAPPA
from exam_core.analysis.judges.contingency import UNJUDGED, relevances_of_pairs
from exam_core.analysis.shared_columns import KAPPA
from exam_core.asked import Asked
from exam_core.defaults import DRAWS, SEED
from exam_core.errors import UsageError
from exam_core.numbers.annotator_agreement import cohen_kappa
from exam_core.numbers.arrays import Bools, Floats, Ints
from exam_core.numbers.kappa_intervals import kappa_interval
from exam_core.numbers.resampling import bootstrap_counts, percentile_interval
from exam_core.progress import Progress, no_progress
from exam_core.results import ResultColumn, ResultTable, decimal, number, text
from exam_core.store import Snapshot
from exam_core.store.names import BankRef
from exam_core.store.summary import graded_banks, qrels_ids
from exam_core.tables import OFFICIAL, UNREADABLE
from exam_core.wings.trust.numbers import effective_votes as measures
from exam_core.wording import quoted

FEWEST = 2
"""Queries below which nothing is drawn."""
_DRAWN = "95% interval over the queries (percentile bootstrap)."
_RIGHT: tuple[ResultColumn, ...] = (
    decimal(
        "accuracy",
        "Accuracy",
        "Share of the passages on which label and judgment, each as yes or no, agree.",
        "share of the passages",
    ),
    decimal("accuracy_low", "95% from", f"Accuracy: {_DRAWN}", "share of the passages"),
    decimal("accuracy_high", "to", f"Accuracy: {_DRAWN}", "share of the passages"),
    KAPPA,
    decimal("kappa_low", "95% from", f"Kappa: {OF_KAPPA}"),
    decimal("kappa_high", "to", f"Kappa: {OF_KAPPA}"),
)
ROWS = ResultTable(
    "votes: rows",
    "Each grader and the majority of all of them against the judgments; undefined without judgments",
    text("grader", "Grading mode", pinned=True),
    number(
        "cut",
        "tau",
        "Smallest label that is a vote for relevant; by default one below the scale's end, 5 at most.",
        "grade",
    ),
    decimal(
        "relevant", "Votes relevant", "Share of the passages that the grader finds relevant.", "share of the passages"
    ),
    *_RIGHT,
)
THRESHOLDS = ResultTable(
    "votes: thresholds",
    (
        "Thresholds for a vote: the number of graders that have to find a passage relevant; more than half is the "
        "majority"
    ),
    number("votes", "Votes needed", "Graders that have to find a passage relevant.", "graders"),
    *_RIGHT,
)
PAIRS = ResultTable(
    "votes: pairs",
    "Every pair of graders, in the order in which they are named",
    text("grader_a", "Grading mode", pinned=True),
    text("grader_b", "Other mode"),
    decimal(
        "kappa",
        "Kappa of the two",
        "Cohen's kappa of their votes over the passages that all graders grade, judged or not.",
        source="Cohen 1960",
    ),
    decimal(
        "error_correlation",
        "Correlation of errors",
        "Phi coefficient of the two graders' errors (1 where vote and judgment differ, else 0) over the judged "
        "passages: 0 if they err independently, 1 if they err alike.",
        source="Yule 1912; Kuncheva & Whitaker 2003",
    ),
)


@dataclass(frozen=True)
class Votes:
    """What several graders are worth together; undefined values are NaN.

    Parameters
    ----------
    graders : names, as they were asked for
    passages, judged, queries : passages that all of them grade, those of them that are judged, and their queries
    error_correlation : mean over the pairs of the correlation of their errors
    votes, votes_interval : how many independent graders they are worth, n / (1 + (n - 1) error_correlation)
    best : the most accurate grader; None without judgments
    majority : name of the grading mode that their majority is, as `--grader` takes it
    gain, gain_interval : accuracy of the majority minus that of the best
    rows, thresholds, pairs : `ROWS`, `THRESHOLDS`, `PAIRS`
    """

    graders: tuple[str, ...]
    passages: int
    judged: int
    queries: int
    error_correlation: float
    votes: float
    votes_interval: tuple[float, float]
    best: str | None
    majority: str
    gain: float
    gain_interval: tuple[float, float]
    rows: pd.DataFrame
    thresholds: pd.DataFrame
    pairs: pd.DataFrame
    relevant_from: int
    judgments: str
    draws: int
    seed: int
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Common:
    """The votes (P, G) of graders on the passages that all of them grade, and the judgments of these.

    Parameters
    ----------
    query : (P,) number of the query
    relevance : (P,) UNJUDGED where there is no judgment
    seen : passages that any of them grades
    """

    votes: Bools
    query: Ints
    relevance: npt.NDArray[np.int16]
    seen: int


def voters(snapshot: Snapshot, bank: str | None = None) -> list[str]:
    """The grading modes that vote by default: those of the bank's questions, or those of whole passages if more.

    Modes of one kind alone can be made a grading mode. Without a bank, it is the one with the most modes.
    """
    modes = {name: banks for name, banks in graded_banks(snapshot).items() if not is_ensemble(snapshot, name)}
    wanted = [BankRef.parse(bank).name] if bank else sorted({one for banks in modes.values() for one in banks if one})
    groups = [[name for name, banks in modes.items() if one in banks] for one in [None, *wanted]]
    return max(groups, key=len)


def votes(
    snapshot: Snapshot,
    graders: Sequence[str],
    asked: Asked,
    *,
    judgments: str = OFFICIAL,
    draws: int = DRAWS,
    seed: int = SEED,
    progress: Progress = no_progress,
) -> Votes:
    """What several graders are worth together, over the passages that all of them grade.

    A passage's label is its grade of the label rank; a grader votes for relevant where it reaches the grader's cut, and
    errs where that is not what the judgments say, cut at `asked.relevant_from`.

    Raises UsageError where a grading mode is unknown, or named twice, or there is none, or there are no such judgments.

    Parameters
    ----------
    graders : grading modes, each with its cut behind an @ (`Thomas@2`) where that is not the mode's default tau
    asked : of it bank, label rank and relevant_from are read

    Source: Kish 1965 (votes); Kuncheva & Whitaker 2003 (errors of an ensemble).
    """
    members = _members(snapshot, graders)
    known = judgments in qrels_ids(snapshot) or judgments != OFFICIAL
    common = _common(snapshot, members, asked, judgments if known else None, progress)
    errors, drawn, right = _judged(common, asked.relevant_from, draws, seed)
    queries = len(errors.passages)
    size, majority = len(members), len(members) + len(members) // 2
    accuracy = right["accuracy"][:size]
    best = int(np.nanargmax(accuracy)) if queries else None
    own = measures.Sums(errors.passages, errors.single[:, :size], errors.both[:, :size, :size])
    correlation = measures.phi(measures.together(own))
    mean = float(measures.mean_correlation(correlation))
    name = spelled("majority", graders)
    return Votes(
        tuple(graders),
        len(common.votes),
        int(errors.passages.sum()),
        queries,
        mean,
        float(measures.effective_votes(size, np.array(mean))) if queries else np.nan,
        measures.votes_interval(own),
        None if best is None else graders[best],
        name,
        np.nan if best is None else float(right["accuracy"][majority] - accuracy[best]),
        _ends(None if drawn is None or best is None else _accuracy(drawn)[:, majority] - _accuracy(drawn)[:, best]),
        _rows([*graders, name], [cut for _, cut in members], common.votes, right, majority),
        THRESHOLDS.of({"votes": np.arange(1, size + 1)} | {key: values[size:] for key, values in right.items()}),
        _pairs(graders, common.votes, correlation),
        asked.relevant_from,
        judgments,
        draws,
        seed,
        _notes(snapshot, [grader for grader, _ in members], common, correlation, judgments),
    )


def _members(snapshot: Snapshot, graders: Sequence[str]) -> list[tuple[str, int]]:
    members = [member(snapshot, name) for name in graders]
    if not members or len({grader for grader, _ in members}) < len(members):
        raise UsageError("Name the grading modes that vote, each once.")
    return members


def _common(
    snapshot: Snapshot, members: Sequence[tuple[str, int]], asked: Asked, judgments: str | None, progress: Progress
) -> _Common:
    frames: list[pd.DataFrame] = []
    seen: set[tuple[str, str]] = set()
    for place, (grader, cut) in enumerate(members):
        direct = graded_banks(snapshot)[grader] == [None]
        labelling = choose_labelling(
            snapshot, asked.but(grader=grader, tau=None, label_rank=1 if direct else asked.label_rank)
        )
        book, labels = gradebook(snapshot, labelling), pair_labels(snapshot, labelling)
        queries = np.array(book.query_ids, object)[book.pair_query]
        frame = pd.DataFrame({"query": queries, "doc_id": np.asarray(book.docs, object), place: labels >= cut})
        if place == 0:
            unjudged = np.full(len(frame), UNJUDGED, np.int16)
            frame["relevance"] = relevances_of_pairs(snapshot, labelling, judgments) if judgments else unjudged
        seen.update(zip(frame["query"], frame["doc_id"], strict=True))
        frames.append(frame[labels > UNREADABLE])
        progress((place + 1) / len(members))
    both = reduce(lambda one, other: one.merge(other, on=["query", "doc_id"], validate="one_to_one"), frames)
    return _Common(
        both[list(range(len(members)))].to_numpy(bool),
        pd.factorize(both["query"], sort=True)[0].astype(np.int64),
        both["relevance"].to_numpy(np.int16),
        len(seen),
    )


def _judged(
    common: _Common, relevant_from: int, draws: int, seed: int
) -> tuple[measures.Sums, measures.Sums | None, dict[str, Floats]]:
    """Errors of the G graders, then of 1 to G votes being needed: by query, of each draw of queries, and what follows.

    There are no draws where there are too few queries.
    """
    judged = common.relevance != UNJUDGED
    known, query = np.unique(common.query[judged], return_inverse=True)
    queries = len(known)
    own = common.votes[judged]
    every = np.hstack([own, own.sum(axis=1)[:, None] >= np.arange(1, own.shape[1] + 1)])
    truth = common.relevance[judged] >= relevant_from
    errors = measures.sums_by_query(every != truth[:, None], query, queries)
    drawn = measures.together(errors, bootstrap_counts(queries, draws, seed)) if queries >= FEWEST else None
    return errors, drawn, _right(errors, drawn, _confusions(every, truth, query, queries))


def _confusions(every: Bools, truth: Bools, query: Ints, queries: int) -> Ints:
    """(columns, Q, 2, 2) counts [[tp, fp], [fn, tn]] of each column of votes."""
    cell = 2 * (~every).astype(np.int64) + (~truth).astype(np.int64)[:, None] + 4 * query[:, None]
    counts = [np.bincount(column, minlength=4 * queries) for column in cell.T]
    return np.stack(counts).reshape(every.shape[1], queries, 2, 2)


def _accuracy(sums: measures.Sums) -> Floats:
    """(..., columns) share of the passages without an error; NaN without passages."""
    found = np.full(sums.single.shape, np.nan)
    n = np.broadcast_to(sums.passages[..., None], found.shape)
    np.divide(n - sums.single, n, out=found, where=n > 0)
    return found


def _right(errors: measures.Sums, drawn: measures.Sums | None, confusions: Ints) -> dict[str, Floats]:
    """Accuracy and kappa with intervals, by column of `_RIGHT`."""
    columns = errors.single.shape[1]
    nothing = np.full(columns, np.nan), np.full(columns, np.nan)
    low, high = nothing if drawn is None else percentile_interval(_accuracy(drawn))
    kappa_low, kappa_high = kappa_interval(confusions) if confusions.shape[1] else nothing
    values = (
        _accuracy(measures.together(errors)),
        low,
        high,
        cohen_kappa(confusions.sum(axis=1)),
        kappa_low,
        kappa_high,
    )
    return dict(zip((column.name for column in _RIGHT), values, strict=True))


def _ends(samples: Floats | None) -> tuple[float, float]:
    if samples is None:
        return np.nan, np.nan
    low, high = percentile_interval(samples)
    return float(low), float(high)


def _rows(names: list[str], cuts: list[int], voted: Bools, right: dict[str, Floats], majority: int) -> pd.DataFrame:
    size = len(cuts)
    each = list(range(size)) + ([majority] if size > 1 else [])
    most = voted.sum(axis=1) * 2 > size
    relevant = np.c_[voted, most].mean(axis=0) if len(voted) else np.full(size + 1, np.nan)
    columns = {"grader": names, "cut": [*cuts, 1], "relevant": relevant}
    shown = {name: values[: len(each)] for name, values in columns.items()}
    return ROWS.of(shown | {name: values[each] for name, values in right.items()})


def _pairs(graders: Sequence[str], voted: Bools, correlation: Floats) -> pd.DataFrame:
    first, second = np.triu_indices(len(graders), 1)
    sums = measures.together(measures.sums_by_query(voted, np.zeros(len(voted), np.int64), 1))
    both = sums.both[first, second]
    one, other = sums.single[first], sums.single[second]
    counts = np.stack([both, one - both, other - both, sums.passages - one - other + both], axis=-1).astype(np.int64)
    names = np.array(graders, object)
    kappa = cohen_kappa(counts.reshape(-1, 2, 2))
    return PAIRS.of(
        dict(zip(PAIRS.names, (names[first], names[second], kappa, correlation[first, second]), strict=True))
    )


def _notes(snapshot: Snapshot, names: list[str], common: _Common, correlation: Floats, judgments: str) -> list[str]:
    notes = about_scale(snapshot, names)
    if len(names) == 1:
        notes.append(f"{names[0]} is the only grading mode that votes: one vote. Add another to compare it with.")
    if left := common.seen - len(common.votes):
        notes.append(
            f"{left:,} of {common.seen:,} passages are left out: not every grader has a readable label for them."
        )
    if (common.relevance == UNJUDGED).all():
        notes.append(
            f"No passage that all of them grade has a judgment in {judgments}: errors, and so votes, are unknown. Add "
            f"judgments with: examboard import qrels FILE --collection {quoted(snapshot.collection)}"
        )
        return notes
    if len(names) > 1:
        notes.append("The best single grader is the best by these same judgments, which flatters it.")
        if np.isnan(correlation).any():
            notes.append("A grader that never errs, or always, has no correlation: its pairs are left out of the mean.")
        if any(graded_banks(snapshot)[name] != [None] for name in names):
            notes.append(
                "Here graders vote on passages' labels. As a grading mode, a majority of modes that answer questions "
                "votes on each question."
            )
    return notes

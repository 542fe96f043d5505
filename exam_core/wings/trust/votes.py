"""How many independent graders several are worth: correlated errors, and what a majority vote is right about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from exam_core.analysis.agreement import OF_KAPPA, UNJUDGED, relevances_of_pairs
from exam_core.analysis.choosing import choose_labelling, ensemble_name, is_ensemble, member
from exam_core.analysis.grade_scales import about_scale
from exam_core.analysis.shared_columns import KAPPA
from exam_core.analysis.values import gradebook, pair_labels
from exam_core.charts.chart_layout import SERIES, axis, bars, beginning, name_axis, size_layout, with_description
from exam_core.charts.leaderboard_lines import escape_name
from exam_core.defaults import DRAWS, SEED
from exam_core.errors import UsageError
from exam_core.numbers.annotator_agreement import cohen_kappa
from exam_core.numbers.arrays import Bools, Floats, Ints
from exam_core.numbers.kappa_intervals import kappa_interval
from exam_core.numbers.resampling import LEVEL, bootstrap_counts, percentile_interval
from exam_core.progress import Progress, no_progress
from exam_core.request import Request
from exam_core.results import ResultColumn, ResultTable, decimal, number, text
from exam_core.store import Snapshot
from exam_core.store.names import BankRef
from exam_core.store.summary import graded_banks, qrels_ids
from exam_core.tables import OFFICIAL, UNREADABLE
from exam_core.wording import quoted


class Sums(NamedTuple):
    """Counts that every figure of votes follows from; they add up over queries, and over draws of queries.

    Parameters
    ----------
    passages : (...) passages
    single : (..., G) those of which each of G graders is true
    both : (..., G, G) those of which both graders are true
    """

    passages: Floats
    single: Floats
    both: Floats


def sums_by_query(marks: Bools, query: Ints, queries: int) -> Sums:
    """Counts for each query of what is true of passages, for instance that a grader errs.

    `marks`: (P, G) for each passage and grader. `query`: (P,) place of the passage's query, from 0 to queries - 1.

    >>> errs = np.array([[True, True], [False, True], [True, False]])  # two graders on three passages
    >>> sums = sums_by_query(errs, query=np.array([0, 0, 1]), queries=2)
    >>> print(sums.passages.tolist(), sums.single.tolist(), sums.both[0].tolist())
    [2.0, 1.0] [[1.0, 2.0], [1.0, 0.0]] [[1.0, 1.0], [1.0, 2.0]]
    """
    values, shape = marks.astype(float), (queries, marks.shape[1])
    passages = np.bincount(query, minlength=queries).astype(float)
    both = np.zeros((*shape, marks.shape[1]))
    for place in np.unique(query):
        mine = values[query == place]
        both[place] = mine.T @ mine
    single = np.diagonal(both, axis1=1, axis2=2).copy()
    return Sums(passages, single, both)


def together(sums: Sums, counts: Ints | None = None) -> Sums:
    """The counts of all queries together, or of each draw of them.

    `sums`: by query, (Q, ...). `counts`: (draws, Q) of `bootstrap_counts`; None takes each query once.

    >>> by_query = sums_by_query(np.array([[True, True], [True, False]]), np.array([0, 1]), 2)
    >>> print(together(by_query).single.tolist(), together(by_query, np.array([[2, 0]])).single.tolist())
    [2.0, 1.0] [[2.0, 2.0]]
    """
    if counts is None:
        return Sums(*(part.sum(axis=0) for part in sums))
    weights = counts.astype(float)
    return Sums(*((weights @ part.reshape(len(part), -1)).reshape(len(counts), *part.shape[1:]) for part in sums))


def phi(sums: Sums) -> Floats:
    """Correlation of what is true of two graders, over passages: Pearson's of the 0/1 marks.

    Returns (..., G, G) in [-1, 1]; NaN where a grader's marks are all the same, and where there is no passage.

    Source: Yule 1912, On the Methods of Measuring Association between Two Attributes; of errors of classifiers Kuncheva
    & Whitaker 2003, section 3.1.

    >>> errs = np.array([[True, True], [True, False], [False, False], [False, False]])
    >>> phi(together(sums_by_query(errs, np.zeros(4, int), 1))).round(3).tolist()
    [[1.0, 0.577], [0.577, 1.0]]
    """
    n = sums.passages[..., None, None]
    product = sums.single[..., :, None] * sums.single[..., None, :]
    spread = sums.single * (sums.passages[..., None] - sums.single)
    below = np.sqrt(spread[..., :, None] * spread[..., None, :])
    result = np.full(below.shape, np.nan)
    np.divide(n * sums.both - product, below, out=result, where=below > 0)
    return np.clip(result, -1.0, 1.0)


def mean_correlation(correlation: Floats) -> Floats:
    """Mean over the pairs of different graders of a correlation (..., G, G); pairs that are undefined don't count.

    Returns (...); NaN where no pair is defined.

    >>> print(mean_correlation(np.array([[1.0, 0.2, 0.4], [0.2, 1.0, np.nan], [0.4, np.nan, 1.0]])).round(3))
    0.3
    """
    rows, columns = np.triu_indices(correlation.shape[-1], 1)
    pairs = correlation[..., rows, columns]
    defined = ~np.isnan(pairs)
    values = np.full(pairs.shape[:-1], np.nan)
    np.divide(np.where(defined, pairs, 0.0).sum(axis=-1), defined.sum(axis=-1), out=values, where=defined.any(axis=-1))
    return values


def effective_votes(graders: int, correlation: Floats) -> Floats:
    """How many independent graders n correlated ones are worth: n / (1 + (n - 1) r).

    The mean of n votes that correlate with r on average has the variance of the mean of so many independent ones. 1
    where all err alike (r = 1), n where errors are independent (r = 0), more than n where they make up for each other.
    `correlation` (...) is the mean correlation r of the errors of two of the n graders. Returns (...) votes, at least
    1: 1 for one grader; NaN where the correlation is, and where errors cancel (r = -1 / (n - 1)).

    Source: Kish 1965, Survey Sampling (the design effect of a cluster).

    >>> print(effective_votes(3, 0.0), effective_votes(3, 0.5), effective_votes(3, 1.0))
    3.0 1.5 1.0
    """
    if graders == 1:
        return np.ones(np.shape(correlation))
    below = 1 + (graders - 1) * np.asarray(correlation, float)
    votes = np.full(below.shape, np.nan)
    np.divide(graders, below, out=votes, where=below > 1e-9)
    return votes


def votes_interval(errors: Sums) -> tuple[float, float]:
    """Student's t interval (95%) of the effective votes of graders: each query is left out in turn, on a log scale.

    Simulated for this choice (300 samples each of 6, 10, 25 and 43 queries, of six graders worth 1.2, 1.8 and 2.9
    votes): it held them in 91 to 95%, percentiles of a bootstrap in 75 to 93%. `errors`: by query, (Q, ...), of the
    graders alone. Returns NaN with fewer than two queries, or where the votes are undefined without one of them.

    Source: Tukey 1958; Efron & Tibshirani 1993, chapter 11.

    >>> errs = np.array([[1, 1], [0, 0], [1, 0], [0, 0], [1, 1], [0, 1], [0, 0], [1, 1], [0, 0]], bool)
    >>> low, high = votes_interval(sums_by_query(errs, np.arange(9) // 3, 3))
    >>> print(round(low, 2), round(high, 2))
    0.64 2.62
    """
    from scipy.special import stdtrit  # not at the top: scipy takes long to load

    queries, graders = errors.single.shape
    if queries < 2:
        return np.nan, np.nan
    whole = together(errors)
    without = Sums(*(total - part for total, part in zip(whole, errors, strict=True)))
    middle, each = (np.log(effective_votes(graders, mean_correlation(phi(sums)))) for sums in (whole, without))
    half = stdtrit(queries - 1, (1 + LEVEL) / 2) * (queries - 1) * each.std(ddof=1) / np.sqrt(queries)
    return float(np.exp(middle - half)), float(np.exp(middle + half))


FEWEST = 2
"""Queries below which nothing is drawn."""
_DRAWN = "95% interval over the queries (percentile bootstrap)."
_ACCURACY_AND_KAPPA: tuple[ResultColumn, ...] = (
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
    *_ACCURACY_AND_KAPPA,
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
    passages, judged, queries : passages that all of them grade, those of them that are judged, and their queries
    votes, votes_interval : how many independent graders they are worth, n / (1 + (n - 1) error_correlation)
    best : the most accurate grader; None without judgments
    majority : name of the grading mode that their majority is, as `--grader` takes it
    gain, gain_interval : accuracy of the majority minus that of the best
    rows, pairs : `ROWS`, `PAIRS`
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
    pairs: pd.DataFrame
    relevant_from: int
    judgments: str
    draws: int
    seed: int
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Common:
    """The votes (P, G) of graders on the passages that all of them grade, and the judgments of these.

    `query` (P,) is the number of the query, `relevance` (P,) UNJUDGED where there is no judgment, and `passages` how
    many passages any of the graders grades.
    """

    votes: Bools
    query: Ints
    relevance: npt.NDArray[np.int16]
    passages: int


def voters(snapshot: Snapshot, bank: str | None = None) -> list[str]:
    """The grading modes that vote by default: those of the bank's questions, or those of whole passages if more.

    Modes of one kind alone can be made a grading mode. Without a bank, it is the one with the most modes.
    """
    modes = {name: banks for name, banks in graded_banks(snapshot).items() if not is_ensemble(snapshot, name)}
    wanted = (
        [BankRef.parse(bank).name] if bank else sorted({name for banks in modes.values() for name in banks if name})
    )
    groups = [[name for name, banks in modes.items() if bank_id in banks] for bank_id in [None, *wanted]]
    return max(groups, key=len)


def votes(
    snapshot: Snapshot,
    graders: Sequence[str],
    request: Request,
    *,
    judgments: str = OFFICIAL,
    draws: int = DRAWS,
    seed: int = SEED,
    progress: Progress = no_progress,
) -> Votes:
    """What several graders are worth together, over the passages that all of them grade.

    A passage's label is its grade of the label rank; a grader votes for relevant where it reaches the grader's cut, and
    errs where that is not what the judgments say, cut at `request.relevant_from`. Raises UsageError where a grading
    mode is unknown, or named twice, or there is none, or there are no such judgments. `graders`: grading modes, each
    with its cut behind an @ (`Thomas@2`) where that is not the mode's default tau. `request`: of it bank, label rank
    and relevant_from are read.

    Source: Kish 1965 (votes); Kuncheva & Whitaker 2003 (errors of an ensemble).
    """
    members = [member(snapshot, name) for name in graders]
    if not members or len({grader for grader, _ in members}) < len(members):
        raise UsageError("Name the grading modes that vote, each once.")
    known = judgments in qrels_ids(snapshot) or judgments != OFFICIAL
    common = _common(snapshot, members, request, judgments if known else None, progress)
    errors, drawn, right = _judged(common, request.relevant_from, draws, seed)
    queries = len(errors.passages)
    size = len(members)
    accuracy = right["accuracy"][:size]
    best = int(np.nanargmax(accuracy)) if queries else None
    own = Sums(errors.passages, errors.single[:, :size], errors.both[:, :size, :size])
    correlation = phi(together(own))
    mean = float(mean_correlation(correlation))
    name = ensemble_name("majority", graders)
    return Votes(
        tuple(graders),
        len(common.votes),
        int(errors.passages.sum()),
        queries,
        mean,
        float(effective_votes(size, np.array(mean))) if queries else np.nan,
        votes_interval(own),
        None if best is None else graders[best],
        name,
        np.nan if best is None else float(right["accuracy"][-1] - accuracy[best]),
        _interval(None if drawn is None or best is None else _accuracy(drawn)[:, -1] - _accuracy(drawn)[:, best]),
        _rows([*graders, name], [cut for _, cut in members], common.votes, right),
        _pairs(graders, common.votes, correlation),
        request.relevant_from,
        judgments,
        draws,
        seed,
        _notes(snapshot, [grader for grader, _ in members], common, correlation, judgments),
    )


def _common(
    snapshot: Snapshot, members: Sequence[tuple[str, int]], request: Request, judgments: str | None, progress: Progress
) -> _Common:
    frames: list[pd.DataFrame] = []
    pairs: set[tuple[str, str]] = set()
    for place, (grader, cut) in enumerate(members):
        direct = graded_banks(snapshot)[grader] == [None]
        labelling = choose_labelling(
            snapshot, request.but(grader=grader, tau=None, label_rank=1 if direct else request.label_rank)
        )
        book, labels = gradebook(snapshot, labelling), pair_labels(snapshot, labelling)
        queries = np.array(book.query_ids, object)[book.pair_query]
        frame = pd.DataFrame({"query": queries, "doc_id": np.asarray(book.docs, object), place: labels >= cut})
        if place == 0:
            unjudged = np.full(len(frame), UNJUDGED, np.int16)
            frame["relevance"] = relevances_of_pairs(snapshot, labelling, judgments) if judgments else unjudged
        pairs.update(zip(frame["query"], frame["doc_id"], strict=True))
        frames.append(frame[labels > UNREADABLE])
        progress((place + 1) / len(members))
    both = reduce(lambda rows, other: rows.merge(other, on=["query", "doc_id"], validate="one_to_one"), frames)
    return _Common(
        both[list(range(len(members)))].to_numpy(bool),
        pd.factorize(both["query"], sort=True)[0].astype(np.int64),
        both["relevance"].to_numpy(np.int16),
        len(pairs),
    )


def _judged(common: _Common, relevant_from: int, draws: int, seed: int) -> tuple[Sums, Sums | None, dict[str, Floats]]:
    """Errors of the G graders, then of their majority: by query, of each draw of queries, and what follows.

    There are no draws where there are too few queries.
    """
    judged = common.relevance != UNJUDGED
    known, query = np.unique(common.query[judged], return_inverse=True)
    queries = len(known)
    own = common.votes[judged]
    every = np.c_[own, _majority(own)]
    truth = common.relevance[judged] >= relevant_from
    errors = sums_by_query(every != truth[:, None], query, queries)
    drawn = together(errors, bootstrap_counts(queries, draws, seed)) if queries >= FEWEST else None
    return errors, drawn, _accuracy_and_kappa(errors, drawn, _confusions(every, truth, query, queries))


def _confusions(every: Bools, truth: Bools, query: Ints, queries: int) -> Ints:
    """(columns, Q, 2, 2) counts [[tp, fp], [fn, tn]] of each column of votes."""
    cell = 2 * (~every).astype(np.int64) + (~truth).astype(np.int64)[:, None] + 4 * query[:, None]
    counts = [np.bincount(column, minlength=4 * queries) for column in cell.T]
    return np.stack(counts).reshape(every.shape[1], queries, 2, 2)


def _accuracy(sums: Sums) -> Floats:
    """(..., columns) share of the passages without an error; NaN without passages."""
    values = np.full(sums.single.shape, np.nan)
    n = np.broadcast_to(sums.passages[..., None], values.shape)
    np.divide(n - sums.single, n, out=values, where=n > 0)
    return values


def _accuracy_and_kappa(errors: Sums, drawn: Sums | None, confusions: Ints) -> dict[str, Floats]:
    """Accuracy and kappa with intervals, by column of `_ACCURACY_AND_KAPPA`."""
    columns = errors.single.shape[1]
    nothing = np.full(columns, np.nan), np.full(columns, np.nan)
    low, high = nothing if drawn is None else percentile_interval(_accuracy(drawn))
    kappa_low, kappa_high = kappa_interval(confusions) if confusions.shape[1] else nothing
    values = (_accuracy(together(errors)), low, high, cohen_kappa(confusions.sum(axis=1)), kappa_low, kappa_high)
    return dict(zip((column.name for column in _ACCURACY_AND_KAPPA), values, strict=True))


def _interval(samples: Floats | None) -> tuple[float, float]:
    if samples is None:
        return np.nan, np.nan
    low, high = percentile_interval(samples)
    return float(low), float(high)


def _majority(voted: Bools) -> Bools:
    """(P,) whether more than half of the graders vote for a passage."""
    return np.asarray(voted.sum(axis=1) * 2 > voted.shape[1])


def _rows(names: list[str], cuts: list[int], voted: Bools, right: dict[str, Floats]) -> pd.DataFrame:
    size = len(cuts)
    relevant = np.c_[voted, _majority(voted)].mean(axis=0) if len(voted) else np.full(size + 1, np.nan)
    columns = {"grader": names, "cut": [*cuts, 1], "relevant": relevant, **right}
    shown = size + 1 if size > 1 else 1  # one grader is its own majority
    return ROWS.of({name: values[:shown] for name, values in columns.items()})


def _pairs(graders: Sequence[str], voted: Bools, correlation: Floats) -> pd.DataFrame:
    first, second = np.triu_indices(len(graders), 1)
    sums = together(sums_by_query(voted, np.zeros(len(voted), np.int64), 1))
    both = sums.both[first, second]
    values, other = sums.single[first], sums.single[second]
    counts = np.stack([both, values - both, other - both, sums.passages - values - other + both], axis=-1).astype(
        np.int64
    )
    names = np.array(graders, object)
    kappa = cohen_kappa(counts.reshape(-1, 2, 2))
    return PAIRS.of(
        dict(zip(PAIRS.names, (names[first], names[second], kappa, correlation[first, second]), strict=True))
    )


def _notes(snapshot: Snapshot, names: list[str], common: _Common, correlation: Floats, judgments: str) -> list[str]:
    notes = about_scale(snapshot, names)
    if len(names) == 1:
        notes.append(f"{names[0]} is the only grading mode that votes: one vote. Add another to compare it with.")
    if left := common.passages - len(common.votes):
        notes.append(
            f"{left:,} of {common.passages:,} passages are left out: not every grader has a readable label for them."
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


ROW, BESIDES = 36, 110


def accuracy_figure(rows: pd.DataFrame) -> go.Figure:
    """Accuracy of each grader, with its interval; the last row is the majority, where there are several.

    `rows` have grader, accuracy, accuracy_low, accuracy_high.
    """
    single = max(len(rows) - 1, 1)
    names = [_lines(name) for name in [*rows["grader"][:single], *["majority"][: len(rows) - single]]]
    figure = go.Figure()
    for part, name, symbol, ink in (
        (rows[:single], "one grader", "circle", SERIES[0]),
        (rows[single:], "majority of all", "diamond", SERIES[1]),
    ):
        figure.add_scatter(
            x=part["accuracy"],
            y=list(part.index),
            name=name,
            mode="markers",
            marker={"symbol": symbol, "size": 11, "color": ink},
            error_x=bars(part["accuracy"], part["accuracy_low"], part["accuracy_high"], color=ink),
            customdata=[[escape_name(beginning(grader, 160))] for grader in part["grader"]],
            hovertemplate="%{customdata[0]}<br>%{x:.1%}<extra></extra>",
        )
    figure.update_layout(
        size_layout(BESIDES + ROW * len(rows), above=1.0),
        xaxis=axis("accuracy against the judgments", tickformat=".0%"),
        yaxis=name_axis(names, showgrid=False) | {"range": [len(rows) - 0.4, -0.6]},
    )
    return with_description(figure, accuracy_alternative(rows))


def accuracy_alternative(rows: pd.DataFrame) -> str:
    """The chart in words."""
    sentences = [f"{grader} {value:.1%}" for grader, value in zip(rows["grader"], rows["accuracy"], strict=True)]
    return f"Accuracy against the judgments: {'; '.join(sentences)}."


def _lines(name: str, width: int = 24) -> str:
    """A name in two lines at most, so that a phone has room for the chart."""
    short = beginning(name, 2 * width)
    return "<br>".join(escape_name(part) for part in (short[:width], short[width:]) if part)

"""Measures of nuggets and of rank position, and how far values vary over samples of a system."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, get_args

import numpy as np

from exam_core.declared import Field
from exam_core.defaults import SEED, SHUFFLES
from exam_core.measures.gradebook import Gradebook
from exam_core.measures.info import MeasureInfo
from exam_core.measures.marks import Marks, require_questions
from exam_core.numbers.arrays import Bools, Floats, Ints
from exam_core.numbers.means import mean_and_stderr
from exam_core.numbers.rank_correlations import DIGITS, correlations, mean_rank
from exam_core.numbers.resampling import mean_interval
from exam_core.request import Convention
from exam_core.tables import OKAY, OTHER, VITAL

SUPPORT, PARTIAL = 2, 1
"""The grades of a nugget that is supported, and of one that is supported in part."""
WORTH: dict[str, Mapping[int, float]] = {
    "Vital": {VITAL: 1.0},
    "Weighted": {VITAL: 1.0, OKAY: 0.5},
    "All": {VITAL: 1.0, OKAY: 1.0, OTHER: 1.0},
}
"""Weight of a nugget by its importance. One that is neither vital nor okay counts where all do, as in AutoNuggetizer;
one to avoid counts nowhere."""


def nugget_score(marks: Marks, depth: int | None = None, *, of: str, strict: bool) -> Floats:
    """(1, R, Q) share of each query's nuggets that a run's first passages support: NuggetAll@k and its kin.

    A nugget has its best grade among the first `depth` passages. It counts whole from grade 2 (support) on; grade 1
    (partial support) counts half, or nothing where the score is strict. A nugget on which no passage that is read of
    the run, whatever `depth`, has a grade was not looked for, and is left out. One whose grades can't be read counts as
    missing and stays in the divisor, also where no grade of the answer can be read, as in AutoNuggetizer's scores.

    A run in which no nugget was looked for, or that returned nothing, scores 0. NaN where no nugget of the query
    counts, for instance because none is vital (AutoNuggetizer's own code counts 0 there). `of` is "Vital", "Weighted"
    (an okay nugget weighs a half) or "All". Raises UndefinedMeasure where the grader labels passages and has no
    questions.

    Source: Pradeep et al. 2024, Initial nugget evaluation results for the TREC 2024 RAG track; the scores of the
    AutoNuggetizer's released code.

    >>> from exam_core.measures.example import marks
    >>> nugget_score(marks(), of="Vital", strict=False)[0, :, 0].tolist()  # (1 + 1/2) / 2 and (0 + 1/2) / 2
    [0.75, 0.25]
    """
    return _score(marks.book, partial(marks.reaching, depth), marks.asked, WORTH[of], strict)[None]


def overall_nugget_score(book: Gradebook, *, tau: int, of: str, strict: bool) -> Floats:
    """(Q,) `nugget_score` of everything graded for a query, ranked or not; tau does not matter.

    >>> from exam_core.measures.example import book
    >>> overall_nugget_score(book(), tau=4, of="Vital", strict=True).tolist()  # one of two is supported in full
    [0.5]
    """
    del tau
    require_questions(book)

    def reaching(grade: int, wanted: Bools) -> Ints:
        return book.words.count(book.answerable, grade, book.words.columns(wanted)).astype(np.int64)

    def asked(wanted: Bools) -> Ints:
        words = book.asked_words
        return words.count(book.together(words), 1, words.columns(wanted)).astype(np.int64)

    return _score(book, reaching, asked, WORTH[of], strict)


def _score(
    book: Gradebook,
    reaching: Callable[[int, Bools], Ints],
    asked: Callable[[Bools], Ints],
    worth: Mapping[int, float],
    strict: bool,
) -> Floats:
    """Return supported nuggets over those that were looked for, or over all where none was, weighted.

    `reaching` and `asked` give (..., Q): how many of some (Q, S) questions reach a grade, and how many were looked for.
    """
    gained: Floats | float = 0.0
    sought: Floats | float = 0.0
    total: Floats | float = 0.0
    for importance, weight in worth.items():
        wanted = book.important(importance)
        counts = reaching(SUPPORT, wanted)
        halves = counts if strict else reaching(PARTIAL, wanted)
        gained = gained + weight * (counts + halves) / 2
        sought = sought + weight * asked(wanted).astype(np.float64)
        total = total + weight * wanted.sum(axis=1)
    divisor = np.where(sought > 0, sought, total)
    return np.where(divisor > 0, gained / np.where(divisor > 0, divisor, 1), np.nan)


_MEANING = {
    "Vital": "vital nuggets",
    "Weighted": "nuggets, vital ones counting 1 and okay ones a half,",
    "All": "nuggets, vital or not,",
}
_FORMULA = {"Vital": "vital nuggets", "Weighted": "nuggets, okay ones weighing 1/2", "All": "nuggets"}


def _row(place: int, of: str, strict: bool) -> MeasureInfo:
    support = "grade 2 or more" if strict else "grade 2 or more + half of those with grade 1"
    return MeasureInfo(
        name=f"Nugget{of}{'Strict' if strict else ''}",
        order=200 + place,
        of="questions",
        of_nuggets=True,
        cut="possible",
        tau_applies=False,
        needs_grades=False,
        meaning=f"share of a query's {_MEANING[of]} that the first k passages support"
        + ("" if strict else "; partial support counts half"),
        formula=f"{_FORMULA[of]} with {support} in the first k / {_FORMULA[of]} with any grade in the run",
        source="Pradeep et al. 2024; AutoNuggetizer " + ("strict_" if strict else "") + f"{of.lower()}_score",
        compute=partial(nugget_score, of=of, strict=strict),
        overall=partial(overall_nugget_score, of=of, strict=strict),
    )


NUGGET_MEASURES = tuple(
    _row(place, of, strict) for place, (of, strict) in enumerate((of, s) for of in WORTH for s in (True, False))
)
CONVENTIONS: tuple[Convention, ...] = get_args(Convention)


def nrp(ranks: Ints, sizes: Ints, convention: Convention = "released") -> Floats:
    """Normalised rank position of answers: (A,) in [0, 1], larger is better.

    `ranks` are (A,) places of the answers, 0 for the first, each in a ranking of its own; `sizes` (A,) its length, the
    answer included. NaN where the convention counts documents and there are none.

    Source: Heineking et al. 2024 (Ranking Generated Answers), section 2.

    >>> nrp(np.array([0, 3]), sizes=np.array([4, 4])).tolist()
    [1.0, 0.25]
    """
    places = ranks + 1 if convention == "one-based" else ranks
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(1 - places / (sizes - 1 if convention == "documents" else sizes))


def cell_means(values: Floats, rows: Ints, columns: Ints, shape: tuple[int, int]) -> tuple[Floats, Ints]:
    """Means of (A,) values by cell, and how many each cell has; NaN where it has none.

    `rows` and `columns` are (A,) each value's cell, such as its run and its query.
    """
    place = np.ravel_multi_index((rows, columns), shape)
    n = np.bincount(place, minlength=shape[0] * shape[1])
    total = np.bincount(place, values, minlength=shape[0] * shape[1])
    with np.errstate(invalid="ignore"):
        return (total / n).reshape(shape), n.reshape(shape)


def nrp_board(by_query: Floats, answers: Ints) -> dict[str, Floats | Ints]:
    """(R,) mean of each run over its queries, with a 95% interval that takes a query's answers as one observation.

    Answers to one query are alike, since they meet the same documents. So a query's answers are averaged first, and
    the interval is Student's t over the queries' means, with Q - 1 degrees of freedom. For clusters of one size that is
    the cluster-robust standard error of the mean of all answers, with its factor Q/(Q - 1); queries weigh the same,
    however many answers they have.

    `by_query` is (R, Q), NaN where a run has no answer; `answers` (R, Q) their number. `low` and `high` are in [0, 1]
    (`mean_interval`), and NaN for fewer than two queries.

    Source: Donner & Klar 2000 (Design and Analysis of Cluster Randomization Trials), chapter 6; Cameron & Miller 2015,
    section VI.C (t with the number of clusters minus 1); Student 1908.

    >>> board = nrp_board(np.array([[0.5, 0.7, 0.9]]), answers=np.array([[1, 1, 4]]))  # 0.7 -+ 4.303 * 0.2 / 3**0.5
    >>> print(*(board[name].round(2) for name in ("mean", "low", "high", "n_answers")))
    [0.7] [0.2] [1.] [6]
    """
    mean, stderr, n = mean_and_stderr(by_query)
    low, high = mean_interval(by_query, bounds=NRP.bounds)
    counts = {"n_queries": n, "n_answers": answers.sum(axis=-1)}
    return {"mean": mean, "low": low, "high": high, "stderr": stderr, **counts}


@dataclass(frozen=True)
class NrpOptions:
    """Options of NRP; an empty ranker is the collection's only one."""

    convention: Annotated[
        Convention, Field("released: r from 0, n with the answer; one-based: r from 1; documents: n without it.")
    ] = "released"
    ranker: Annotated[str, Field("Ranker of the answers, for instance monot5.")] = ""


def compute(
    ranks: Ints, sizes: Ints, places: tuple[Ints, Ints], shape: tuple[int, int], options: NrpOptions | None = None
) -> Floats:
    """(R, Q) mean NRP of each run's answers to each query, NaN where it has none.

    `ranks` and `sizes` are as of `nrp`, `places` are each answer's run and query, `shape` is (R, Q).
    """
    values = nrp(ranks, sizes, (options or NrpOptions()).convention)
    return cell_means(values, *places, shape)[0]


NRP = MeasureInfo(
    name="NRP",
    order=300,
    of="scores",
    cut="none",
    meaning="How high a generated answer ranks among the judged documents of its query",
    formula="1 - r/n, averaged over a query's answers",
    source="Heineking et al. 2024, section 2",
    compute=compute,
    tau_applies=False,
    options=NrpOptions,
)
RANK_POSITION = (NRP,)
AT_ONCE = 2**20
"""Labels that are shuffled together."""


@dataclass(frozen=True)
class Board:
    """A leaderboard under one way to label the nuggets.

    `means` are (R,) mean vital recall, NaN where no query has a vital nugget; `queries` is how many have one; `kendall`
    is tau-b with the unchanged board, NaN where a board is constant or undefined.
    """

    means: Floats
    queries: int
    kendall: float


@dataclass(frozen=True)
class Variability:
    """A leaderboard by vital recall (`as_is`), where everything is vital, and where vital and okay are exchanged.

    `kendall` is (draws,) tau-b of each shuffle's board with the one as it is, `ranks` (draws, R) of each run in it,
    from 1; ties share their mean rank. `first` is (R,) the share of shuffles in which a run comes first; runs that tie
    share it.
    """

    as_is: Board
    all_vital: Board
    flipped: Board
    kendall: Floats
    ranks: Floats
    first: Floats


def variability(credit: Floats, query: Ints, vital: Bools, *, draws: int = SHUFFLES, seed: int = SEED) -> Variability:
    """Compare a board by vital recall with boards on which other nuggets are vital.

    A board is the mean, over queries with a vital nugget, of the credit that a run has for the query's vital nuggets by
    the number of those that were looked for in it; 0 where none was. A shuffle deals out a query's labels anew, as many
    vital ones as before, each way to do so being equally likely. That is what the paper's simplified
    Metropolis-Hastings algorithm converges to; here it is drawn directly, so that draws are independent.

    Parameters
    ----------
    credit : (R, N) of each run for each nugget, 0 to 1: judged, or POURPRE's match scores; NaN: not looked for
    query : (N,) number of the nugget's query
    vital : (N,) whether it is vital; okay otherwise

    Source: Lin & Demner-Fushman 2005, section 7.

    >>> credit = np.array([[1.0, 0.0], [0.0, 0.0]])  # the first run has the vital nugget, nobody the okay one
    >>> effect = variability(credit, query=np.array([0, 0]), vital=np.array([True, False]), draws=100)
    >>> print(effect.as_is.means, effect.all_vital.means, effect.flipped.means)
    [1. 0.] [0.5 0. ] [0. 0.]
    """
    order = np.argsort(query, kind="stable")
    credit, vital = credit[:, order], vital[order].astype(bool)
    _, query = np.unique(query[order], return_inverse=True)
    as_is = _boards(credit, query, vital[None])[0]
    kendall, ranks = np.full(draws, np.nan), np.full((draws, len(credit)), np.nan)
    first = np.zeros(len(credit))
    rng = np.random.default_rng(seed)
    together = max(1, AT_ONCE // max(len(query), 1))
    for start in range(0, draws if vital.any() else 0, together):
        part = slice(start, min(start + together, draws))
        # Random keys between the queries' numbers keep the queries apart when they are sorted.
        keys = query + rng.random((part.stop - start, len(query)))
        shuffled = np.empty(keys.shape, bool)
        np.put_along_axis(shuffled, keys.argsort(axis=1), np.broadcast_to(vital, keys.shape), axis=1)
        boards = _boards(credit, query, shuffled)
        kendall[part] = correlations(boards, as_is, ("kendall",)).kendall
        ranks[part] = mean_rank(boards)
        rounded = boards.round(DIGITS)
        best = rounded == rounded.max(axis=1, keepdims=True, initial=-np.inf)
        first += (best / np.maximum(best.sum(axis=1, keepdims=True), 1)).sum(axis=0)
    return Variability(
        _board(credit, query, vital, as_is),
        _board(credit, query, np.ones_like(vital), as_is),
        _board(credit, query, ~vital, as_is),
        kendall,
        ranks,
        first / draws if draws and vital.any() else np.full(len(credit), np.nan),
    )


def _boards(credit: Floats, query: Ints, vital: Bools) -> Floats:
    """Return (D, R) the boards of D ways to label the nuggets, sorted by query; 0 where no query has a vital one."""
    known, gained = ~np.isnan(credit), np.nan_to_num(credit)
    total, n = np.zeros((len(vital), len(credit))), np.zeros((len(vital), 1))
    for own in np.split(np.arange(len(query)), np.flatnonzero(np.diff(query)) + 1):
        labels = vital[:, own].astype(float)
        sought = labels @ known[:, own].T.astype(float)
        total += labels @ gained[:, own].T / np.maximum(sought, 1)
        n += labels.any(axis=1, keepdims=True)
    return total / np.maximum(n, 1)


def _board(credit: Floats, query: Ints, vital: Bools, as_is: Floats) -> Board:
    means = _boards(credit, query, vital[None])[0] if vital.any() else np.full(len(credit), np.nan)
    kendall = float(correlations(means, as_is, ("kendall",)).kendall)
    return Board(means, len(np.unique(query[vital])), kendall)

"""What a leaderboard owes to somebody's view of which nuggets are vital. Lin & Demner-Fushman 2005, section 7."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from exam_core.defaults import SEED, SHUFFLES
from exam_core.numbers.arrays import Bools, Floats, Ints
from exam_core.numbers.rank_correlations import DIGITS, correlations, mean_rank

AT_ONCE = 2**20
"""Labels that are shuffled together."""


@dataclass(frozen=True)
class Board:
    """A leaderboard under one way to label the nuggets.

    Parameters
    ----------
    means : (R,) mean vital recall of each run; NaN where no query has a vital nugget
    queries : how many have one, so that they count
    kendall : tau-b with the board as it is; NaN where a board is constant or undefined
    """

    means: Floats
    queries: int
    kendall: float


@dataclass(frozen=True)
class Variability:
    """A leaderboard by vital recall, and what becomes of it under other labels.

    Parameters
    ----------
    as_is, all_vital, flipped : the labels as they are; everything vital; vital and okay exchanged
    kendall : (draws,) tau-b of each shuffle's board with the one as it is
    ranks : (draws, R) rank of each run in each shuffle, from 1; ties share their mean rank
    first : (R,) share of the shuffles in which a run comes first; runs that tie for it share it
    """

    as_is: Board
    all_vital: Board
    flipped: Board
    kendall: Floats
    ranks: Floats
    first: Floats

    @property
    def kendall_mean(self) -> float:
        """Mean tau-b of the shuffles."""
        return float(self.kendall.mean()) if len(self.kendall) else np.nan

    @property
    def kendall_deviation(self) -> float:
        """Sample standard deviation (n - 1) of the shuffles' tau-b; NaN for fewer than two."""
        return float(self.kendall.std(ddof=1)) if len(self.kendall) > 1 else np.nan


def variability(credit: Floats, query: Ints, vital: Bools, *, draws: int = SHUFFLES, seed: int = SEED) -> Variability:
    """How a board by vital recall depends on which nuggets are vital.

    A board is the mean, over queries with a vital nugget, of the credit that a run has for the query's vital nuggets by
    the number of those that were looked for in it; 0 where none was. A shuffle deals out a query's labels anew, as many
    vital ones as before, each way to do so being equally likely. That is what the paper's simplified
    Metropolis-Hastings algorithm converges to; here it is drawn directly, so that draws are independent.

    Parameters
    ----------
    credit : (R, N) what each run gets for each nugget, 0 to 1: judged, or POURPRE's match scores; NaN: not looked for
    query : (N,) number of the nugget's query
    vital : (N,) whether it is vital; okay otherwise
    draws : number of shuffles
    seed : the same seed gives the same shuffles

    Source: Lin & Demner-Fushman 2005, section 7.

    >>> credit = np.array([[1.0, 0.0], [0.0, 0.0]])  # the first run has the vital nugget, nobody the okay one
    >>> found = variability(credit, query=np.array([0, 0]), vital=np.array([True, False]), draws=100)
    >>> print(found.as_is.means, found.all_vital.means, found.flipped.means)
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
        boards = _boards(credit, query, _shuffled(vital, query, part.stop - start, rng))
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
    """(D, R) the boards of D ways to label the nuggets, sorted by query; 0 where no query has a vital one."""
    known, gained = ~np.isnan(credit), np.nan_to_num(credit)
    total, n = np.zeros((len(vital), len(credit))), np.zeros((len(vital), 1))
    for own in np.split(np.arange(len(query)), np.flatnonzero(np.diff(query)) + 1):
        labels = vital[:, own].astype(float)
        asked = labels @ known[:, own].T.astype(float)
        total += labels @ gained[:, own].T / np.maximum(asked, 1)
        n += labels.any(axis=1, keepdims=True)
    return total / np.maximum(n, 1)


def _board(credit: Floats, query: Ints, vital: Bools, as_is: Floats) -> Board:
    means = _boards(credit, query, vital[None])[0] if vital.any() else np.full(len(credit), np.nan)
    kendall = float(correlations(means, as_is, ("kendall",)).kendall)
    return Board(means, len(np.unique(query[vital])), kendall)


def _shuffled(vital: Bools, query: Ints, draws: int, rng: np.random.Generator) -> Bools:
    """(draws, N) the nuggets' labels, dealt out anew within each query."""
    keys = query + rng.random((draws, len(query)))  # sorted, they keep the queries apart
    shuffled = np.empty(keys.shape, bool)
    np.put_along_axis(shuffled, keys.argsort(axis=1), np.broadcast_to(vital, keys.shape), axis=1)
    return shuffled

"""What if half of a bank were hidden: do runs gain on the questions that they may have seen?"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from exam_core.analysis.evaluation.books import no_runs
from exam_core.analysis.evaluation.caveats import listed
from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.choosing import check_range
from exam_core.analysis.evaluation.leaderboard import title
from exam_core.analysis.shared_columns import MEAN, RUN
from exam_core.analysis.uncertainty.redraws import Redrawing, redrawing, shuffled_places
from exam_core.defaults import SEED
from exam_core.errors import UsageError
from exam_core.measures.gradebook import Gradebook
from exam_core.numbers.arrays import Bools, Floats, Ints
from exam_core.numbers.means import mean_and_stderr
from exam_core.numbers.rank_correlations import DIGITS, correlations
from exam_core.numbers.resampling import percentile_interval
from exam_core.progress import Progress, no_progress
from exam_core.results import ResultTable, decimal, flag, interval, signed
from exam_core.store import Snapshot
from exam_core.wording import counted

HALVES, MOST_HALVES = 100, 10_000
"""Random halves that are drawn where nobody says, and at most."""
IN_HALVES = "Range of the gain in 95% of the random halves: the effect of the choice of the half alone."
ROWS = ResultTable(
    "bank health: hidden",
    "Runs by their gain on the public half of a bank over its hidden half, largest first",
    RUN,
    flag("saw", "Saw the bank", "Yes if the run was named as one that saw the bank."),
    replace(MEAN, name="public", label="Public half", help="Mean over the queries, and over random halves."),
    replace(MEAN, name="hidden", label="Hidden half", help="Mean over the queries, and over random halves."),
    signed("gain", "Gain", "Public half minus hidden half.", "score"),
    interval("gain_interval", "In random halves", IN_HALVES, "score"),
    decimal(
        "p",
        "p",
        "Share of the random halves whose gain is at least as far from the halves' mean gain as this one, at least "
        "1 / (halves + 1); NaN where the public questions are not named.",
        source="Fisher 1935",
    ),
)


@dataclass(frozen=True)
class Spread:
    """A figure, where 95% of the random halves have it, and p of one so far away; NaN without a named half."""

    value: float
    interval: tuple[float, float]
    p: float


@dataclass(frozen=True)
class Hidden:
    """Runs on two halves of a bank.

    Parameters
    ----------
    title : what is evaluated
    public : how many questions were named as public; None where halves are random alone
    halves, seed : random halves that were drawn
    n_queries : queries with a question in each half; the others are left out
    rows : `ROWS`
    spearman, kendall : of the board on the public half with that on the hidden half
    saw : runs that were named as having seen the bank
    advantage : mean gain of these minus mean gain of the others; None where none was named
    """

    title: str
    public: int | None
    halves: int
    seed: int
    n_queries: int
    rows: pd.DataFrame
    spearman: Spread
    kendall: Spread
    saw: list[str]
    advantage: Spread | None
    notes: list[str] = field(default_factory=list)


def hidden(
    snapshot: Snapshot,
    choice: Evaluation,
    *,
    halves: int = HALVES,
    seed: int = SEED,
    saw: Collection[str] = (),
    public: Collection[str] | None = None,
    progress: Progress = no_progress,
) -> Hidden:
    """What each run scores on the public half of a bank beside what it scores on the hidden half.

    In a random half are half of each query's questions, rounded down, and in the hidden one the others. Over many of
    them no run gains, whatever it saw: they show how large a gain chance makes, and how far the boards of two halves
    agree. Where it is named which questions were public, those are the public half, and the random halves, of as many
    questions of each query, what its gains are compared with.

    Parameters
    ----------
    halves, seed : of the draws
    saw : run_ids that saw the public questions
    public : question_ids that were public; None where that is not known

    Raises
    ------
    UsageError : an unknown run or question, no run is left to compare with, no query has two halves, or no runs
    UndefinedMeasure : there are no questions

    Source: randomisation test over the choice of the half, Fisher 1935.
    """
    check_range("--hidden", halves, 1, MOST_HALVES)
    again = redrawing(snapshot, choice)
    book = again.book
    if not book.run_ids:
        raise UsageError(no_runs(snapshot))
    seers = _seers(book, saw)
    named = None if public is None else _named(book, public)
    sizes = (book.enabled.sum(axis=1) // 2) if named is None else named.sum(axis=1)
    split = (sizes > 0) & (sizes < book.enabled.sum(axis=1))
    if not split.any():
        raise UsageError("No query has a question in each half: halves need two questions of a query.")
    drawn = _drawn(again, np.where(split, sizes, 0), split, (halves, seed), progress)
    both = _Means(drawn.mean(axis=1) if named is None else _means(again, named, split), drawn, named is not None)
    return Hidden(
        title(choice),
        None if named is None else int(named[split].sum()),
        halves,
        seed,
        int(split.sum()),
        _rows(book.run_ids, seers, both),
        both.agreement("spearman"),
        both.agreement("kendall"),
        [name for name, one in zip(book.run_ids, seers, strict=True) if one],
        both.advantage(seers) if saw else None,
        _notes(int((~split).sum()), known=both.known, saw=bool(saw)),
    )


@dataclass(frozen=True)
class _Means:
    """Means of the runs on the public half and on the hidden one.

    Parameters
    ----------
    observed : (2, R) on the halves; drawn : (2, draws, R) on random ones
    known : whether it was named what was public; else the means of the random halves are what is observed
    """

    observed: Floats
    drawn: Floats
    known: bool

    @property
    def gains(self) -> tuple[Floats, Floats]:
        """(R,) what each run gains, and (draws, R) on random halves."""
        return self.observed[0] - self.observed[1], self.drawn[0] - self.drawn[1]

    def agreement(self, name: str) -> Spread:
        """How far the boards of the two halves agree."""
        observed, chance = (getattr(correlations(one[0], one[1], (name,)), name) for one in (self.observed, self.drawn))
        return self._spread(float(observed if self.known else mean_and_stderr(chance)[0]), chance)

    def advantage(self, seers: Bools) -> Spread:
        """The mean gain of the runs that saw the bank minus that of the others."""
        value, samples = (
            mean_and_stderr(one[..., seers])[0] - mean_and_stderr(one[..., ~seers])[0] for one in self.gains
        )
        return self._spread(float(value), samples)

    def p(self, observed: Floats, chance: Floats) -> Floats:
        """(n,) two-sided p of what was observed among (draws, n) of chance; the observed half is one of the halves."""
        centre = chance.mean(axis=0)
        as_far = np.round(np.abs(chance - centre), DIGITS) >= np.round(np.abs(observed - centre), DIGITS)
        unknown = np.isnan(observed) | (not self.known)
        return np.where(unknown, np.nan, (1 + as_far.sum(axis=0)) / (1 + len(chance)))

    def _spread(self, value: float, chance: Floats) -> Spread:
        low, high = percentile_interval(chance[:, None])
        p = self.p(np.array([value]), chance[:, None])
        return Spread(value, (float(low[0]), float(high[0])), float(p[0]))


def _seers(book: Gradebook, saw: Collection[str]) -> Bools:
    """(R,) the runs that were named."""
    if unknown := sorted(set(saw) - set(book.run_ids)):
        raise UsageError(f"--saw {unknown[0]}: there is no such run. There are: {listed(book.run_ids)}.")
    if set(saw) >= set(book.run_ids):
        raise UsageError("--saw names all runs, so there are none to compare with. Name some of them.")
    return np.array([name in set(saw) for name in book.run_ids], bool)


def _named(book: Gradebook, public: Collection[str]) -> Bools:
    """(Q, S) the enabled questions that were public."""
    known = {name for names in book.question_ids for name in names}
    if unknown := sorted(set(public) - known):
        raise UsageError(f"Not among the bank's questions: {listed(unknown)}.")
    return book.only(public).enabled


def _drawn(again: Redrawing, sizes: Ints, split: Bools, draws: tuple[int, int], progress: Progress) -> Floats:
    """(2, draws, R) means on random public halves and on the hidden ones."""
    halves, seed = draws
    rng = np.random.default_rng(seed)
    found = np.empty((2, halves, len(again.book.run_ids)))
    for draw in range(halves):
        public = (shuffled_places(again.book.enabled, rng) < sizes[:, None]) & again.book.enabled
        found[:, draw] = _means(again, public, split)
        progress((draw + 1) / halves)
    return found


def _means(again: Redrawing, public: Bools, split: Bools) -> Floats:
    """(2, R) means on the public half and on the hidden one, over the queries that count for a run in both."""
    enabled = again.book.enabled & split[:, None]
    halves = (enabled & public, enabled & ~public)
    both = np.stack([again.values(half) for half in halves])
    means, _, _ = mean_and_stderr(np.where(np.isnan(both).any(axis=0), np.nan, both))
    answers = [again.book.enabling(half).answering.any(axis=1) for half in halves]
    return np.where(np.all(answers, axis=0), means, np.nan)


def _rows(run_ids: list[str], seers: Bools, both: _Means) -> pd.DataFrame:
    """`ROWS`."""
    gain, chance = both.gains
    low, high = percentile_interval(chance)
    frame = ROWS.of(
        {
            "run_id": run_ids,
            "saw": seers,
            "public": both.observed[0],
            "hidden": both.observed[1],
            "gain": gain,
            "gain_interval": list(zip(low.tolist(), high.tolist(), strict=True)),
            "p": both.p(gain, chance),
        }
    )
    order = frame.assign(gain=frame["gain"].round(DIGITS)).sort_values(["gain", "run_id"], ascending=[False, True])
    return frame.loc[order.index].reset_index(drop=True)


def _notes(left_out: int, *, known: bool, saw: bool) -> list[str]:
    notes = []
    if left_out:
        notes.append(f"{counted({'queries': left_out})} without a question in each half: left out.")
    if not known:
        notes.append(
            "Random halves show no gain on average, even for a run that saw the whole bank. Name the public questions "
            "with --public to see who gains by them."
        )
    elif not saw:
        notes.append("An easier public half is easier for all runs. Name those that saw it with --saw to compare them.")
    return notes

"""What an edit of a bank changes: leaderboard, correlations, kappa, separable pairs and labels, before and after."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from exam_core.analysis.agreement import agreement
from exam_core.analysis.choice import Evaluation, QuestionChoice
from exam_core.analysis.choosing import check_range, choose
from exam_core.analysis.comparison import RANK_COEFFICIENTS, coefficients
from exam_core.analysis.leaderboard import board_rows, title
from exam_core.analysis.other_labels import RELABELLED, relabelled, side_by_side
from exam_core.analysis.other_labels import ROWS as SIDE_BY_SIDE
from exam_core.analysis.references import find_reference, no_reference, pair_with
from exam_core.analysis.scope import scope_of
from exam_core.analysis.shared_columns import MEAN, RUN
from exam_core.analysis.uncertainty import ALPHA, Redrawing, redrawing, shuffled_places
from exam_core.analysis.values import NO_GRADES, counted_values, gradebook, no_runs
from exam_core.defaults import SEED
from exam_core.errors import UsageError
from exam_core.measures.gradebook import Counting, Gradebook
from exam_core.names import listed
from exam_core.numbers import significance_tests as tests
from exam_core.numbers.arrays import Bools, Floats, Ints
from exam_core.numbers.means import mean_and_stderr
from exam_core.numbers.rank_correlations import DIGITS, NAMES, correlations
from exam_core.numbers.resampling import mean_interval, percentile_interval
from exam_core.progress import Progress, no_progress
from exam_core.question import Key, Question, rows_of
from exam_core.request import Request
from exam_core.results import ResultTable, decimal, flag, interval, signed, text
from exam_core.store import Snapshot
from exam_core.store.differing import with_version
from exam_core.store.names import BankRef, page_of
from exam_core.store.question_texts import graded_questions
from exam_core.store.snapshot import cached_by_snapshot
from exam_core.store.summary import graded_banks, qrels_ids
from exam_core.tables import AVOID, OFFICIAL, OKAY, OTHER, UNGRADED, VITAL
from exam_core.wings.banks.editing import Bank
from exam_core.wording import counted

IMPORTANCES = {None: VITAL, "vital": VITAL, "okay": OKAY, "avoid": AVOID}
EFFECT = ResultTable(
    "effect: rows",
    "Runs before and after an edit of the bank, in the new order",
    *SIDE_BY_SIDE.columns,
    signed("change_low", "Change from", "Lower end of the 95% interval of the change: paired, over the queries."),
    signed("change_high", "Change to", "Upper end of the 95% interval of the change."),
    flag("beyond_chance", "Beyond chance", "Yes if the interval of the change leaves out 0."),
)
FIGURES = ResultTable(
    "effect: figures",
    "Effect of an edit of the bank on the figures of its leaderboard",
    text("figure", "Figure", pinned=True),
    decimal("before", "Before", form="%.4g"),
    decimal("after", "After", form="%.4g"),
    decimal("change", "Change", "After minus before.", form="%+.3g"),
)
SEPARABLE = "separable pairs"


@dataclass(frozen=True)
class Edit:
    """A version of a bank and what was made of it; `base` is None, and `old` empty, where the bank is new.

    Edits with the same bank, base and state are the same.
    """

    bank: str
    base: int | None
    old: Bank = field(compare=False, repr=False)
    new: Bank = field(compare=False, repr=False)
    state: str = ""

    @property
    def added(self) -> list[Question]:
        """Questions that the version does not have."""
        return [question for key, question in self.new.items() if key not in self.old]

    @property
    def counting(self) -> tuple[Counting, ...]:
        """How the version's questions count that count otherwise now."""
        return tuple(
            _counting(question, self.new.get(key))
            for key, question in self.old.items()
            if _counting(question, self.new.get(key)) != _counting(question, question)
        )


@dataclass(frozen=True)
class Effect:
    """The collection with a bank as it is (`before`, None where nobody graded it) and as it would be (`after`).

    `enabled` is how many graded questions count, before and after; one asked under two queries counts twice. `ungraded`
    are questions that count and have no grade yet: they count as not answered. Frames: `EFFECT`, `FIGURES`,
    `RELABELLED`.
    """

    before: Evaluation | None
    after: Evaluation
    enabled: tuple[int, int]
    rows: pd.DataFrame
    figures: pd.DataFrame
    relabelled: pd.DataFrame
    ungraded: tuple[Key, ...]
    notes: list[str] = field(default_factory=list)


def with_edit(snapshot: Snapshot, edit: Edit) -> tuple[Snapshot, BankRef]:
    """The collection with a version of the bank that has its questions and all new ones that are graded already.

    Nothing is stored, and where nothing new is graded the version is the one that was edited.
    """
    graded = graded_questions(snapshot)
    added = [question for question in edit.added if edit.base is None or question.question_id in graded]
    if not added and edit.base is not None:
        return snapshot, BankRef(edit.bank, edit.base)
    return with_version(snapshot, edit.bank, edit.base, rows_of(added))


def graders_of(snapshot: Snapshot, edit: Edit) -> list[str]:
    """The graders that have grades on questions of the bank, old or new."""
    existing, ref = with_edit(snapshot, edit)
    return [name for name, banks in graded_banks(existing).items() if ref.name in banks]


def effect(snapshot: Snapshot, edit: Edit, request: Request, *, relevant_from: int) -> Effect:
    """What the edit does under one grader; the bank of the request is not read, and `relevant_from` is for kappa.

    Values are those of the version that would be stored. A computed reference is that of the bank as it is. Raises
    UsageError where no question is left that counts, the grader graded none of them, or there are no runs.
    """
    existing, ref = with_edit(snapshot, edit)
    after = choose(existing, replace(request, bank=str(ref)))
    if not after.of_grades:
        raise UsageError(NO_GRADES)
    before = None
    if edit.base is not None and edit.bank in graded_banks(snapshot).get(request.grader or "", [edit.bank]):
        before = choose(snapshot, replace(request, bank=str(BankRef(edit.bank, edit.base))))
    known = gradebook(existing, after.labelling)
    after = after.labelled(asking=QuestionChoice(counting=edit.counting, added=_without_grades(known, edit)))
    book = gradebook(existing, after.labelling)
    if not book.counted.any():
        raise UsageError("No question is left that counts: switch one on, or add one.")
    rows, notes = _rows(snapshot, before, existing, after)
    other = find_reference(snapshot, request.reference, before or after)
    rows["reference_rank"] = np.nan if other is None else rows["run_id"].map(other.ranks).astype(float)
    notes += [no_reference(snapshot)] if other is None else []
    old = gradebook(snapshot, before.labelling) if before else None
    judged = OFFICIAL if OFFICIAL in qrels_ids(snapshot) else None
    sides = [
        _figures(side, choice, (judged, relevant_from)) if choice else {}
        for side, choice in ((snapshot, before), (existing, after))
    ]
    with_grades = {(query, name) for unit, name in _graded(book) for query in (unit, page_of(unit))}
    figure_names = list(sides[1])
    old_figures, new_figures = (np.array([side.get(name, np.nan) for name in figure_names]) for side in sides)
    return Effect(
        before,
        after,
        (0 if old is None else int(old.enabled.sum()), int(book.enabled.sum())),
        EFFECT.of(rows),
        FIGURES.of(
            {"figure": figure_names, "before": old_figures, "after": new_figures, "change": new_figures - old_figures}
        ),
        RELABELLED.of() if old is None else relabelled(old, book, after),
        tuple(key for key, question in edit.new.items() if question.enabled and key not in with_grades),
        notes,
    )


def _without_grades(book: Gradebook, edit: Edit) -> tuple[Counting, ...]:
    """The new questions that a gradebook does not have, for each of its queries that they belong to.

    A query of which no other question is graded is left out, as it is from a leaderboard: nobody has looked at it.
    """
    facets: dict[str, list[str]] = {}
    for unit in book.query_ids:
        facets.setdefault(page_of(unit), []).append(unit)
    looked_at = {unit for unit, name in _graded(book) if (unit, name) in edit.new or (page_of(unit), name) in edit.new}
    pairs = {(unit, name) for unit, names in zip(book.query_ids, book.question_ids, strict=True) for name in names}
    countings = []
    for question in edit.added:
        own = f"{question.query_id}/{question.facet_id}" if question.facet_id else None
        units = [unit for unit in facets.get(question.query_id, []) if own in (None, unit)] or [question.query_id]
        counts = _counting(question, question)
        new = (unit for unit in units if unit in looked_at and (unit, question.question_id) not in pairs)
        countings += [counts._replace(query_id=unit) for unit in new]
    return tuple(countings)


def _counting(question: Question, now: Question | None) -> Counting:
    """How a question counts; one that is gone is switched off."""
    counts = now or replace(question, enabled=False)
    importance = IMPORTANCES.get(counts.importance, OTHER)
    return Counting(question.query_id, question.question_id, counts.enabled, counts.weight, importance)


def _rows(
    snapshot: Snapshot, before: Evaluation | None, existing: Snapshot, after: Evaluation
) -> tuple[pd.DataFrame, list[str]]:
    """`ROWS` but for the reference's ranks, and notes on the new board."""
    if before is None:
        rows, notes = board_rows(scope_of(existing, after))
        nothing = dict.fromkeys(
            ("mean_before", "rank_before", "n_queries_before", "change", "rank_change", "change_low", "change_high"),
            np.nan,
        )
        names = {name: f"{name}_after" for name in ("mean", "rank", "n_queries")}
        return rows.rename(columns=names).assign(**nothing, beyond_chance=False), notes
    rows, notes = side_by_side(snapshot, before, existing, after)
    old, new = counted_values(snapshot, before), counted_values(existing, after)
    shared = [query for query in new.query_ids if query in set(old.query_ids)]
    change = _on_queries(new.values, new.query_ids, shared) - _on_queries(old.values, old.query_ids, shared)
    low, high = mean_interval(change, bounds=after.measure.info.difference_bounds)
    place = pd.Index(new.run_ids).get_indexer(pd.Index(rows["run_id"]))
    beyond = (low[place] > 0) | (high[place] < 0)
    return rows.assign(change_low=low[place], change_high=high[place], beyond_chance=beyond), notes


def _on_queries(values: npt.NDArray[np.float64], names: list[str], wanted: list[str]) -> npt.NDArray[np.float64]:
    return values[:, pd.Index(names).get_indexer(pd.Index(wanted))]


@cached_by_snapshot(64)
def _figures(snapshot: Snapshot, choice: Evaluation, judged: tuple[str | None, int]) -> Mapping[str, float]:
    values = counted_values(snapshot, choice)
    figures: dict[str, float] = {}
    if other := find_reference(snapshot, choice.reference, choice):
        correlation = coefficients(pair_with(values, other), choice.rounded)
        figures |= {NAMES[name]: float(getattr(correlation, name)) for name in RANK_COEFFICIENTS}
    judgments, relevant_from = judged
    if judgments:
        agreed = agreement(snapshot, choice.labelling, tau=choice.cut, relevant_from=relevant_from, judgments=judgments)
        figures["Cohen's kappa"] = agreed.kappa
    p = tests.holm(tests.paired_t(values.values))
    figures[SEPARABLE] = float((p < ALPHA)[np.triu_indices(len(p), 1)].sum())
    return figures


def _graded(book: Gradebook) -> list[Key]:
    graded = np.logical_or.reduceat(book.grades != UNGRADED, book.pair_starts, axis=0)
    units = zip(book.query_ids, book.question_ids, graded, strict=True)
    return [(unit, name) for unit, names, has in units for name in np.asarray(names, object)[has[: len(names)]]]


HALVES, MOST_HALVES = 100, 10_000
"""Random halves that are drawn where nobody says, and at most."""
IN_HALVES = "Range of the gain in 95% of the random halves: the effect of the choice of the half alone."
HIDDEN = ResultTable(
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
    """Runs on two halves of a bank: `rows` are `HIDDEN`.

    `public` is how many questions were named as public, None where halves are random alone; `n_queries` counts queries
    with a question in each half, since others are left out; correlations are of the two halves' boards; `advantage` is
    the mean gain of the runs that saw the bank minus that of the others, None where none was named.
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

    `saw`: run_ids that saw the public questions. Raises UsageError: an unknown run or question, no run is left to
    compare with, no query has two halves, or no runs; UndefinedMeasure: there are no questions.

    Source: randomisation test over the choice of the half, Fisher 1935.
    """
    check_range("--hidden", halves, 1, MOST_HALVES)
    again = redrawing(snapshot, choice)
    book = again.book
    if not book.run_ids:
        raise UsageError(no_runs(snapshot))
    seers = _seers(book, saw)
    named = None if public is None else _public_questions(book, public)
    sizes = (book.enabled.sum(axis=1) // 2) if named is None else named.sum(axis=1)
    split = (sizes > 0) & (sizes < book.enabled.sum(axis=1))
    if not split.any():
        raise UsageError("No query has a question in each half: halves need two questions of a query.")
    drawn = _random_means(again, np.where(split, sizes, 0), split, (halves, seed), progress)
    both = _Means(drawn.mean(axis=1) if named is None else _means(again, named, split), drawn, named is not None)
    return Hidden(
        title(choice),
        None if named is None else int(named[split].sum()),
        halves,
        seed,
        int(split.sum()),
        _hidden_rows(book.run_ids, seers, both),
        both.agreement("spearman"),
        both.agreement("kendall"),
        [name for name, saw_bank in zip(book.run_ids, seers, strict=True) if saw_bank],
        both.advantage(seers) if saw else None,
        _notes(int((~split).sum()), known=both.known, saw=bool(saw)),
    )


@dataclass(frozen=True)
class _Means:
    """Means of the runs on the public half and on the hidden one.

    `observed` (2, R) are those on the named halves, and `drawn` (2, draws, R) those on random ones. Where it is not
    `known` what was public, the means of the random halves are observed.
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
        observed, chance = (
            getattr(correlations(values[0], values[1], (name,)), name) for values in (self.observed, self.drawn)
        )
        return self._spread(float(observed if self.known else mean_and_stderr(chance)[0]), chance)

    def advantage(self, seers: Bools) -> Spread:
        """The mean gain of the runs that saw the bank minus that of the others."""
        value, samples = (
            mean_and_stderr(gain[..., seers])[0] - mean_and_stderr(gain[..., ~seers])[0] for gain in self.gains
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


def _public_questions(book: Gradebook, public: Collection[str]) -> Bools:
    """(Q, S) the enabled questions that were public."""
    known = {name for names in book.question_ids for name in names}
    if unknown := sorted(set(public) - known):
        raise UsageError(f"Not among the bank's questions: {listed(unknown)}.")
    return book.only(public).enabled


def _random_means(again: Redrawing, sizes: Ints, split: Bools, draws: tuple[int, int], progress: Progress) -> Floats:
    """(2, draws, R) means on random public halves and on the hidden ones."""
    halves, seed = draws
    rng = np.random.default_rng(seed)
    values = np.empty((2, halves, len(again.book.run_ids)))
    for draw in range(halves):
        public = (shuffled_places(again.book.enabled, rng) < sizes[:, None]) & again.book.enabled
        values[:, draw] = _means(again, public, split)
        progress((draw + 1) / halves)
    return values


def _means(again: Redrawing, public: Bools, split: Bools) -> Floats:
    """(2, R) means on the public half and on the hidden one, over the queries that count for a run in both."""
    enabled = again.book.enabled & split[:, None]
    halves = (enabled & public, enabled & ~public)
    both = np.stack([again.values(half) for half in halves])
    means, _, _ = mean_and_stderr(np.where(np.isnan(both).any(axis=0), np.nan, both))
    answers = [again.book.enabling(half).answering.any(axis=1) for half in halves]
    return np.where(np.all(answers, axis=0), means, np.nan)


def _hidden_rows(run_ids: list[str], seers: Bools, both: _Means) -> pd.DataFrame:
    gain, chance = both.gains
    low, high = percentile_interval(chance)
    frame = HIDDEN.of(
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

"""Outliers: runs that a method places elsewhere than the reference does, by more than chance explains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from exam_core.analysis.choice import Evaluation, Grading
from exam_core.analysis.choosing import choose, choose_grading, grader_id
from exam_core.analysis.grade_scales import about_scales
from exam_core.analysis.leaderboard import Leaderboard, title
from exam_core.analysis.references import JUDGED_BY, Reference, find_reference, needed_reference, paired
from exam_core.analysis.scope import scope_of
from exam_core.analysis.shared_columns import (
    BANK,
    FLAGGED,
    MEASURE,
    MODE,
    MOVED,
    MOVED_SCORE,
    NORMALISED,
    RANK,
    REFERENCE_RANK,
    RUN,
    TAU,
)
from exam_core.analysis.uncertainty import values_of_runs
from exam_core.analysis.values import Values
from exam_core.asked import Asked
from exam_core.defaults import DRAWS, SEED
from exam_core.errors import UndefinedMeasure
from exam_core.measures import MEASURES, Measure
from exam_core.names import enumerated
from exam_core.numbers.arrays import Floats, Ints
from exam_core.numbers.displacement import beyond_ties, displacements, normalise, on_line, sign_p
from exam_core.numbers.means import ScoreSpan, mean_and_stderr, span
from exam_core.numbers.rank_correlations import DIGITS, mean_rank
from exam_core.numbers.resampling import (
    bootstrap_counts,
    bootstrap_means,
    percentile_interval,
)
from exam_core.numbers.significance_tests import holm
from exam_core.numbers.true_means import FEWEST, standing_out_p
from exam_core.progress import Progress, no_progress
from exam_core.results import ResultTable, decimal, flag, number, rank, signed, text
from exam_core.store import Snapshot
from exam_core.store.names import BankRef
from exam_core.store.summary import graded_banks, qrels_ids
from exam_core.tables import OFFICIAL
from exam_core.wording import method_in_words, reference_in_words

APART, ON_AVERAGE = 1.0, 0.1
"""Places by which ranks may differ, of any run and on average: means that are printed with few digits tie, or swap."""


def by_query(snapshot: Snapshot, listed: Reference, choice: Evaluation) -> Reference:
    """A list with the values of the measure over the official judgments that ranks its runs as it does.

    A list alone can't be drawn with the queries, but what it was made of can. The official leaderboard of TREC DL 2019
    is nDCG@10 by its judgments. Where no measure gives the list's ranks, it stays as it is; so does one of fewer than
    five runs, whose ranks a measure may give by chance.
    """
    if listed.values is not None or OFFICIAL not in qrels_ids(snapshot):
        return listed
    for measure in JUDGED_BY:
        name = f"qrels:{measure}"
        try:
            made = find_reference(snapshot, name, choice)
        except UndefinedMeasure:
            continue
        if made is not None and _same_ranks(listed, made):
            note = f"{listed.name} and {name} rank runs nearly alike, so queries are drawn for both sides."
            return replace(listed, values=made.values, grading=made.grading, notes=(*listed.notes, note))
    return listed


def _same_ranks(listed: Reference, made: Reference) -> bool:
    runs = listed.ranks.index
    if len(runs) < FEWEST or not runs.isin(made.ranks.index).all():
        return False
    theirs, ours = (mean_rank(-one.ranks.reindex(runs).to_numpy(float)) for one in (listed, made))
    apart = np.abs(theirs - ours)
    return bool(np.ptp(ours) > 0 and apart.max() <= APART and apart.mean() <= ON_AVERAGE)


ALPHA = 0.05
DRAWS_PER_RUN = 40
"""So many draws for each run let the smallest p be below half of `ALPHA` after Holm's adjustment over all of them."""
ALL = "all"

DISPLACEMENT = (
    "By ranks: rank in the reference minus own rank; promoted runs are positive. By scores: re-normalised score minus "
    "that of the reference. If the reference has only ranks: score minus the value of the least-squares line on them."
)
DRAWN = (
    number(
        "low",
        "95% from",
        "2.5th percentile of the displacement over bootstrap samples of the queries: 2,000, or 40 for each run.",
        "ranks",
        source="Efron & Tibshirani 1993, chapter 13",
        form="%+.1f",
    ),
    number("high", "to", "97.5th percentile over the same bootstrap samples.", "ranks", form="%+.1f"),
    decimal(
        "p",
        "p",
        "If the reference has values by query: bootstrap p of no displacement, 2 min(share <= 0, share >= 0) of n "
        "samples, at least 1 / (n + 1). If not: Student's t of the run's distance from the value that the other runs "
        "let expect, with the noise of the method and of the reference.",
        source="Efron & Tibshirani 1993, chapter 15; Cook & Weisberg 1982, section 2.2.2",
    ),
    decimal("p_holm", "Holm p", "p after Holm's adjustment over all runs of the method.", source="Holm 1979"),
    FLAGGED,
)
METHODS = ResultTable(
    "outliers: methods",
    "The methods by which runs are displaced",
    text("method", "Method"),
    text("of", "Of", "Over questions or over labels."),
    BANK,
    MODE,
    MEASURE,
    TAU,
    number("n_runs", "Runs", "Runs that the method and the reference have.", "runs"),
    flag(
        "same_labels",
        "Same labels",
        "Yes if the reference is computed from the same judgments or grades as the method. Then it is no independent "
        "opinion on the runs, and no run is flagged.",
    ),
)
ROWS = ResultTable(
    "outliers: rows",
    "Displacement of every run against the reference by every method, the largest first",
    RUN,
    text("method", "Method"),
    replace(RANK, help="Among the runs that the method and the reference have."),
    replace(REFERENCE_RANK, help="Among the runs that the method and the reference have."),
    rank("rank_displacement", MOVED, DISPLACEMENT, "ranks", form="%+g"),
    *DRAWN,
    NORMALISED,
    decimal("expected", "Expected", DISPLACEMENT, "share of the range"),
    signed("score_displacement", MOVED_SCORE, DISPLACEMENT, "share of the range"),
)
COMBINED = ResultTable(
    "outliers: combined",
    "Mean displacement of every run over methods by questions, by labels, and over all; the largest first",
    text("over", "Methods over", "Questions, labels, or all of both kinds."),
    RUN,
    number("n_methods", "Methods", unit="methods"),
    number("rank_displacement", f"Mean {MOVED}", DISPLACEMENT, "ranks", form="%+.2f"),
    flag("agree", "All agree", "Yes if all methods displace the run the same way."),
    *DRAWN,
)


@dataclass(frozen=True)
class Outliers:
    """How far each run is displaced against a reference.

    Parameters
    ----------
    reference : its name
    methods : `METHODS`
    rows : `ROWS`
    combined : `COMBINED`; empty where no kind has two methods
    draws, seed : of the bootstrap; 0 draws where there are no queries
    drawn_along : whether the reference has values by query, so that no p is below 1 / (draws + 1)
    """

    reference: str
    methods: pd.DataFrame
    rows: pd.DataFrame
    combined: pd.DataFrame
    draws: int
    seed: int
    notes: list[str] = field(default_factory=list)
    drawn_along: bool = False

    def about_same_labels(self) -> list[str]:
        """That methods and the reference are made of the same labels, so that no displacement is a finding."""
        same = self.methods[self.methods["same_labels"].astype(bool)]
        if same.empty:
            return []
        is_graded = same["grader"].notna().all()
        sides = map(method_in_words, same["method"]) if is_graded else same["measure"].unique()
        return [
            f"{enumerated([*sides, reference_in_words(self.reference)])} are made of the same "
            f"{'grades' if is_graded else 'judgments'}. Where they rank runs differently, the reason is the measure, "
            "so no run is flagged."
        ]


@dataclass(frozen=True)
class _Displaced:
    """One method's n runs: ranks, normalised scores, and displacements in every draw (draws, n).

    Parameters
    ----------
    beside : (n, Q) values by query, where the reference is a list; None where it is drawn along, or there are none
    same_labels : whether the reference is a measure of the same judgments or grades
    """

    name: str
    of: str
    run_ids: list[str]
    rank: Floats
    reference_rank: Floats
    normalised: Floats
    expected: Floats
    drawn: Floats | None
    beside: Floats | None
    same_labels: bool = False

    @property
    def displacement(self) -> Floats:
        return self.reference_rank - self.rank

    @property
    def p(self) -> Floats:
        if self.drawn is None:
            return np.full(len(self.run_ids), np.nan)
        return sign_p(self.drawn) if self.beside is None else standing_out_p(self.beside, -self.reference_rank)


def outliers(
    snapshot: Snapshot,
    choices: Sequence[Evaluation],
    *,
    draws: int = DRAWS,
    seed: int = SEED,
    progress: Progress = no_progress,
) -> Outliers:
    """Displacement of each run against the reference by each method, with its interval.

    A run's rank displacement is its rank in the reference minus its own, both counted among the runs that have
    both. Its score displacement is its re-normalised score, that of the method's whole board, minus that of the
    reference; where the reference has ranks alone or other runs than the board, minus what the least-squares line of
    score on reference gives for it. Queries are drawn with replacement, the same draws for every method; a reference
    with values by query is drawn along (see `by_query`), a list stays as it is. p of a reference that is drawn along =
    2 min(share of draws <= 0, share >= 0), at least 1 / (draws + 1), at most 1; a list is noisy, too, but can't be
    drawn, and p is `standing_out_p` beside it.

    Methods together are judged by the mean of their displacements in the same draw, or of their values by query: they
    share queries and passages, so that their own p values are not independent and can't be multiplied.

    Parameters
    ----------
    choices : the methods, see `method_choices`
    draws, seed : of the bootstrap; the usual number of draws grows with the runs, `enough_draws`

    Returns
    -------
    Displacements of a method whose runs all have one score, or tie in the reference, are NaN: there is no order

    Raises
    ------
    UsageError : no reference to compare with, or nothing to evaluate

    Source: displacement as discussed for EXAM's leaderboards; Efron & Tibshirani 1993, chapters 13 and 15; Holm 1979.
    """
    names = named(choices)
    each = [values_of_runs(snapshot, choice) for choice in choices]
    named_ones = [needed_reference(snapshot, choice.reference, choice) for choice in choices]
    references = [by_query(snapshot, other, choice) for other, choice in zip(named_ones, choices, strict=True)]
    drawn_along = [found.values for found in references if found.values is not None]
    query_ids = sorted({query for values in (*each, *drawn_along) for query in values.query_ids})
    most = max(len(other.ranks.index.intersection(one.run_ids)) for one, other in zip(each, references, strict=True))
    draws = enough_draws(draws, most) if drawn_along else draws
    counts, parts = bootstrap_counts(len(query_ids), draws, seed), len(choices) + 1
    progress(1 / parts)
    methods, notes = [], [note for one in choices for note in scope_of(snapshot, one).about_unreadable()]
    notes += about_scales(snapshot, *choices)
    for place, (name, choice, values, other) in enumerate(zip(names, choices, each, references, strict=True)):
        one = _displaced(name, choice.measure.info.of, values, other, query_ids, counts)
        methods.append(replace(one, same_labels=_of_same_labels(choice, other)))
        notes += _about(methods[-1], values.averaged, other.name)
        notes += scope_of(snapshot, choice).about_unanswered(methods[-1].run_ids)
        progress((place + 2) / parts)
    for other, given in zip(references, named_ones, strict=True):
        notes += () if given.is_computed else other.notes
    notes, name = list(dict.fromkeys(notes)), references[0].name
    notes += _about_p(name, most, draws, drawn_along=bool(drawn_along))
    found = _outliers(name, methods, [_described(choice) for choice in choices], draws, seed, notes)
    return replace(found, drawn_along=bool(drawn_along), notes=[*found.notes, *found.about_same_labels()])


def _of_same_labels(choice: Evaluation, reference: Reference) -> bool:
    """Whether both are computed from the same judgments or grades, from whichever relevance on they count."""
    own, other = choice.grading, reference.grading
    return other is not None and replace(own, relevant_from=other.relevant_from) == other


def _about_p(reference: str, runs: int, draws: int, *, drawn_along: bool) -> list[str]:
    """What p is of, beside a reference."""
    if not drawn_along:
        return [f"{reference} has no values by query: intervals take it as exact, p allows for its noise."]
    if runs >= ALPHA * (draws + 1):
        return [f"{draws} samples are too few to flag one of {runs} runs: p is 1/{draws + 1} or more before Holm."]
    return []


def enough_draws(draws: int, runs: int) -> int:
    """At least so many draws, and as many as can flag one of the runs; fewer than usual are somebody's wish."""
    return draws if draws < DRAWS else max(draws, DRAWS_PER_RUN * runs)


def _about(method: _Displaced, n_runs: int, reference: str) -> list[str]:
    """What a reader must know of a method beside the reference."""
    notes, left, said = [], n_runs - len(method.run_ids), reference_in_words(reference)
    if left:
        has, is_ = ("has", "is") if left == 1 else ("have", "are")
        notes.append(f"{method.name}: {left} of {n_runs} runs {has} no rank in {said} and {is_} left out.")
    if method.run_ids and np.isnan(method.reference_rank).all():
        notes.append(f"{method.name}: all runs tie in {said}, so that there is no order to be displaced from.")
    return notes


def of_boards(boards: Iterable[Leaderboard], other: Reference) -> Outliers:
    """Displacement of each run on every leaderboard without queries; intervals and p are NaN, nothing is flagged.

    Boards of exam questions are combined: all but those of a measure over labels (P@20 of EXAM Qrels). A board of
    which ranks alone are printed, such as that of the original EXAM, counts the questions that are answered too.
    """
    methods: list[_Displaced] = []
    described: list[dict[str, Any]] = []
    for board in boards:
        over = span(board.rows["mean"].to_numpy(float))
        rows = board.rows[board.rows["run_id"].isin(other.ranks.index)]
        means = rows["mean"].to_numpy(float)
        info = MEASURES.get(board.measure.split("@")[0])
        of = info.of if info else "questions"
        methods.append(_placed(board.title, of, rows["run_id"].tolist(), means, over, other))
        described.append({"bank": board.bank, "grader": None, "measure": board.measure, "tau": board.tau})
    notes = [f"Printed figures, compared with {other.name} as printed: without queries nothing is tested or flagged."]
    return _outliers(other.name, methods, described, 0, 0, notes)


def method_choices(
    snapshot: Snapshot,
    asked: Asked,
    measures: Sequence[str],
    graders: Sequence[str] = (),
    of: Callable[[Asked], Evaluation] | None = None,
) -> tuple[list[Evaluation], list[str]]:
    """An evaluation for each grader and measure, and notes.

    Where a measure needs questions and a grader labels whole passages, precision of the same depth stands in.

    Parameters
    ----------
    asked : without a bank every bank that is graded is taken; grader and measure are not read
    measures : spelled as on the command line
    graders : none takes those of the bank, and those that label passages; of judgments none is read
    of : makes an evaluation of what is asked for; by default `choose`

    Raises
    ------
    UsageError : an unknown name
    """
    make = of or partial(choose, snapshot)
    if asked.judgments:
        return [make(asked.but(measure=measure)) for measure in measures], []
    parsed = [Measure.parse(measure) for measure in measures]
    of_grades = [measure for measure in parsed if measure.info.of_grades]
    found = [make(asked.but(measure=str(one), label_rank=1)) for one in parsed if not one.info.of_grades]
    stood_for: dict[str, list[str]] = {}
    for grading in _gradings(snapshot, asked.bank, graders) if of_grades else []:
        for measure in of_grades:
            changes: dict[str, object] = {"grader": grading.series, "bank": _pinned(grading), "measure": str(measure)}
            if grading.is_direct:
                changes["label_rank"] = 1
                if measure.info.of == "questions":
                    changes["measure"] = f"P@{measure.depth}"
                    replaced = f"P@{measure.depth} is used instead of {measure}"
                    stood_for.setdefault(replaced, []).append(str(grading.series))
            choice = make(asked.but(**changes))
            if choice not in found:
                found.append(choice)
    notes = [
        f"{enumerated(labels)} {'labels' if len(labels) == 1 else 'label'} whole passages: {replaced}."
        for replaced, labels in stood_for.items()
    ]
    return found, notes


def _gradings(snapshot: Snapshot, bank: str | None, graders: Sequence[str]) -> list[Grading]:
    graded, graders = graded_banks(snapshot), [grader_id(snapshot, grader) for grader in graders]
    if graders:
        several = [(name, graded.get(name, [bank]) if bank is None else [bank]) for name in graders]
        return [choose_grading(snapshot, one, name) for name, banks in several for one in banks]
    if bank is not None:
        name = BankRef.parse(bank).name
        on_bank = [grader for grader, banks in graded.items() if name in banks]
        # without a grader of that bank, the message is that of every other command
        found = [choose_grading(snapshot, bank, grader) for grader in on_bank] or [choose_grading(snapshot, bank, None)]
        return found + [Grading(grader) for grader, banks in graded.items() if banks == [None]]
    if not graded:
        return [choose_grading(snapshot, None, None)]
    return [choose_grading(snapshot, one, grader) for grader, banks in graded.items() for one in banks]


def _pinned(grading: Grading) -> str | None:
    return str(grading.bank) if grading.bank else None


def named(choices: Sequence[Evaluation], called: Mapping[str, str] | None = None) -> list[str]:
    """A title for each method, with the grader where titles are equal without, or where others grade the same bank.

    Parameters
    ----------
    called : names of graders by id, for readers; none takes the ids
    """
    titles = [title(choice, called) for choice in choices]
    pairs = [(choice.grading.bank_id, choice.grading.grader or "") for choice in choices]
    graders: Counter[str | None] = Counter(bank for bank, _ in dict.fromkeys(pairs) if bank)
    found = []
    for one, (bank, grader) in zip(titles, pairs, strict=True):
        name = (called or {}).get(grader, grader)
        of_grader = one.startswith(f"{name} ")
        unclear = titles.count(one) > 1 or (graders[bank] > 1 and not of_grader)
        more = bank if of_grader and bank else name
        found.append(f"{one} {more}" if grader and unclear else one)
    return found


def readable(choices: Sequence[Evaluation], called: Mapping[str, str]) -> dict[str, str]:
    """What readers see for the titles of methods, by these titles as commands and as sentences have them.

    Parameters
    ----------
    called : names of graders by id
    """
    told = dict(zip(named(choices), named(choices, called), strict=True))
    return told | {method_in_words(title): method_in_words(seen) for title, seen in told.items()}


def _described(choice: Evaluation) -> dict[str, Any]:
    grading = choice.grading
    tau = choice.tau if choice.of_grades and not grading.judgments else None
    return {"bank": grading.bank_id, "grader": grading.grader, "measure": str(choice.measure), "tau": tau}


def _displaced(
    name: str, of: str, values: Values, reference: Reference, query_ids: list[str], counts: Ints
) -> _Displaced:
    """A method's displacements as they are and in every draw."""
    mean, _, _ = mean_and_stderr(values.values)
    defined = ~np.isnan(mean)
    run_ids = [run for run, has in zip(values.run_ids, defined, strict=True) if has]
    both = paired(Values(run_ids, values.query_ids, values.values[defined]), reference)
    own = _on(Values(both.run_ids, both.query_ids, both.values), both.run_ids, query_ids)
    truth = both.order
    if reference.values is not None:
        truth = bootstrap_means(_on(reference.values, both.run_ids, query_ids), counts)
    observed, _, _ = mean_and_stderr(both.values)
    drawn = displacements(bootstrap_means(own, counts), truth)
    beside = own if reference.values is None else None
    return _placed(name, of, both.run_ids, observed, span(mean), reference, drawn, beside)


def _on(values: Values, run_ids: list[str], query_ids: list[str]) -> Floats:
    """(n, Q) values of these runs on these queries; NaN where there is none."""
    frame = pd.DataFrame(values.values, values.run_ids, values.query_ids)
    return frame.reindex(index=run_ids, columns=query_ids).to_numpy(float)


def _placed(
    name: str,
    of: str,
    run_ids: list[str],
    scores: Floats,
    over: ScoreSpan,
    reference: Reference,
    drawn: Floats | None = None,
    beside: Floats | None = None,
) -> _Displaced:
    """A method's runs beside the reference; without an order where all scores of one side are equal.

    Parameters
    ----------
    over : of the method's board, whose runs the reference need not rank
    """
    ranks = reference.ranks.reindex(run_ids).to_numpy(float)
    theirs = reference.scores.reindex(run_ids).to_numpy(float)
    reference_rank = mean_rank(-ranks)
    if len(ranks) > 1 and np.ptp(reference_rank) == 0:
        reference_rank, drawn = np.full(len(ranks), np.nan), None
    own, whole = over.mapped(scores), span(reference.scores.to_numpy(float))
    flat = np.isnan(normalise(scores))
    expected = np.where(flat, np.nan, on_line(reference_rank, own))
    if len(theirs) and not np.isnan(theirs).any():
        same_runs = over.n == whole.n == len(run_ids)
        expected = whole.mapped(theirs) if same_runs else on_line(theirs, own)
    rank = np.where(flat, np.nan, mean_rank(scores))
    if drawn is not None:
        drawn = np.where(flat, np.nan, drawn)
    return _Displaced(name, of, run_ids, rank, reference_rank, own, expected, drawn, beside)


def holm_of(p: Floats) -> Floats:
    """(n,) Holm's adjustment of n p values; NaN is no test and stays NaN."""
    square = np.full((len(p) + 1, len(p) + 1), np.nan)
    square[0, 1:] = p
    return holm(square)[0, 1:]


def _outliers(
    reference: str,
    methods: list[_Displaced],
    described: list[dict[str, Any]],
    draws: int,
    seed: int,
    notes: list[str],
) -> Outliers:
    flat = [one.name for one in methods if np.isnan(one.rank).all()]
    why = {one.name: "its runs all have the same score" if one.run_ids else "no run has a mean" for one in methods}
    notes = notes + [f"{name} has no displacements: {why[name]}." for name in flat]
    about = [
        {"method": one.name, "of": one.of, **words, "n_runs": len(one.run_ids), "same_labels": one.same_labels}
        for one, words in zip(methods, described, strict=True)
    ]
    rows = pd.concat([_rows(one) for one in methods], ignore_index=True)
    return Outliers(reference, METHODS.of(about), _largest_first(rows), _combined(methods), draws, seed, notes)


def _rows(one: _Displaced) -> pd.DataFrame:
    columns = {
        "run_id": one.run_ids,
        "method": one.name,
        "rank": one.rank,
        "reference_rank": one.reference_rank,
        "rank_displacement": one.displacement,
        "normalised": one.normalised,
        "expected": one.expected,
        "score_displacement": one.normalised - one.expected,
        **_tested([one], one.drawn, one.p, one.displacement, beyond_ties(one.rank, one.reference_rank)[None]),
    }
    return ROWS.of(columns)


def _tested(
    methods: Sequence[_Displaced], drawn: Floats | None, p: Floats, moved: Floats, apart: Floats
) -> dict[str, object]:
    """Interval, p and what follows from them; NaN without draws.

    A displacement of less than a place is never flagged, nor is one that only comes of ties. There is no flag beside
    another measure of the same labels.

    Parameters
    ----------
    moved : (n,) displacements
    apart : (methods, n) the same by each method, ties apart: `beyond_ties`
    """
    low, high = (p, p) if drawn is None else percentile_interval(drawn)
    adjusted = holm_of(p)
    is_moved = (np.round(np.abs(moved), DIGITS) >= 1) & (np.sign(apart) == np.sign(moved)).any(axis=0)
    flagged = pd.array((adjusted < ALPHA) & is_moved, "boolean")
    flagged[np.isnan(adjusted) | any(one.same_labels for one in methods)] = pd.NA
    return {"low": low, "high": high, "p": p, "p_holm": adjusted, "flagged": flagged}


def _combined(methods: list[_Displaced]) -> pd.DataFrame:
    """The methods of a kind together, and those of both kinds."""
    kinds = list(dict.fromkeys(one.of for one in methods))
    groups = {kind: [one for one in methods if one.of == kind] for kind in kinds}
    if len(kinds) > 1:
        groups[ALL] = methods
    frames = [_together(name, group) for name, group in groups.items() if len(group) > 1]
    return pd.concat(frames, ignore_index=True) if frames else COMBINED.of()


def _together(name: str, methods: list[_Displaced]) -> pd.DataFrame:
    """Mean displacement over methods of the runs that all of them have."""
    run_ids = [run for run in methods[0].run_ids if all(run in one.run_ids for one in methods)]
    columns = [[one.run_ids.index(run) for run in run_ids] for one in methods]
    each = np.stack([one.displacement[at] for one, at in zip(methods, columns, strict=True)])
    drawn, p = None, np.full(len(run_ids), np.nan)
    if all(one.drawn is not None for one in methods):
        parts = [one.drawn[:, at] for one, at in zip(methods, columns, strict=True) if one.drawn is not None]
        drawn = np.mean(parts, axis=0)
        boards = [one.beside[at] for one, at in zip(methods, columns, strict=True) if one.beside is not None]
        p = standing_out_p(_averaged(boards), -methods[0].reference_rank[columns[0]]) if boards else sign_p(drawn)
    signs = np.sign(each)
    apart = [beyond_ties(one.rank, one.reference_rank)[at] for one, at in zip(methods, columns, strict=True)]
    moved = each.mean(axis=0)
    frame = {
        "over": name,
        "run_id": run_ids,
        "n_methods": len(methods),
        "rank_displacement": moved,
        "agree": (signs == signs[0]).all(axis=0) & (signs[0] != 0),
        **_tested(methods, drawn, p, moved, np.array(apart)),
    }
    return _largest_first(COMBINED.of(frame))


def _averaged(boards: Sequence[Floats]) -> Floats:
    """(n, Q) mean over boards of their values, in deviations of a board's means; NaN where none counts."""
    if not len(boards[0]):
        return boards[0]
    sizes = [mean_and_stderr(board)[0].std() for board in boards]
    scaled = np.stack([board / (size or np.nan) for board, size in zip(boards, sizes, strict=True)])
    counted = (~np.isnan(scaled)).sum(axis=0)
    return np.where(counted > 0, np.nansum(scaled, axis=0) / np.maximum(counted, 1), np.nan)


def _largest_first(rows: pd.DataFrame) -> pd.DataFrame:
    keys = {"_size": rows["rank_displacement"].abs()}
    if "score_displacement" in rows:
        keys["_score"] = rows["score_displacement"].abs()
    ordered = rows.assign(**keys).sort_values(
        [*keys, "run_id"], ascending=[*[False] * len(keys), True], ignore_index=True, kind="stable"
    )
    return ordered.drop(columns=list(keys))

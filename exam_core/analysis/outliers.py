"""Outliers: runs that a method places elsewhere than the reference does, by more than chance explains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from exam_core.analysis import shared_columns
from exam_core.analysis.choice import Evaluation, Grading
from exam_core.analysis.choosing import choose, choose_grading, grader_id
from exam_core.analysis.grade_scales import about_scales
from exam_core.analysis.leaderboard import Leaderboard, title
from exam_core.analysis.references import JUDGED_BY, Reference, find_reference, needed_reference, pair_with
from exam_core.analysis.scope import scope_of
from exam_core.analysis.uncertainty import values_of_runs
from exam_core.analysis.values import Values
from exam_core.defaults import DRAWS, SEED
from exam_core.errors import UndefinedMeasure
from exam_core.measures import MEASURES, Measure
from exam_core.names import enumerated
from exam_core.numbers.arrays import Floats, Ints
from exam_core.numbers.displacement import beyond_ties, displacements, on_line, sign_p
from exam_core.numbers.means import ScoreSpan, mean_and_stderr, span
from exam_core.numbers.rank_correlations import DIGITS, mean_rank
from exam_core.numbers.resampling import bootstrap_counts, bootstrap_means, percentile_interval
from exam_core.numbers.significance_tests import holm_of
from exam_core.numbers.true_means import FEWEST, standing_out_p
from exam_core.progress import Progress, no_progress
from exam_core.request import Request
from exam_core.results import ResultTable, decimal, flag, number, rank, signed, text
from exam_core.store import Snapshot
from exam_core.store.names import BankRef
from exam_core.store.summary import graded_banks, qrels_ids
from exam_core.tables import OFFICIAL
from exam_core.wording import method_in_words, reference_in_words

APART, ON_AVERAGE = 1.0, 0.1
"""Places by which ranks may differ, of any run and on average: means that are printed with few digits tie, or swap."""


def by_query(snapshot: Snapshot, listed: Reference, choice: Evaluation) -> Reference:
    """A list of ranks with values by query of that measure over the official judgments that ranks its runs as it does.

    A list alone can't be drawn with the queries, but the measure that made it can. The official leaderboard of TREC DL
    2019 is nDCG@10 by its judgments. A list stays as it is where no measure gives its ranks, and where it has fewer
    than five runs, whose ranks a measure may give by chance.
    """
    if listed.values is not None or OFFICIAL not in qrels_ids(snapshot):
        return listed
    for measure in JUDGED_BY:
        name = f"qrels:{measure}"
        try:
            computed = find_reference(snapshot, name, choice)
        except UndefinedMeasure:
            continue
        if computed is not None and _same_ranks(listed, computed):
            both = f"{reference_in_words(listed.name)} and {reference_in_words(name)}"
            note = f"{both} rank runs nearly alike, so queries are drawn for both sides."
            return replace(listed, values=computed.values, grading=computed.grading, notes=(*listed.notes, note))
    return listed


def _same_ranks(listed: Reference, computed: Reference) -> bool:
    runs = listed.ranks.index
    if len(runs) < FEWEST or not runs.isin(computed.ranks.index).all():
        return False
    theirs, ours = (mean_rank(-reference.ranks.reindex(runs).to_numpy(float)) for reference in (listed, computed))
    apart = np.abs(theirs - ours)
    return bool(np.ptp(ours) > 0 and apart.max() <= APART and apart.mean() <= ON_AVERAGE)


ALPHA = 0.05
DRAWS_PER_RUN = 40
"""Draws for each run with which the smallest p is below half of `ALPHA` after Holm's adjustment over all runs."""
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
    shared_columns.FLAGGED,
)
METHODS = ResultTable(
    "outliers: methods",
    "The methods by which runs are displaced",
    text("method", "Method"),
    text("of", "Of", "Over questions or over labels."),
    shared_columns.BANK,
    shared_columns.MODE,
    shared_columns.MEASURE,
    shared_columns.TAU,
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
    shared_columns.RUN,
    text("method", "Method"),
    replace(shared_columns.RANK, help="Among the runs that the method and the reference have."),
    replace(shared_columns.REFERENCE_RANK, help="Among the runs that the method and the reference have."),
    rank("rank_displacement", shared_columns.MOVED, DISPLACEMENT, "ranks", form="%+g"),
    *DRAWN,
    shared_columns.NORMALISED,
    decimal("expected", "Expected", DISPLACEMENT, "share of the range"),
    signed("score_displacement", shared_columns.MOVED_SCORE, DISPLACEMENT, "share of the range"),
)
COMBINED = ResultTable(
    "outliers: combined",
    "Mean displacement of every run over methods by questions, by labels, and over all; the largest first",
    text("over", "Methods over", "Questions, labels, or all of both kinds."),
    shared_columns.RUN,
    number("n_methods", "Methods", unit="methods"),
    number("rank_displacement", f"Mean {shared_columns.MOVED}", DISPLACEMENT, "ranks", form="%+.2f"),
    flag("agree", "All agree", "Yes if all methods displace the run the same way."),
    *DRAWN,
)


@dataclass(frozen=True)
class Outliers:
    """Displacement of each run against the reference of that name: `METHODS`, `ROWS` and `COMBINED`.

    Parameters
    ----------
    combined : empty where no kind has two methods
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
        """A note where methods and the reference are made of the same labels, so that no displacement is a finding."""
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

    `by_query` are (n, Q) values beside a list; None where the reference is drawn along, or there are none.
    """

    name: str
    of: str
    run_ids: list[str]
    rank: Floats
    reference_rank: Floats
    normalised: Floats
    expected: Floats
    drawn: Floats | None
    by_query: Floats | None
    same_labels: bool = False

    @property
    def displacement(self) -> Floats:
        return self.reference_rank - self.rank

    @property
    def p(self) -> Floats:
        if self.drawn is None:
            return np.full(len(self.run_ids), np.nan)
        return sign_p(self.drawn) if self.by_query is None else standing_out_p(self.by_query, -self.reference_rank)


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
    share queries and passages, so that their own p values are not independent and can't be multiplied. Displacements
    are NaN for a method whose runs all have one score, or tie in the reference: there is no order.

    Parameters
    ----------
    choices : the methods, see `method_choices`
    draws, seed : of the bootstrap; the usual number of draws grows with the runs, `enough_draws`

    Raises UsageError where there is no reference to compare with, or nothing to evaluate.

    Source: displacement as discussed for EXAM's leaderboards; Efron & Tibshirani 1993, chapters 13 and 15; Holm 1979.
    """
    each = [values_of_runs(snapshot, choice) for choice in choices]
    requested = [needed_reference(snapshot, choice.reference, choice) for choice in choices]
    references = [by_query(snapshot, other, choice) for other, choice in zip(requested, choices, strict=True)]
    drawn_along = [other.values for other in references if other.values is not None]
    query_ids = sorted({query for values in (*each, *drawn_along) for query in values.query_ids})
    most = max(len(other.ranks.index.intersection(own.run_ids)) for own, other in zip(each, references, strict=True))
    draws = enough_draws(draws, most) if drawn_along else draws
    counts, parts = bootstrap_counts(len(query_ids), draws, seed), len(choices) + 1
    progress(1 / parts)
    methods, notes = [], [note for choice in choices for note in scope_of(snapshot, choice).about_unreadable()]
    notes += about_scales(snapshot, *choices)
    for name, choice, values, other in zip(method_titles(choices), choices, each, references, strict=True):
        displaced = _displaced(name, choice.measure.info.of, values, other, query_ids, counts)
        # From whichever relevance or tau on they count, they are the same judgments or grades.
        of_both = [grading and grading.uncut for grading in (choice.grading, other.grading)]
        methods.append(replace(displaced, same_labels=other.grading is not None and of_both[0] == of_both[1]))
        notes += _about(methods[-1], values.averaged, other.name)
        notes += scope_of(snapshot, choice).about_unanswered(methods[-1].run_ids)
        progress((len(methods) + 1) / parts)
    for before, other in zip(requested, references, strict=True):
        notes += () if before.is_computed else other.notes
    notes, name = list(dict.fromkeys(notes)), references[0].name
    if not drawn_along:
        notes.append(f"{name} has no values by query: intervals take it as exact, p allows for its noise.")
    elif most >= ALPHA * (draws + 1):
        notes.append(f"{draws} samples are too few to flag one of {most} runs: p is 1/{draws + 1} or more before Holm.")
    result = _outliers(name, methods, [_described(choice) for choice in choices], draws, seed, notes)
    return replace(result, drawn_along=bool(drawn_along), notes=[*result.notes, *result.about_same_labels()])


def enough_draws(draws: int, runs: int) -> int:
    """At least so many draws, and as many as can flag one of the runs; fewer than usual stay, as the user wishes."""
    return draws if draws < DRAWS else max(draws, DRAWS_PER_RUN * runs)


def _about(method: _Displaced, n_runs: int, reference: str) -> list[str]:
    """Notes on a method's runs that the reference lacks, and on a reference in which all runs tie."""
    notes, left, message = [], n_runs - len(method.run_ids), reference_in_words(reference)
    if left:
        has, is_ = ("has", "is") if left == 1 else ("have", "are")
        notes.append(f"{method.name}: {left} of {n_runs} runs {has} no rank in {message} and {is_} left out.")
    if method.run_ids and np.isnan(method.reference_rank).all():
        notes.append(f"{method.name}: all runs tie in {message}, so that there is no order to be displaced from.")
    return notes


def of_boards(boards: Iterable[Leaderboard], other: Reference) -> Outliers:
    """Displacement of each run on every leaderboard without queries; intervals and p are NaN, nothing is flagged.

    Boards of exam questions are combined: all but those of a measure over labels (P@20 of EXAM Qrels). A board of
    which ranks alone are printed, such as that of the original EXAM, is one of questions, too.
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
    request: Request,
    measures: Sequence[str],
    graders: Sequence[str] = (),
    of: Callable[[Request], Evaluation] | None = None,
) -> tuple[list[Evaluation], list[str]]:
    """An evaluation for each grader and measure, and notes.

    Where a measure needs questions and a grader labels whole passages, precision of the same depth stands in.

    Parameters
    ----------
    request : without a bank every bank that is graded is taken; grader and measure are not read
    measures : spelled as on the command line
    graders : by default those of the bank, and those that label passages; not read where the request names judgments
    of : makes an evaluation of a request; by default `choose`

    Raises UsageError where a name is unknown.
    """
    make = of or partial(choose, snapshot)
    if request.judgments:
        return [make(request.but(measure=measure)) for measure in measures], []
    parsed = [Measure.parse(measure) for measure in measures]
    of_grades = [measure for measure in parsed if measure.info.of_grades]
    choices = [make(request.but(measure=str(item), label_rank=1)) for item in parsed if not item.info.of_grades]
    replacements: dict[str, list[str]] = {}
    for grading in _gradings(snapshot, request.bank, graders) if of_grades else []:
        bank = str(grading.bank) if grading.bank else None
        for measure in of_grades:
            changes: dict[str, object] = {"grader": grading.series, "bank": bank, "measure": str(measure)}
            if grading.is_direct:
                changes["label_rank"] = 1
                if measure.info.of == "questions":
                    changes["measure"] = f"P@{measure.depth}"
                    replacement = f"P@{measure.depth} is used instead of {measure}"
                    replacements.setdefault(replacement, []).append(str(grading.series))
            choice = make(request.but(**changes))
            if choice not in choices:
                choices.append(choice)
    notes = [
        f"{enumerated(names)} {'labels' if len(names) == 1 else 'label'} whole passages: {replacement}."
        for replacement, names in replacements.items()
    ]
    return choices, notes


def _gradings(snapshot: Snapshot, bank: str | None, graders: Sequence[str]) -> list[Grading]:
    graded, graders = graded_banks(snapshot), [grader_id(snapshot, grader) for grader in graders]
    if graders:
        banks_of = [(name, graded.get(name, [bank]) if bank is None else [bank]) for name in graders]
        return [choose_grading(snapshot, own, name) for name, banks in banks_of for own in banks]
    if bank is not None:
        name = BankRef.parse(bank).name
        # Without a grader of that bank, the message is that of every other command.
        on_bank: list[str | None] = [grader for grader, banks in graded.items() if name in banks] or [None]
        gradings = [choose_grading(snapshot, bank, grader) for grader in on_bank]
        return gradings + [Grading(grader) for grader, banks in graded.items() if banks == [None]]
    if not graded:
        return [choose_grading(snapshot, None, None)]
    return [choose_grading(snapshot, own, grader) for grader, banks in graded.items() for own in banks]


def method_titles(choices: Sequence[Evaluation], called: Mapping[str, str] | None = None) -> list[str]:
    """A title for each method, with the grader where titles are equal without, or where others grade the same bank.

    `called` has names of graders by id, for readers.
    """
    titles = [title(choice, called) for choice in choices]
    pairs = [(choice.grading.bank_id, choice.grading.grader or "") for choice in choices]
    graders: Counter[str | None] = Counter(bank for bank, _ in dict.fromkeys(pairs) if bank)
    names = []
    for heading, (bank, grader) in zip(titles, pairs, strict=True):
        name = (called or {}).get(grader, grader)
        of_grader = heading.startswith(f"{name} ")
        unclear = titles.count(heading) > 1 or (graders[bank] > 1 and not of_grader)
        more = bank if of_grader and bank else name
        names.append(f"{heading} {more}" if grader and unclear else heading)
    return names


def readable_titles(choices: Sequence[Evaluation], called: Mapping[str, str]) -> dict[str, str]:
    """Titles of methods with the names of graders, by their titles with ids, as commands and as sentences have them."""
    names = dict(zip(method_titles(choices), method_titles(choices, called), strict=True))
    return names | {method_in_words(title): method_in_words(known) for title, known in names.items()}


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
    both = pair_with(Values(run_ids, values.query_ids, values.values[defined]), reference)
    own = _on(Values(both.run_ids, both.query_ids, both.values), both.run_ids, query_ids)
    truth = both.order
    if reference.values is not None:
        truth = bootstrap_means(_on(reference.values, both.run_ids, query_ids), counts)
    observed, _, _ = mean_and_stderr(both.values)
    drawn = displacements(bootstrap_means(own, counts), truth)
    values_by_query = own if reference.values is None else None
    return _placed(name, of, both.run_ids, observed, span(mean), reference, drawn, values_by_query)


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
    values_by_query: Floats | None = None,
) -> _Displaced:
    """A method's runs beside the reference; without an order where all scores of one side are equal.

    `over` is the span of the method's board, whose runs the reference need not rank.
    """
    ranks = reference.ranks.reindex(run_ids).to_numpy(float)
    theirs = reference.scores.reindex(run_ids).to_numpy(float)
    reference_rank = mean_rank(-ranks)
    if len(ranks) > 1 and np.ptp(reference_rank) == 0:
        reference_rank, drawn = np.full(len(ranks), np.nan), None
    own, whole = over.mapped(scores), span(reference.scores.to_numpy(float))
    flat = np.isnan(span(scores).width)
    expected = np.where(flat, np.nan, on_line(reference_rank, own))
    if len(theirs) and not np.isnan(theirs).any():
        same_runs = over.n == whole.n == len(run_ids)
        expected = whole.mapped(theirs) if same_runs else on_line(theirs, own)
    rank = np.where(flat, np.nan, mean_rank(scores))
    if drawn is not None:
        drawn = np.where(flat, np.nan, drawn)
    return _Displaced(name, of, run_ids, rank, reference_rank, own, expected, drawn, values_by_query)


def _outliers(
    reference: str, methods: list[_Displaced], described: list[dict[str, Any]], draws: int, seed: int, notes: list[str]
) -> Outliers:
    for method in methods:
        if np.isnan(method.rank).all():
            why = "its runs all have the same score" if method.run_ids else "no run has a mean"
            notes = [*notes, f"{method.name} has no displacements: {why}."]
    about = [
        {
            "method": method.name,
            "of": method.of,
            **words,
            "n_runs": len(method.run_ids),
            "same_labels": method.same_labels,
        }
        for method, words in zip(methods, described, strict=True)
    ]
    frames = []
    for method in methods:
        apart = beyond_ties(method.rank, method.reference_rank)[None]
        columns = {
            "run_id": method.run_ids,
            "method": method.name,
            "rank": method.rank,
            "reference_rank": method.reference_rank,
            "rank_displacement": method.displacement,
            "normalised": method.normalised,
            "expected": method.expected,
            "score_displacement": method.normalised - method.expected,
            **_tested([method], method.drawn, method.p, method.displacement, apart),
        }
        frames.append(ROWS.of(columns))
    rows = _largest_first(pd.concat(frames, ignore_index=True))
    kinds = list(dict.fromkeys(method.of for method in methods))
    groups = {kind: [method for method in methods if method.of == kind] for kind in kinds}
    if len(kinds) > 1:
        groups[ALL] = methods
    combined = [_together(name, group) for name, group in groups.items() if len(group) > 1]
    together = pd.concat(combined, ignore_index=True) if combined else COMBINED.of()
    return Outliers(reference, METHODS.of(about), rows, together, draws, seed, notes)


def _tested(
    methods: Sequence[_Displaced], drawn: Floats | None, p: Floats, moved: Floats, apart: Floats
) -> dict[str, object]:
    """Interval, p, Holm's p and flag of (n,) displacements; NaN without draws.

    A displacement of less than a place is never flagged, nor is one that only comes of ties: `apart` is (methods, n)
    displacements `beyond_ties`. There is no flag beside another measure of the same labels.
    """
    low, high = (p, p) if drawn is None else percentile_interval(drawn)
    adjusted = holm_of(p)
    is_moved = (np.round(np.abs(moved), DIGITS) >= 1) & (np.sign(apart) == np.sign(moved)).any(axis=0)
    flagged = pd.array((adjusted < ALPHA) & is_moved, "boolean")
    flagged[np.isnan(adjusted) | any(method.same_labels for method in methods)] = pd.NA
    return {"low": low, "high": high, "p": p, "p_holm": adjusted, "flagged": flagged}


def _together(name: str, methods: list[_Displaced]) -> pd.DataFrame:
    """Mean displacement over methods of the runs that all of them have."""
    run_ids = [run for run in methods[0].run_ids if all(run in method.run_ids for method in methods)]
    places = [(method, [method.run_ids.index(run) for run in run_ids]) for method in methods]
    each = np.stack([method.displacement[runs] for method, runs in places])
    drawn, p = None, np.full(len(run_ids), np.nan)
    if all(method.drawn is not None for method in methods):
        drawn = np.mean([method.drawn[:, runs] for method, runs in places if method.drawn is not None], axis=0)
        boards = [method.by_query[runs] for method, runs in places if method.by_query is not None]
        p = standing_out_p(_averaged(boards), -methods[0].reference_rank[places[0][1]]) if boards else sign_p(drawn)
    signs = np.sign(each)
    apart = [beyond_ties(method.rank, method.reference_rank)[runs] for method, runs in places]
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

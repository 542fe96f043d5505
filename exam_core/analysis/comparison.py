"""Several methods beside one reference: leaderboards, rank correlations with intervals, and their tables and chart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from exam_core.analysis import references, shared_columns
from exam_core.analysis.agreement import Agreement, agreement
from exam_core.analysis.caveats import UNREADABLE, about_depth, about_missing_runs
from exam_core.analysis.choice import Evaluation
from exam_core.analysis.choosing import evaluation_of, judgments_of
from exam_core.analysis.grade_scales import about_scales
from exam_core.analysis.groups import refuse_without_groups
from exam_core.analysis.leaderboard import Leaderboard, leaderboard, title
from exam_core.analysis.scope import scope_of
from exam_core.analysis.values import counted_values
from exam_core.charts.chart_layout import SERIES as SERIES_COLOURS
from exam_core.charts.chart_layout import axis, offset_in_line, one_a_line, size_layout, with_description
from exam_core.charts.leaderboard_lines import SYMBOLS, escape_name
from exam_core.errors import ExamboardError
from exam_core.measures import Measure
from exam_core.names import enumerated
from exam_core.numbers.means import mean_and_stderr, rounded_means
from exam_core.numbers.rank_correlations import COEFFICIENTS, NAMES, Correlation
from exam_core.numbers.true_means import ORDERED, is_same
from exam_core.progress import Progress, no_progress
from exam_core.request import Request, Rounded
from exam_core.results import ResultTable, count, decimal, interval, number, text
from exam_core.store import Snapshot
from exam_core.store.summary import alias_of, graded_banks, qrels_ids
from exam_core.tables import OFFICIAL
from exam_core.wording import cut_in_words, method_in_words

RANK_COEFFICIENTS = tuple(name for name in COEFFICIENTS if name not in ("r2", "rmse"))
"""Coefficients that compare orders; the others compare scores, which official ranks are not."""


@dataclass(frozen=True)
class Correlated:
    """Coefficients of a leaderboard and a reference over the runs that both have; an undefined one is NaN.

    `truths` has what each coefficient would be with endless queries, where that can be estimated. `caveats` must be
    read with the intervals.
    """

    leaderboard: str
    reference: str
    correlation: Correlation
    truths: dict[str, references.TruthInterval] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    caveats: list[str] = field(default_factory=list)

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """The ends of the intervals by coefficient."""
        return {name: (truth.low, truth.high) for name, truth in self.truths.items()}

    @property
    def middles(self) -> dict[str, float]:
        """The middles of the intervals by coefficient."""
        return {name: truth.middle for name, truth in self.truths.items()}


def notes_of(correlations: Sequence[Correlated]) -> list[str]:
    """The notes of correlations, each once; one note names all intervals that say next to nothing."""
    if len(correlations) < 2:
        return [note for row in correlations for note in row.notes]
    named = [
        references.Named(f"{NAMES[name]} of {row.leaderboard}", name, float(getattr(row.correlation, name)), truth)
        for row in correlations
        for name, truth in row.truths.items()
    ]
    alone = {note for row in correlations for note in _about_truths(row.correlation, row.truths)}
    others = [note for row in correlations for note in row.notes if note not in alone]
    return list(dict.fromkeys([*others, *references.about_truths(named)]))


def correlations_of(snapshot: Snapshot, choices: Sequence[Evaluation]) -> list[Correlated]:
    """The correlation of each choice's leaderboard with its reference.

    The 95% intervals are of the correlation that endless queries would give (`true_correlations`); a reference that
    was computed here is as uncertain as the board. Where means are rounded, those of the model are not: an interval
    is about the queries. Raises UsageError where there is no such reference, or none to compare with.
    """
    correlations = []
    for choice in choices:
        if choice.groups:
            refuse_without_groups(snapshot)
        values = counted_values(snapshot, choice)
        both = references.pair_with(values, references.needed_reference(snapshot, choice.reference, choice))
        correlation = _correlated(title(choice), both, values.averaged, choice.rounded)
        scope, (mean, _, _) = scope_of(snapshot, choice), mean_and_stderr(both.values)
        itself = references.about_itself(choice, both.reference, mean, both.order)
        notes = [
            *scope.about_unreadable(),
            *itself,
            *correlation.notes,
            *about_scales(snapshot, choice),
            *about_depth(snapshot, choice),
            *both.reference.notes,
            *about_missing_runs(snapshot),
            *scope.about_unanswered(both.run_ids),
        ]
        correlations.append(replace(correlation, notes=notes, caveats=[*itself, *correlation.caveats]))
    return correlations


def correlated_boards(boards: Iterable[Leaderboard]) -> list[Correlated]:
    """The correlation of each leaderboard that has one; without values by query there are no intervals."""
    correlations = []
    for board in boards:
        if correlation := board.correlation:
            notes = references.about_ties(str(board.reference), correlation.tau_ap, correlation.tau_ap_b)
            correlations.append(Correlated(board.title, str(board.reference), correlation, notes=notes))
    return correlations


def coefficients(both: references.Paired, rounded: Rounded = "none") -> Correlation:
    """Every coefficient of the mean values and the reference; those of scores are NaN where it has only ranks."""
    mean, _, _ = mean_and_stderr(both.values)
    mean = rounded_means(mean) if rounded == "trec_eval" else mean
    return references.correlation_with(mean, both.order, of_scores=both.has_scores)


def _about_truths(correlation: Correlation, known: Mapping[str, references.TruthInterval]) -> list[str]:
    return references.about_truths(
        [references.Named(NAMES[name], name, float(getattr(correlation, name)), truth) for name, truth in known.items()]
    )


def _correlated(name: str, both: references.Paired, n_runs: int, rounded: Rounded) -> Correlated:
    correlation, reference = coefficients(both, rounded), both.reference.name
    notes = references.about_left_out(n_runs - len(both.run_ids), n_runs, reference)
    notes += references.about_order(reference, correlation.spearman)
    notes += references.about_ties(reference, correlation.tau_ap, correlation.tau_ap_b)
    which = COEFFICIENTS if both.has_scores else RANK_COEFFICIENTS
    observed = {coefficient: float(getattr(correlation, coefficient)) for coefficient in which}
    [known] = references.estimate_truths(both.values[None], both.drawn_along)
    same = is_same(both.values, both.drawn_along)
    caveats = _about_truths(correlation, known)
    caveats += references.about_missing(
        (len(both.run_ids), len(both.query_ids)), observed, known, fixed=both.reference_values is None, same=same
    )
    return Correlated(name, reference, correlation, known, notes + caveats, caveats)


CORRELATIONS = ResultTable(
    "comparison: correlations",
    "Rank correlation of each grading mode, or printed column, with the reference",
    shared_columns.SERIES,
    shared_columns.SPEARMAN,
    shared_columns.KENDALL,
    shared_columns.RUNS,
)
AGREEMENTS = ResultTable(
    "comparison: agreements",
    "Labels of each grading mode against the human judgments",
    shared_columns.SERIES,
    number("tau", "tau", unit="grade"),
    number("relevant_from", "judged ≥", "Smallest human relevance that counts as relevant.", "relevance"),
    shared_columns.KAPPA,
    shared_columns.TRUE_POSITIVES,
    shared_columns.FALSE_POSITIVES,
    shared_columns.FALSE_NEGATIVES,
    shared_columns.TRUE_NEGATIVES,
    count("n", "Passages", unit="passages"),
)


@dataclass(frozen=True)
class Comparison:
    """Leaderboards by series name, the runs' order, and the tables `CORRELATIONS` and `AGREEMENTS`.

    `names` has the name of each series in charts and tables, with its tau where series differ in that. `unasked` are
    names of graders that have no questions, which the measure needs; `problems` are the reasons why other series are
    missing, each once.
    """

    boards: dict[str, Leaderboard]
    order: list[str]
    correlations: pd.DataFrame
    agreements: pd.DataFrame
    names: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    unasked: list[str] = field(default_factory=list)

    @property
    def measured(self) -> str:
        """The measure and tau of all boards, as an axis names them; without those in which boards differ."""
        headings = {board.heading for board in self.boards.values()}
        taus = {board.tau if board.tau_applies else None for board in self.boards.values()}
        if len(headings) != 1:
            return ""
        tau = taus.pop() if len(taus) == 1 else None
        return headings.pop() + (f", tau {tau}" if tau else "")

    def means(self) -> tuple[pd.DataFrame, ResultTable]:
        """The mean of each run by every series, a column for each, in the reference's order; and its declaration."""
        scores = {
            self.names.get(name, name): board.rows.set_index("run_id")["mean"] for name, board in self.boards.items()
        }
        rows = pd.DataFrame(scores).reindex(self.order).rename_axis("run_id").reset_index()
        columns = (replace(shared_columns.MEAN, name=name, label=name) for name in scores)
        return rows, ResultTable(
            "leaderboard: series", "Mean score of each run by each series", shared_columns.RUN, *columns
        )

    def cut(self, series: str) -> str:
        """From where grader and judges find a passage relevant, of a series that `agreements` has."""
        row = self.agreements.set_index("series").loc[series]
        board = self.boards.get(series)
        return cut_in_words(row["tau"], row["relevant_from"], (board.label_rank if board else None) or 1)

    @property
    def has_queries(self) -> bool:
        """Whether the means are over queries, so that ranks have intervals and a run has details."""
        return any(board.rows["n_queries"].notna().any() for board in self.boards.values())

    @property
    def missing(self) -> list[str]:
        """Why series are missing, in sentences."""
        return [*self.problems, *([note_without_questions(self.unasked)] if self.unasked else [])]


def below_each_other(rows: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Rows of several series in one frame, whose first column names the series."""
    return pd.concat(rows, names=["series"]).reset_index(level="series").reset_index(drop=True)


def needs_questions(snapshot: Snapshot, mode: str, measure: str) -> bool:
    """Whether a measure is of questions although a grading mode, or a human, labels whole passages."""
    of_passages = judgments_of(snapshot, mode) or graded_banks(snapshot).get(mode) == [None]
    return Measure.parse(measure).info.of == "questions" and bool(of_passages)


def note_without_questions(modes: Sequence[str]) -> str:
    """The sentence that grading modes have no value, because the measure needs questions."""
    verb, they = ("labels", "it has") if len(modes) == 1 else ("label", "they have")
    return (
        f"{enumerated(modes)} {verb} whole passages: {they} no questions, which this measure needs. "
        "A measure over labels, such as P, shows every mode."
    )


def grouped_problems(problems: Sequence[tuple[str, str]]) -> list[str]:
    """Problems of series, (name, reason) each, as a sentence for each reason after the names that have it."""
    named: dict[str, list[str]] = {}
    for name, reason in problems:
        named.setdefault(reason, []).append(name)
    return [f"{enumerated(names)}: {reason}" for reason, names in named.items()]


def correlations_of_modes(snapshot: Snapshot, modes: Sequence[str], request: Request) -> list[Correlated]:
    """Every coefficient of each mode's board with the reference; modes that can't be evaluated are left out."""
    correlations = []
    for mode in series_of(modes, request):
        with suppress(ExamboardError):
            choice, _ = evaluation_of(snapshot, request, mode)
            correlations += [
                replace(correlation, leaderboard=mode) for correlation in correlations_of(snapshot, [choice])
            ]
    return correlations


def of_modes(
    snapshot: Snapshot, modes: Sequence[str], request: Request, *, progress: Progress = no_progress
) -> Comparison:
    """Boards of several graders, in the reference's order.

    A grader of whole passages has label rank 1, whatever is asked for; the notes say so. A measure that looks at no
    grades has one board, whatever the modes.
    """
    boards: dict[str, Leaderboard] = {}
    agreements, problems, notes = [], [], []
    of_grades = Measure.parse(request.measure).info.of_grades
    modes = series_of(modes, request)
    unasked = [mode for mode in modes if needs_questions(snapshot, mode, request.measure)]
    for place, mode in enumerate(modes):
        progress(place / len(modes))
        if mode in unasked:
            continue
        try:
            choice, note = evaluation_of(snapshot, request, mode, called=alias_of(snapshot, mode))
            boards[mode] = leaderboard(snapshot, choice)
            notes += note
        except ExamboardError as error:
            problems.append((alias_of(snapshot, mode), str(error)))
            continue
        if of_grades and not choice.grading.judgments and OFFICIAL in qrels_ids(snapshot):
            mode_agreement = agreement(snapshot, choice.labelling, tau=choice.tau, relevant_from=request.relevant_from)
            agreements.append(_agreement_row(mode, mode_agreement))
            notes += [f"{alias_of(snapshot, mode)}: {text}" for text in mode_agreement.notes]
    notes += [note for board in boards.values() for note in board.notes]
    without = [alias_of(snapshot, mode) for mode in unasked]
    comparison = _comparison(boards, agreements, notes, grouped_problems(problems))
    return replace(comparison, names=series_names(snapshot, boards), unasked=without)


def series_of(modes: Sequence[str], request: Request) -> Sequence[str]:
    """The series to compare: grading modes, or the measure alone where it looks at no grades."""
    return modes if Measure.parse(request.measure).info.of_grades else (request.measure,)


def series_names(snapshot: Snapshot, boards: Mapping[str, Leaderboard]) -> dict[str, str]:
    """Graders as charts and tables name them, by their aliases; where they are cut at several taus, with these."""
    taus = {mode: board.tau if board.tau_applies else None for mode, board in boards.items()}
    differ = len({*taus.values()} - {None}) > 1
    return {mode: alias_of(snapshot, mode) + (f", tau {tau}" if differ and tau else "") for mode, tau in taus.items()}


def of_boards(
    boards: dict[str, Leaderboard], agreements: Mapping[str, Agreement], called: Mapping[str, str]
) -> Comparison:
    """Boards by what they are called, and their agreements that there are, in the reference's order."""
    notes = [note for board in boards.values() for note in board.notes]
    rows = [_agreement_row(name, result) for name, result in agreements.items()]
    names = {name: called.get(name) or method_in_words(name) for name in boards}
    return replace(_comparison(boards, rows, notes, []), names=names)


def _agreement_row(series: str, result: Agreement) -> tuple[Any, ...]:
    (tp, fp), (fn, tn) = result.confusion.tolist()
    return (series, result.tau, result.relevant_from, result.kappa, tp, fp, fn, tn, result.n)


def _comparison(
    boards: dict[str, Leaderboard], kappas: list[tuple[Any, ...]], notes: list[str], problems: list[str]
) -> Comparison:
    rows = [
        (name, board.correlation.spearman, board.correlation.kendall, board.correlation.n)
        for name, board in boards.items()
        if board.correlation
    ]
    notes = sorted(dict.fromkeys(notes), key=lambda note: not note.startswith(UNREADABLE))
    names = {name: name for name in boards}
    return Comparison(boards, shown_order(boards), CORRELATIONS.of(rows), AGREEMENTS.of(kappas), names, notes, problems)


def shown_order(boards: Mapping[str, Leaderboard]) -> list[str]:
    """Runs by the reference's rank; those without one follow, by the first board's score."""
    if not boards:
        return []
    rows = pd.concat([board.rows[["run_id", "reference_rank", "rank"]] for board in boards.values()])
    rows = rows.drop_duplicates("run_id").fillna({"reference_rank": np.inf})
    return list(rows.sort_values(["reference_rank", "rank", "run_id"])["run_id"])


MEANINGS = {
    "spearman": (
        "Spearman's rho",
        "Pearson's correlation of the ranks; ties share their mean rank (EXAM, section 4.1)",
    ),
    "kendall": (
        "Kendall's tau-b",
        "(concordant - discordant pairs of runs) / square root of (pairs untied in one order * pairs untied in the "
        "other) (Kendall 1945)",
    ),
    "tau_ap": (
        "tau-AP a",
        "tauAP_a: like Kendall's, but a swap at the top counts more; the reference is taken as the truth, and may have "
        "no ties (Yilmaz et al. 2008; ties as in Urbano & Marrero 2017)",
    ),
    "tau_ap_b": (
        "tau-AP b",
        "tauAP_b: mean of tau-AP in both directions; both orders may have ties (Urbano & Marrero 2017)",
    ),
    "rbo": (
        "RBO",
        "overlap of the first d runs, averaged over d with weight 0.9^(d - 1) (Webber et al. 2010; ties as in Corsi & "
        "Urbano 2024)",
    ),
    "r2": ("R²", "squared Pearson correlation of the scores; needs scores on both sides (POURPRE)"),
    "rmse": ("RMSE", "root of the mean squared difference of the scores; needs both sides on one scale"),
}
"""Name of each coefficient, and what it says."""
LABELS = {name: label for name, (label, _) in MEANINGS.items()}
ALL_COEFFICIENTS = ResultTable(
    "correlation: coefficients",
    "Every correlation coefficient of a leaderboard and its reference",
    text("coefficient", "Coefficient", "; ".join(map(": ".join, MEANINGS.values())) + ".", pinned=True),
    decimal("value", "Value"),
    interval(
        "value_interval",
        "95% interval",
        f"{references.MEANING} A dash where it is undefined.",
        source=references.SOURCE,
    ),
    decimal("value_middle", "Corrected for noise", references.MIDDLE, source=references.SOURCE),
    text("meaning", "Meaning", width="large"),
)
METHODS = ResultTable(
    "correlation: methods",
    "Every correlation coefficient of several leaderboards and their reference",
    text("leaderboard", "Published result", pinned=True),
    *(decimal(name, label, meaning) for name, (label, meaning) in MEANINGS.items()),
    shared_columns.RUNS,
)
INTERVALS = {
    name: interval(
        f"{name}_interval",
        f"{label}, 95%",
        references.MEANING if name in ORDERED else references.NO_INTERVAL,
        source=references.SOURCE,
    )
    for name, (label, _) in MEANINGS.items()
}
MIDDLES = {
    name: decimal(
        f"{name}_middle",
        f"{label}, corrected for noise",
        references.MIDDLE if name in ORDERED else references.NO_INTERVAL,
        source=references.SOURCE,
    )
    for name, (label, _) in MEANINGS.items()
}
CORRELATED = ResultTable(
    "correlate: rows",
    "Every correlation coefficient of each leaderboard with its reference; undefined values are NaN, or None",
    text("leaderboard", "Leaderboard", pinned=True),
    text("reference", "Reference"),
    shared_columns.RUNS,
    *(decimal(name, label, meaning) for name, (label, meaning) in MEANINGS.items()),
    *(INTERVALS[name] for name in MEANINGS),
    *(MIDDLES[name] for name in MEANINGS),
)
BESIDE = (
    *("leaderboard", "reference", "n"),
    *(column for name in MEANINGS for column in (name, f"{name}_interval")),
    *(f"{name}_middle" for name in MEANINGS),
)
"""The columns of `CORRELATED` with each interval beside its coefficient."""
IN_PAPERS = ("leaderboard", "reference", "spearman", "spearman_interval", "kendall", "kendall_interval")
"""The columns with which a table of a paper begins: tau-AP, RBO and n follow."""


def coefficients_table(row: Correlated) -> pd.DataFrame:
    """`ALL_COEFFICIENTS`, a row for each coefficient; an interval that can't be estimated is None."""
    values = [getattr(row.correlation, name) for name in COEFFICIENTS]
    intervals = [row.intervals.get(name) for name in COEFFICIENTS]
    return ALL_COEFFICIENTS.of(
        {
            "coefficient": [MEANINGS[name][0] for name in COEFFICIENTS],
            "value": pd.Series(values, dtype=float),
            "value_interval": pd.Series(intervals, dtype=object),
            "value_middle": pd.Series([row.middles.get(name) for name in COEFFICIENTS], dtype=float),
            "meaning": [MEANINGS[name][1] for name in COEFFICIENTS],
        }
    )


def methods_table(correlations: Sequence[Correlated]) -> pd.DataFrame:
    """`METHODS`, a row for each leaderboard."""
    rows = [
        [row.leaderboard, *(getattr(row.correlation, name) for name in COEFFICIENTS), row.correlation.n]
        for row in correlations
    ]
    return METHODS.of(rows)


DRAWN = {name: NAMES[name] for name in RANK_COEFFICIENTS}
"""The coefficients that are drawn: those of ranks, which share a scale."""
ROW, SPREAD = 60, 0.6
"""Height of a leaderboard in pixels, and the share of it that its coefficients take."""


def coefficients_figure(rows: pd.DataFrame) -> go.Figure:
    """Rank correlations, a line for each leaderboard and a symbol for each coefficient, with 95% intervals.

    The rows have leaderboard, reference, and of each coefficient its value and `..._interval`, a pair or None.
    """
    figure = go.Figure()
    for series, (column, name) in enumerate(DRAWN.items()):
        shift, ink = offset_in_line(series, len(DRAWN), SPREAD), SERIES_COLOURS[series]
        figure.add_scatter(
            x=rows[column],
            y=[place + shift for place in range(len(rows))],
            name=name,
            mode="markers",
            marker={"symbol": SYMBOLS[series], "size": 9, "color": ink},
            customdata=[[escape_name(leaderboard)] for leaderboard in rows["leaderboard"]],
            hovertemplate=f"%{{customdata[0]}}<br>{name} %{{x:.3f}}<extra></extra>",
        )
        add_intervals(figure, [pair or (None, None) for pair in rows[f"{column}_interval"]], shift, ink)
    against = ", ".join(dict.fromkeys(rows["reference"]))
    figure.update_layout(
        size_layout(140 + ROW * len(rows), above=1.0),
        xaxis=axis(f"rank correlation with {escape_name(against)}"),
        yaxis=one_a_line([escape_name(name) for name in rows["leaderboard"]]),
    )
    sentences = [
        f"{row['leaderboard']}: "
        + ", ".join(
            f"{name} {'undefined' if pd.isna(row[column]) else f'{row[column]:.3f}'}" for column, name in DRAWN.items()
        )
        for row in rows.to_dict("records")
    ]
    return with_description(figure, f"Rank correlations with the reference. {'; '.join(sentences)}.")


def add_intervals(figure: go.Figure, pairs: list[tuple[float | None, float | None]], shift: float, ink: str) -> None:
    """Add the interval of each row, one below the other and all shifted down.

    They are lines: error bars would start at the observed value, which an interval need not hold.
    """
    figure.add_scatter(
        x=[x for low, high in pairs for x in (low, high, None)],
        y=[y for place in range(len(pairs)) for y in (place + shift, place + shift, None)],
        mode="lines",
        line={"width": 2, "color": ink},
        showlegend=False,
        hoverinfo="skip",
        zorder=-1,
    )

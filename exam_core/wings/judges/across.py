"""Whether what a grading mode shows on one collection holds on others: coefficients, pooled values, and taus."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from exam_core.analysis.agreement import agreement
from exam_core.analysis.choice import TAUS, Evaluation
from exam_core.analysis.choosing import evaluation_of, judgments_of, series_of
from exam_core.analysis.comparison import correlations_of, needs_questions
from exam_core.analysis.grade_scales import taus_of
from exam_core.analysis.printed import boards as printed_boards
from exam_core.analysis.printed import is_printed
from exam_core.analysis.references import MEANING, needed_reference, pair_with, references
from exam_core.analysis.shared_columns import COMPARED_RUNS, KAPPA, KENDALL, MEASURE, SPEARMAN, TAU
from exam_core.analysis.values import values_at_taus
from exam_core.charts.chart_layout import SERIES as COLOURS
from exam_core.charts.chart_layout import axis, bars, legend, size_layout, with_description
from exam_core.charts.leaderboard_lines import SYMBOLS, escape_name
from exam_core.errors import ExamboardError
from exam_core.measures import Measure
from exam_core.names import enumerated
from exam_core.numbers.arrays import Floats
from exam_core.numbers.means import mean_and_stderr, rounded_means
from exam_core.numbers.pooling import HARTUNG_KNAPP, pooled_coefficients
from exam_core.numbers.rank_correlations import DIGITS, correlations
from exam_core.numbers.resampling import bootstrap_counts, bootstrap_means, percentile_interval
from exam_core.printed import coefficients_of, known_collection
from exam_core.progress import Progress, no_progress
from exam_core.request import LABELLED_MEASURE, Request
from exam_core.request import MEASURE as USUAL
from exam_core.results import ResultTable, count, decimal, flag, signed, text
from exam_core.store import Snapshot
from exam_core.store.names import BankRef
from exam_core.store.summary import alias_of, graded_banks, leaderboard_ids, names_of, qrels_ids, run_ids
from exam_core.store.summary import banks as banks_of
from exam_core.tables import OFFICIAL
from exam_core.wording import method_in_words, without_commands

NAMES = {"kendall": "Kendall", "spearman": "Spearman", "tau_ap_b": "tau-AP b", "kappa": "Cohen's kappa"}
COEFFICIENTS = tuple(NAMES)
USUAL_TAU, EVERY_TAU = "each mode's usual", "every tau"
"""What the page offers."""
COLLECTION = text("collection", "Collection", pinned=True)
MODE = text("mode", "Grading mode", "The same prompt and model, or the same name, on each collection.", pinned=True)
_OBSERVED = {
    "spearman": SPEARMAN,
    "kendall": KENDALL,
    "tau_ap_b": decimal("tau_ap_b", "tau-AP b", "Ties are allowed.", source="Urbano & Marrero 2017"),
    "kappa": KAPPA,
}
ROWS = ResultTable(
    "across: rows",
    "How each grading mode agrees with the reference and the judgments of each collection",
    MODE,
    MEASURE,
    TAU,
    COLLECTION,
    flag("printed", "Printed", "Yes if the figures are a paper's; those have no interval and are not pooled."),
    text("reference", "Reference"),
    COMPARED_RUNS,
    *(
        column
        for name, observed in _OBSERVED.items()
        for column in (
            observed,
            decimal(f"{name}_low", f"{observed.label}, 95% from", "" if name == "kappa" else MEANING),
            decimal(f"{name}_high", f"{observed.label}, to"),
        )
    ),
)
SHORT = ("mode", "measure", "tau", "collection", "n", "spearman", "kendall", "kendall_low", "kendall_high", "kappa")
"""Columns of a table for people."""
POOLED = ResultTable(
    "across: pooled",
    f"Coefficients of several collections as one value: {HARTUNG_KNAPP}, on Fisher's scale",
    MODE,
    MEASURE,
    TAU,
    text("coefficient", "Coefficient"),
    count("collections", "Collections", "Collections that have an interval.", "collections"),
    decimal("value", "Pooled", "With unlimited queries: of the middles of the collections' intervals."),
    decimal("low", "95% from", "Wide with few collections: two of them leave one degree of freedom."),
    decimal("high", "to"),
    decimal(
        "i2",
        "Heterogeneity I²",
        "Share of the differences between collections that the noise of their queries does not explain.",
        "share of the variance",
        "Higgins & Thompson 2002",
    ),
    decimal("p", "Heterogeneity p", "Cochran's Q: how often chance alone makes collections differ as much.", "p value"),
)
TRANSFER = ResultTable(
    "across: transfer",
    "The tau with the largest Kendall on one collection, looked at on another one",
    MODE,
    MEASURE,
    text("chosen_on", "tau chosen on"),
    replace(TAU, help="The tau with the largest Kendall there, the smallest of equal ones."),
    text("looked_at", "looked at on"),
    replace(KENDALL, help="Kendall there at this tau."),
    replace(TAU, name="best_tau", label="best tau there", unit="grade"),
    decimal("best_kendall", "its Kendall"),
    signed("lost", "Lost", "Kendall at the best tau there minus that at the chosen one; never negative."),
    signed("lost_low", "95% from", "Percentiles over resampled queries, with both taus as they are."),
    signed("lost_high", "to"),
)


@dataclass(frozen=True)
class AcrossRequest:
    """What is compared on all collections.

    Parameters
    ----------
    request : the rules, and the reference; its measure, grader and tau are not read, and its bank where there is one
    graders : names or aliases of modes; by default those of `matched_modes`
    taus : by default each mode's usual one
    """

    request: Request
    measures: Sequence[str]
    graders: Sequence[str] = ()
    taus: Sequence[float] = ()

    @classmethod
    def of(cls, request: Request, series: Sequence[str], *, in_print: bool, every_tau: bool) -> AcrossRequest:
        """What the control bar says: of printed figures the usual measures of all modes."""
        shared = request.but(measure=request.measure or USUAL, tau=None, own_taus=())
        measures, graders = ((USUAL, LABELLED_MEASURE), ()) if in_print else ((request.measure,), tuple(series))
        return cls(shared, measures, graders, TAUS if every_tau else ())


@dataclass(frozen=True)
class Across:
    """Grading modes on several collections: `rows` are `ROWS`, `pooled` `POOLED`, `transfer` `TRANSFER`."""

    collections: list[str]
    rows: pd.DataFrame
    pooled: pd.DataFrame
    transfer: pd.DataFrame
    draws: int
    seed: int
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Side:
    """A grading mode's evaluation on one collection; `has_board` says if runs and a reference can be compared."""

    snapshot: Snapshot
    choice: Evaluation
    has_board: bool = True

    @property
    def taus(self) -> list[int]:
        """The taus within the mode's scale there."""
        of_labels = self.choice.measure.info.of == "labels"
        return taus_of(self.snapshot, self.choice.labelling, of_labels=of_labels)


def across(
    snapshot: Snapshot,
    others: Sequence[Snapshot],
    wanted: AcrossRequest,
    *,
    draws: int,
    seed: int,
    progress: Progress = no_progress,
) -> Across:
    """Every grading mode on every collection that has it, pooled values, and what a tau of another collection costs.

    Coefficients and intervals are those of `correlations_of` and `agreement`. Collections of printed figures take part
    with what is printed.
    """
    request, measures, taus = wanted.request, wanted.measures, wanted.taus
    snapshots = [snapshot, *others]
    graded = [each for each in snapshots if not is_printed(each)]
    modes = matched_modes(graded, wanted.graders, snapshot.collection)
    rows: list[dict[str, Any]] = []
    middles: dict[tuple[str, str, float], list[dict[str, tuple[float, float, float]]]] = {}
    transfers: list[dict[str, Any]] = []
    notes: list[str] = []
    jobs = list(itertools.product(modes.items(), measures))
    for place, ((mode, series), measure) in enumerate(jobs):
        progress(place / len(jobs))
        sides, about = _sides(graded, series, measure, request)
        notes += about
        for side in sides.values():
            for tau in [tau for tau in taus or [side.choice.tau] if tau <= side.taus[-1]]:
                row, middle = _row(mode, measure, side, tau, request.relevant_from)
                rows.append(row)
                middles.setdefault((mode, measure, tau), []).append(middle)
        if Measure.parse(measure).tau_applies:
            moved, beyond = _transfers(mode, measure, sides, draws, seed)
            transfers += moved
            notes += beyond
    for printed in filter(is_printed, snapshots):
        rows += _printed_rows(printed, request, measures, taus)
    pools = [row for key, each in middles.items() if len(each) > 1 for row in _pooled_rows(key, each)]
    order = list(dict.fromkeys(row["collection"] for row in rows))
    return Across(
        order, ROWS.of(rows), POOLED.of(pools), TRANSFER.of(transfers), draws, seed, list(dict.fromkeys(notes))
    )


def _sides(
    snapshots: Sequence[Snapshot], series: Mapping[str, str], measure: str, request: Request
) -> tuple[dict[str, _Side], list[str]]:
    """A mode's evaluations by collection, and notes on banks and on collections where it can't be evaluated."""
    sides, notes = {}, []
    for snapshot in snapshots:
        if (grader := series.get(snapshot.collection)) is None or needs_questions(snapshot, grader, measure):
            continue
        try:
            bank, note = _bank(snapshot, grader, request.bank)
            reference = request.reference
            if reference and ":" not in reference and reference not in leaderboard_ids(snapshot):
                reference = None  # each collection has its own usual one
            asked = request.but(measure=measure, bank=bank, tau=None, judgments=None, reference=reference)
            choice, _ = evaluation_of(snapshot, asked, grader)
            has_board = bool(run_ids(snapshot)) or OFFICIAL not in qrels_ids(snapshot)
            name = alias_of(snapshot, grader)
            if not has_board:
                notes.append(f"{snapshot.collection} has no runs: kappa alone is known there.")
            elif needed_reference(snapshot, choice.reference, choice).grading == choice.grading:
                notes.append(f"{snapshot.collection}: {name} is the reference there, and left out.")
                continue
            sides[snapshot.collection] = _Side(snapshot, choice, has_board)
            notes += note
        except ExamboardError as error:
            notes.append(f"{snapshot.collection}: {without_commands(str(error))}")
    return sides, notes


def matched_modes(
    snapshots: Sequence[Snapshot], graders: Sequence[str] = (), first: str = ""
) -> dict[str, dict[str, str]]:
    """Grading modes by name, each with its id on every collection that has it.

    Two modes are one if they have the same prompt and model, or the same name. Without `graders` those that the first
    collection shares with another one, or all of its own where it shares none; of a printed one those of all.
    """
    groups: list[tuple[str, set[object], dict[str, str]]] = []
    for snapshot in snapshots:
        for series in series_of(snapshot, None):
            if judgments_of(snapshot, series):
                continue
            about, alias = snapshot.graders.get(series, {}), alias_of(snapshot, series)
            prompt, model = (about.get("prompt_info") or {}).get("prompt_class"), about.get("llm")
            marks: set[object] = {alias.casefold(), series, *([(prompt, model)] if prompt and model else [])}
            same = next((group for group in groups if marks & group[1] and snapshot.collection not in group[2]), None)
            if same is None:
                groups.append((alias, marks, {snapshot.collection: series}))
            else:
                same[1].update(marks)
                same[2][snapshot.collection] = series
    wanted = {name.casefold() for name in graders}
    named = [group for group in groups if wanted & {str(mark).casefold() for mark in group[1]}]
    own = [group for group in groups if first in group[2]] or groups
    shared = [group for group in own if len(group[2]) > 1]
    return {name: series for name, _, series in (named if graders else shared or own)}


def _bank(snapshot: Snapshot, grader: str, wanted: str | None) -> tuple[str | None, list[str]]:
    """The bank of a mode on a collection: the wanted one where it graded that, or the usual one, which a note names."""
    graded = graded_banks(snapshot)[grader]
    banks = [bank for bank in banks_of(snapshot) if bank in graded]
    if wanted and BankRef.parse(wanted).name in banks:
        return wanted, []
    if len(banks) < 2:
        return next(iter(banks), None), []
    which = f"{alias_of(snapshot, grader)} is looked at on the bank {banks[0]}, one of its {len(banks)} banks."
    return banks[0], [f"{snapshot.collection}: {which}"]


def _row(
    mode: str, measure: str, side: _Side, tau: float, relevant_from: int
) -> tuple[dict[str, Any], dict[str, tuple[float, float, float]]]:
    """A row of `ROWS`, and (middle, low, high) of each coefficient that has an interval."""
    snapshot, choice = side.snapshot, replace(side.choice, tau=tau)
    row: dict[str, Any] = {"mode": mode, "measure": measure, "tau": tau, "collection": snapshot.collection}
    row["printed"], middle = False, {}
    if side.has_board:
        [result] = correlations_of(snapshot, [choice])
        row |= {"reference": result.reference, "n": result.correlation.n}
        row |= {name: getattr(result.correlation, name) for name in COEFFICIENTS if name != "kappa"}
        truths = {name: truth for name, truth in result.truths.items() if name in COEFFICIENTS}
        middle = {name: (truth.middle, truth.low, truth.high) for name, truth in truths.items()}
    if OFFICIAL in qrels_ids(snapshot):
        agreed = agreement(snapshot, choice.labelling, tau=tau, relevant_from=relevant_from)
        row["kappa"] = agreed.kappa
        if agreed.kappa_interval:
            middle["kappa"] = (agreed.kappa, *agreed.kappa_interval)
    for name, (_, low, high) in middle.items():
        row |= {f"{name}_low": low, f"{name}_high": high}
    return row, middle


def _pooled_rows(
    key: tuple[str, str, float], each: Sequence[Mapping[str, tuple[float, float, float]]]
) -> Iterable[dict[str, Any]]:
    """A row of `POOLED` for each coefficient that two collections have an interval of."""
    for name in COEFFICIENTS:
        values = np.array([middle[name] for middle in each if name in middle]).reshape(-1, 3)
        if len(values) > 1:
            result = pooled_coefficients(*values.T)
            yield dict(zip(("mode", "measure", "tau"), key, strict=True)) | {
                "coefficient": name,
                "collections": result.n,
                **{part: getattr(result, part) for part in ("value", "low", "high", "i2", "p")},
            }


def _transfers(
    mode: str, measure: str, sides: Mapping[str, _Side], draws: int, seed: int
) -> tuple[list[dict[str, Any]], list[str]]:
    """Rows of `TRANSFER`, each collection's best tau on each other one, and notes on taus that another scale lacks."""
    rows, notes = [], []
    curves = {name: _Curve.of(side) for name, side in sides.items() if side.has_board}
    known = {name: curve for name, curve in curves.items() if not np.isnan(curve.kendall).all()}
    for (on, chosen), (at, curve) in itertools.permutations(known.items(), 2):
        if chosen.best not in curve.taus:
            notes.append(f"{mode}, {measure}: tau {chosen.best}, the best on {on}, is beyond the grades on {at}.")
            continue
        own, best = curve.taus.index(chosen.best), curve.taus.index(curve.best)
        low, high = curve.interval(best, own, draws, seed)
        rows.append(
            {
                **{"mode": mode, "measure": measure, "chosen_on": on, "tau": chosen.best, "looked_at": at},
                **{"kendall": curve.kendall[own], "best_tau": curve.best, "best_kendall": curve.kendall[best]},
                **{"lost": curve.kendall[best] - curve.kendall[own], "lost_low": low, "lost_high": high},
            }
        )
    return rows, notes


@dataclass(frozen=True)
class _Curve:
    """Kendall at every tau of a mode on one collection.

    Parameters
    ----------
    values : (T, R, Q) of the runs that the reference has
    reference : (R,) scores, or (R, Q) values that are drawn along
    kendall : (T,) over all queries
    """

    taus: list[int]
    values: Floats
    reference: Floats
    kendall: Floats

    @classmethod
    def of(cls, side: _Side) -> _Curve:
        """The curve of a mode."""
        snapshot, choice = side.snapshot, side.choice
        values, boards = values_at_taus(snapshot, choice, len(side.taus))
        both = pair_with(values, needed_reference(snapshot, choice.reference, choice))
        boards = boards[:, np.isin(values.run_ids, both.run_ids)]
        mean, _, _ = mean_and_stderr(boards)
        mean = rounded_means(mean) if choice.rounded == "trec_eval" else mean
        return cls(side.taus, boards, both.drawn_along, correlations(mean, both.order, ("kendall",)).kendall)

    @property
    def best(self) -> int:
        """The tau with the largest Kendall, the smallest of equal ones."""
        return self.taus[int(np.nanargmax(np.round(self.kendall, DIGITS)))]

    def interval(self, best: int, own: int, draws: int, seed: int) -> tuple[float, float]:
        """The 95% interval of Kendall at one tau minus that at another, over resampled queries."""
        counts = bootstrap_counts(self.values.shape[-1], draws, seed)
        reference = self.reference
        truth = reference if reference.ndim == 1 else bootstrap_means(reference, counts)[:, None]
        drawn = correlations(bootstrap_means(self.values[[best, own]], counts), truth, ("kendall",)).kendall
        low, high = percentile_interval(drawn[:, 0] - drawn[:, 1])
        return float(low), float(high)


def _printed_rows(
    snapshot: Snapshot, request: Request, measures: Sequence[str], taus: Sequence[float]
) -> Iterable[dict[str, Any]]:
    """Rows of `ROWS` of a printed collection: its columns, and coefficients that a paper prints without a column."""
    columns = printed_boards(snapshot, request.reference if request.reference == OFFICIAL else None)
    names = names_of(snapshot)
    for board in columns:
        if board.correlation and board.measure in measures and (not taus or board.tau in (*taus, None)):
            yield {
                **{"mode": names.get(board.title, board.title), "measure": board.measure, "tau": board.tau},
                **{"collection": snapshot.collection, "printed": True, "reference": board.reference},
                "n": board.correlation.n,
                **{name: getattr(board.correlation, name) for name in COEFFICIENTS if name != "kappa"},
            }
    key = known_collection({run for board in columns for run in board.rows["run_id"]})
    for row in coefficients_of(key or ""):
        if row["measure"] in measures and (not taus or row["tau"] in (*taus, None)):
            yield row | {"collection": snapshot.collection, "printed": True}


def across_sentences(result: Across, coefficient: str = "kendall") -> list[str]:
    """What modes keep of a coefficient on all collections, and what a tau of another one costs."""
    computed = result.rows[~result.rows["printed"].astype(bool)]
    sentences, called = [], NAMES[coefficient]
    for (mode, measure), of_taus in computed.groupby(["mode", "measure"], sort=False):
        each = {tau: rows[coefficient].dropna() for tau, rows in of_taus.groupby("tau")}
        if not (each := {tau: values for tau, values in each.items() if len(values) > 1}):
            continue
        tau = max(each, key=lambda tau: each[tau].mean())
        values = each[tau]
        best = f"{mode}, {measure} at tau {tau:g}" + (", the best on average" if len(each) > 1 else "")
        runs = "" if coefficient == "kappa" else f", over {_span(of_taus.loc[values.index, 'n'], ',.0f')} runs"
        what = f"{best}: {called} {_span(values, '.3f')} on {len(values)} "
        pooled = result.pooled.query(
            "mode == @mode and measure == @measure and tau == @tau and coefficient == @coefficient"
        )
        [known] = pooled.to_dict("records") or [None]
        more = f", pooled {known['value']:.3f} [{known['low']:.2f}, {known['high']:.2f}]" if known else ""
        sentences.append(f"{what}collections{runs}{more}.")
    if not sentences:
        sentences.append(
            "None of these grading modes can be compared on a second collection. Printed figures stand here as printed."
        )
    for (mode, measure), rows in result.transfer.groupby(["mode", "measure"], sort=False):
        worst = rows.sort_values("lost", ascending=False, kind="stable").iloc[0]
        if worst["lost"] < 0.0005:
            sentences.append(f"{mode}, {measure}: the best tau of one collection is as good as the best one elsewhere.")
            continue
        far = f"tau {worst['tau']}, the best on {worst['chosen_on']}, lowers Kendall on {worst['looked_at']} by"
        mean = f" A tau chosen elsewhere costs {rows['lost'].mean():.3f} on average." if len(rows) > 1 else ""
        sentences.append(f"{mode}, {measure}: {far} {worst['lost']:.3f} compared with the best tau there.{mean}")
    return sentences


def _span(values: pd.Series, form: str) -> str:
    """The smallest and the largest value, or one where they are written alike."""
    low, high = (format(float(value), form) for value in (values.min(), values.max()))
    return low if low == high else f"{low} to {high}"


def across_figure(result: Across, coefficient: str = "kendall") -> go.Figure:
    """A dot with its interval for each mode and collection, and a diamond for each pooled value."""
    figure, labels = go.Figure(), dict[str, None]()
    rows = result.rows.assign(label=[_label(row) for row in result.rows.to_dict("records")])
    rows = rows[rows[coefficient].notna()]
    labels |= dict.fromkeys(rows["label"])
    for place, (collection, mine) in enumerate(rows.groupby("collection", sort=False)):
        figure.add_scatter(
            x=mine[coefficient],
            y=[escape_name(label) for label in mine["label"]],
            mode="markers",
            name=escape_name(str(collection)),
            marker={"color": COLOURS[place % len(COLOURS)], "symbol": SYMBOLS[place % len(SYMBOLS)], "size": 9},
            error_x=bars(mine[coefficient], mine[f"{coefficient}_low"], mine[f"{coefficient}_high"], thickness=1),
            hovertemplate="%{y}<br>%{x:.3f}",
        )
    pooled = result.pooled[result.pooled["coefficient"] == coefficient]
    if len(pooled):
        figure.add_scatter(
            x=pooled["value"],
            y=[escape_name(_label(row)) for row in pooled.to_dict("records")],
            mode="markers",
            name="pooled",
            marker={"color": "#888888", "symbol": "diamond-open", "size": 13},
            hovertemplate="%{y}<br>pooled %{x:.3f}",
        )
    name = NAMES[coefficient]
    figure.update_layout(
        size_layout(max(300, 90 + 26 * len(labels)), top=60),
        xaxis=axis(f"{name} with the reference" if coefficient != "kappa" else name),
        yaxis={"automargin": True, "autorange": "reversed"},
        legend=legend(),
    )
    return with_description(
        figure, " ".join([f"{name} of {enumerated(list(labels))}.", *across_sentences(result, coefficient)])
    )


def _label(row: Mapping[str, Any]) -> str:
    tau = "" if pd.isna(row["tau"]) else f", tau {row['tau']:g}"
    name = method_in_words(str(row["mode"]))
    return name if str(row["measure"]) in name else f"{name}, {row['measure']}{tau}"


def comparable(snapshots: Iterable[Snapshot]) -> list[Snapshot]:
    """The collections that have modes or printed columns, and a reference or judgments to compare them with."""
    return [
        snapshot
        for snapshot in snapshots
        if (references(snapshot) or qrels_ids(snapshot)) and (is_printed(snapshot) or matched_modes([snapshot]))
    ]

"""Slides and parts of the report: two leaderboards, two runs, pairs of runs, other questions, resampled ranks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from exam_core.aliases import in_words
from exam_core.analysis.choice import Evaluation
from exam_core.analysis.comparison import LABELS
from exam_core.analysis.other_labels import ROWS as CHANGED
from exam_core.analysis.uncertainty import ALPHA
from exam_core.charts.chart_layout import with_description, words_of
from exam_core.charts.query_differences import differences_figure
from exam_core.charts.strips import MANY
from exam_core.defaults import Sampling
from exam_core.errors import ExamboardError, UsageError
from exam_core.numbers.rank_correlations import NAMES
from exam_core.reports.part import Asking, PagePart, Part, ReportTable
from exam_core.slides.slide import PageSlide, Slide, SlideContext
from exam_core.wings.comparing import residuals, run_pairs, stability, stability_charts, two_boards
from exam_core.wings.comparing.cutoff_charts import cutoffs_figure
from exam_core.wings.comparing.cutoffs import SERIES_CUTOFFS, Cutoffs, advice_in_full, cutoffs_table
from exam_core.wings.comparing.of_figures import columns_beside, cutoffs_of, residuals_of, swaps_of
from exam_core.wings.comparing.swaps import SWAPPED
from exam_core.wings.comparing.whatif import whatif
from exam_core.wording import RELIABILITY, counted, number

OF_SIDE = {
    "bank": "bank",
    "grader": "mode",
    "measure": "measure",
    "depth": "depth",
    "tau": "tau",
    "label_rank": "label_rank",
}
"""What a side has of its own, and how the page's address ends that says it."""
ROOM = 8
"""Runs at each end of a leaderboard that a matrix in a room has: more names have no letters of their size."""
COEFFICIENTS = {NAMES[name]: name for name in ("spearman", "kendall", "tau_ap", "tau_ap_b")}
"""Of A with B, as the panel names them."""


def compare_slide(context: SlideContext) -> Slide:
    """What was chosen on the page Compare."""
    name = context.view.own("compare_what", two_boards.BOARDS)
    if name not in COMPARED:
        raise UsageError(f"Compare has no view {name}. There are: {', '.join(COMPARED)}.")
    return COMPARED[name](context)


def _boards(context: SlideContext) -> Slide:
    comparison, choices = _versus(context)
    names = context.names
    title_a, title_b = (context.titled(title, *choices) for title in (comparison.title_a, comparison.title_b))
    rows = context.shown(comparison.rows)
    known = comparison.correlation.set_index("coefficient")["value"]
    return Slide(
        takeaway=two_boards.agreement_sentence(comparison, title_a, title_b),
        figure=two_boards.ranks_figure(rows, title_a, title_b),
        table=rows.dropna(axis="columns", how="all"),
        of=two_boards.ROWS,
        ticks={label: float(known[name]) for label, name in COEFFICIENTS.items() if not np.isnan(known[name])},
        ticks_of="A and B",
        notes=(*comparison.notes, *(in_words(caveat, names) for caveat in comparison.caveats)),
    )


def _versus(context: SlideContext) -> tuple[two_boards.Versus, list[Evaluation]]:
    if context.figures.in_print:
        known = context.figures.series()
        first = context.view.own("compare_a_column", context.first)
        other = next((name for name in known if name != context.first), known[0])
        return context.ask(columns_beside, context.figures, first, context.view.own("compare_b_column", other)), []
    starts = two_boards.initial_sides(
        context.view.series, context.request.measure, context.figures.series(context.request.bank)
    )
    choices = []
    for side, (grader, measure) in zip("ab", starts, strict=True):
        names = {name: context.view.own(f"compare_{side}_{end}") for name, end in OF_SIDE.items()}
        begins = {"grader": names["grader"] or grader, "measure": names["measure"] or measure}
        if choice := context.figures.of(two_boards.request_of_side(context.request, names | begins)):
            choices.append(choice)
    return context.ask(two_boards.versus, context.figures.snapshot, *choices), choices


def _runs(context: SlideContext) -> Slide:
    context.refuse_print(two_boards.NOTHING_BY_QUERY)
    ranked = context.ask(context.figures.standing, context.first, context.request)["run_id"].tolist()
    result = context.ask(run_pairs.run_pair, context.figures.snapshot, context.choice, *_two_runs(context, ranked))
    a, b = result.run_a, result.run_b
    return Slide(
        takeaway=two_boards.difference_sentence(result, context.method),
        figure=differences_figure(
            result.rows, ahead=a, behind=b, interval=(result.difference, result.low, result.high)
        ),
        table=result.rows.dropna(axis="columns", how="all"),
        of=run_pairs.QUERIES,
        ticks={a: result.mean_a, b: result.mean_b, "difference": result.difference},
        notes=(f"A is {a}, B is {b}.", *result.notes),
    )


def _two_runs(context: SlideContext, runs: list[str]) -> tuple[str, str]:
    if len(runs) < 2:
        raise UsageError("There are fewer than two runs to compare.")
    a, b = (context.view.own(f"compare_run_{side}", runs[place]) for place, side in enumerate("ab"))
    if a == b:
        raise UsageError(two_boards.SAME_RUN)
    return a, b


def pairs_of_runs(context: SlideContext) -> Slide:
    """Which pairs of runs differ significantly; the matrix has as many runs as a room can read."""
    context.refuse_print(two_boards.NOTHING_BY_QUERY)
    result = context.ask(run_pairs.every_pair, context.figures.snapshot, context.choice)
    if result.pairs.empty:
        raise UsageError("There are fewer than two runs to compare.")
    baseline = context.view.own("compare_baseline")
    pairs = context.shown(result.pairs, "run_a", "run_b")
    beside = context.ask(run_pairs.against, context.figures.snapshot, context.choice, baseline) if baseline else None
    if beside:
        differences = beside.rows.loc[beside.rows["separable"], "difference"]
        better, worse = int((differences > 0).sum()), int((differences < 0).sum())
        text = (
            f"{better or 'none'} of {counted({'runs': len(beside.rows)})} are significantly better than "
            f"{beside.baseline}, {worse} worse"
        )
    else:
        all_runs = {*result.pairs["run_a"], *result.pairs["run_b"]}
        text = (
            f"{int(result.pairs['separable'].sum()) or 'none'} of {counted({'pairs': len(result.pairs)})} of "
            f"{counted({'runs': len(all_runs)})} differ significantly"
        )
    runs = list(dict.fromkeys([*pairs["run_a"], *pairs["run_b"]]))
    named_runs = {*runs, baseline} if len(runs) <= 2 * ROOM else {*runs[:ROOM], *runs[-ROOM:], baseline}
    drawn = pairs[pairs["run_a"].isin(named_runs) & pairs["run_b"].isin(named_runs)]
    shown = f" Shown: the first {ROOM} and the last {ROOM} runs." if len(runs) > 2 * ROOM else ""
    return Slide(
        takeaway=f"By {context.method}, {text} (paired t-test over the queries, p < {ALPHA} after Holm).{shown}",
        figure=run_pairs.wins_figure(drawn, baseline or None),
        table=context.shown(beside.rows) if beside else pairs,
        of=run_pairs.BASELINE if beside else run_pairs.PAIRS,
        notes=tuple(result.notes),
    )


def _without_questions(context: SlideContext) -> Slide:
    context.refuse_print(two_boards.NOTHING_BY_QUERY)
    drop = frozenset(context.view.address.get("whatif_off", ()))
    if not drop:
        raise UsageError("No question is switched off: choose some on the page Compare.")
    what_if = context.ask(whatif, context.figures.snapshot, context.choice, drop=drop)
    rows = context.shown(two_boards.before_and_after(what_if))
    off = what_if.enabled_before - what_if.enabled_after
    moved = int((what_if.rows["rank_change"].abs() > 0).sum())
    crossing = int(what_if.relabelled["crosses_tau"].sum())
    both = {"Kendall, with them": what_if.before, "Kendall, without them": what_if.after}
    return Slide(
        takeaway=f"Without {off:,} of {counted({'questions': what_if.enabled_before})} (B), {moved} of "
        f"{counted({'runs': len(what_if.rows)})} change "
        f"rank, and {counted({'passages cross': crossing})} tau.",
        figure=two_boards.ranks_figure(rows, two_boards.AS_IS, two_boards.WITHOUT),
        table=context.shown(what_if.rows).dropna(axis="columns", how="all"),
        of=CHANGED,
        ticks={text: row.correlation.kendall for text, row in both.items() if row},
        notes=(f"A: the leaderboard {two_boards.AS_IS}. B: {two_boards.WITHOUT}.", *what_if.notes),
    )


COMPARED: dict[str, Callable[[SlideContext], Slide]] = dict(
    zip(two_boards.WHAT, (_boards, _runs, pairs_of_runs, _without_questions), strict=True)
)
"""By what the page calls it."""


SLIDES = (PageSlide("Compare", compare_slide, 20),)


def _tau_part(asking: Asking) -> Part | None:
    if not asking.of_grades:
        return None
    cutoffs: dict[str, Cutoffs] = {}
    missing = []
    for name in asking.series:
        try:
            curve = asking.ask(cutoffs_of, asking.figures, asking.request, Sampling(), series=name)
            cutoffs[asking.called(name)] = curve
        except ExamboardError as error:
            missing.append(f"{name}: {error}")
    if not cutoffs:
        return Part("Every tau", missing=missing)
    rows = {name: curve.rows for name, curve in cutoffs.items()}
    sentences = [
        f"{name}: {' '.join(texts)}" for name, curve in cutoffs.items() if (texts := advice_in_full(curve, None))
    ]
    text = next(iter(rows)) if len(rows) >= MANY else None
    charts = {"cutoffs": cutoffs_figure(rows, measured=next(iter(cutoffs.values())).measure, highlighted=text)}
    table = ReportTable(cutoffs_table(cutoffs), SERIES_CUTOFFS, "Taus side by side")
    notes = [note for curve in cutoffs.values() for note in curve.notes]
    return Part("Every tau", sentences, charts, [table], notes, missing, is_early=True)


def _residuals_part(asking: Asking) -> Part | None:
    if not asking.has_reference:
        return None
    result = asking.ask(residuals_of, asking.figures, asking.series[0], asking.request)
    reference = asking.reference(result.reference)
    y = asking.titled(result.title, asking.choice())
    x = f"rank in {reference}" if result.of_ranks else reference
    figure = residuals.scatter_figure(result.rows, x=x, y=y, of_ranks=result.of_ranks, identity=result.identity)
    return Part(f"Run by run against {reference}", [], {"correlation": figure}, [], result.notes)


def _stability_part(asking: Asking) -> Part | None:
    choice = asking.choice()
    if choice is None:
        return None
    result = asking.ask(stability.stability, asking.figures.snapshot, choice)
    title = asking.titled(result.title, choice)
    charts = {"ranks": stability_charts.ranks_figure(result.rows, title)}
    text = f"{title}: the ranks over {result.draws:,} resamplings of the queries, seed {result.seed}."
    return Part("Stability of the ranks", [text], charts, [], result.notes)


def _swaps_part(asking: Asking) -> Part | None:
    if not asking.has_reference:
        return None
    swaps = asking.ask(swaps_of, asking.figures, asking.request, asking.series[0])
    title, reference = asking.titled(swaps.title, asking.choice()), asking.reference(swaps.reference)
    scores_of = reference if swaps.differences_of == "reference" else title
    figure = stability_charts.swaps_figure(swaps.rows, scores_of)
    return Part("Rank swaps", [f"{title} against {reference}. {words_of(figure)}"], {"swaps": figure})


def _boards_part(asking: Asking) -> Part | None:
    if len(asking.series) > 1 and (printed := asking.figures.in_print):
        choices = []
        comparison = asking.ask(columns_beside, printed, asking.series[0], asking.series[-1])
    elif len(asking.series) > 1 and asking.of_grades:
        choices = [asking.choice(), asking.choice(-1)]
        comparison = asking.ask(two_boards.versus, asking.figures.snapshot, *choices)
    else:
        return None
    a, b = (asking.titled(title, *choices) for title in (comparison.title_a, comparison.title_b))
    charts = {"compare": two_boards.ranks_figure(comparison.rows, a, b)}
    rows = comparison.correlation.assign(coefficient=comparison.correlation["coefficient"].map(LABELS))
    tables = [
        ReportTable(rows, two_boards.CORRELATION, f"How well A and B agree, {comparison.n} runs"),
        ReportTable(comparison.pairs, two_boards.PAIRS, "Pairs of runs by their order"),
    ]
    return Part("Two leaderboards", [f"A: {a}. B: {b}."], charts, tables, comparison.caveats)


PARTS = (
    PagePart("Every tau", _tau_part, 0),
    PagePart("Run by run", _residuals_part, 10),
    PagePart("Stability of the ranks", _stability_part, 20),
    PagePart("Rank swaps", _swaps_part, 30),
    PagePart("Two leaderboards", _boards_part, 50),
)


def stability_slide(context: SlideContext) -> Slide:
    """The analysis whose tab was open, else the ranks; of print, the swapped pairs."""
    return STABILITY.get(SWAPS if context.figures.in_print else context.view.own("stability_view"), _ranks)(context)


def _ranks(context: SlideContext) -> Slide:
    result = context.ask(stability.stability, context.figures.snapshot, context.choice)
    text, rows = stability_charts.ranks_alternative(result.rows), context.shown(result.rows)
    figure = with_description(stability_charts.ranks_figure(rows), text)
    ranks = stability.RANKS.changed(mean={"label": context.heading})
    known = result.rows[result.rows["rank"].notna()]
    if len(known):
        text = stability.first_and_width(known, "resamplings of the queries", f" by {context.method}")
    return context.slide(text, figure, rows, ranks, notes=tuple(result.notes))


def _curve(of: str, context: SlideContext) -> Slide:
    result = context.ask(stability.size_curve, context.figures.snapshot, context.choice, of=of)
    label = context.view.own("stability_coefficient", stability_charts.COEFFICIENTS["kendall"])
    if label not in stability_charts.BY_LABEL:
        raise UsageError(f"There is no coefficient {label}. There are: {', '.join(stability_charts.BY_LABEL)}.")
    name = stability_charts.BY_LABEL[label]
    sizes = stability.SIZE_ROWS.changed(size={"label": stability_charts.SIZES[of].capitalize()})
    figure = stability_charts.curve_figure(result.rows, of, name, called=context.names)
    text = _size_sentence(result, context.titled(result.title, context.choice), label, name)
    return context.slide(text, figure, result.rows, sizes, notes=tuple(result.notes))


def _size_sentence(result: stability.SizeCurve, title: str, label: str, name: str) -> str:
    rows = result.rows.dropna(subset=[name])
    what = "questions a query" if result.of == "bank-size" else "queries"
    if rows.empty:
        return f"{title} with fewer {what}."
    rows = rows[rows["against"] == rows["against"].iloc[0]].sort_values("size")
    few, many = rows.iloc[0], rows.iloc[-1]
    return (
        f"{label} is {number(few[name])} with {few['size']:g} {what}, and {number(many[name])} with {many['size']:g} "
        f"({title})."
    )


def _swaps(context: SlideContext) -> Slide:
    result = context.ask(swaps_of, context.figures, context.request, context.first)
    title = context.titled(result.title, context.figures.of(context.request.of(context.first)))
    reference = context.reference(result.reference)
    text = (
        f"{title} and {reference} swap {result.swaps:,} of "
        f"{counted({'pairs': result.pairs})} of {counted({'runs': result.n})}."
    )
    figure = stability_charts.swaps_figure(result.rows, reference if result.differences_of == "reference" else title)
    return context.slide(text, figure, result.swapped, SWAPPED, notes=tuple(result.notes))


SWAPS = "Rank swaps"


STABILITY: dict[str, Callable[[SlideContext], Slide]] = {
    "Fewer questions": partial(_curve, "bank-size"),
    "Fewer queries": partial(_curve, "queries"),
    "Pairs of runs": pairs_of_runs,
    SWAPS: _swaps,
}
"""By what the page calls it."""


RELIABILITY_SLIDES = (PageSlide(RELIABILITY, stability_slide, 80, former=("Stability", "How sure is the order?")),)

"""Charts, slides and report parts of generated answers and nuggets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from exam_core.aliases import in_words
from exam_core.analysis.contents import names_of
from exam_core.charts import chart_layout
from exam_core.charts.leaderboard_lines import escape_name, on_axis
from exam_core.errors import UsageError
from exam_core.reports.part import Asking, PagePart, Part, ReportTable
from exam_core.slides.slide import PageSlide, Slide, SlideContext
from exam_core.table_text import as_text
from exam_core.wings.neighbours.measures import CONVENTIONS
from exam_core.wings.neighbours.nrp import SCORES as RANKED
from exam_core.wings.neighbours.nrp import SYSTEMS, NrpResult, expert_agreement, nrp, options_in, stored_orders
from exam_core.wings.neighbours.nuggets import NO_NUGGETS, ImportanceEffect, Nuggets, are_nuggets, has_nuggets, nuggets
from exam_core.wings.neighbours.nuggets import RUN_SCORES as SCORES
from exam_core.wings.neighbours.ranking import NO_RANKS, rankers_of
from exam_core.wording import counted, number

SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "star", "hexagon", "triangle-down")
NRP = (0.0, 1.0)
"""The range of NRP."""
_WIDTH = 0.8
"""Width of a system's column, from 0 to 1."""


def strip_figure(
    queries: pd.DataFrame, rows: pd.DataFrame, systems: Sequence[str], prompts: Sequence[str]
) -> go.Figure:
    """Draw each query's value as a point, a strip for each system and prompt, with the means and their intervals.

    `queries` has system, prompt, query_id and value; `rows` system, prompt, mean, low, high and n_queries, one for each
    strip; `systems` and `prompts` are in the order of the columns, and of the strips in each.
    """
    figure = go.Figure()
    column = {name: place for place, name in enumerate(systems)}
    step = _WIDTH / len(prompts)
    for place, prompt in enumerate(prompts):
        middle = (place - (len(prompts) - 1) / 2) * step
        points, means = (frame[frame["prompt"] == prompt] for frame in (queries, rows))
        # Each query is at its own place in all strips; the golden ratio spreads neighbours apart, without chance.
        order = points["query_id"].rank(method="dense").to_numpy(float)
        beside = 2 * ((order * 0.6180339887) % 1) - 1
        x = points["system"].map(column).to_numpy(float) + middle + beside * step * 0.35
        figure.add_scatter(
            x=x,
            y=points["value"],
            mode="markers",
            name=escape_name(prompt),
            legendgroup=prompt,
            showlegend=False,
            marker={"size": 4, "color": chart_layout.translucent(place, 0.45)},
            customdata=np.stack(
                [points[name].map(escape_name).to_numpy(object) for name in ("system", "query_id")], axis=-1
            ),
            hovertemplate=f"%{{customdata[0]}}, {escape_name(prompt)}<br>"
            "query %{customdata[1]}: %{y:.4f}<extra></extra>",
        )
        figure.add_scatter(
            x=means["system"].map(column).to_numpy(float) + middle,
            y=means["mean"],
            error_y=_error(means),
            mode="markers",
            name=escape_name(prompt),
            legendgroup=prompt,
            marker=_mark(place) | {"line": {"width": 1, "color": chart_layout.QUIET}},
            customdata=np.stack([means["system"].map(escape_name).to_numpy(object), means["n_queries"]], axis=-1),
            hovertemplate=f"%{{customdata[0]}}, {escape_name(prompt)}<br>mean %{{y:.4f}} of %{{customdata[1]}} queries"
            "<extra></extra>",
        )
    figure.update_xaxes(
        chart_layout.name_axis(list(map(escape_name, systems)), range=[-0.6, len(systems) - 0.4], showgrid=False)
    )
    figure.update_yaxes(title="NRP", automargin=True, **chart_layout.bounded(NRP))
    legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "title": {"text": "Prompt"}}
    figure.update_layout(height=460, margin={"t": 40}, legend=legend)
    best, worst = rows.loc[rows["mean"].idxmax()], rows.loc[rows["mean"].idxmin()]
    return chart_layout.with_description(
        figure,
        f"NRP of {rows['system'].nunique()} systems with {rows['prompt'].nunique()} prompts, a point for each of "
        f"{queries['query_id'].nunique()} queries, with means and 95% intervals. Highest mean: {best['system']} with "
        f"{best['prompt']}, {best['mean']:.4f}. Lowest: {worst['system']} with {worst['prompt']}, {worst['mean']:.4f}.",
    )


def _mark(place: int) -> dict[str, Any]:
    return {"size": 11, "symbol": SYMBOLS[place % len(SYMBOLS)], "color": chart_layout.colour(place)}


def size_figure(rows: pd.DataFrame, prompt: str) -> go.Figure:
    """Draw NRP against the number of parameters, on a logarithmic axis; systems of unknown size are left out.

    `rows` has system, mean, low, high and parameters (NaN for unknown), all of `prompt`.
    """
    shown = rows[rows["parameters"].notna()].sort_values("parameters")
    figure = go.Figure()
    for place in range(len(shown)):
        row = shown.iloc[[place]]
        figure.add_scatter(
            x=row["parameters"],
            y=row["mean"],
            error_y=_error(row),
            mode="markers",
            name=escape_name(row["system"].iloc[0]),
            marker=_mark(place),
            hovertemplate="%{x:.3s} parameters, NRP %{y:.4f}",
        )
    figure.update_xaxes(title="Parameters (logarithmic)", type="log", automargin=True)
    figure.update_yaxes(title="NRP", automargin=True, **chart_layout.bounded(NRP))
    figure.update_layout(height=420, margin={"t": 30}, showlegend=True)
    each = ", ".join(f"{row.system} ({row.parameters:.3g}) {row.mean:.4f}" for row in shown.itertuples())
    unknown = rows.loc[rows["parameters"].isna(), "system"].tolist()
    left_out = f" Unknown size: {', '.join(unknown)}." if unknown else ""
    words = f"NRP with the prompt {prompt} against the number of parameters: {each}.{left_out}"
    return chart_layout.with_description(figure, words)


def flow_figure(places: pd.DataFrame, flows: pd.DataFrame, kinds: Sequence[str], side: str) -> go.Figure:
    """Draw which kind is at which place and which one follows, for one order of each task; figure 3 of the paper.

    `places` has place, kind and items; `flows` place, kind, next_kind and items; both of one `side`. `kinds` are those
    of both sides, so that each keeps its colour.
    """
    nodes = {(row.place, row.kind): node for node, row in enumerate(places.itertuples())}
    colours = {kind: place for place, kind in enumerate(kinds)}
    last = max(int(places["place"].max()), 2)
    # The middle of each node between 0 (top) and 1, the most frequent of a place on top.
    heights: list[float] = []
    for _, group in places.groupby("place", sort=True):
        shares = group["items"] / group["items"].sum()
        heights += ((shares.cumsum() - shares / 2).clip(0.001, 0.999)).tolist()
    figure = go.Figure()
    figure.add_sankey(
        arrangement="snap",
        node={
            "label": [f"{escape_name(row.kind)} ({row.items})" for row in places.itertuples()],
            "color": [chart_layout.colour(colours[kind]) for kind in places["kind"]],
            # Plotly takes 0 and 1 for unset.
            "x": [0.001 + 0.998 * (row.place - 1) / (last - 1) for row in places.itertuples()],
            "y": heights,
            "pad": 12,
            "thickness": 14,
            "hovertemplate": "%{label}<extra></extra>",
        },
        link={
            "source": [nodes[row.place, row.kind] for row in flows.itertuples()],
            "target": [nodes[row.place + 1, row.next_kind] for row in flows.itertuples()],
            "value": flows["items"],
            "color": [chart_layout.translucent(colours[kind], 0.35) for kind in flows["kind"]],
            "hovertemplate": "%{source.label} before %{target.label}: %{value}<extra></extra>",
        },
    )
    figure.update_layout(height=340, margin={"t": 30, "b": 20, "l": 10, "r": 10})
    above = {"y": 1.02, "yanchor": "bottom", "showarrow": False, "xref": "paper", "yref": "paper"}
    for place in range(1, last + 1):
        figure.add_annotation(x=(place - 1) / (last - 1), text=str(place), **above)
    each = [
        f"place {place}: " + ", ".join(f"{row.kind} ({row.items})" for row in group.itertuples())
        for place, group in places.groupby("place")
    ]
    return chart_layout.with_description(figure, f"How the {side} orders: {'; '.join(each)}.")


def _error(rows: pd.DataFrame) -> dict[str, Any]:
    """Return error bars from the mean to both ends; none where there is no interval."""
    ends = (rows[name].fillna(rows["mean"]) for name in ("low", "high"))
    return chart_layout.bars(rows["mean"], *ends, thickness=1.5, width=3)


ROW = 34
SHARES = {"vital": "Vital", "weighted": "Weighted", "all": "All"}


def scores_figure(rows: pd.DataFrame) -> go.Figure:
    """Draw each run's strict score on the lenient one, for vital, weighted and all nuggets; `rows` are best first."""
    figure = make_subplots(
        cols=len(SHARES), shared_yaxes=True, horizontal_spacing=0.06, subplot_titles=list(SHARES.values())
    )
    names = [escape_name(name) for name in rows["run_id"]]
    places = list(range(len(rows)))
    for column, name in enumerate(SHARES, 1):
        for strict, width in ((False, 0.8), (True, 0.45)):
            figure.add_bar(
                x=rows[f"{'strict_' if strict else ''}{name}_score"],
                y=places,
                orientation="h",
                width=width,
                name="support alone (strict)" if strict else "partial support as half",
                showlegend=column == 1,
                legendgroup="strict" if strict else "lenient",
                marker={
                    "color": chart_layout.colour(0) if strict else chart_layout.QUIET,
                    "pattern": {"shape": "" if strict else "/"},
                },
                customdata=names,
                hovertemplate="%{customdata}<br>%{x:.3f}",
                row=1,
                col=column,
            )
    figure.update_xaxes(range=[0, 1], automargin=True, zeroline=False)
    figure.update_xaxes(title="share of nuggets supported", col=2)  # three titles would cover each other on a telephone
    figure.update_yaxes(range=[len(rows) - 0.4, -0.6], automargin=True, zeroline=False, showgrid=False)
    figure.update_yaxes(tickmode="array", tickvals=places, ticktext=on_axis(rows["run_id"]), col=1)
    figure.update_layout(
        barmode="overlay",
        legend=chart_layout.at_edge(top=False),
        margin=chart_layout.margin() | {"b": 80},
        height=180 + ROW * len(rows),
    )
    return chart_layout.with_description(figure, scores_alternative(rows))


def scores_alternative(rows: pd.DataFrame) -> str:
    """Describe the nugget scores in words."""
    known = rows.dropna(subset=["strict_vital_score"])
    if known.empty:
        return "No run has a vital score."
    best = known.iloc[0]
    return (
        f"Nugget scores of {counted({'runs': len(rows)})}. By support of vital nuggets alone {best['run_id']} leads "
        f"with {best['strict_vital_score']:.3f}, {best['vital_score']:.3f} with partial support as half."
    )


def taus_figure(kendall: Sequence[float], fixed: dict[str, float]) -> go.Figure:
    """Draw how often Kendall's tau-b of a shuffle's leaderboard with the unchanged one has a value.

    `fixed` has tau-b of other labels, by their names; one that is undefined has no line.
    """
    figure = go.Figure()
    figure.add_histogram(
        x=kendall,
        xbins={"start": -1.025, "end": 1.025, "size": 0.05},
        name="shuffles",
        marker={"color": chart_layout.colour(0)},
    )
    for place, (name, tau) in enumerate(fixed.items()):
        if not pd.isna(tau):
            figure.add_vline(
                x=tau,
                line={"dash": ("dash", "dot")[place % 2], "width": 2},
                annotation={"text": f"{name} {tau:.2f}", "yshift": -14 * place},
            )
    figure.update_layout(
        chart_layout.size_layout(320, top=30, above=None),
        xaxis={"title": "Kendall's tau-b with the unchanged leaderboard", "range": [-1.05, 1.05], "automargin": True},
        yaxis={"title": "shuffles", "automargin": True},
        bargap=0.05,
    )
    known = pd.Series(kendall, dtype=float).dropna()
    if known.empty:
        return chart_layout.with_description(figure, "No shuffled leaderboard can be compared with the unchanged one.")
    return chart_layout.with_description(
        figure,
        f"Kendall's tau-b of {len(known):,} shuffles with the unchanged leaderboard: mean {known.mean():.3f}, "
        f"from {known.min():.3f} to {known.max():.3f}.",
    )


def highest(nrp_result: NrpResult) -> str:
    """Say which system's answers rank highest over all prompts, and which lowest."""
    best, last = nrp_result.systems.iloc[0], nrp_result.systems.iloc[-1]
    below = f"; lowest are those of {last['system']}, {number(last['mean'], '.3f')}"
    return (
        f"Answers of {best['system']} rank highest among the judged documents: NRP {number(best['mean'], '.3f')} (95% "
        f"interval {number(best['low'], '.3f')} to {number(best['high'], '.3f')}) over "
        f"{counted({'queries': best['n_queries']})}{below if len(nrp_result.systems) > 1 else ''}."
    )


ODD_LABELS = (
    "Labels that are none of support, partial_support, not_support. A nugget with no other label counts as not found:"
)
SHOWN = 20
"""Odd labels below a table; JSON has them all."""


def nuggets_lines(result: Nuggets) -> list[str]:
    """Return notes and odd labels."""
    lines = list(result.notes)
    if len(result.dirty):
        lines += ["", ODD_LABELS, as_text(result.dirty.head(SHOWN), "table")]
        if len(result.dirty) > SHOWN:
            lines.append(f"... and {len(result.dirty) - SHOWN:,} more; --format json has all.")
    return lines


def variability_lines(importance_effect: ImportanceEffect) -> list[str]:
    """Return how far the leaderboards of other labels are from the unchanged one."""
    return [
        "Kendall's tau-b with the unchanged leaderboard:",
        as_text(importance_effect.variants, "table"),
        f"{importance_effect.draws:,} shuffles of vital and okay within each query, seed {importance_effect.seed}.",
        *importance_effect.notes,
    ]


def most_vital(rows: pd.DataFrame) -> str:
    """Say which run supports the largest share of vital nuggets, and by how much it leads."""
    known = rows.dropna(subset=["strict_vital_score"])
    if known.empty:
        return scores_alternative(rows)
    best, *others = known.groupby("strict_vital_score", sort=False)["run_id"].agg(", ".join).items()
    beside = "".join(f"; next: {runs}, {share:.0%}" for share, runs in others[:1])
    return (
        f"{best[1]}: {best[0]:.0%} of the vital nuggets supported (mean over "
        f"{counted({'queries': known['n_queries'].iloc[0]})}){beside}."
    )


def nugget_scores(context: SlideContext) -> Slide:
    """Make the slide of nugget scores; UsageError where there are no grades, or none of nuggets."""
    if not context.of_grades:
        raise UsageError("Nugget scores need grades: choose a measure of grades, in a collection that has them.")
    snapshot, labelling = context.figures.snapshot, context.choice.labelling
    names = names_of(snapshot)
    grader = names.get(context.first, context.first)
    if not context.ask(are_nuggets, snapshot, labelling):
        raise UsageError(NO_NUGGETS.format(grader))
    result = context.ask(nuggets, snapshot, labelling)
    rows = context.shown(result.rows)
    return Slide(
        takeaway=most_vital(rows),
        figure=scores_figure(rows),
        table=rows,
        of=SCORES,
        notes=tuple(in_words(note, names) for note in result.notes),
        settings=f"{snapshot.collection}, bank {labelling.grading.bank}, graded by {grader}, depth {labelling.depth}",
    )


def ranked_answers(context: SlideContext) -> Slide:
    """Make the slide of how high each system's answers rank among judged documents; UsageError without ranks."""
    snapshot = context.figures.snapshot
    known = context.ask(rankers_of, snapshot)
    if not known:
        raise UsageError(NO_RANKS.format(snapshot.collection))
    options = options_in(context.request.measure)
    ranker = (options.ranker if options else context.view.own("generated_ranker")) or known[0]
    convention = options.convention if options else context.view.own("generated_convention", CONVENTIONS[0])
    nrp_result = context.ask(nrp, snapshot, ranker=ranker, convention=convention)
    ticks = {}
    if context.ask(stored_orders, snapshot):
        agreement = context.ask(expert_agreement, snapshot)
        ticks = {"RBO with expert": agreement.rbo, "Kendall with expert": agreement.kendall}
    systems, prompts = nrp_result.systems["system"].tolist(), sorted(nrp_result.rows["prompt"].unique())
    return Slide(
        takeaway=highest(nrp_result),
        figure=strip_figure(nrp_result.queries, nrp_result.rows, systems, prompts),
        table=nrp_result.rows,
        of=RANKED,
        ticks=ticks,
        notes=tuple(nrp_result.notes),
        settings=(
            f"{snapshot.collection}, ranked by {ranker}, convention {convention}; a small mark is a query, a large one "
            "the mean with its 95% interval"
        ),
    )


SLIDES = (
    PageSlide("Nuggets", nugget_scores, 40, takes=has_nuggets),
    PageSlide("Generated answers", ranked_answers, 50, takes=lambda snapshot: bool(rankers_of(snapshot))),
)


def _nuggets(asking: Asking) -> Part | None:
    choice = asking.choice() if asking.of_grades else None
    if choice is None or not asking.ask(are_nuggets, asking.figures.snapshot, choice.labelling):
        return None
    result = asking.ask(nuggets, asking.figures.snapshot, choice.labelling)
    table = ReportTable(result.rows, SCORES, "Nugget scores of each run")
    return Part("Nuggets", [], {}, [table], result.notes)


def _answers(asking: Asking) -> Part | None:
    snapshot = asking.figures.snapshot
    known = asking.ask(rankers_of, snapshot)
    if not known:
        return None
    nrp_result = asking.ask(nrp, snapshot, ranker=known[0], convention="released")
    caption = f"NRP of each system, ranked by {nrp_result.ranker or 'the only ranker'}"
    table = ReportTable(nrp_result.systems, SYSTEMS, caption)
    return Part("Generated answers", [], {}, [table], nrp_result.notes)


REPORT_PARTS = (PagePart("Nuggets", _nuggets, 70), PagePart("Generated answers", _answers, 80))

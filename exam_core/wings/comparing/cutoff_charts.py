"""Charts and slides of every tau: correlation, standard error, separable pairs and kappa."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from exam_core.analysis.comparison import LABELS
from exam_core.analysis.contents import is_graded
from exam_core.charts.chart_layout import QUIET, at_edge, colour, dash, size_layout, translucent, with_description
from exam_core.charts.leaderboard_lines import SYMBOLS, escape_name, wrapped
from exam_core.charts.strips import MANY
from exam_core.defaults import Sampling
from exam_core.errors import UsageError
from exam_core.slides.slide import PageSlide, Slide, SlideContext
from exam_core.store.summary import graded_banks
from exam_core.wings.comparing.cutoffs import SERIES_CUTOFFS, advice, closest_taus, cutoffs_table
from exam_core.wings.comparing.of_figures import cutoffs_of, residuals_of
from exam_core.wings.comparing.residuals import farthest, scatter_figure
from exam_core.wording import METHODS, plain_number

PANEL = 175
"""Height of a panel in pixels."""
ACROSS = 3
"""Measures side by side: as many as can be read on a telephone."""
BAND = 0.16
LAST = 2000
"""Place in a legend behind all that has none of its own."""
COEFFICIENTS = {name: LABELS[name] for name in ("kendall", "spearman", "tau_ap", "tau_ap_b")}


@dataclass(frozen=True)
class _Panel:
    """A quantity against tau: a column, with a band if `..._low` and `..._high` stand beside it; perhaps a second one.

    An axis that begins at 0 makes small differences look small. Kappa is of the labels, and not `of_measure`.
    """

    column: str
    title: str
    form: str
    second: str = ""
    from_zero: bool = False
    of_measure: bool = True

    @property
    def ends(self) -> list[str]:
        return [f"{self.column}_low", f"{self.column}_high"]

    def is_drawn(self, rows: Mapping[str, pd.DataFrame]) -> bool:
        return any(frame[self.column].notna().any() for frame in rows.values())


def _panels(coefficient: str) -> list[_Panel]:
    return [
        _Panel(coefficient, COEFFICIENTS[coefficient], ".3f"),
        _Panel("stderr", "standard error", ".3f", from_zero=True),
        _Panel("separable_bars", "separable pairs", ".0%", second="separable_t", from_zero=True),
        _Panel("kappa", "Cohen's kappa", ".3f", of_measure=False),
    ]


def cutoffs_figure(
    rows: Mapping[str, pd.DataFrame],
    *,
    coefficient: str = "kendall",
    tau: float | None = None,
    measured: str = "",
    highlighted: str | None = None,
    order: Sequence[str] = (),
) -> go.Figure:
    """A panel for each quantity, with tau from left to right; a panel without any value is left out.

    Parameters
    ----------
    rows : by series name: tau, the coefficient, stderr, separable_bars, separable_t, kappa, recommended; the
        coefficient and kappa with the ends of their intervals
    coefficient : a key of `COEFFICIENTS`
    tau : the one that is in use, marked by a line
    highlighted : the series that stands out from the others, which are grey; without one all have their colours
    order : all series, drawn here or not, in the order that gives them their colours; empty takes those of the chart

    The custom data of a point end with its series.
    """
    panels = [panel for panel in _panels(coefficient) if panel.is_drawn(rows)]
    figure = make_subplots(rows=max(1, len(panels)), shared_xaxes=True, vertical_spacing=0.035)
    first = highlighted or next(iter(rows), "")
    for row, panel in enumerate(panels, 1):
        for place, name in _places(list(rows), highlighted, order):
            _add_series(figure, row, place, name, rows[name], panel)
            if row == 1 and place is not None:
                _add_recommended(figure, place, rows[name], panel.column, named=name == first)
                _name_directly(figure, place, rows[name], panel.column, name if highlighted else "")
        ticks = panel.form if "%" in panel.form else None
        figure.update_yaxes(
            # In two lines: a panel is low.
            title=panel.title + (f"<br>of {escape_name(measured)}" if measured and panel.of_measure else ""),
            automargin=True,
            zeroline=False,
            tickformat=ticks,
            rangemode="tozero" if panel.from_zero else "normal",
            row=row,
        )
        if panel.second:
            figure.add_annotation(
                text="filled: error bars don't overlap; open: t-tests",
                xref="x domain",
                yref="y domain",
                x=1,
                y=1,
                xanchor="right",
                yanchor="top",
                showarrow=False,
                font={"size": 12},
                row=row,
                col=1,
            )
    _tau_axes(figure, rows, tau)
    figure.update_xaxes(title="tau (smallest grade that counts)", row=max(1, len(panels)))
    figure.update_layout(size_layout(80 + PANEL * max(1, len(panels)), top=60), legend=at_edge())
    return with_description(figure, cutoffs_alternative(rows, coefficient=coefficient))


def _places(names: list[str], highlighted: str | None, order: Sequence[str]) -> list[tuple[int | None, str]]:
    """Series with the places that give them their looks; grey ones have none, and are drawn first."""
    known = list(dict.fromkeys([*order, *names]))
    own = sorted((known.index(name), name) for name in names)
    if highlighted is None:
        return list(own)
    others: list[tuple[int | None, str]] = [(None, name) for _, name in own if name != highlighted]
    return [*others, *((place, name) for place, name in own if name == highlighted)]


def _name_directly(figure: go.Figure, place: int, frame: pd.DataFrame, column: str, name: str) -> None:
    """The name of the series that stands out, above its last point."""
    known = frame[frame[column].notna()]
    if name and len(known):
        last, first = known.iloc[-1], len(known) == 1 and known["tau"].iloc[0] == 1
        figure.add_annotation(
            x=last["tau"],
            y=last[column],
            text=wrapped(name),
            xanchor="left" if first else "right",
            yanchor="bottom",
            yshift=12,
            showarrow=False,
            font={"color": colour(place), "size": 13},
            row=1,
            col=1,
        )


def _add_series(figure: go.Figure, row: int, place: int | None, name: str, frame: pd.DataFrame, panel: _Panel) -> None:
    """Band, line and, with open symbols, the second line of a series; of a grey one the line alone."""
    title = wrapped(name)
    banded = all(end in frame for end in panel.ends)
    if banded and place is not None:
        known = frame.dropna(subset=panel.ends)
        low, high = (known[end] for end in panel.ends)
        figure.add_scatter(
            x=[*known["tau"], *known["tau"][::-1]],
            y=[*high, *low[::-1]],
            fill="toself",
            fillcolor=translucent(place, BAND),
            mode="lines",
            line={"width": 0, "color": colour(place)},
            showlegend=False,
            hoverinfo="skip",
            row=row,
            col=1,
        )
    text = f"<br>95%: %{{customdata[0]:{panel.form}}} to %{{customdata[1]:{panel.form}}}" if banded else ""
    figure.add_scatter(
        x=frame["tau"],
        y=frame[panel.column],
        name=title,
        legendgroup=title,
        showlegend=row == 1 and place is not None,
        **_line(place),
        customdata=[[*ends, name] for ends in frame[panel.ends if banded else []].to_numpy()],
        hovertemplate=f"%{{fullData.name}}<br>tau %{{x}}: %{{y:{panel.form}}}{text}<extra></extra>",
        row=row,
        col=1,
    )
    if panel.second and place is not None:
        figure.add_scatter(
            x=frame["tau"],
            y=frame[panel.second],
            name=title,
            legendgroup=title,
            showlegend=False,
            **_line(place, second=True),
            hovertemplate=f"%{{fullData.name}}<br>tau %{{x}}: %{{y:{panel.form}}} by t-tests<extra></extra>",
            row=row,
            col=1,
        )


def _line(place: int | None, *, second: bool = False) -> dict[str, Any]:
    """How a series is drawn; its second line is thinner, with open symbols. Without a place it is grey."""
    if place is None:
        return {
            "mode": "lines+markers",
            "line": {"color": QUIET, "width": 1},
            "marker": {"symbol": "circle", "size": 5, "color": QUIET},
        }
    symbol = SYMBOLS[place % len(SYMBOLS)]
    return {
        "mode": "lines+markers",
        "line": {"color": colour(place), "dash": dash(place), "width": 1 if second else 2},
        "marker": {"symbol": f"{symbol}-open" if second else symbol, "size": 8, "color": colour(place)},
    }


def _add_recommended(figure: go.Figure, place: int, frame: pd.DataFrame, column: str, *, named: bool) -> None:
    """A star around the recommended tau."""
    best = frame[frame["recommended"]]
    figure.add_scatter(
        x=best["tau"],
        y=best[column],
        name="recommended",
        legendgroup="recommended",
        legendrank=LAST,
        showlegend=named,
        mode="markers",
        marker={"symbol": "star-open", "size": 22, "color": colour(place), "line": {"width": 2}},
        hoverinfo="skip",
        row=1,
        col=1,
    )


def _tau_axes(figure: go.Figure, rows: Mapping[str, pd.DataFrame], tau: float | None) -> None:
    taus = sorted({int(table) for frame in rows.values() for table in frame["tau"]}) or [1]
    figure.update_xaxes(
        tickmode="array", tickvals=taus, range=[taus[0] - 0.3, taus[-1] + 0.3], automargin=True, zeroline=False
    )
    if tau in taus:
        figure.add_vline(x=tau, line={"width": 1, "dash": "dot", "color": QUIET})


def cutoffs_alternative(rows: Mapping[str, pd.DataFrame], *, coefficient: str = "kendall") -> str:
    """The chart in words: each quantity from the smallest tau to the largest."""
    sentences = []
    for name, frame in rows.items():
        for panel in _panels(coefficient):
            known = frame[frame[panel.column].notna()]
            if known.empty:
                continue
            values = ", ".join(
                f"{value:{panel.form}} at tau {tau}"
                for tau, value in zip(known["tau"], known[panel.column], strict=True)
            )
            sentences.append(f"{name}, {panel.title}: {values}.")
        best = frame.loc[frame["recommended"], "tau"]
        sentences += [f"{name}: tau {tau} is recommended." for tau in best]
    return " ".join(sentences) or "No tau has a value."


def multiples_figure(rows: pd.DataFrame, measures: list[str], *, coefficient: str) -> go.Figure:
    """Correlation against tau, a small panel for each measure in reading order, all with the same axes.

    `rows` have series, measure, tau and the coefficient; NaN leaves a gap.
    """
    across = max(1, min(ACROSS, len(measures)))
    down = max(1, -(-len(measures) // across))
    figure = make_subplots(
        rows=down,
        cols=across,
        shared_xaxes="all",
        shared_yaxes="all",
        subplot_titles=[escape_name(measure) for measure in measures],
        vertical_spacing=0.3 / (down + 1),
        horizontal_spacing=0.03,
    )
    names = list(dict.fromkeys(rows["series"]))
    for number, measure in enumerate(measures):
        for place, name in enumerate(names):
            mine = rows[(rows["measure"] == measure) & (rows["series"] == name)]
            figure.add_scatter(
                x=mine["tau"],
                y=mine[coefficient],
                name=escape_name(name),
                legendgroup=escape_name(name),
                showlegend=number == 0 and len(names) > 1,
                **_line(place),
                hovertemplate=f"%{{fullData.name}}<br>{escape_name(measure)}, tau %{{x}}: %{{y:.3f}}<extra></extra>",
                row=number // across + 1,
                col=number % across + 1,
            )
    _tau_axes(figure, {"": rows}, None)
    figure.update_xaxes(title="tau", row=down)
    figure.update_yaxes(automargin=True, zeroline=False, range=_around(rows[coefficient]))
    figure.update_yaxes(title=COEFFICIENTS[coefficient], col=1)
    figure.update_layout(size_layout(90 + (PANEL + 20) * down, top=60 if len(names) > 1 else 30), legend=at_edge())
    return with_description(figure, multiples_alternative(rows, measures, coefficient=coefficient))


def _around(values: pd.Series) -> list[float]:
    """An axis that holds all values with a little room; without one, the positive correlations."""
    if not values.notna().any():
        return [0.0, 1.0]
    room = 0.05 + 0.05 * (values.max() - values.min())
    return [float(values.min() - room), float(values.max() + room)]


def multiples_alternative(rows: pd.DataFrame, measures: list[str], *, coefficient: str) -> str:
    """The chart in words: where each measure's correlation is best."""
    sentences = []
    for name, mine in rows.groupby("series", sort=False):
        for measure in measures:
            known = mine[(mine["measure"] == measure) & mine[coefficient].notna()]
            if known.empty:
                sentences.append(f"{name}, {measure}: undefined.")
                continue
            best, least = known.loc[known[coefficient].idxmax()], known[coefficient].min()
            sentences.append(
                f"{name}, {measure}: best {best[coefficient]:.3f} at tau {best['tau']}, least {least:.3f}."
            )
    return f"{COEFFICIENTS[coefficient]} by measure and tau. " + " ".join(sentences)


def methods(context: SlideContext) -> Slide:
    """What each tau trades off; where nothing can be cut, runs beside the reference."""
    cut = context.of_grades and is_graded(context.figures.snapshot)
    return (cutoffs if cut else correlation)(context)


def cutoffs(context: SlideContext) -> Slide:
    """What each tau trades off, and which held-out queries recommend."""
    if not context.of_grades:
        raise UsageError("Taus need grades: choose a measure of grades, in a collection that has them.")
    result = {
        name: context.ask(cutoffs_of, context.figures, context.request, Sampling(), series=name)
        for name in context.view.series
        if name in context.comparison.boards
    }
    first = result[context.first] if context.first in result else next(iter(result.values()))
    tau = context.choice.tau
    names = context.comparison.names
    called = {names.get(name, name): curve for name, curve in result.items()}
    rows = {name: curve.rows for name, curve in called.items()}
    coefficient = context.view.own("cutoffs_coefficient", "Kendall").lower()
    text = names.get(context.first, context.first) if len(rows) >= MANY else None
    figure = cutoffs_figure(rows, coefficient=coefficient, tau=tau, measured=context.heading, highlighted=text)
    message = first.of_itself or next(iter(advice(first, tau).values()), f"{context.heading} at every tau.")
    if closest := closest_taus(result, context.names):
        message = closest
    elif len(called) > 1:
        message = f"{names.get(context.first, context.first)}: {message[0].lower()}{message[1:]}"
    table = cutoffs_table(called).dropna(axis="columns", how="all")
    notes = tuple(dict.fromkeys(note for curve in result.values() for note in curve.notes))
    return context.slide(message, figure, table, SERIES_CUTOFFS, notes=notes, **context.of_each)


def correlation(context: SlideContext) -> Slide:
    """Scores against the reference, of the method that was picked; the runs farthest from the line are named."""
    context = _of_picked_method(context)
    series = context.view.own("correlation_column") or context.first  # of printed columns, the one that was picked
    beside = context.ask(residuals_of, context.figures, series, context.request, raw=context.view.raw)
    title = context.titled(beside.title, context.figures.of(context.request.of(context.first)))
    beside = replace(beside, title=title, reference=context.reference(beside.reference))
    points = context.shown(beside.rows)
    table, declared = beside.table(points)
    far = farthest(beside.rows.dropna(subset=["residual"]), "residual")[:1]
    residual = beside.rows.set_index("run_id")["residual"]
    named = "".join(
        f" {run} is farthest from the line, {abs(residual[run]):.2f} {'above' if residual[run] > 0 else 'below'} it."
        for run in far
    )
    ticks = context.ticks()
    text = f"{context.method} beside {beside.reference}."
    if "Kendall" in ticks:
        text = f"{context.agreed(ticks['Kendall'], beside.reference)}."
    figure = scatter_figure(points, **beside.axes, of_ranks=beside.of_ranks, identity=beside.identity)
    return context.slide(f"{text}{named}", figure, table, declared, ticks=ticks, notes=tuple(beside.notes))


def _of_picked_method(context: SlideContext) -> SlideContext:
    """Of a view of Correlation in which a method or a measure was picked: with that as what is evaluated.

    Raises UsageError where the collection has no such method.
    """
    line, measure = context.view.own("correlation_method"), context.view.own("correlation_measure")
    view = context.view
    if measure:
        view = replace(view, asked=view.asked.but(measure=measure))
    if line:
        named, _, tau = line.rpartition("tau ")
        mode = named.rstrip(", ")
        bank = (view.asked.bank or "").partition("@")[0]
        known = {name: name for name in context.figures.series()} | {
            f"{bank}, {n}": n for n in context.figures.series()
        }
        picked_tau = plain_number(tau)
        if mode not in known or picked_tau is None:
            raise UsageError(f"The method {line} can't be shown as a slide: choose a grading mode and its tau.")
        view = replace(view, series=(known[mode],), asked=view.asked.at(known[mode], picked_tau))
    return replace(context, view=view)


SLIDES = (
    PageSlide(METHODS, methods, 60, former=("Cutoffs", "Which method, which tau?")),
    PageSlide(
        "Correlation",
        correlation,
        70,
        takes=lambda snapshot: bool(graded_banks(snapshot)),
        part_of=METHODS,
        tabs=("methods_part", ("All coefficients", "Run by run")),
    ),
)

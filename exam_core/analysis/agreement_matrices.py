"""Kappa of several judges against each other, and the charts and tables of agreement."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from exam_core.analysis.agreement import AGREEING, CELLS, GRID, RETRIEVAL, Agreement
from exam_core.analysis.caveats import unreadable_first
from exam_core.analysis.passage_evidence import FINDS, cell_of, in_cells
from exam_core.charts.chart_layout import CELLS as CELL_COLOURS
from exam_core.charts.chart_layout import CHOSEN, INK, PAPER, QUIET, bars, described, named, sized, spread
from exam_core.charts.leaderboard_lines import in_lines, plain
from exam_core.results import ResultTable, decimal, number, share, text
from exam_core.store.evidence import PassageSearch
from exam_core.table_text import Format, written
from exam_core.wording import UNDEFINED, closest, counted, cut_in_words
from exam_core.wording import number as in_digits

ALL = "all"
NAMES = {cells[0]: name for name, cells in FINDS.items() if len(cells) == 1}
"""Words for tp, fp, fn and tn."""
MATRIX = ResultTable(
    "agreement: cells",
    "Cells of the graded matrix or of the 2 x 2 table, largest label and relevance first; a share of nothing is NaN",
    text("label", "Label"),
    text("relevance", "Judged"),
    number("n", "Passages", unit="passages"),
    share("of_label", "of the label", "Passages as a share of all with this label.", "share of passages"),
    share("of_relevance", "of the judgment", "Passages as a share of all with this judgment.", "share of passages"),
    text("name", "Cell", "For instance label 5, judged 3; of the 2 x 2 table, what grader and judge find."),
)
SUMS = ResultTable(
    "agreement: matrix",
    "The graded matrix or the 2 x 2 table: a row for each label, a column for each relevance (`judged 3`)",
    text("label", "label"),
    number("judged", "judged", "Passages with this label and this judgment.", "passages"),
    number(ALL, ALL, "Passages with this label, whatever their judgment.", "passages"),
)


@dataclass(frozen=True)
class Cut:
    """A way to cut labels and judgments in two.

    Parameters
    ----------
    name : what the paper calls it, and for which collection
    label_rank : with which the paper's counts come out, as far as that can be tested
    source : where it is printed
    """

    name: str
    tau: int
    relevant_from: int
    label_rank: int
    source: str


_TWO_QUESTIONS = (
    "The released DL19 ratings give the printed counts when two questions have to reach tau (label rank 2), not with "
    "equation 3, which takes the best rating (label rank 1)."
)
CUTS = (
    Cut("DL strict", 4, 2, 2, f"EXAM, tables of DL19 and DL20: ratings 4 and 5, judgments 2 and 3. {_TWO_QUESTIONS}"),
    Cut("DL lenient", 1, 2, 2, f"EXAM, tables of DL19 and DL20: ratings 1 to 5, judgments 2 and 3. {_TWO_QUESTIONS}"),
    Cut("CAR strict", 4, 1, 1, "EXAM, tables of CAR-Y3, and EXAM++, table 4: ratings 4 and 5, judgments 1 to 3."),
    Cut("CAR lenient", 1, 1, 1, "EXAM, tables of CAR-Y3: ratings 1 to 5, judgments 1 to 3."),
)
"""The cuts of the papers' agreement tables of self-ratings."""
BINARY = Cut("CAR binary", 1, 1, 1, "EXAM, table 4: answers that are right, judgments 1 to 3.")
NAMED_CUTS = (*CUTS, BINARY)


def cuts_in(grid: pd.DataFrame) -> list[Cut]:
    """Those cuts of the papers that are among a grid's rows."""
    known = set(zip(grid["tau"], grid["relevant_from"], strict=True))
    # Answers that are right or wrong have one cut, which is neither lenient nor strict.
    cuts = (BINARY,) if known == {(BINARY.tau, BINARY.relevant_from)} else CUTS
    return [cut for cut in cuts if (cut.tau, cut.relevant_from) in known]


def nearest_cut(grid: pd.DataFrame, tau: int, relevant_from: int) -> tuple[int, int]:
    """The cut of a grid's rows that is nearest to tau and relevant_from; of equally near ones the first.

    Parameters
    ----------
    grid : tau, relevant_from; not empty
    """
    far = (grid["tau"] - tau).abs() + (grid["relevant_from"] - relevant_from).abs()
    row = grid.loc[far.idxmin()]
    return int(row["tau"]), int(row["relevant_from"])


def is_graded(found: Agreement) -> bool:
    """Whether there is more than a 2 x 2 table: labels and judgments one by one."""
    names = [*found.graded, *next(iter(found.graded.values()), {})]
    return all(name.lstrip("-").isdigit() for name in names)


def graded_cells(found: Agreement) -> pd.DataFrame:
    """The graded matrix, a row for each cell, largest label and relevance first.

    Returns
    -------
    `MATRIX`
    """
    rows = [(label, relevance, n) for label, row in found.graded.items() for relevance, n in row.items()]
    return _matrix(rows, [f"label {label}, judged {relevance}" for label, relevance, _ in rows])


def binary_cells(found: Agreement) -> pd.DataFrame:
    """The 2 x 2 table like the graded matrix."""
    labels = f"≥ {found.tau}", f"< {found.tau}"
    relevances = f"≥ {found.relevant_from}", f"< {found.relevant_from}"
    counts = found.confusion.tolist()
    rows = [
        (label, relevance, counts[row][column])
        for row, label in enumerate(labels)
        for column, relevance in enumerate(relevances)
    ]
    return _matrix(rows, [NAMES[cell] for cell in CELLS])


def with_sums(cells: pd.DataFrame) -> pd.DataFrame:
    """Cells as the table `sums_of` them."""
    labels, relevances = cells["label"].drop_duplicates(), cells["relevance"].drop_duplicates()
    table = cells.pivot(index="label", columns="relevance", values="n").loc[labels, relevances]
    table.columns = [f"judged {name}" for name in table.columns]
    table[ALL] = table.sum(axis=1)
    table.loc[ALL] = table.sum()
    return table.rename_axis("label").reset_index()


def sums_of(cells: pd.DataFrame) -> ResultTable:
    """`SUMS` with a column for each relevance that these cells have."""
    named = [f"judged {name}" for name in cells["relevance"].drop_duplicates()]
    judged = (replace(SUMS["judged"], name=name, label=name) for name in named)
    return ResultTable(SUMS.name, SUMS.meaning, SUMS["label"], *judged, SUMS[ALL])


def _matrix(rows: list[tuple[str, str, int]], names: list[str]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["label", "relevance", "n"]).assign(name=names)
    for name in ("label", "relevance"):
        whole = frame.groupby(name, sort=False)["n"].transform("sum").to_numpy(float)
        frame[f"of_{name}"] = np.divide(frame["n"], whole, out=np.full(len(frame), np.nan), where=whole > 0)
    return MATRIX.of(frame)


def above(found: Agreement) -> tuple[int, int]:
    """How many labels and relevances of the graded matrix count as relevant."""
    relevances = next(iter(found.graded.values()), {})
    return (
        sum(int(label) >= found.tau for label in found.graded),
        sum(int(relevance) >= found.relevant_from for relevance in relevances),
    )


def picks(found: Agreement) -> dict[str, tuple[str, ...]]:
    """Cells that hold passages, by name: of the 2 x 2 table (tp, ...), then of the graded matrix (label, relevance)."""
    binary = binary_cells(found)
    named: dict[str, tuple[str, ...]] = {
        name: (cell,) for cell, name, n in zip(CELLS, binary["name"], binary["n"], strict=True) if n
    }
    graded = graded_cells(found)
    held = graded[graded["n"] > 0]
    return named | {
        str(name): (label, relevance)
        for name, label, relevance in zip(held["name"], held["label"], held["relevance"], strict=True)
    }


def wanted(pick: tuple[str, ...], tau: int, relevant_from: int) -> PassageSearch:
    """The passages of one of the `picks`."""
    if len(pick) == 1:
        return in_cells(pick, tau, relevant_from)
    return cell_of(int(pick[0]), int(pick[1]))


_ROW_HEIGHT, BESIDES, GAP = 38, 90, 0.25
"""Height of a row of a matrix, and of what stands around it; share of a panel that is left for its title."""


def counts_figure(
    cells: pd.DataFrame,
    *,
    cuts: tuple[int, int] | None = None,
    chosen: str | None = None,
    judged: str = "human judgment",
) -> go.Figure:
    """Passages by label (downwards) and judgment, with sums; colour is the share of the label's passages.

    Parameters
    ----------
    cells : label, relevance, n, of_label, of_relevance, name; in the order of rows and columns
    cuts : how many rows and columns count as relevant; a line is drawn behind them
    chosen : name of the cell that has a frame
    judged : what stands on the axis of the relevances

    The custom data of a cell begins with its name.
    """
    labels, relevances = list(dict.fromkeys(cells["label"])), list(dict.fromkeys(cells["relevance"]))
    by_cell = _by_cell(cells, labels, relevances)
    figure = go.Figure(
        go.Heatmap(
            z=by_cell["of_label"],
            text=by_cell["text"],
            customdata=by_cell["said"],
            texttemplate="%{text}",
            hovertemplate="%{customdata[0]}: %{customdata[1]} passages<br>%{customdata[2]} of the label's, "
            "%{customdata[3]} of the judgment's<extra></extra>",
            hoverongaps=True,
            **CELL_COLOURS,
        )
    )
    framed = [
        _frame(labels.index(label), relevances.index(relevance))
        for label, relevance in cells.loc[cells["name"] == chosen, ["label", "relevance"]].itertuples(index=False)
    ]
    figure.update_layout(
        sized(BESIDES + _ROW_HEIGHT * (len(labels) + 1), above=None),
        xaxis=_axis(judged, relevances) | {"side": "top", "range": [-0.5, len(relevances) + 0.5]},
        yaxis=_axis("label", labels) | {"range": [len(labels) + 0.5, -0.5]},
        annotations=_sums(cells, labels, relevances),
        shapes=[*(_lines(*cuts) if cuts else []), *framed],
    )
    return described(figure, counts_alternative(cells))


def counts_alternative(cells: pd.DataFrame) -> str:
    """The cells in words, row by row."""
    rows = [
        f"Label {label}: "
        + ", ".join(f"{n:,} judged {name}" for name, n in zip(row["relevance"], row["n"], strict=True))
        for label, row in cells.groupby("label", sort=False)
    ]
    return ". ".join(rows) + "."


def _by_cell(cells: pd.DataFrame, labels: list[str], relevances: list[str]) -> dict[str, list[list[Any]]]:
    """Share, text and words of each cell, in a list for each label: only so has a cell custom data of its own."""
    columns = (cells[name] for name in ("name", "n", "of_label", "of_relevance"))
    said = [
        [plain(name), f"{n:,}", _percent(left), _percent(right)] for name, n, left, right in zip(*columns, strict=True)
    ]
    shown = cells.assign(text=[f"{n:,}" for n in cells["n"]], said=said)
    return {
        name: shown.pivot(index="label", columns="relevance", values=name).loc[labels, relevances].to_numpy().tolist()
        for name in ("of_label", "text", "said")
    }


def _frame(row: int, column: int) -> dict[str, Any]:
    """A frame around a cell."""
    sides = {"x0": column - 0.5, "x1": column + 0.5, "y0": row - 0.5, "y1": row + 0.5}
    return {"type": "rect", "line": {"width": 3, "color": CHOSEN}} | sides


def _lines(row: int, column: int) -> list[dict[str, Any]]:
    """Lines behind a row and behind a column."""
    line = {"type": "line", "line": {"width": 2, "dash": "dash", "color": CHOSEN}}
    return [
        line | {"xref": "paper", "x0": 0, "x1": 1, "y0": row - 0.5, "y1": row - 0.5},
        line | {"yref": "paper", "y0": 0, "y1": 1, "x0": column - 0.5, "x1": column - 0.5},
    ]


def _percent(share: float) -> str:
    return UNDEFINED if pd.isna(share) else f"{share:.1%}"


def _sums(cells: pd.DataFrame, labels: list[str], relevances: list[str]) -> list[dict[str, Any]]:
    """Sums beside and below the cells."""
    by_label = cells.groupby("label", sort=False)["n"].sum()
    by_relevance = cells.groupby("relevance", sort=False)["n"].sum()
    sums = [(len(relevances), row, n) for row, n in enumerate(by_label)]
    sums += [(column, len(labels), n) for column, n in enumerate(by_relevance)]
    sums.append((len(relevances), len(labels), cells["n"].sum()))
    # As a trace they would fade when a cell is clicked.
    return [{"x": x, "y": y, "text": f"{n:,}", "showarrow": False} for x, y, n in sums]


def _axis(title: str, names: list[str]) -> dict[str, Any]:
    return named([*map(plain, names), "all"], title=title, fixedrange=True, showgrid=False)


def kappa_figure(
    grid: pd.DataFrame, *, tau: int | None = None, relevant_from: int | None = None, label_rank: int | None = None
) -> go.Figure:
    """Kappa at every tau (to the right) and judgment threshold (upwards), a panel for each label rank.

    Parameters
    ----------
    grid : tau, relevant_from, label_rank (null for printed labels), kappa, kappa_low, kappa_high, n; not empty
    tau, relevant_from, label_rank : the chosen cut, which is framed
    """
    ranks = grid["label_rank"].astype("Int64").fillna(0)
    panels = list(dict.fromkeys(ranks))
    taus, cuts = sorted(set(grid["tau"])), sorted(set(grid["relevant_from"]))
    figure = go.Figure()
    last = str(len(panels) if len(panels) > 1 else "")
    layout: dict[str, Any] = {
        "annotations": [],
        "xaxis": _ticks("tau (smallest grade that counts)", taus) | {"anchor": f"y{last}"},
    }
    for place, rank in enumerate(panels):
        part, name = grid[ranks == rank], str(place + 1 if place else "")
        top, bottom = 1 - place / len(panels), 1 - (place + 1 - GAP) / len(panels)
        layout[f"yaxis{name}"] = _ticks("judgment at least", cuts) | {"domain": [bottom, top]}
        title = f"label rank {rank}" if rank else "as printed"
        layout["annotations"] += [_title(title, top), *_undefined(part, f"y{name}")]
        figure.add_trace(_kappas(part, f"y{name}"))
        here = (part["tau"] == tau) & (part["relevant_from"] == relevant_from)
        if here.any() and rank == (label_rank or 0):
            marker = {"symbol": "square-open", "size": 30, "color": CHOSEN, "line": {"width": 3}}
            figure.add_scatter(
                x=[tau], y=[relevant_from], mode="markers", marker=marker, hoverinfo="skip", yaxis=f"y{name}"
            )
    figure.update_layout(
        sized(BESIDES + max(1, len(panels)) * (60 + _ROW_HEIGHT * len(cuts)), above=None) | layout,
        coloraxis={"colorscale": PAPER, "cmin": 0, "cmax": max(0.01, grid["kappa"].max()), "showscale": False},
    )
    return described(figure, kappa_alternative(grid))


def _ticks(title: str, values: list[int]) -> dict[str, Any]:
    shown = {"tickmode": "array", "tickvals": values, "showgrid": False, "zeroline": False, "fixedrange": True}
    return shown | {"title": title, "range": [values[0] - 0.5, values[-1] + 0.5], "automargin": True}


def _title(text: str, top: float) -> dict[str, Any]:
    """What stands above a panel."""
    place = {"xref": "paper", "yref": "paper", "x": 0.5, "y": top, "yanchor": "bottom"}
    return place | {"text": text, "showarrow": False}


def _undefined(part: pd.DataFrame, axis: str) -> list[dict[str, Any]]:
    """Plotly writes nothing into a cell without a value."""
    undefined = part[part["kappa"].isna()]
    return [
        {"x": x, "y": y, "yref": axis, "text": UNDEFINED, "showarrow": False}
        for x, y in zip(undefined["tau"], undefined["relevant_from"], strict=True)
    ]


def _kappas(part: pd.DataFrame, axis: str) -> go.Heatmap:
    return go.Heatmap(
        yaxis=axis,
        texttemplate="%{z:.2f}",
        textfont=INK,
        x=part["tau"],
        y=part["relevant_from"],
        z=part["kappa"],
        customdata=[
            [f"{low:.3f} to {high:.3f}" if low == low else "no interval", f"{n:,}"]
            for low, high, n in zip(part["kappa_low"], part["kappa_high"], part["n"], strict=True)
        ],
        hovertemplate="tau %{x}, judgment ≥ %{y}<br>kappa %{z:.3f}<br>%{customdata[0]}<br>n = %{customdata[1]}"
        "<extra></extra>",
        coloraxis="coloraxis",
        hoverongaps=False,
        xgap=2,
        ygap=2,
    )


def kappa_alternative(grid: pd.DataFrame) -> str:
    """The panels in words."""
    known = grid[grid["kappa"].notna()]
    if not len(known):
        return "Kappa is undefined at every tau and threshold."
    best, worst = known.loc[known["kappa"].idxmax()], known.loc[known["kappa"].idxmin()]
    ends = [
        f"{what} is {row['kappa']:.3f} at tau {row['tau']:.0f}, judgment >= {row['relevant_from']:.0f}"
        + ("" if pd.isna(row["label_rank"]) else f", label rank {row['label_rank']:.0f}")
        for what, row in (("The largest", best), ("the smallest", worst))
    ]
    return f"Cohen's kappa at {len(grid)} pairs of tau and threshold. {'; '.join(ends)}."


def per_query_figure(
    per_query: pd.DataFrame, kappa: float, interval: tuple[float, float] | None, at: str = ""
) -> go.Figure:
    """Each query's kappa, as it is and shrunk, smallest first, beside that of all queries together with its interval.

    Parameters
    ----------
    per_query : query_id, n, kappa, and where there are any kappa_shrunk and its ends; an undefined kappa leaves a gap
    kappa, interval : of all queries together
    at : the cut, for the axis
    """
    shrunk = "kappa_shrunk" in per_query
    rows = per_query.sort_values([*(["kappa_shrunk"] if shrunk else []), "kappa"], kind="stable", ignore_index=True)
    rows, which = spread(rows)
    names = [plain(name) for name in rows["query_id"]]
    figure = go.Figure()
    if shrunk:
        figure.add_scatter(x=names, **_shrunk(rows))
    figure.add_scatter(
        x=names,
        y=rows["kappa"],
        name="kappa",
        mode="markers",
        marker={"size": 8, "symbol": "diamond"},
        customdata=[[name, f"{n:,}"] for name, n in zip(names, rows["n"], strict=True)],
        hovertemplate="%{customdata[0]}<br>kappa %{y:.3f}<br>%{customdata[1]} passages<extra></extra>",
    )
    figure.update_layout(
        sized(400),
        # As many names as there is room for.
        xaxis={"title": f"queries{which}", "type": "category", "tickangle": -60, "automargin": True, "showgrid": False},
        yaxis={"title": in_lines(f"Cohen's kappa{f', {at}' if at else ''}"), "automargin": True},
        showlegend=True,
        **_together(kappa, interval),
    )
    return described(figure, per_query_alternative(per_query, kappa))


def _together(kappa: float, interval: tuple[float, float] | None) -> dict[str, Any]:
    """A band and a line right across, at the kappa of all queries together."""
    across: dict[str, Any] = {"xref": "paper", "x0": 0, "x1": 1}
    shapes, notes = [], []
    if interval:
        band = {"type": "rect", "y0": interval[0], "y1": interval[1], "line": {"width": 0}}
        shapes.append(across | band | {"fillcolor": "gray", "opacity": 0.2, "layer": "below"})
    if kappa == kappa:
        shapes.append(across | {"type": "line", "y0": kappa, "y1": kappa, "line": {"dash": "dash", "color": "gray"}})
        place = {"xref": "paper", "x": 1, "y": kappa, "xanchor": "right", "yanchor": "bottom"}
        notes.append(place | {"text": "all together", "showarrow": False})
    return {"shapes": shapes, "annotations": notes}


def _shrunk(rows: pd.DataFrame) -> dict[str, Any]:
    """Shrunk kappas with their intervals, behind the others."""
    return {
        "y": rows["kappa_shrunk"],
        "error_y": bars(rows["kappa_shrunk"], rows["kappa_shrunk_low"], rows["kappa_shrunk_high"], width=0),
        "name": "shrunk, with 95% interval",
        "mode": "markers",
        "marker": {"size": 6, "symbol": "circle-open", "color": QUIET},
        "hovertemplate": "shrunk %{y:.3f}<extra></extra>",
    }


def per_query_alternative(per_query: pd.DataFrame, kappa: float) -> str:
    """The kappas of the queries in words."""
    known = per_query[per_query["kappa"].notna()]
    if not len(known):
        return "Kappa is undefined for every query."
    low, high = known.loc[known["kappa"].idxmin()], known.loc[known["kappa"].idxmax()]
    return (
        f"Cohen's kappa of {len(known)} of {counted({'queries': len(per_query)})}, from "
        f"{low['kappa']:.3f} ({low['query_id']}) to "
        f"{high['kappa']:.3f} ({high['query_id']}); all together {kappa:.3f}."
    )


ALL_JUDGES = "all"
"""What stands for a query's name in the row of all queries together, as trec_eval has it."""
NAMED = 3
"""Queries that a sentence names."""
_WEIGHTED = (
    "1 - observed / expected distance of label and judgment in the graded matrix; the distance is {}. "
    "Labels and judgments are compared as if they had one scale."
)
ROW = ResultTable(
    "agreement: row",
    "All figures of an agreement in one row, as in CSV; undefined values are NaN",
    *GRID.columns,
    *AGREEING,
    decimal("linear_kappa", "Linear kappa", _WEIGHTED.format("|i - j|"), source="Cohen 1968"),
    decimal("quadratic_kappa", "Quadratic kappa", _WEIGHTED.format("(i - j) squared"), source="Cohen 1968"),
    decimal(
        "krippendorff_alpha",
        "Alpha, ordinal",
        "Krippendorff's alpha of the graded matrix, ordinal: 1 - observed / expected disagreement.",
        source="Krippendorff 2011, Computing Krippendorff's Alpha-Reliability",
    ),
    decimal(
        "multiclass_kappa",
        "Kappa, all classes",
        "Cohen's kappa of the graded matrix: grader and judge agree where label and judgment are the same number "
        "(Cohen 1960). A label map brings both to one scale.",
    ),
    text("label_map", "Label map", "Labels for grades, as typed; empty if labels are grades."),
)

BY_MODE = ResultTable(
    "agreement: modes",
    "Kappa of each grading mode at one threshold; undefined values are NaN",
    text("grader", "Grading mode"),
    GRID["tau"],
    GRID["kappa"],
    replace(GRID["kappa_low"], label="95% from"),
    replace(GRID["kappa_high"], label="to"),
)


def agreement_rows(found: Agreement, form: Format, *, per_query: bool = False) -> pd.DataFrame:
    """What a form prints: the 2 x 2 table to read, one row of everything as CSV, or a row for each query."""
    if form in ("csv", "latex", "siunitx") and per_query:
        return per_query_rows(found)
    if form == "csv":
        return ROW.of([_values(found)])
    table = pd.DataFrame(
        {
            "predicted": [f">= {found.tau}", f"< {found.tau}"],
            f"judged >= {found.relevant_from}": found.confusion[:, 0],
            f"judged < {found.relevant_from}": found.confusion[:, 1],
        }
    )
    if form in ("latex", "siunitx"):
        # As in the papers: what holds for the whole table stands in its first line.
        beside = {"kappa": found.kappa, "95% interval": _interval(found), "n": found.n}
        table = table.assign(**{name: pd.Series([value, ""], dtype=object) for name, value in beside.items()})
    return table


def agreed_with_judges(found: Agreement, who: str, each: Mapping[str, float]) -> str:
    """How well a grading mode and the judges agree; of several modes first which is closest.

    Parameters
    ----------
    each : kappa of each grading mode by its name, where there are several
    """
    low, high = found.kappa_interval or (math.nan, math.nan)
    ends = f" (95% interval {low:.2f} to {high:.2f})" if found.kappa_interval else ""
    cut = cut_in_words(found.tau, found.relevant_from, found.label_rank or 1)
    others = closest(each, "kappa") if len(each) > 1 else ""
    return (f"Closest to the judges: {others}. " if others else "") + (
        f"{who} and the judges agree with a kappa of {in_digits(found.kappa, '.3f')}{ends} on "
        f"{counted({'passages': found.n})} (relevant: {cut})."
    )


def per_query_rows(found: Agreement) -> pd.DataFrame:
    """Each query's row, and one of all together."""
    values = _values(found) | {"query_id": ALL_JUDGES}
    together = pd.DataFrame([{name: values.get(name, math.nan) for name in found.per_query}])
    return pd.concat([found.per_query, together], ignore_index=True) if len(found.per_query) else together


def as_read(per_query: pd.DataFrame) -> pd.DataFrame:
    """Each query's row with the coefficients before the counts that they are made of."""
    last = ["n", *CELLS, *RETRIEVAL]
    return per_query[[name for name in per_query if name not in last] + last]


def kappas_by_mode(found: Mapping[str, Agreement]) -> pd.DataFrame:
    """`BY_MODE` of agreements by grading mode."""
    unknown = math.nan, math.nan
    rows = [(mode, one.tau, one.kappa, *(one.kappa_interval or unknown)) for mode, one in found.items()]
    return BY_MODE.of(pd.DataFrame(rows, columns=list(BY_MODE.names)))


def parting_sentence(found: Agreement) -> str:
    """The queries on which grader and judges part most, and whether that is more than chance."""
    known = found.per_query.dropna(subset=["kappa_shrunk"])
    if known.empty:
        return "Kappas of single queries are not shrunk: fewer than five queries have one."
    apart = known[known["kappa_shrunk_high"] < found.kappa]
    first = ", ".join(known["query_id"].head(NAMED))
    return (
        f"Grader and judges disagree most on {first}. The interval of the shrunk kappa lies below the kappa of all "
        f"queries together on {len(apart)} of {counted({'queries': len(known)})}."
    )


def agreement_lines(found: Agreement) -> list[str]:
    """What stands under the 2 x 2 table; how much can't be read first, where that is much."""
    first, rest = unreadable_first(found.notes)
    return [
        *first,
        f"Cohen's kappa {written(found.kappa)}, 95% interval {_interval(found, 'undefined')} (n = {found.n:,})",
        f"Raw agreement {written(found.observed_agreement)}, Gwet's AC1 {written(found.gwet_ac1)}, PABAK "
        f"{written(found.pabak)}",
        f"Precision {written(found.precision)}, recall {written(found.recall)}, F1 {written(found.f1)}",
        f"Of the graded matrix: kappa over all classes {written(found.multiclass_kappa)}, linear kappa "
        f"{written(found.linear_kappa)}, quadratic kappa {written(found.quadratic_kappa)}, Krippendorff's alpha "
        f"(ordinal) {written(found.krippendorff_alpha)}",
        *rest,
        *found.scale_notes,
    ]


def _values(found: Agreement) -> dict[str, object]:
    low, high = found.kappa_interval or (math.nan, math.nan)
    cells = dict(zip(CELLS, found.confusion.ravel().tolist(), strict=True))
    values = {**cells, "kappa_low": low, "kappa_high": high}
    return values | {name: getattr(found, name) for name in ROW.names if name not in values}


def _interval(found: Agreement, otherwise: str = UNDEFINED) -> str:
    return " to ".join(map(written, found.kappa_interval)) if found.kappa_interval else otherwise

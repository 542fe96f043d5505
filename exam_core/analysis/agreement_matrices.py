"""Kappa of several judges against each other, and the charts and tables of agreement."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from exam_core.analysis.agreement import AGREEING, CELLS, GRID, Agreement
from exam_core.analysis.caveats import unreadable_first
from exam_core.analysis.passage_evidence import FINDS, cell_of, in_cells
from exam_core.charts.chart_layout import CELLS as CELL_COLOURS
from exam_core.charts.chart_layout import CHOSEN, INK, PAPER, name_axis, sample_rows, size_layout, with_description
from exam_core.charts.leaderboard_lines import escape_name, in_lines
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
    """A way to cut labels and judgments in two, named as in the paper that is its source.

    The label rank is the one that gives the paper's counts, as far as that can be tested.
    """

    name: str
    tau: float
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


def nearest_cut(grid: pd.DataFrame, tau: float, relevant_from: int) -> tuple[int, int]:
    """The cut of a grid's rows that is nearest to tau and relevant_from; of equally near ones the first.

    Raises ValueError where the grid is empty.
    """
    distance = (grid["tau"] - tau).abs() + (grid["relevant_from"] - relevant_from).abs()
    row = grid.loc[distance.idxmin()]
    return int(row["tau"]), int(row["relevant_from"])


def is_graded(agreement: Agreement) -> bool:
    """Whether the agreement has counts by single labels and judgments, and not a 2 x 2 table alone."""
    names = [*agreement.graded, *next(iter(agreement.graded.values()), {})]
    return all(name.lstrip("-").isdigit() for name in names)


def graded_cells(agreement: Agreement) -> pd.DataFrame:
    """`MATRIX` of the graded matrix: a row for each cell, largest label and relevance first."""
    rows = [(label, relevance, n) for label, row in agreement.graded.items() for relevance, n in row.items()]
    return _matrix(rows, [f"label {label}, judged {relevance}" for label, relevance, _ in rows])


def binary_cells(agreement: Agreement) -> pd.DataFrame:
    """`MATRIX` of the 2 x 2 table."""
    labels = f"≥ {agreement.tau}", f"< {agreement.tau}"
    relevances = f"≥ {agreement.relevant_from}", f"< {agreement.relevant_from}"
    counts = agreement.confusion.ravel().tolist()
    rows = [(*sides, n) for sides, n in zip(product(labels, relevances), counts, strict=True)]
    return _matrix(rows, [NAMES[cell] for cell in CELLS])


def with_sums(cells: pd.DataFrame) -> pd.DataFrame:
    """Cells of a matrix as a table whose columns are `sums_of` them."""
    labels, relevances = cells["label"].drop_duplicates(), cells["relevance"].drop_duplicates()
    table = cells.pivot(index="label", columns="relevance", values="n").loc[labels, relevances]
    table.columns = [f"judged {name}" for name in table.columns]
    table[ALL] = table.sum(axis=1)
    table.loc[ALL] = table.sum()
    return table.rename_axis("label").reset_index()


def sums_of(cells: pd.DataFrame) -> ResultTable:
    """`SUMS` with a column for each relevance that these cells have."""
    names = [f"judged {relevance}" for relevance in cells["relevance"].drop_duplicates()]
    judged = (replace(SUMS["judged"], name=name, label=name) for name in names)
    return ResultTable(SUMS.name, SUMS.meaning, SUMS["label"], *judged, SUMS[ALL])


def _matrix(rows: list[tuple[str, str, int]], names: list[str]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["label", "relevance", "n"]).assign(name=names)
    for name in ("label", "relevance"):
        whole = frame.groupby(name, sort=False)["n"].transform("sum").to_numpy(float)
        frame[f"of_{name}"] = np.divide(frame["n"], whole, out=np.full(len(frame), np.nan), where=whole > 0)
    return MATRIX.of(frame)


def relevant_counts(agreement: Agreement) -> tuple[int, int]:
    """How many labels and relevances of the graded matrix count as relevant."""
    relevances = next(iter(agreement.graded.values()), {})
    return (
        sum(int(label) >= agreement.tau for label in agreement.graded),
        sum(int(relevance) >= agreement.relevant_from for relevance in relevances),
    )


def picks(agreement: Agreement) -> dict[str, tuple[str, ...]]:
    """Cells that hold passages, by name: of the 2 x 2 table (tp, ...), then of the graded matrix (label, relevance)."""
    binary = binary_cells(agreement)
    of_table: dict[str, tuple[str, ...]] = {
        name: (cell,) for cell, name, n in zip(CELLS, binary["name"], binary["n"], strict=True) if n
    }
    graded = graded_cells(agreement)
    filled = graded.loc[graded["n"] > 0, ["name", "label", "relevance"]]
    return of_table | {str(name): (label, relevance) for name, label, relevance in filled.itertuples(index=False)}


def passages_of_cell(pick: tuple[str, ...], tau: float, relevant_from: int) -> PassageSearch:
    """The passages of one of the `picks`."""
    if len(pick) == 1:
        return in_cells(pick, tau, relevant_from)
    return cell_of(int(pick[0]), int(pick[1]))


_ROW_HEIGHT, BESIDES, GAP = 38, 90, 0.25
"""Pixels of a row of a matrix, and around it; share of a panel that is left for its title."""


def counts_figure(
    cells: pd.DataFrame,
    *,
    cuts: tuple[int, int] | None = None,
    choice: str | None = None,
    judged: str = "human judgment",
) -> go.Figure:
    """Passages by label (downwards) and judgment, with sums; colour is the share of the label's passages.

    Parameters
    ----------
    cells : label, relevance, n, of_label, of_relevance, name; in the order of rows and columns
    cuts : how many rows and columns count as relevant; a line is drawn behind them
    choice : name of the cell that has a frame
    judged : title of the axis of the relevances

    The custom data of a cell begins with its name.
    """
    labels, relevances = list(dict.fromkeys(cells["label"])), list(dict.fromkeys(cells["relevance"]))
    columns = (cells[name] for name in ("name", "n", "of_label", "of_relevance"))
    details = [
        [escape_name(name), f"{n:,}", _percent(of_label), _percent(of_relevance)]
        for name, n, of_label, of_relevance in zip(*columns, strict=True)
    ]
    shown = cells.assign(text=[f"{n:,}" for n in cells["n"]], details=details)
    # A list for each label: only so has a cell custom data of its own.
    by_cell = {
        name: shown.pivot(index="label", columns="relevance", values=name).loc[labels, relevances].to_numpy().tolist()
        for name in ("of_label", "text", "details")
    }
    figure = go.Figure(
        go.Heatmap(
            z=by_cell["of_label"],
            text=by_cell["text"],
            customdata=by_cell["details"],
            texttemplate="%{text}",
            hovertemplate="%{customdata[0]}: %{customdata[1]} passages<br>%{customdata[2]} of the label's, "
            "%{customdata[3]} of the judgment's<extra></extra>",
            hoverongaps=True,
            **CELL_COLOURS,
        )
    )
    frames = []
    for label, relevance in cells.loc[cells["name"] == choice, ["label", "relevance"]].itertuples(index=False):
        row, column = labels.index(label), relevances.index(relevance)
        sides = {"x0": column - 0.5, "x1": column + 0.5, "y0": row - 0.5, "y1": row + 0.5}
        frames.append({"type": "rect", "line": {"width": 3, "color": CHOSEN}} | sides)
    figure.update_layout(
        size_layout(BESIDES + _ROW_HEIGHT * (len(labels) + 1), above=None),
        xaxis=_axis(judged, relevances) | {"side": "top", "range": [-0.5, len(relevances) + 0.5]},
        yaxis=_axis("label", labels) | {"range": [len(labels) + 0.5, -0.5]},
        annotations=_sums(cells, labels, relevances),
        shapes=[*(_lines(*cuts) if cuts else []), *frames],
    )
    return with_description(figure, counts_alternative(cells))


def counts_alternative(cells: pd.DataFrame) -> str:
    """The cells in words, row by row."""
    rows = [
        f"Label {label}: "
        + ", ".join(f"{n:,} judged {name}" for name, n in zip(row["relevance"], row["n"], strict=True))
        for label, row in cells.groupby("label", sort=False)
    ]
    return ". ".join(rows) + "."


def _lines(row: int, column: int) -> list[dict[str, Any]]:
    line = {"type": "line", "line": {"width": 2, "dash": "dash", "color": CHOSEN}}
    return [
        line | {"xref": "paper", "x0": 0, "x1": 1, "y0": row - 0.5, "y1": row - 0.5},
        line | {"yref": "paper", "y0": 0, "y1": 1, "x0": column - 0.5, "x1": column - 0.5},
    ]


def _percent(share: float) -> str:
    return UNDEFINED if pd.isna(share) else f"{share:.1%}"


def _sums(cells: pd.DataFrame, labels: list[str], relevances: list[str]) -> list[dict[str, Any]]:
    by_label = cells.groupby("label", sort=False)["n"].sum()
    by_relevance = cells.groupby("relevance", sort=False)["n"].sum()
    sums = [(len(relevances), row, n) for row, n in enumerate(by_label)]
    sums += [(column, len(labels), n) for column, n in enumerate(by_relevance)]
    sums.append((len(relevances), len(labels), cells["n"].sum()))
    # As a trace they would fade when a cell is clicked.
    return [{"x": x, "y": y, "text": f"{n:,}", "showarrow": False} for x, y, n in sums]


def _axis(title: str, names: list[str]) -> dict[str, Any]:
    return name_axis([*map(escape_name, names), "all"], title=title, fixedrange=True, showgrid=False)


def kappa_figure(
    grid: pd.DataFrame, *, tau: float | None = None, relevant_from: int | None = None, label_rank: int | None = None
) -> go.Figure:
    """Kappa at every tau (to the right) and judgment threshold (upwards), a panel for each label rank.

    The grid, which is not empty, has columns of `GRID`; label_rank is null for printed labels. The selected cut has a
    frame.
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
        part, number = grid[ranks == rank], str(place + 1 if place else "")
        axis = f"y{number}"
        top, bottom = 1 - place / len(panels), 1 - (place + 1 - GAP) / len(panels)
        layout[f"yaxis{number}"] = _ticks("judgment at least", cuts) | {"domain": [bottom, top]}
        title = {"xref": "paper", "yref": "paper", "x": 0.5, "y": top, "yanchor": "bottom", "showarrow": False}
        undefined = part.loc[part["kappa"].isna(), ["tau", "relevant_from"]]
        layout["annotations"] += [
            title | {"text": f"label rank {rank}" if rank else "as printed"},
            # Plotly writes nothing into a cell without a value.
            *(
                {"x": x, "y": y, "yref": axis, "text": UNDEFINED, "showarrow": False}
                for x, y in undefined.itertuples(index=False)
            ),
        ]
        figure.add_trace(_kappas(part, axis))
        at_cut = (part["tau"] == tau) & (part["relevant_from"] == relevant_from)
        if at_cut.any() and rank == (label_rank or 0):
            marker = {"symbol": "square-open", "size": 30, "color": CHOSEN, "line": {"width": 3}}
            figure.add_scatter(x=[tau], y=[relevant_from], mode="markers", marker=marker, hoverinfo="skip", yaxis=axis)
    figure.update_layout(
        size_layout(BESIDES + max(1, len(panels)) * (60 + _ROW_HEIGHT * len(cuts)), above=None) | layout,
        coloraxis={"colorscale": PAPER, "cmin": 0, "cmax": max(0.01, grid["kappa"].max()), "showscale": False},
    )
    return with_description(figure, kappa_alternative(grid))


def _ticks(title: str, values: list[int]) -> dict[str, Any]:
    shown = {"tickmode": "array", "tickvals": values, "showgrid": False, "zeroline": False, "fixedrange": True}
    return shown | {"title": title, "range": [values[0] - 0.5, values[-1] + 0.5], "automargin": True}


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
    """Each query's kappa, smallest first, beside that of all queries together with its interval.

    Rows have query_id, n, kappa; an undefined kappa leaves a gap. The axis names the cut, `at`.
    """
    rows, which = sample_rows(per_query.sort_values("kappa", kind="stable", ignore_index=True))
    names = [escape_name(name) for name in rows["query_id"]]
    figure = go.Figure()
    figure.add_scatter(
        x=names,
        y=rows["kappa"],
        name="kappa",
        mode="markers",
        marker={"size": 8, "symbol": "diamond"},
        customdata=[[name, f"{n:,}"] for name, n in zip(names, rows["n"], strict=True)],
        hovertemplate="%{customdata[0]}<br>kappa %{y:.3f}<br>%{customdata[1]} passages<extra></extra>",
    )
    # A band and a line right across, at the kappa of all queries together.
    across: dict[str, Any] = {"xref": "paper", "x0": 0, "x1": 1}
    shapes, notes = [], []
    if interval:
        band = {"type": "rect", "y0": interval[0], "y1": interval[1], "line": {"width": 0}}
        shapes.append(across | band | {"fillcolor": "gray", "opacity": 0.2, "layer": "below"})
    if not math.isnan(kappa):
        shapes.append(across | {"type": "line", "y0": kappa, "y1": kappa, "line": {"dash": "dash", "color": "gray"}})
        place = {"xref": "paper", "x": 1, "y": kappa, "xanchor": "right", "yanchor": "bottom"}
        notes.append(place | {"text": "all together", "showarrow": False})
    figure.update_layout(
        size_layout(400),
        # As many names as there is room for.
        xaxis={"title": f"queries{which}", "type": "category", "tickangle": -60, "automargin": True, "showgrid": False},
        yaxis={"title": in_lines(f"Cohen's kappa{f', {at}' if at else ''}"), "automargin": True},
        showlegend=True,
        shapes=shapes,
        annotations=notes,
    )
    return with_description(figure, per_query_alternative(per_query, kappa))


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
"""The query's name in the row of all queries together, as in trec_eval."""
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


def agreement_rows(agreement: Agreement, form: Format, *, per_query: bool = False) -> pd.DataFrame:
    """The table that a format prints: the 2 x 2 table, one row of everything (CSV), or a row for each query."""
    if form in ("csv", "latex", "siunitx") and per_query:
        return per_query_rows(agreement)
    if form == "csv":
        return ROW.of([_values(agreement)])
    table = pd.DataFrame(
        {
            "predicted": [f">= {agreement.tau}", f"< {agreement.tau}"],
            f"judged >= {agreement.relevant_from}": agreement.confusion[:, 0],
            f"judged < {agreement.relevant_from}": agreement.confusion[:, 1],
        }
    )
    if form in ("latex", "siunitx"):
        # As in the papers: what holds for the whole table stands in its first line.
        beside = {"kappa": agreement.kappa, "95% interval": _interval(agreement), "n": agreement.n}
        table = table.assign(**{name: pd.Series([value, ""], dtype=object) for name, value in beside.items()})
    return table


def agreed_with_judges(agreement: Agreement, who: str, each: Mapping[str, float]) -> str:
    """How well a grading mode and the judges agree; of several modes (`each`: kappa by name) first which is closest."""
    low, high = agreement.kappa_interval or (math.nan, math.nan)
    ends = f" (95% interval {low:.2f} to {high:.2f})" if agreement.kappa_interval else ""
    cut = cut_in_words(agreement.tau, agreement.relevant_from, agreement.label_rank or 1)
    others = closest(each, "kappa") if len(each) > 1 else ""
    return (f"Closest to the judges: {others}. " if others else "") + (
        f"{who} and the judges agree with a kappa of {in_digits(agreement.kappa, '.3f')}{ends} on "
        f"{counted({'passages': agreement.n})} (relevant: {cut})."
    )


def per_query_rows(agreement: Agreement) -> pd.DataFrame:
    """A row for each query, and one of all together."""
    values = _values(agreement) | {"query_id": ALL_JUDGES}
    together = pd.DataFrame([{name: values.get(name, math.nan) for name in agreement.per_query}])
    return pd.concat([agreement.per_query, together], ignore_index=True) if len(agreement.per_query) else together


def kappas_by_mode(agreements: Mapping[str, Agreement]) -> pd.DataFrame:
    """`BY_MODE` of agreements by grading mode."""
    unknown = math.nan, math.nan
    rows = [
        (mode, agreement.tau, agreement.kappa, *(agreement.kappa_interval or unknown))
        for mode, agreement in agreements.items()
    ]
    return BY_MODE.of(pd.DataFrame(rows, columns=list(BY_MODE.names)))


def agreement_lines(agreement: Agreement) -> list[str]:
    """The lines below the 2 x 2 table; first that much can't be read, where that is so."""
    first, rest = unreadable_first(agreement.notes)
    return [
        *first,
        f"Cohen's kappa {written(agreement.kappa)}, 95% interval {_interval(agreement, 'undefined')} (n = "
        f"{agreement.n:,})",
        f"Raw agreement {written(agreement.observed_agreement)}, Gwet's AC1 {written(agreement.gwet_ac1)}, PABAK "
        f"{written(agreement.pabak)}",
        f"Precision {written(agreement.precision)}, recall {written(agreement.recall)}, F1 {written(agreement.f1)}",
        f"Of the graded matrix: kappa over all classes {written(agreement.multiclass_kappa)}, linear kappa "
        f"{written(agreement.linear_kappa)}, quadratic kappa {written(agreement.quadratic_kappa)}, "
        f"Krippendorff's alpha (ordinal) {written(agreement.krippendorff_alpha)}",
        *rest,
        *agreement.scale_notes,
    ]


def _values(agreement: Agreement) -> dict[str, object]:
    low, high = agreement.kappa_interval or (math.nan, math.nan)
    cells = dict(zip(CELLS, agreement.confusion.ravel().tolist(), strict=True))
    values = {**cells, "kappa_low": low, "kappa_high": high}
    return values | {name: getattr(agreement, name) for name in ROW.names if name not in values}


def _interval(agreement: Agreement, otherwise: str = UNDEFINED) -> str:
    return " to ".join(map(written, agreement.kappa_interval)) if agreement.kappa_interval else otherwise

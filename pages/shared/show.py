"""Tables and sentences of the pages. Names from files are shown letter for letter, never as Markdown."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitAPIException

from exam_core.analysis.caveats import much_unreadable
from exam_core.charts.chart_layout import words_of
from exam_core.charts.enlarging import Figure, enlarged
from exam_core.errors import ExamboardError, UsageError
from exam_core.names import listed
from exam_core.results import ResultColumn, ResultTable
from exam_core.table_text import UNDEFINED, Frame, as_text, declared_html, places_of, spreadsheet, to_read, written
from pages.shared import charting, help_texts, naming, share_and_export
from pages.shared.boxes import escaped as escaped
from pages.shared.charting import At, DrawnFigure
from pages.shared.selection import FEW, Selection


def static(frame: Frame, of: ResultTable, alt: str, *, titled: bool = True) -> str:
    """A table that only shows, in HTML: quicker to draw than one that can be sorted, and legible in any size.

    Everybody sees `alt`, or, of one that is not `titled`, only screen readers.
    """
    text = declared_html(frame, of, caption=alt)
    kind = "titled" if titled else "untitled"
    return f'<div class="{kind}" style="overflow-x: auto" tabindex="0">{text}</div><p style="font-size: 0.85em"></p>'


_PARAGRAPH = "margin: 0; overflow-wrap: anywhere"
TEXTS = ("query_text", "question_text", "facet", "question_id", "text")
"""Columns of texts, which not every collection has."""
ROWS, ROW, BORDER = 10, 35, 2
"""Rows of a table that are seen at once, and the pixels of a row and of the border, as Streamlit has them by itself."""
MOST_ROWS = 10_000
"""Rows of a table that the browser gets, about 1 MB; an export has all."""
MOST_STYLED = 1000
"""Rows up to which shared ranks are written as such: each cell of theirs takes its time."""


def link(path: str, label: str, icon: str | None, **parameters: Any) -> None:
    """A link to another page with choices, by the keys of its widgets; nothing where a page is run by itself."""
    with suppress(StreamlitAPIException):
        st.page_link(path, label=label, icon=icon, query_params=parameters or None)


def text(sentence: str, *, headline: str = "") -> None:
    """A sentence and below it a headline, as one element; both letter for letter."""
    large = f'<p style="{_PARAGRAPH}; font-size: 1.2rem; font-weight: 600">{html.escape(headline)}</p>'
    st.html(f'<p style="{_PARAGRAPH}">{html.escape(sentence)}</p>{large if headline else ""}')


def choice(selection: Selection, headline: str = "", *, of_measure: bool = True) -> None:
    """The choice in one line, the numbers that answer the page's question, and what must be known of its graders.

    Where much of what a grader answered can't be read, that comes first.

    Parameters
    ----------
    of_measure : whether the page shows the chosen measure; a page that doesn't says itself what can't be read
    """
    if selection.in_print:
        what = f"{selection.snapshot.collection}: figures as printed in the papers"
        text(f"{', '.join([what, *selection.without_in_words])}.", headline=headline)
    else:
        if of_measure:
            unreadable(selection)
        request, of_grades = selection.request, selection.of_grades
        # By what of the bar a page must use to show it.
        words = {
            "bank": request.bank and not selection.by_judgments and f"question bank {request.bank}",
            "measure": selection.measure_heading,
            "tau": of_grades and selection.tau_in_words,
            "label_rank": of_grades and request.label_rank > 1 and f"label rank {request.label_rank}",
        }
        parts = [part for name, part in words.items() if part and name in selection.uses]
        text(", ".join([selection.snapshot.collection, *parts, *selection.without_in_words]), headline=headline)
        for sentence in about_graders(selection):
            text(sentence)
    if selection.hidden:
        text(selection.hidden_in_words)


def about_graders(selection: Selection) -> list[str]:
    """A sentence about the chosen graders, from their records; graders with the same sentence share it."""
    groups: dict[str, list[str]] = {}
    for grader in selection.series:
        if about := selection.snapshot.graders.get(grader, {}).get("about"):
            groups.setdefault(about.split(". ")[0].rstrip("."), []).append(naming.name(grader))
    return [f"{listed(graders)}: {about}." for about, graders in groups.items()]


def meanings(selection: Selection) -> list[str]:
    """What the measure is, and, of few grading modes, what those of the papers ask the model; for a caption."""
    modes = selection.series if selection.of_grades and len(selection.series) <= FEW else ()
    names = [f"{naming.name(mode)}: {about[0].lower()}{about[1:]}" for mode in modes if (about := naming.asks(mode))]
    return [*([selection.measure_meaning] if selection.measure_meaning else []), *names]


def unreadable(selection: Selection) -> None:
    """Of which chosen graders more than a small share of the answers can't be read."""
    for grader in selection.series if selection.of_grades else ():
        with suppress(UsageError):  # what can't be evaluated is said where it would stand
            choice = selection.of(grader)
            needs_grades = choice.measure.info.needs_grades
            if message := much_unreadable(selection.snapshot, choice.labelling, needs_grades=needs_grades):
                text(naming.sentence(message))


def problems(sentences: list[str]) -> None:
    """Why something is missing, in a box; nothing without sentences."""
    if sentences:
        with st.container(border=True):
            for sentence in sentences:
                text(naming.sentence(sentence))


def command(text: str) -> None:
    """A command line, or another text to copy."""
    st.code(text, language=None, wrap_lines=True)


def notes(sentences: list[str], *, expanded: bool = True) -> None:
    """What a reader should know about the figures above; nothing without sentences."""
    if sentences:
        with st.expander("Notes", expanded=expanded):
            for sentence in sentences:
                text(naming.sentence(sentence))


def chart(
    figure: Figure | DrawnFigure,
    *,
    key: str,
    alt: str = "",
    select: bool = False,
    fills: bool = False,
    at: At | None = None,
) -> Any | None:
    """A chart that can be saved as a picture.

    Parameters
    ----------
    alt : the chart in words, if those of the figure don't say enough
    select : points can be clicked
    fills : it is as high as its place and large, for a room
    at : the slider that the browser draws it for

    Returns
    -------
    the custom data of the clicked point, in the one run that the click caused
    """
    shown = figure if isinstance(figure, DrawnFigure) else DrawnFigure(figure)
    if fills:
        shown = DrawnFigure(enlarged(shown.figure))
    point = charting.clicked(key) if select else None
    sent = changing(shown, share_and_export.file_named(key), alt)
    charting.draw(shown, sent, key=key, select=select, fills=fills, at=at)
    return point


def changing(figure: DrawnFigure, file: str, alt: str = "") -> dict[str, Any]:
    """What is sent of a chart that changes with its figure; `file` names the picture that is saved of it."""
    picture = {"format": share_and_export.picture(), "filename": file, "scale": 2}
    config = {"toImageButtonOptions": picture}
    return {"figure": figure.texts[0], "alt": alt or words_of(figure.figure), "config": config}


def tabs(drawn: Mapping[str, Callable[[], object]], *, key: str) -> None:
    """Tabs by name, each with the function that draws it when it is open; the address names the open one."""
    if not drawn:
        return
    made = st.tabs(list(drawn), key=key, on_change="rerun", bind="query-params")
    for tab, draw in zip(made, drawn.values(), strict=True):
        if tab.open:
            with tab:
                try:
                    draw()
                except ExamboardError as error:
                    problems([str(error)])


@dataclass(frozen=True)
class Headline:
    """A number that answers the page's question.

    Parameters
    ----------
    value : NaN is undefined
    below : its interval, or that there is none; None leaves the place empty
    """

    label: str
    value: float
    below: str | None = None
    help: str = ""


def headlines(numbers: Sequence[Headline]) -> None:
    """Numbers side by side, in large type."""
    with st.container(horizontal=True, gap="medium"):
        for number in numbers:
            headline(number)


def headline(number: Headline) -> None:
    """A number in large type."""
    look: Any = {"delta_color": "off", "delta_arrow": "off", "width": "content"}
    st.metric(number.label, fraction(number.value), number.below, help=number.help or None, **look)


def ends(pair: tuple[float, float] | None) -> str:
    """A 95% interval below its number."""
    return f"95% {interval(pair)}" if pair else "no interval"


@dataclass(frozen=True)
class TableLook:
    """A table's height in pixels (by default of ten rows) and the CSS of each cell, in the frame's shape.

    Streamlit knows color, background-color and font-weight.
    """

    height: int | None = None
    css: Frame | None = None


@dataclass(frozen=True)
class Export:
    """What is exported of a table; `latex` makes the LaTeX, where a paper sets this table in a way of its own.

    The frame may be made when the box is opened.
    """

    frame: Frame | Callable[[], Frame]
    latex: Callable[[], str] | None = None


def table(
    frame: Frame,
    of: ResultTable,
    *,
    key: str,
    alt: str = "",
    select: bool = False,
    look: TableLook | None = None,
    export: Frame | Export | None = None,
) -> int | None:
    """A table with its exports.

    Parameters
    ----------
    frame : undefined values are NaN; it has some columns of `of`, in the order in which they are shown
    alt : the table in words, if its declaration doesn't say enough
    select : a row can be clicked, anywhere in it
    export : what is exported, if that is more than what is shown

    Returns
    -------
    the number of the selected row
    """
    alt, saved = alt or of.in_words, frame if export is None else export
    if len(frame) > MOST_ROWS:
        text(f"The table shows the first {MOST_ROWS:,} of {len(frame):,} rows. Export saves all of them.")
        frame = frame.head(MOST_ROWS)
    if st.query_params.get("print") == "1":
        st.html(static(naming.named(frame), of, alt))
        return None
    look = look or TableLook()
    frame, shown_as = to_read(frame, of)
    columns = [shown_as[name] for name in frame.columns]
    pairs = [column.name for column in columns if column.kind == "interval"]
    shown = naming.named(frame.assign(**{name: frame[name].map(interval) for name in pairs}))
    ranks = places_of(frame, shown_as) if len(frame) <= MOST_STYLED else {}
    event = st.dataframe(
        _styled(shown, ranks, look.css),
        key=f"{key}_table",
        hide_index=True,
        # Said beforehand, so that what is below does not jump when the browser has the code of tables.
        height=look.height or height_of(min(len(shown), ROWS)),
        column_config={column.name: _config(column, is_styled=column.name in ranks) for column in columns},
        placeholder=UNDEFINED,
        on_select="rerun" if select else "ignore",
        # A row is chosen by any of its cells; Streamlit's rows are chosen by a narrow column of boxes alone.
        selection_mode="single-cell",
        alt=alt,
    )
    exports(*((saved.frame, key, of, saved.latex) if isinstance(saved, Export) else (saved, key, of)))
    cells = event["selection"]["cells"] if isinstance(event, dict) else []
    return int(cells[0][0]) if cells else None


def filled(rows: Frame) -> Frame:
    """The columns in which some row has a value."""
    return rows.dropna(axis="columns", how="all")


def worded(rows: Frame, *names: str) -> Frame:
    """The named columns (by default all), without columns of texts that are empty."""
    return rows[[name for name in names or rows.columns if name not in TEXTS or rows[name].notna().any()]]


def height_of(rows: int) -> int:
    """Pixels of a table that shows so many rows."""
    return ROW * (rows + 1) + BORDER


def _styled(frame: Frame, ranks: Mapping[str, Callable[[float], str]], css: Frame | None) -> Any:
    """The frame, styled only where ranks are shared or cells have a look of their own: styling takes time."""
    style: Any = frame
    if ranks:
        style = frame.style.format(ranks, subset=list(ranks))
    return style if css is None else getattr(style, "style", style).apply(lambda _: css.head(MOST_ROWS), axis=None)


def _config(column: ResultColumn, *, is_styled: bool = False) -> Any:
    fields: dict[str, Any] = {"label": column.label, "help": column.explained or None, "width": column.width}
    fields["pinned"] = column.pinned or None
    match column.kind:
        case "number":
            return st.column_config.NumberColumn(**fields, format=None if is_styled else column.form or None)
        case "bar":
            return st.column_config.ProgressColumn(
                **fields, format=column.form, min_value=column.least, max_value=column.most
            )
        case "flag":
            return st.column_config.CheckboxColumn(**fields)
        case "texts":
            return st.column_config.ListColumn(**fields)
    return st.column_config.TextColumn(**fields)


def exports(
    frame: Frame | Callable[[], Frame], key: str, of: ResultTable, latex: Callable[[], str] | None = None
) -> None:
    """Buttons that save a frame as CSV, or as LaTeX with headings, in a box: they are made when it is opened."""
    box = st.popover("Export", icon=":material/download:", type="tertiary", key=f"{key}_export", on_change="rerun")
    if not box.open:
        return
    frame = frame() if callable(frame) else frame
    with box:
        share_and_export.save("CSV", partial(spreadsheet, frame), f"{key}.csv", "text/csv")
        named, headings = naming.named(frame), {column.name: column.label for column in of.columns}
        plainly = partial(as_text, named, "latex", headings=headings)
        share_and_export.save("LaTeX", latex or plainly, f"{key}.tex", "application/x-tex")
        if latex is None:
            aligned = partial(as_text, named, "siunitx", headings=headings)
            share_and_export.save("LaTeX with siunitx", aligned, f"{key}-siunitx.tex", "application/x-tex")


def mode(selection: Selection, *, of_one: bool = True) -> str:
    """The grading mode, or printed column, that a page is about; of one alone there is a box only with `of_one`."""
    if len(selection.series) == 1 and not of_one:
        return selection.series[0]
    label = help_texts.JUDGMENTS if selection.by_judgments else selection.words.series
    picked = naming.box(st.selectbox, label, selection.series, key="mode", help=help_texts.MODE)
    if picked is None:
        st.stop()
    return str(picked)


def interval(pair: Any) -> str:
    """An interval as `[low, high]`, or a dash where it is undefined."""
    return UNDEFINED if pair is None or pair != pair else f"[{fraction(pair[0])}, {fraction(pair[1])}]"


def fraction(value: float) -> str:
    """A number with three decimals, or a dash where it is undefined."""
    return written(value)

"""Slides of the core's pages, the list of all slides, and a story as one HTML page."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any, cast

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from exam_core import wings
from exam_core.aliases import in_words
from exam_core.analysis import agreement_matrices
from exam_core.analysis.agreement import Agreement
from exam_core.analysis.agreement_matrices import agreed_with_judges
from exam_core.analysis.choice import Evaluation
from exam_core.analysis.choosing import restrict
from exam_core.analysis.contents import is_graded, names_of
from exam_core.analysis.displacements import (
    flagged_by,
    flagged_first,
    most_displaced,
    runs_to_explain,
    verdict,
    with_names,
)
from exam_core.analysis.figures import Figures, figures_of
from exam_core.analysis.leaderboard import SCORES
from exam_core.analysis.outliers import ROWS as DISPLACEMENTS
from exam_core.analysis.outliers import readable_titles
from exam_core.analysis.references import ITSELF
from exam_core.charts.chart_layout import with_description, words_of
from exam_core.charts.leaderboard_lines import displacement_figure, on_axis
from exam_core.charts.strips import MANY, displacement_strips
from exam_core.errors import ExamboardError, UsageError
from exam_core.reports.board_lines import choice_in_words, closest_to_reference
from exam_core.reports.methods_paragraph import bibtex, methods
from exam_core.reports.part import Ask, BoardView, about_outside, ask_now, picture_of
from exam_core.results import ResultTable, count, text
from exam_core.slides.slide import PageSlide, Slide, SlideContext
from exam_core.store import Snapshot
from exam_core.view import View
from exam_core.wings.stage.report_page import LOCAL, ReportOrigin, document, embedded, head, leads_elsewhere, qr_code
from exam_core.wings.stage.story import Story, collections_of
from exam_core.wording import QUESTIONS, counted, for_readers, number, plain_names, without_commands

SPOT, SIZE = "#D81B60", 20
"""Colour and size of the rings: no series has the colour, and it is legible on both grounds."""


def staged(figure: go.Figure, flagged: Mapping[str, Collection[str]]) -> go.Figure:
    """A leaderboard figure with a ring around each point of a flagged run, and ends of its axis that seldom change.

    Parameters
    ----------
    figure : it is changed; the last of a point's custom data names the run
    flagged : by the name of a series in the figure, the runs that it flags
    """
    ends, before = _ends(figure), figure.layout.yaxis.range
    of_ranks = before is not None and before[0] > before[1]
    figure.update_layout(yaxis={"range": ends[::-1] if of_ranks else ends})
    ring = {"symbol": "circle-open", "color": SPOT, "size": SIZE, "line": {"width": 4}}
    for trace in figure.data:
        figure.add_scatter(
            x=trace.x,
            # A ring for every run, seen where it is flagged: rings glide with their points, from no other place.
            y=trace.y,
            offsetgroup=trace.offsetgroup,
            mode="markers",
            legendgroup="flagged",
            showlegend=False,
            marker=ring
            | {"opacity": [float(report[-1] in flagged.get(trace.name, ())) for report in trace.customdata]},
            hoverinfo="skip",
            cliponaxis=False,
        )
    # The legend's ring is one outside the axis: of the others it would show the mean opacity, and nothing flies in.
    figure.add_scatter(
        x=figure.data[0].x[:1],
        y=[2 * ends[0] - ends[1]],
        mode="markers",
        name="significantly displaced (p < 0.05, corrected)",
        legendgroup="flagged",
        showlegend=any(flagged.values()),
        marker=ring,
    )
    return figure


def _ends(figure: go.Figure) -> list[float]:
    """Round ends around all points and errors: where they stay, Plotly lets points glide, and not the axis."""
    low, high = math.inf, -math.inf
    for trace in figure.data:
        y, error = np.asarray(trace.y, float), np.nan_to_num(np.asarray(trace.error_y.array, float))
        low, high = min(low, np.nanmin(y - error, initial=low)), max(high, np.nanmax(y + error, initial=high))
    if not low < high:
        return [0.0, 1.0]
    step = 10.0 ** math.floor(math.log10(high - low)) / 4
    return [step * math.floor(low / step), step * math.ceil(high / step)]


COLUMNS = ("rank", "run_id", "normalised", "mean", "stderr", "rank_low", "rank_high", "tier", "displacement")
"""What a room is shown of each run."""
OF_RUNS = ("run_id", "method", "rank", "reference_rank", "rank_displacement", "low", "high", "p", "p_holm")
"""The same of a displacement."""
IN_A_ROOM = 12
"""Runs whose names can be read from the back of a room."""


def leaderboard(context: SlideContext) -> Slide:
    """Runs in the reference's order, those that are flagged as displaced in a colour of their own."""
    result, view = context.comparison, context.view
    look = BoardView(view.shown, view.own("whole_axis") == "true", view.own_order, context.hidden)
    picture = picture_of(context.figures, result, context.request, look, context.ask)
    drawn = picture.figure()
    flagged = {
        result.names[series]: sorted(rows.loc[rows["flagged"].eq(True), "run_id"])
        for series, rows in _displaced(context).items()
    }
    name = context.first if context.first in result.boards else next(iter(result.boards))
    rows = context.shown(context.ask(context.figures.standing, name, context.request)).dropna(axis="columns", how="all")
    words = [f"Flagged as displaced by {series}: {', '.join(runs)}." for series, runs in flagged.items() if runs]
    figure = with_description(staged(drawn, flagged), " ".join([words_of(drawn), *words]))
    means, of = result.means()
    several = len(result.boards) > 1
    table, of = (context.shown(means), of) if several else (rows[[item for item in COLUMNS if item in rows]], SCORES)
    notes = (*about_outside(picture), *result.notes)
    return context.slide(f"{_takeaway(context, name)}.", figure, table, of, notes=notes, **context.of_each)


def _takeaway(context: SlideContext, series: str) -> str:
    """How close a board is to its reference, or each of several, and what is displaced; or that no run has a mean."""
    board = context.comparison.boards[series]
    if len(context.comparison.boards) > 1:
        closest = closest_to_reference(context.comparison, context.names)
        flagged = flagged_by({context.called(name): rows for name, rows in _displaced(context).items()})
        if closest:
            return "; ".join(filter(None, (closest, flagged)))
    best = board.rows.iloc[0]
    if board.ungraded and best["mean"] != best["mean"]:
        return f"No run has a mean by {context.method}"
    if board.correlation is None:
        of = f"{counted({'runs': len(board.rows)})} by {context.method}"
        return f"{best['run_id']} is the best of {of}, with {number(best['mean'], '.3f')}"
    if board.of_itself:
        return f"{context.method} {ITSELF}".rstrip(".")
    agreed = context.agreed(board.correlation.kendall, board.reference)
    rows = _displaced(context).get(series)
    if rows is None or rows["flagged"].isna().all():
        return agreed
    n = int(rows["flagged"].sum())
    return (
        f"{agreed}; {n or 'none'} of {counted({'runs': len(rows)})} {'is' if n < 2 else 'are'} significantly displaced"
    )


def _displaced(context: SlideContext) -> dict[str, pd.DataFrame]:
    """How far each series displaces the runs from the boards' reference; nothing where there is none."""
    with suppress(ExamboardError):
        return {
            name: context.displaced_by(name) for name, board in context.comparison.boards.items() if board.correlation
        }
    return {}


def outliers(context: SlideContext) -> Slide:
    """How far each run stands from the reference, by every method that is chosen."""
    displaced, methods = context.displaced
    result = with_names(
        displaced, {**context.names, **(readable_titles(list(methods.values()), context.names) if methods else {})}
    )
    names, of = result.methods["method"].tolist(), context.view.own("outliers_of", "ranks").removesuffix("s")
    rows, drawn = context.shown(result.rows), context.shown(most_displaced(result, IN_A_ROOM))
    draw = displacement_strips if len(names) >= MANY else displacement_figure
    figure = draw(drawn, names, result.reference, of=of)
    flagged = rows.loc[rows["flagged"].eq(True), "run_id"]
    strong = on_axis([*runs_to_explain(result)[:1], *flagged])
    figure.layout.yaxis.ticktext = [
        f"<b>{name}</b>" if name in strong else name for name in figure.layout.yaxis.ticktext
    ]
    known = [name for name in OF_RUNS if not rows[name].isna().all()]
    message, shown, every = verdict(result, tested=False)[0], drawn["run_id"].nunique(), rows["run_id"].nunique()
    left_out = f"The {shown} most displaced of {every} runs." if shown < every else ""
    more: dict[str, Any] = {"notes": tuple(result.notes), "left_out": left_out, **context.of_each}
    flags = {context.called(name): displaced_runs for name, displaced_runs in _displaced(context).items()}
    if len(flags) > 1 and (counts := flagged_by(flags)):
        message = f"{message} {counts[0].upper()}{counts[1:]}."
    return context.slide(message, figure, flagged_first(rows)[known], DISPLACEMENTS, **more)


BOARDS = (PageSlide("Leaderboard", leaderboard, 10), PageSlide("Outliers", outliers, 30))


def agreement(context: SlideContext) -> Slide:
    """Labels against human judgments, one by one where there are more than two."""
    named = next((cut for cut in agreement_matrices.NAMED_CUTS if cut.name == context.view.own("agreement_cut")), None)
    at: dict[str, Any] = {"tau": named.tau, "relevant_from": named.relevant_from} if named else {}
    figures, who, each = context.figures, context.called(context.first), dict[str, float]()
    if printed := figures.in_print:
        bank = context.view.own("agreement_table") or printed.table_of(context.view.series)
        who = f"The grader of {QUESTIONS.get(bank, bank)}"
        result = context.ask(printed.nearest_agreement, context.request.but(bank=bank, **at))
    else:

        def of(series: str) -> Agreement:
            request = context.request.of(series).but(label_map=context.view.own("label_map") or None, **at)
            choice = cast(Evaluation, figures.of(request.but(label_rank=named.label_rank) if named else request))
            of_labels = {"tau": choice.tau, "label_rank": choice.labelling.label_rank, "reference": None}
            return context.ask(figures.agreement, request.but(**of_labels))

        result = of(context.first)
        if len(context.view.series) > 1:
            each = {context.called(name): of(name).kappa for name in context.view.series}
    graded = agreement_matrices.is_graded(result)
    shown = agreement_matrices.graded_cells(result) if graded else agreement_matrices.binary_cells(result)
    return Slide(
        takeaway=agreed_with_judges(result, who, each),
        figure=agreement_matrices.counts_figure(
            shown, cuts=agreement_matrices.relevant_counts(result) if graded else None
        ),
        table=agreement_matrices.with_sums(shown),
        of=agreement_matrices.sums_of(shown),
        ticks_of=who,
        ticks={"kappa": result.kappa, "precision": result.precision, "recall": result.recall, "F1": result.f1},
        notes=(*result.notes, *result.scale_notes),
    )


CHANCES = (PageSlide("Agreement", agreement, 110, takes=is_graded),)


@cache
def declared() -> dict[str, PageSlide]:
    """The slides that are declared, by the title of the page or of the part, in the order of a presentation."""
    rows = sorted(wings.declared("slides"), key=lambda row: row.order)
    return {row.title: row for row in rows}


def pages() -> list[str]:
    """Pages that have a slide, and so can be pinned."""
    return [title for title, row in declared().items() if not row.part_of]


def now_called(page: str) -> str:
    """The title of a slide that a story or a link of an earlier version calls otherwise."""
    return next((title for title, row in declared().items() if page in row.former), page)


def titles(figures: Figures, series: Sequence[str] = (), *, collections: int = 1) -> list[str]:
    """Titles of the slides of a collection and of series that are chosen of it, in the order of a presentation.

    `collections` is how many the store has.
    """
    snapshot = figures.snapshot
    rows = {title: row for title, row in declared().items() if collections > 1 or not row.of_store}
    return [title for title, row in rows.items() if row.can_be_of(snapshot, series)]


def of_tab(page: str, address: Mapping[str, Sequence[str]]) -> str:
    """The title of a page's slide, or of that of the tab which its address names."""
    for title, row in declared().items():
        name, tabs = row.tabs
        if row.part_of == page and next(iter(address.get(name, ())), "") in tabs:
            return title
    return page


def slide_of(
    figures: Figures, view: View, ask: Ask | None = None, others: Callable[[], Iterable[Snapshot]] = tuple
) -> Slide:
    """The slide of a view, computed from the whole collection as it is now; `others` gives the store's other ones.

    Raises ExamboardError where the page has no slide, or the collection no longer has what the view shows.
    """
    title = now_called(view.page)
    if title not in declared():
        raise UsageError(f"The page {view.page} has no slide. There are slides of: {', '.join(pages())}.")
    slide = declared()[title].make(SlideContext(view, _without(figures, view), ask or ask_now, others))
    names = names_of(figures.snapshot)
    notes = tuple(in_words(note, names) for note in map(for_readers, slide.notes) if note)
    return replace(slide, takeaway=plain_names(slide.takeaway), notes=notes)


def choice_of(figures: Figures, view: View, slide: Slide) -> str:
    """The choice of a view's slide in one line, graders by name; arguments and errors as `slide_of`."""
    if slide.settings:
        return slide.settings
    message = choice_in_words(_without(figures, view), view.series, view.asked, names_of(figures.snapshot))
    hides = view.own("runs")
    return f"{message}, runs filtered by {hides}" if hides else message


def _without(figures: Figures, view: View) -> Figures:
    if view.page == "Reproduce":
        return figures  # what was printed is of all runs
    snapshot = restrict(figures.snapshot, view)
    return figures if snapshot is figures.snapshot else figures_of(snapshot)


VIEWS = ResultTable(
    "story: views",
    "The views of stories, in order",
    text("story", "Story"),
    count("place", "Place", "Place of the view in its story, from 1.", unit="views"),
    text("title", "Title", "The page's title if the view has none."),
    text("page", "Page"),
    text("collection", "Collection", "The view's collection, if it is not the story's."),
    text("sentence", "Sentence", "Replaces the computed sentence."),
    text("note", "Note"),
    text("fingerprint", "Data", "Fingerprint of the collection when the view was pinned."),
)


def views_table(stories: Sequence[Story]) -> pd.DataFrame:
    """`VIEWS` of stories."""
    return VIEWS.of(
        [
            (story.name, place, view.heading, view.page, view.collection, view.sentence, view.note, view.fingerprint)
            for story in stories
            for place, view in enumerate(story.views, 1)
        ]
    )


FiguresOf = Callable[[str], Figures]
"""The figures of a collection by its name."""


def story_html(
    story: Story,
    figures_in: FiguresOf,
    origin: ReportOrigin,
    ask: Ask | None = None,
    *,
    collections: Sequence[str] = (),
) -> str:
    """All views of a story in order, each with its chart, takeaway, note and choice, or why it can't be shown any more.

    Parameters
    ----------
    figures_in : called with the collection of each view
    collections : all of the store, for views that compare some
    origin : of the collection in which it is kept; its address, if it has one, is the story's in the dashboard
    """
    home, data = origin.collection, []
    names = collections_of(story.views, home)
    for name in names:
        with suppress(ExamboardError):
            data.append(f"{name}, fingerprint {figures_in(name).snapshot.fingerprint}")
    title = f"{story.name}: {', '.join(names)}"
    views = [_view(place, view, home, figures_in, ask, collections) for place, view in enumerate(story.views, 1)]
    papers = _papers(story, home, figures_in)
    return document(
        title, "".join([head(title, replace(origin, data="; ".join(data))), *views, papers, _link(origin.address)])
    )


def _view(place: int, view: View, home: str, figures_in: FiguresOf, ask: Ask | None, collections: Sequence[str]) -> str:
    note = "".join(f"<p>{html.escape(line)}</p>" for line in view.note.splitlines() if line.strip())
    try:
        figures = figures_in(view.collection or home)
        mine = figures.snapshot.collection
        slide = slide_of(
            figures, view, ask, lambda: (figures_in(name).snapshot for name in collections if name != mine)
        )
        choice = choice_of(figures, view, slide)
    except ExamboardError as error:
        body = f"<p>{html.escape(without_commands(str(error)))}</p>{note}"
    else:
        ticks = ", ".join(f"{name} {number(value, '.3f')}" for name, value in slide.ticks.items())
        ticks = f"{slide.ticks_of}: {ticks}" if slide.ticks_of and ticks else ticks
        message = html.escape(view.said(slide.takeaway))
        about = [slide.left_out] if slide.left_out else []
        notes = (*about, *view.about_data(figures.snapshot.fingerprint), *slide.notes)
        small = "".join(f"<li>{html.escape(sentence)}</li>" for sentence in notes)
        body = (
            f"{f'<p><strong>{message}</strong></p>' if message else ''}{note}"
            f"{embedded(slide.figure, f'view-{place}')}"
            f"<p>{html.escape(ticks)}</p><p><code>{html.escape(f'{view.page}: {choice}')}</code></p>"
            f"{f'<ul>{small}</ul>' if small else ''}"
        )
    return f"<section><h2>{place}. {html.escape(view.heading)}</h2>{body}</section>"


def _papers(story: Story, home: str, figures_in: FiguresOf) -> str:
    papers = []
    for view in story.views:
        with suppress(ExamboardError):
            papers += methods(figures_in(view.collection or home), view.series, view.asked).papers
    if not papers:
        return ""
    entries = html.escape(bibtex(list(dict.fromkeys(papers))))
    return f'<section><h2>Papers to cite</h2><pre style="white-space: pre-wrap">{entries}</pre></section>'


def _link(address: str) -> str:
    if not address:
        return ""
    here = "" if leads_elsewhere(address) else f"<p>{LOCAL}</p>"
    return (
        f'<section><h2>In the dashboard</h2><p><a href="{html.escape(address)}">{html.escape(address)}</a></p>{here}'
        f'<img alt="QR code of the link" style="width: 12rem" src="{html.escape(qr_code(address))}"></section>'
    )

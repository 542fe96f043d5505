"""A story as one HTML file that works offline."""

from __future__ import annotations

import html
from collections.abc import Callable
from contextlib import suppress

from exam_core.analysis.figures import Figures
from exam_core.errors import ExamboardError
from exam_core.reports.bibliography import bibtex
from exam_core.reports.methods_paragraph import methods
from exam_core.reports.part import Ask
from exam_core.view import View
from exam_core.wings.stage.charts.embedding import embedded
from exam_core.wings.stage.reports.links import LOCAL, leads_elsewhere, qr_code
from exam_core.wings.stage.reports.page import ReportOrigin, document, head
from exam_core.wings.stage.slides.making import choice_of, slide_of
from exam_core.wings.stage.story import Story, collections_of
from exam_core.wording import number, without_commands

FiguresOf = Callable[[str], Figures]
"""The figures of a collection by its name."""


def story_html(story: Story, figures_in: FiguresOf, origin: ReportOrigin, ask: Ask | None = None) -> str:
    """All views of a story in order, each with its chart, takeaway, note and choice.

    Parameters
    ----------
    figures_in : called with the collection of each view
    origin : of the collection in which it is kept; its address, if it has one, is the story's in the dashboard
    ask : how the analyses are called

    A view that can't be shown any more says why.
    """
    home = origin.collection
    title = f"{story.name}: {', '.join(collections_of(story.views, home))}"
    views = [_view(place, view, home, figures_in, ask) for place, view in enumerate(story.views, 1)]
    papers = _papers(story, home, figures_in)
    return document(title, "".join([head(title, origin), *views, papers, _link(origin.address)]))


def _view(place: int, view: View, home: str, figures_in: FiguresOf, ask: Ask | None) -> str:
    note = "".join(f"<p>{html.escape(line)}</p>" for line in view.note.splitlines() if line.strip())
    try:
        figures = figures_in(view.collection or home)
        slide = slide_of(figures, view, ask)
        choice = choice_of(figures, view, slide)
    except ExamboardError as error:
        body = f"<p>{html.escape(without_commands(str(error)))}</p>{note}"
    else:
        ticks = ", ".join(f"{name} {number(value, '.3f')}" for name, value in slide.ticks.items())
        ticks = f"{slide.ticks_of}: {ticks}" if slide.ticks_of and ticks else ticks
        said = html.escape(view.said(slide.takeaway))
        notes = (*view.about_data(figures.snapshot.fingerprint), *slide.notes)
        small = "".join(f"<li>{html.escape(one)}</li>" for one in notes)
        body = (
            f"{f'<p><strong>{said}</strong></p>' if said else ''}{note}"
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

"""Slides of pages: which pages have one, and how it comes of a view."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial

from exam_core import answers as answers_table
from exam_core import wings
from exam_core.analysis.contents.display_names import names_of
from exam_core.analysis.contents.requirements import is_graded
from exam_core.analysis.evaluation.choosing import leave_out
from exam_core.analysis.figures import Figures, figures_of
from exam_core.answers.analysis import Analysis, Subject
from exam_core.answers.asking import options_for
from exam_core.errors import UsageError
from exam_core.reports.choices import choice_in_words
from exam_core.reports.part import Ask, ask_now
from exam_core.slides.slide import PageSlide, Slide, Told
from exam_core.view import View
from exam_core.wording import for_readers, plain_names


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


def _slides() -> dict[str, Callable[[Told], Slide]]:
    """The slides, those among them that are made of an analysis of the table of answers."""
    own = {title: row.make for title, row in declared().items()}
    return own | {found.title: partial(_of_analysis, found) for _, found in answers_table.titled()}


def _of_analysis(found: Analysis, told: Told) -> Slide:
    options = options_for(found.options, told.asked.of(told.first), {})
    answer = found.answer(Subject(None, told.figures.snapshot), options)
    if answer.of is None or not answer.has_figure:
        raise UsageError(f"{found.title} has no slide: it has no chart, or declares no table.")
    takeaway, *notes = answer.notes or [answer.title]
    return Slide(takeaway, answer.figure(), answer.rows, answer.of, notes=tuple(notes))


def titles(figures: Figures, series: Sequence[str] = ()) -> list[str]:
    """Titles of the slides of a collection and of series that are chosen of it, in the order of a presentation."""
    snapshot = figures.snapshot
    usual = [title for title, row in declared().items() if row.can_be_of(snapshot, series)]
    return [*usual, *(title for title in _slides() if title not in declared() and is_graded(snapshot))]


def of_tab(page: str, address: Mapping[str, Sequence[str]]) -> str:
    """The title of a page's slide, or of that of the tab which its address names."""
    for title, row in declared().items():
        name, tabs = row.tabs
        if row.part_of == page and next(iter(address.get(name, ())), "") in tabs:
            return title
    return page


def slide_of(figures: Figures, view: View, ask: Ask | None = None) -> Slide:
    """The slide of a view, computed from the collection as it is now.

    Raises ExamboardError where the page has no slide, or the collection no longer has what the view shows.

    Parameters
    ----------
    figures : of the whole collection
    ask : how the analyses are called
    """
    title = now_called(view.page)
    slides = _slides()
    if title not in slides:
        raise UsageError(f"The page {view.page} has no slide. There are slides of: {', '.join(pages())}.")
    slide = slides[title](Told(view, _without(figures, view), ask or ask_now))
    notes = tuple(filter(None, map(for_readers, slide.notes)))
    return replace(slide, takeaway=plain_names(slide.takeaway), notes=notes)


def choice_of(figures: Figures, view: View, slide: Slide) -> str:
    """The choice of a view's slide in one line, graders by name; arguments and errors as `slide_of`."""
    if slide.chosen:
        return slide.chosen
    said = choice_in_words(_without(figures, view), view.series, view.asked, names_of(figures.snapshot))
    hides = view.own("runs")
    return f"{said}, runs filtered by {hides}" if hides else said


def _without(figures: Figures, view: View) -> Figures:
    if view.page == "Reproduce":
        return figures  # what was printed is of all runs
    return figures_of(leave_out(figures.snapshot, view.without)) if view.without else figures

"""Slides of pages: which pages have one, and how it comes of a view."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from exam_core import answers as answers_table
from exam_core.analysis.evaluation.choosing import leave_out
from exam_core.analysis.figures import Figures, figures_of
from exam_core.analysis.generated.ranked import rankers_of
from exam_core.analysis.holdings.called import names_of
from exam_core.analysis.holdings.needs import has_nuggets, has_questions, has_voters, is_graded, is_judged
from exam_core.analysis.printed.reproduction import is_reproduced
from exam_core.answers.analysis import Analysis, Subject
from exam_core.answers.asking import options_for
from exam_core.errors import UsageError
from exam_core.reports.choices import choice_in_words
from exam_core.slides import answers, beside, boards, chances, telling
from exam_core.slides.slide import Ask, Slide, Told
from exam_core.store.summary import graded_banks
from exam_core.story import View
from exam_core.wording import without_commands

METHODS, ORDER = "Which method, which tau?", "How sure is the order?"
"""Pages that have several slides."""


def _methods(told: Told) -> Slide:
    """What each tau trades off; where nothing can be cut, runs beside the reference."""
    cut = told.of_grades and is_graded(told.figures.snapshot)
    return (chances.cutoffs if cut else _correlation)(told)


def _correlation(told: Told) -> Slide:
    return boards.correlation(boards.of_picked_method(told))


SLIDES: dict[str, Callable[[Told], Slide]] = {
    "Leaderboard": boards.leaderboard,
    "Compare": beside.compared,
    "Outliers": boards.outliers,
    "Nuggets": answers.nugget_scores,
    "Generated answers": answers.ranked_answers,
    METHODS: _methods,
    "Correlation": _correlation,
    ORDER: chances.of_stability,
    "Significantly different pairs": telling.fidelity_of_pairs,
    "Questions": telling.questions,
    "Agreement": chances.agreement,
    "Grading modes as votes": telling.votes,
    "Reproduce": answers.reproduced,
}
"""By the title of the page, or of a part of one, in the order of a presentation."""
PARTS = {"Correlation": METHODS, "Significantly different pairs": ORDER, "Grading modes as votes": "Agreement"}
"""Slides of parts of pages, and the page that has the part."""
FORMER = {"Cutoffs": METHODS, "Stability": ORDER, "Runs told apart": "Significantly different pairs"}
"""What stories and links of earlier versions call pages."""
PAGES = [title for title in SLIDES if title not in PARTS]
"""Pages that have a slide, and so can be pinned."""
TABS = {
    METHODS: ("methods_part", {"All coefficients": "Correlation", "Run by run": "Correlation"}),
    ORDER: ("stability_view", {"Pairs by grades and judgments": "Significantly different pairs"}),
}
"""Tabs of pages that have a slide of their own: the parameter that names the open one, and the slides."""
TAKES: dict[str, Callable[[Any], bool]] = {
    "Nuggets": has_nuggets,
    "Generated answers": lambda snapshot: bool(rankers_of(snapshot)),
    "Correlation": lambda snapshot: bool(graded_banks(snapshot)),
    "Significantly different pairs": is_judged,
    "Questions": has_questions,
    "Agreement": is_graded,
    "Grading modes as votes": has_voters,
    "Reproduce": is_reproduced,
}
"""Whether a collection has what a slide takes, by its snapshot."""


def _slides() -> dict[str, Callable[[Told], Slide]]:
    """The slides, those among them that are made of an analysis of the table of answers."""
    return SLIDES | {found.title: partial(_of_analysis, found) for _, found in answers_table.titled()}


def _of_analysis(found: Analysis, told: Told) -> Slide:
    options = options_for(found.options, told.asked.of(told.first), {})
    answer = found.answer(Subject(None, told.figures.snapshot), options)
    if answer.of is None or not answer.has_figure:
        raise UsageError(f"{found.title} has no slide: it has no chart, or declares no table.")
    figure, (takeaway, *notes) = answer.figure(), answer.notes or [answer.title]
    return Slide(takeaway, figure, figure.layout.meta["description"], answer.rows, answer.of, notes=tuple(notes))


def titles(figures: Figures) -> list[str]:
    """Titles of the slides of a collection, in the order of a presentation."""
    snapshot = figures.snapshot
    usual = [title for title in SLIDES if title not in TAKES or TAKES[title](snapshot)]
    return [*usual, *(title for title in _slides() if title not in SLIDES and is_graded(snapshot))]


def of_tab(page: str, address: Mapping[str, Sequence[str]]) -> str:
    """The title of a page's slide, or of that of the tab which its address names."""
    name, slides = TABS.get(page, ("", {}))
    return slides.get(next(iter(address.get(name, ())), ""), page)


def slide_of(figures: Figures, view: View, ask: Ask | None = None) -> Slide:
    """The slide of a view, computed from the collection as it is now.

    Parameters
    ----------
    figures : of the whole collection
    ask : how the analyses are called

    Raises
    ------
    ExamboardError : the page has no slide, or the collection no longer has what the view shows
    """
    title = FORMER.get(view.page, view.page)
    slides = _slides()
    if title not in slides:
        raise UsageError(f"The page {view.page} has no slide. There are slides of: {', '.join(PAGES)}.")
    slide = slides[title](Told(view, _without(figures, view), ask or _call))
    return replace(slide, notes=tuple(filter(None, map(without_commands, slide.notes))))


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


def _call(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    return function(*arguments, **options)

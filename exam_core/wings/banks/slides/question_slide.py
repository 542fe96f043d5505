"""The slide of questions."""

from __future__ import annotations

from dataclasses import replace

from exam_core.analysis.contents.requirements import has_questions, question_modes
from exam_core.slides.slide import PageSlide, Slide, Told
from exam_core.wings.banks.analysis.difficulty import ROWS as QUESTIONS
from exam_core.wings.banks.analysis.difficulty import difficulty, kinds_in_words, of_kinds
from exam_core.wings.banks.charts.question_scatter import difficulty_figure


def questions(told: Told) -> Slide:
    """Questions by how many runs answer them, and by whether good runs do."""
    told.refuse_print()
    snapshot = told.figures.snapshot
    mode = next(iter(question_modes(snapshot, [told.first, *told.view.series])), told.first)
    told = replace(told, view=replace(told.view, series=(mode,)))
    found = told.ask(difficulty, snapshot, told.choice)
    rows = of_kinds(found.rows, tuple(told.view.address.get("difficulty_kind", ())))
    return Slide(
        takeaway=f"{kinds_in_words(found.rows)}{told.at_tau and f' ({told.at_tau[4:]})'}.",
        figure=difficulty_figure(rows, found.told_from_zero),
        table=rows,
        of=QUESTIONS,
        notes=tuple(found.notes),
    )


ROWS = (PageSlide("Questions", questions, 100, takes=has_questions, of_questions=True),)

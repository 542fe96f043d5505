"""What the saved report shows of questions."""

from __future__ import annotations

from exam_core.reports.part import Asking, PagePart, Part, ReportTable
from exam_core.wings.banks.analysis import difficulty as questions
from exam_core.wings.banks.charts import question_scatter
from exam_core.wording import counted

MOST_QUESTIONS = 25
"""Questions that a report lists; the dashboard has all."""


def _questions(asking: Asking) -> Part | None:
    choice = asking.choice() if asking.of_grades else None
    if choice is None or choice.grading.is_direct:
        return None
    found = asking.ask(questions.difficulty, asking.figures.snapshot, choice)
    about = f"Bank {found.grading.bank_id} at tau {found.tau}, {counted({'runs': found.n_runs})}"
    said = f"{about}: {questions.kinds_in_words(found.rows)}."
    charts = {"difficulty": question_scatter.difficulty_figure(found.rows, found.told_from_zero)}
    worst = found.rows.head(MOST_QUESTIONS).drop(columns="question_id")
    table = ReportTable(worst, questions.ROWS, f"The first {len(worst)} of {len(found.rows):,}, worst first")
    return Part("Questions", [said], charts, [table], found.notes)


PARTS = (PagePart("Questions", _questions, 60),)

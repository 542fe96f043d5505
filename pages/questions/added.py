"""What question banks add to the pages."""

from __future__ import annotations

from exam_core.analysis.contents import Lack
from pages.shared import show, steps
from pages.shared.selection import Selection
from pages.shared.wings import BOARDS, Page, computed

QUESTIONS = Page(
    "pages/questions/questions.py",
    "Questions",
    ":material/quiz:",
    "Inspect",
    computed,
    of_grades=f"{BOARDS} relevant_from",
)
PAGES = (QUESTIONS,)


def draw_question(query_id: str, text: str) -> None:
    """A link to a question."""
    from pages.questions import bank_health

    label = bank_health.label(query_id, text)
    show.link(QUESTIONS.path, show.escaped(label), QUESTIONS.icon, difficulty_question=label)


def draw_lack(lack: Lack, selection: Selection) -> None:
    """The button that leads to where questions are written."""
    if lack.what == "questions":
        steps.button(
            "Write questions", ":material/edit_note:", QUESTIONS.path, selection, "write_questions", bank_view="Edit"
        )

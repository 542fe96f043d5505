"""What banks add to the pages."""

from __future__ import annotations

from exam_core.analysis.contents.missing_parts import Lack
from exam_core.analysis.contents.requirements import has_questions
from pages.shared import steps
from pages.shared.chosen import Chosen
from pages.shared.wings import BOARDS, Page, computed

BANKS = Page(
    "pages/banks/banks.py",
    "Banks",
    ":material/edit_note:",
    "Read and check",
    computed,
    of_grades=f"{BOARDS} relevant_from",
)
QUESTIONS = Page(
    "pages/questions/questions.py",
    "Questions",
    ":material/quiz:",
    BANKS.group,
    has_questions,
    of_grades="bank series tau reference without depth",
    needs_grades="This page finds hard questions by grades.",
)
PAGES = (QUESTIONS, BANKS)


def draw_lack(lack: Lack, chosen: Chosen) -> None:
    """The button that leads to where questions are written."""
    if lack.what == "questions":
        steps.button("Write questions", BANKS.icon, BANKS.path, chosen, "write_questions")

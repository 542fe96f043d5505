"""Questions: which of a bank separate good runs from bad; edit them, compare versions, have a model write new ones."""

from __future__ import annotations

from collections.abc import Callable

from pages.questions import bank_editor, bank_health, generation_form
from pages.shared import boxes, data, frame, help_texts, show, steps, visiting
from pages.shared.moved import BANK_VIEW
from pages.shared.selection import Selection

VIEWS: dict[str, Callable[[Selection], None]] = {
    "Health": bank_health.draw,
    "Edit": bank_editor.draw_editor,
    "Versions": bank_editor.draw_history,
    "Generate": lambda selection: generation_form.draw(selection.snapshot, selection.bank_name),
}
READING = ("Health", "Versions")  # for those who may not edit
VIEW = "Find weak questions, edit the bank, compare versions, or have a model write new questions."


def draw(selection: Selection) -> None:
    """The part that is chosen."""
    if steps.unprinted(selection, "questions", "questions, such as demo."):
        return
    if data.store().is_file:
        bank_health.draw(selection)
        show.text(help_texts.single_file("edit questions"))
        return
    views = VIEWS if visiting.allowed("edit") else READING
    part = boxes.one_of("Part", views, key=BANK_VIEW, help=VIEW, label_visibility="collapsed")
    VIEWS[part](selection)


with frame.page("Questions", series=False) as selection:
    draw(selection)

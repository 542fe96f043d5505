"""What the page of questions shows: one of its parts."""

from __future__ import annotations

from collections.abc import Callable

from pages.questions import bank_editor, bank_history, generation_form, health_view
from pages.shared import boxes, data, help_texts, show, steps, visiting
from pages.shared.moved import BANK_VIEW
from pages.shared.selection import Selection

VIEWS: dict[str, Callable[[Selection], None]] = {
    "Health": health_view.draw,
    "Edit": bank_editor.draw,
    "Versions": bank_history.draw,
    "Generate": lambda choice: generation_form.draw(choice.snapshot, choice.bank_name),
}
READING = ("Health", "Versions")
"""Parts of who may not edit."""
VIEW = "Find weak questions, edit the bank, compare versions, or have a model write new questions."


def draw(selection: Selection) -> None:
    """The part that is chosen."""
    if steps.unprinted(selection, "questions"):
        return
    if data.store().is_file:
        health_view.draw(selection)
        show.text(help_texts.single_file("edit questions"))
        return
    views = VIEWS if visiting.allowed("edit") else READING
    part = boxes.one_of("Part", views, key=BANK_VIEW, help=VIEW, label_visibility="collapsed")
    VIEWS[part](selection)

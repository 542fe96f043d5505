"""What the page of question banks shows: one of its views."""

from __future__ import annotations

from collections.abc import Callable

from pages.banks import bank_editor, bank_history, generation_form, health_view
from pages.shared import boxes, data, show, steps, visiting
from pages.shared.chosen import Chosen

VIEWS: dict[str, Callable[[Chosen], None]] = {
    "Edit": bank_editor.draw,
    "Versions": bank_history.draw,
    "Health": health_view.draw,
    "Generate": lambda chosen: generation_form.draw(chosen.snapshot, chosen.bank_name),
}
READING = ("Versions", "Health")
"""Views of who may not edit."""
VIEW = "Edit questions, compare versions, find weak questions, or have a model write new ones."


def draw(chosen: Chosen) -> None:
    """The view that is chosen."""
    if steps.unprinted(chosen, "questions"):
        return
    if data.store().is_file:
        show.text("This store is a single file, and read only: edit banks in a folder.")
        return
    views = VIEWS if visiting.allowed("edit") else READING
    VIEWS[boxes.one_of("View", views, key="bank_view", help=VIEW)](chosen)

"""Pinned views as the text that a live page reads, and as buttons."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

from exam_core.view import View
from exam_core.wings.live.analysis.cube import Cube
from exam_core.wings.live.analysis.pinned_views import SECTIONS, choice_of


def live_views(found: Cube, views: Sequence[View]) -> list[dict[str, Any]]:
    """Each view's words, its choice and where on the page it is to be seen."""
    return [_screen(found, view) for view in views]


def _screen(found: Cube, view: View) -> dict[str, Any]:
    section = SECTIONS[view.page]
    at_top = section == SECTIONS["Leaderboard"]
    words = [] if at_top else [view.sentence]
    return {
        "title": view.heading,
        "note": "\n".join(filter(None, [*words, view.note, *view.about_data(found.snapshot.fingerprint)])),
        "sentence": view.sentence if at_top else None,
        "section": section,
        "choice": choice_of(found.snapshot, found.axes, view),
    }


def screens(views: Sequence[Mapping[str, Any]]) -> str:
    """A button for each view, as HTML; nothing where there are none."""
    if not views:
        return ""
    buttons = "".join(
        f'<button type="button">{place}. {html.escape(view["title"])}</button>' for place, view in enumerate(views, 1)
    )
    return f'<fieldset id="views"><legend>Views</legend>{buttons}</fieldset>'


def first_note(views: Sequence[Mapping[str, Any]]) -> str:
    """The place of a view's note with that of the first, as HTML; nothing where there are none."""
    return f'<p id="note" aria-live="polite">{html.escape(views[0]["note"])}</p>' if views else ""

"""Nuggets and their assignments: recognised, so that a refusal can name them, but read by no import yet."""

from __future__ import annotations

from exam_core.formats.format import Format, Kind, Opening

NUGGETS = Kind(key="nuggets", noun="Nuggets", order=90, main="questions", uploaded=False, imported=False)


def _fits(opening: Opening) -> bool:
    return "nugget_bank" in opening.fields or {"qid", "nuggets"} <= opening.fields


ROWS = (
    Format(
        kind=NUGGETS,
        written="JSON lines",
        looks="nuggets or nugget assignments",
        order=20,
        fits=_fits,
        read=None,
    ),
)

"""Addresses of pages that earlier versions had, and where they lead: links and bookmarks hold for ever."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

TABS, VIEWS, PART, BANK_VIEW = "methods_part", "stability_view", "reliability_part", "bank_view"
"""Parameters that name the open part of pages that were made of several."""
BY_TAU, RUN_BY_RUN = "By tau", "Run by run"
PAIRS, RANKS, REPRODUCED = "Pairs of runs", "Ranks", "Reproduce"
NEW = {
    **{"overview": "./", "home": "./", "holdings": "collections", "evidence": "passages", "difficulty": "questions"},
    **{"correlation": "methods", "cutoffs": "methods", "banks": "questions"},
    **dict.fromkeys(("order", "stability", "how_sure", "reproduce"), "reliability"),
}
"""By the name in an old address the new one; the first page is at the address without a name."""
OPENS = {"correlation": {TABS: RUN_BY_RUN}, "banks": {BANK_VIEW: "Edit"}, "reproduce": {PART: REPRODUCED}}
MOVED = {old: (new, OPENS.get(old, {})) for old, new in NEW.items()}
"""By the old name: the new one, and what the address says besides its own parameters."""
PARTS = {("compare", "compare_what", "All pairs of runs"): ("reliability", {VIEWS: PAIRS})}
"""By an old page and the choice that showed a part of it, which has moved alone."""


def moved(path: str, query: str) -> str | None:
    """Where an old address leads, beside it; None where nothing has moved.

    Parameters
    ----------
    path, query : of the address, before and after the question mark
    """
    name, pairs = path.rstrip("/").rpartition("/")[2], parse_qsl(query, keep_blank_values=True)
    to = MOVED.get(name) or next(
        (to for (page, key, value), to in PARTS.items() if page == name and (key, value) in pairs), None
    )
    if to is None:
        return None
    gone = {key for page, key, _ in PARTS if page == name}
    rows = [(key, value) for key, value in pairs if key not in gone and (key, value) != (VIEWS, RANKS)]
    text = urlencode([*rows, *((key, value) for key, value in to[1].items() if key not in dict(rows))])
    return f"{'../' if path.endswith('/') else ''}{to[0]}{f'?{text}' if text else ''}"

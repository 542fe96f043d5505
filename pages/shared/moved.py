"""Addresses of pages that earlier versions had, and where they lead: links and bookmarks hold for ever."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

TABS, VIEWS = "methods_part", "stability_view"
"""Parameters that name the open tab of the two pages that were made of several."""
BY_TAU, RUN_BY_RUN = "By tau", "Run by run"
PAIRS, RANKS = "Pairs of runs", "Ranks"
NEW = {
    **{"overview": "./", "home": "./", "holdings": "collections", "evidence": "passages", "difficulty": "questions"},
    **{"correlation": "methods", "cutoffs": "methods", "order": "how_sure", "stability": "how_sure"},
}
"""By the name in an old address the new one; the first page is at the address without a name."""
MOVED = {old: (new, {TABS: RUN_BY_RUN} if old == "correlation" else {}) for old, new in NEW.items()}
"""By the old name: the new one, and what the address says besides its own parameters."""
PARTS = {("compare", "compare_what", "All pairs of runs"): ("how_sure", {VIEWS: PAIRS})}
"""By an old page and the choice that showed a part of it, which has moved alone."""


def moved(path: str, query: str) -> str | None:
    """Where an old address leads, beside it; None where nothing has moved.

    Parameters
    ----------
    path, query : of the address, before and after the question mark
    """
    name, asked = path.rstrip("/").rpartition("/")[2], parse_qsl(query, keep_blank_values=True)
    to = MOVED.get(name) or next(
        (to for (page, key, value), to in PARTS.items() if page == name and (key, value) in asked), None
    )
    if to is None:
        return None
    gone = set(to[1]) | {key for page, key, _ in PARTS if page == name}
    kept = [(key, value) for key, value in asked if key not in gone and (key, value) != (VIEWS, RANKS)]
    said = urlencode([*kept, *to[1].items()])
    return f"{'../' if path.endswith('/') else ''}{to[0]}{f'?{said}' if said else ''}"

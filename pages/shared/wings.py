"""What wings add to the pages: a folder of `pages` with a file `added.py` is a wing's, and that file says what it adds.

All of it may be left out:

- `NO_CHOICES`: parameters of the address that are no choices of a page
- `draw_instead(chosen, title)`: draws something in the place of the page; whether it did
- `is_instead()`: whether it will, so that nothing stands top right
- `draw_top(chosen, title)`: draws what stands top right
- `TABS`: tabs of pages of the core
- `draw_outliers(chosen, choices, found)`: draws what stands below the outliers
- `draw_shared(chosen, address)`: draws what stands in *Share and export*, below the leaderboards
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

PAGES = Path(__file__).parents[1]


class Tab(NamedTuple):
    """A tab of a page.

    Attributes
    ----------
    page : the title of the page
    name : of the tab
    draw : draws it; the page says of what
    before : the tab that it stands before; by default it is the last one
    """

    page: str
    name: str
    draw: Callable[..., None]
    before: str = ""


@cache
def folders() -> tuple[str, ...]:
    """The folders of `pages` that are of wings, in alphabetical order."""
    return tuple(sorted(path.parent.name for path in PAGES.glob("*/added.py")))


def declared(name: str) -> Iterator[Any]:
    """What the wings say under a name."""
    for folder in folders():
        added = import_module(f"pages.{folder}.added")
        if hasattr(added, name):
            yield getattr(added, name)


def no_choices() -> set[str]:
    """Parameters of the address that are no choices of a page."""
    return {one for names in declared("NO_CHOICES") for one in names}


def is_instead() -> bool:
    """Whether something is drawn in the place of the page."""
    return any(asked() for asked in declared("is_instead"))


def draw(name: str, *given: Any) -> bool:
    """Let the wings draw what they have under a name, until one says that nothing else is to be drawn."""
    drawing: Iterator[Callable[..., bool | None]] = declared(name)
    return any(one(*given) for one in drawing)


def with_tabs(page: str, own: Mapping[str, Callable[[], None]], *given: Any) -> dict[str, Callable[[], None]]:
    """The tabs of a page and those that wings add: what draws each, by its name."""
    listed = list(own.items())
    for tab in (one for tabs in declared("TABS") for one in tabs if one.page == page):
        names = [name for name, _ in listed]
        place = names.index(tab.before) if tab.before in names else len(names)
        listed.insert(place, (tab.name, partial(tab.draw, *given)))
    return dict(listed)

"""What wings add to the pages: the file `added.py` of each of their folders says it.

All of it may be left out:

- `PAGES`: its pages, each with its place in the menu and what of the bar it uses
- `NO_CHOICES`: parameters of the address that are no choices of a page
- `draw_instead(selection, title)`: draws something in the place of the page; whether it did
- `is_instead()`: whether it will, so that nothing stands top right
- `draw_top(selection, title)`: draws what stands top right
- `TABS`: tabs of pages of the core
- `draw_run(selection, choice, run)`: draws what stands below the Leaderboard's chosen run
- `draw_displaced(selection, choice, run, stands)`: the same of a displaced run; `stands` is the sentence of its rank
- `draw_outliers(selection, choices, outliers)`: draws what stands below the outliers
- `draw_shared(selection, address)`: draws what stands in *Share*, below the leaderboards
- `draw_figures(selection)`: draws what stands there below the methods paragraph
- `draw_kendall(sentence)`: draws a link to how well a board agrees with the reference; whether it did
- `draw_question(query_id, text)`: draws a link to a question
- `draw_lack(lack, selection)`: draws another way to bring what a collection lacks
- `edit_mode(mode)`: draws a grading mode so that it can be changed, and gives what is made of it; None where it is none
- `keep_mode(mode)`: keeps what `edit_mode` gave
- `draw_reliability(selection)`: draws another part of *Reliability* in the place of it; whether it did
- `BACKENDS`: how forms ask for what backends of the wing take
- `confirmed_servers()`: addresses that the visitor confirmed, which jobs may ask
- `draw_unlabelled(choice, run, query)`: links to where to see what a measure looks at that looks at no grades
- `SIGN_IN`: how people sign in (`visiting.SignIn`)
- `LOADED_LATER`: modules that the Leaderboard loads once it has a chart
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from pathlib import PurePath
from typing import Any, NamedTuple

from exam_core.analysis.figures import figures_of
from exam_core.store import Snapshot
from exam_core.store.summary import run_ids
from exam_core.wings import WINGS

BOARDS = "bank series measure tau reference without depth label_rank"
"""What of the bar pages about leaderboards use."""
RUNS, RUNS_IN_PRINT = f"{BOARDS} runs", "series reference without runs"
"""The same of pages that set a run beside others, of computed and of printed figures."""


def anything(_snapshot: Snapshot) -> bool:
    """What a page takes that each collection can fill."""
    return True


def computed(snapshot: Snapshot) -> bool:
    """Whether figures are computed, and not printed."""
    return not figures_of(snapshot).in_print


def ranked(snapshot: Snapshot) -> bool:
    """Whether there are runs to compare, or printed figures of some."""
    return not computed(snapshot) or bool(run_ids(snapshot))


@dataclass(frozen=True)
class Page:
    """A page of a menu.

    Attributes
    ----------
    path : its file, whose name is its address
    group : the menu
    takes : whether a collection can fill it; by default each can
    of_grades, of_print : what of the bar it uses, by names of `controls.KEYS`, of computed and of printed figures
    needs_grades : why judgments alone have nothing to say to it; empty where they have
    before : the title of the page that one of a wing stands before; by default it is the last one of its menu
    of_store : whether it compares collections, so that a store of one has nothing to fill it with
    """

    path: str
    title: str
    icon: str
    group: str
    takes: Callable[[Snapshot], bool] = anything
    of_grades: str = ""
    of_print: str = ""
    needs_grades: str = ""
    before: str = ""
    of_store: bool = False

    @property
    def name(self) -> str:
        """The last part of its address, but for the first page."""
        return PurePath(self.path).stem

    def bar(self, snapshot: Snapshot) -> Collection[str]:
        """What of the bar it uses, of a collection."""
        return (self.of_grades if computed(snapshot) else self.of_print).split()


class Tab(NamedTuple):
    """A tab of the page with that title; by default the last one. The page says what `draw` gets."""

    page: str
    name: str
    draw: Callable[..., None]
    before: str = ""


@dataclass(frozen=True)
class BackendForm:
    """How forms ask for what a backend alone takes: options by their names in `GradingOptions`.

    Attributes
    ----------
    backend : its name
    first : an option that it is nothing without; `lacks` says what is missing then
    ask : draws what it takes to find a model, of how the keys of its widgets begin, and gives these options
    title, icon, more : options that are folded away, and under which title
    of_grades, of_texts : other options, of a model that grades and of one that writes
    step : label and help of the button that leads here where there are no grades
    """

    backend: str
    first: str
    missing_text: str
    ask: Callable[[str], dict[str, Any]]
    title: str
    icon: str
    more: tuple[str, ...]
    of_grades: tuple[str, ...]
    of_texts: tuple[str, ...]
    step: tuple[str, str]


@cache
def folders() -> tuple[str, ...]:
    """The folders of `pages` that are of wings, in alphabetical order."""
    return tuple(sorted(folder for wing in WINGS.values() for folder in wing.pages))


def declared(name: str) -> Iterator[Any]:
    """What each wing's `added.py` has under a name, as far as it has it."""
    for folder in folders():
        added = import_module(f"pages.{folder}.added")
        if hasattr(added, name):
            yield getattr(added, name)


def pages() -> list[Page]:
    """The pages that wings have."""
    return [page for pages in declared("PAGES") for page in pages]


def backends() -> dict[str, BackendForm]:
    """How forms ask for what backends of wings take, by the backend's name."""
    return {form.backend: form for forms in declared("BACKENDS") for form in forms}


def confirmed_servers() -> list[str]:
    """Addresses that the visitor confirmed, which jobs may ask."""
    return [address for confirmed in declared("confirmed_servers") for address in confirmed()]


def no_choices() -> set[str]:
    """Parameters of the address that are no choices of a page."""
    return {name for names in declared("NO_CHOICES") for name in names}


def is_instead() -> bool:
    """Whether something is drawn in the place of the page."""
    return any(is_drawn() for is_drawn in declared("is_instead"))


def draw(name: str, *arguments: Any) -> bool:
    """Let the wings draw what they declare under a name, until one returns True: nothing else is drawn then."""
    drawing: Iterator[Callable[..., bool | None]] = declared(name)
    return any(draw_part(*arguments) for draw_part in drawing)


def with_tabs(page: str, own: Mapping[str, Callable[[], object]], *arguments: Any) -> dict[str, Callable[[], object]]:
    """The tabs of a page and those that wings add, which get the arguments: what draws each, by its name."""
    listed = list(own.items())
    for tab in (tab for tabs in declared("TABS") for tab in tabs if tab.page == page):
        names = [name for name, _ in listed]
        place = names.index(tab.before) if tab.before in names else len(names)
        listed.insert(place, (tab.name, partial(tab.draw, *arguments)))
    return dict(listed)

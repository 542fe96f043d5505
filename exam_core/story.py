"""Stories: views of a collection that somebody pinned, in the order in which they are told. Values; no store."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from exam_core.asked import Asked
from exam_core.errors import UsageError, is_utf8

MOST_VIEWS, LONGEST_TITLE, LONGEST_SENTENCE, LONGEST_NOTE = 100, 200, 400, 4000
"""Views of a story, and characters of a title, a sentence and a note."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


@dataclass(frozen=True)
class View:
    """A page with every choice that was made on it.

    Attributes
    ----------
    page : its title in the dashboard
    series : grading modes or printed columns
    asked : what is evaluated; the bank in its version
    without : runs that are left out
    raw, own_order : scores as they are; runs in the order of the first series
    address : the parameters of the page's address, those of its own choices among them
    fingerprint : of the collection when the view was pinned
    title, note : what somebody says of it; without a title the page's stands
    sentence : what stands in the place of the computed sentence, nothing where it is empty; None leaves that one
    collection : where it is not the one in which its story is kept
    view_id : names it within its story
    """

    page: str
    series: tuple[str, ...]
    asked: Asked
    without: tuple[str, ...] = ()
    raw: bool = False
    own_order: bool = False
    address: Mapping[str, Sequence[str]] = field(default_factory=dict)
    fingerprint: str = ""
    title: str = ""
    note: str = ""
    sentence: str | None = None
    collection: str = ""
    view_id: str = field(default_factory=lambda: uuid.uuid4().hex[:8])

    @property
    def heading(self) -> str:
        """Its title, or the page's."""
        return self.title or self.page

    def said(self, computed: str) -> str:
        """Its sentence: the computed one, unless somebody wrote another, or none."""
        return computed if self.sentence is None else self.sentence

    @property
    def shown(self) -> Literal["re-normalised", "raw", "ranks"]:
        """What a chart of boards shows of the runs."""
        if self.own("scores") == "ranks" or self.own("rank_intervals") == "true":
            return "ranks"
        return "raw" if self.raw else "re-normalised"

    def own(self, name: str, usual: str = "") -> str:
        """A choice of the page's own, as its address has it."""
        return next(iter(self.address.get(name, ())), usual)


@dataclass(frozen=True)
class Removed:
    """A view that was taken out, and where it stood."""

    place: int
    view: View


@dataclass(frozen=True)
class Story:
    """Views in order, and what was taken out of them, the last one last."""

    name: str
    views: tuple[View, ...] = ()
    removed: tuple[Removed, ...] = ()

    def __post_init__(self) -> None:
        if len(self.views) > MOST_VIEWS or len({view.view_id for view in self.views}) < len(self.views):
            raise ValueError(f"a story has {MOST_VIEWS} views at most, each with an id of its own")

    def with_view(self, view: View) -> Story:
        """With a view at the end.

        Raises
        ------
        UsageError : the story is full, or a text is too long
        """
        if len(self.views) >= MOST_VIEWS:
            raise UsageError(f"The story {self.name} has {MOST_VIEWS} views, and no more fit. Begin another one.")
        _check_texts(view)
        return replace(self, views=(*self.views, view))

    def moved(self, view_id: str, by: int) -> Story:
        """With a view so many places further on, at most at an end."""
        place, views = self._place(view_id), list(self.views)
        view = views.pop(place)
        views.insert(max(0, place + by), view)
        return replace(self, views=tuple(views))

    def reworded(self, view_id: str, title: str, note: str, sentence: str | None = None) -> Story:
        """With another title, note and sentence of a view; UsageError if they are too long."""
        place, views = self._place(view_id), list(self.views)
        own = sentence if sentence is None else sentence.strip()
        views[place] = replace(views[place], title=title.strip(), note=note.strip(), sentence=own)
        _check_texts(views[place])
        return replace(self, views=tuple(views))

    def without_view(self, view_id: str) -> Story:
        """Without a view; `restored` brings it back."""
        place = self._place(view_id)
        gone = (*self.removed, Removed(place, self.views[place]))[-MOST_VIEWS:]
        return replace(self, views=self.views[:place] + self.views[place + 1 :], removed=gone)

    def restored(self) -> Story:
        """With the view that was taken out last, where it stood.

        Raises
        ------
        UsageError : none was taken out
        """
        if not self.removed:
            raise UsageError(f"Nothing was taken out of the story {self.name}.")
        *before, last = self.removed
        views = (*self.views[: last.place], last.view, *self.views[last.place :])
        return replace(self, views=views, removed=tuple(before))

    def _place(self, view_id: str) -> int:
        for place, view in enumerate(self.views):
            if view.view_id == view_id:
                return place
        raise UsageError(f"The story {self.name} has no such view any more: somebody else took it out.")


def collections_of(views: Iterable[View], home: str) -> list[str]:
    """The collections of views, that in which their story is kept first."""
    return list(dict.fromkeys((home, *(view.collection or home for view in views))))


def check_story_name(name: str) -> str:
    """The name of a story, which stands in links.

    Raises
    ------
    UsageError : it is none
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name[:80]!r} is no name of a story: take 1 to 40 letters of A to Z, digits, - and _, for instance "
            "meeting-3."
        )
    return name


def _check_texts(view: View) -> None:
    for what, text, most in (
        ("title", view.title, LONGEST_TITLE),
        ("sentence", view.sentence or "", LONGEST_SENTENCE),
        ("note", view.note, LONGEST_NOTE),
    ):
        if len(text) > most:
            raise UsageError(f"The {what} has {len(text):,} characters; at most {most:,} fit.")
        if not is_utf8(text):
            raise UsageError(f"The {what} has half a character in it. Type it anew.")

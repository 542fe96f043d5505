"""A view: a page with every choice that was made on it, as a value."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from exam_core.request import Request

CHANGED = "The collection has changed since this view was pinned: figures may differ from what was seen then."


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
    title, note : by people; without a title the page's stands
    sentence : in the place of the computed sentence, nothing where it is empty; None leaves that one
    collection : where it is not the one in which its story is kept
    view_id : names it within its story
    """

    page: str
    series: tuple[str, ...]
    asked: Request
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

    def about_data(self, fingerprint: str) -> list[str]:
        """That the collection, which has this fingerprint now, has changed since the view was pinned, if it has."""
        return [CHANGED] if self.fingerprint not in ("", fingerprint) else []

    @property
    def shown(self) -> Literal["re-normalised", "raw", "ranks"]:
        """What a chart of boards shows of the runs."""
        if self.own("scores") == "ranks" or self.own("rank_intervals") == "true":
            return "ranks"
        return "raw" if self.raw else "re-normalised"

    @property
    def own_document(self) -> str:
        """`no` where the queries' own documents are left out of rankings, else `yes`."""
        return self.own("own_document", "yes")

    def own(self, name: str, usual: str = "") -> str:
        """A choice of the page's own, as its address has it."""
        return next(iter(self.address.get(name, ())), usual)

"""What people say of a collection beside its data: names of graders, tags of runs. A later saying counts more."""

from __future__ import annotations

from typing import Any

import msgspec

from exam_core.store.catalogue import RecordKind, Records
from exam_core.tags import RunTags


class GivenAlias(msgspec.Struct, frozen=True, kw_only=True):
    """An alias that somebody gave a grader, and when; empty where the guessed name was wanted again."""

    grader: str
    alias: str
    by: str
    created: str


class GivenTags(msgspec.Struct, frozen=True, kw_only=True):
    """The tags of all runs of a collection from then on, who said so and when."""

    tags: dict[str, list[str]]
    by: str
    created: str


ALIAS = "alias"
"""Where the description of a grader has its alias in a file of a whole store."""
_AGAIN = "Give it again; or set the record aside: examboard check --repair."
ALIASES = RecordKind("alias", GivenAlias, "A name of a grader is lost; the one before it counts.", _AGAIN)
TAGS = RecordKind("tags", GivenTags, "The tags from before it are shown.", _AGAIN)


def aliases_in(records: Records[GivenAlias]) -> dict[str, str]:
    """Aliases that people gave here, by grader; the newest counts, and an empty one takes back what came before."""
    return {value.grader: value.alias for value in records.values.values()}


def tags_in(records: Records[GivenTags], *, before: bool = False) -> RunTags:
    """Tags of runs as they were given last, or the time `before` that; none if there is no such time."""
    given_tagses = list(records.values.values())[: -1 if before else None]
    return {run: tuple(tags) for run, tags in given_tagses[-1].tags.items()} if given_tagses else {}


class NamedColumns(msgspec.Struct, frozen=True):
    """A file's column for each of our fields that somebody named, of files with this header."""

    header: list[str]
    columns: dict[str, str]


COLUMNS = RecordKind("columns", NamedColumns, "Columns of such files are to be named again (--as).")


class JobOrder(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a job was asked for; an early version kept the arguments of its command line instead of a kind."""

    kind: str = ""
    request: dict[str, Any] = {}
    arguments: list[str] = []

    def __post_init__(self) -> None:
        if not self.kind and not self.arguments:
            raise ValueError("it says nothing")


ORDER = RecordKind(
    "order", JobOrder, "What the job was asked for is unknown; its answers are kept.", "Set it aside (check --repair)."
)

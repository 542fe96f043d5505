"""What people say of a collection beside its data: names of graders, tags of runs. Each saying is a small commit.

A file is never changed; a saying becomes visible by its rename, and a later one counts more.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from exam_core.errors import StoreError
from exam_core.store.files import content_name, files_in, known_damage, write_once
from exam_core.tags import RunTags

ALIASES, TAGS = "aliases", "tags"
"""Folders of a collection with a file for each saying: what a grader is called, what tags its runs have."""

ALIAS = "alias"
"""Where the description of a grader has its alias in a file of a whole store."""


class GivenAlias(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody called a grader, and when; empty where the guessed name was wanted again."""

    grader: str
    alias: str
    by: str
    created: str


class GivenTags(msgspec.Struct, frozen=True, kw_only=True):
    """The tags of all runs of a collection from then on, who said so and when."""

    tags: dict[str, list[str]]
    by: str
    created: str


_Said = TypeVar("_Said", GivenAlias, GivenTags)
_WHAT = {GivenAlias: "an alias of a grader", GivenTags: "tags of runs"}


def said_names(folder: Path, kind: str) -> list[str]:
    """The files of a kind of sayings by their names, oldest first."""
    return [path.name for path in files_in(folder / kind, "[0-9]*.json")]


def read_aliases(folder: Path, names: Sequence[str]) -> dict[str, str]:
    """Aliases that people gave here, by grader; the newest counts, and an empty one takes back what came before.

    Raises
    ------
    StoreError : a file is damaged
    """
    said = (_read(folder / ALIASES / name, GivenAlias) for name in names)
    return {one.grader: one.alias for one in said}


def read_tags(folder: Path, names: Sequence[str], *, before: bool = False) -> RunTags:
    """Tags of runs as the newest file has them; none without one.

    Parameters
    ----------
    before : as they were before that file

    Raises
    ------
    StoreError : the file is damaged
    """
    counting = names[:-1] if before else names
    if not counting:
        return {}
    said = _read(folder / TAGS / counting[-1], GivenTags)
    return {run: tuple(tags) for run, tags in said.tags.items()}


def write_alias(folder: Path, grader_id: str, alias: str, by: str) -> None:
    """Commit what a grader is called; empty takes the guessed name again. The collection's lock is held."""
    _write(folder, ALIASES, GivenAlias(grader=grader_id, alias=alias, by=by, created=_now()))


def write_tags(folder: Path, tags: Mapping[str, Sequence[str]], by: str) -> None:
    """Commit what tags all runs have from now on. The collection's lock is held."""
    _write(folder, TAGS, GivenTags(tags={run: list(own) for run, own in tags.items()}, by=by, created=_now()))


def _read(path: Path, form: type[_Said]) -> _Said:
    try:
        if what := known_damage(path):
            raise ValueError(f"it is {what}")
        return msgspec.json.decode(path.read_bytes(), type=form)
    except (OSError, ValueError, RecursionError) as error:
        raise StoreError(f"{path}: not {_WHAT[form]} ({error}). Remove it and give it again.") from None


def _write(folder: Path, kind: str, said: GivenAlias | GivenTags) -> None:
    number = max((int(name.partition("-")[0]) for name in said_names(folder, kind)), default=0) + 1
    content = msgspec.json.format(msgspec.json.encode(said))
    write_once(folder / kind / f"{number:06d}-{content_name(content)}.json", content)


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")

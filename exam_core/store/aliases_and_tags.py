"""What people say of a collection beside its data: names of graders, tags of runs. Each saying is a small commit.

A file is never changed; a saying becomes visible by its rename, and a later one counts more.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from exam_core.errors import StoreError
from exam_core.store.files import HASH_DIGITS, content_name, content_of, files_in, once, sound, write_once
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


def said_names(folder: Path, kind: str) -> list[str]:
    """The files of a kind of sayings by their names, oldest first."""
    return [path.name for path in files_in(folder / kind, "[0-9]*.json")]


def sound_sayings(folder: Path, kind: str) -> tuple[list[str], list[str]]:
    """The same without those that can't be read, and a sentence for each of these: it is as if nobody had said it."""
    found, damaged = sound((folder / kind / name for name in said_names(folder, kind)), SAYINGS[kind])
    return [path.name for path in found], damaged


def read_aliases(folder: Path, names: Sequence[str]) -> dict[str, str]:
    """Aliases that people gave here, by grader; the newest counts, and an empty one takes back what came before.

    Parameters
    ----------
    names : of `sound_sayings`
    """
    said = (alias_in(folder / ALIASES / name) for name in names)
    return {one.grader: one.alias for one in said}


def read_tags(folder: Path, names: Sequence[str], *, before: bool = False) -> RunTags:
    """Tags of runs as the newest file has them; none without one.

    Parameters
    ----------
    names : of `sound_sayings`
    before : as they were before that file
    """
    counting = names[:-1] if before else names
    if not counting:
        return {}
    return {run: tuple(tags) for run, tags in tags_in(folder / TAGS / counting[-1]).tags.items()}


def write_alias(folder: Path, grader_id: str, alias: str, by: str) -> None:
    """Commit what a grader is called; empty takes the guessed name again. The collection's lock is held."""
    _write(folder, ALIASES, GivenAlias(grader=grader_id, alias=alias, by=by, created=_now()))


def write_tags(folder: Path, tags: Mapping[str, Sequence[str]], by: str) -> None:
    """Commit what tags all runs have from now on. The collection's lock is held."""
    _write(folder, TAGS, GivenTags(tags={run: list(own) for run, own in tags.items()}, by=by, created=_now()))


@once
def alias_in(path: Path) -> GivenAlias:
    """What a file says that a grader is called; errors as `tags_in`."""
    return _read(path, GivenAlias, "alias of a grader")


@once
def tags_in(path: Path) -> GivenTags:
    """What tags a file says that runs have.

    Raises FileNotFoundError where it is gone, and StoreError where it can't be read.
    """
    return _read(path, GivenTags, "file of tags of runs")


SAYINGS: dict[str, Callable[[Path], GivenAlias | GivenTags]] = {ALIASES: alias_in, TAGS: tags_in}
"""How a saying of each kind is read."""


def _read(path: Path, form: type[_Said], what: str) -> _Said:
    try:
        content = content_of(path)
        if content_name(content) != path.stem[-HASH_DIGITS:]:
            raise ValueError("it is damaged")
        return msgspec.json.decode(content, type=form)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise StoreError(f"{path}: can't be read ({error.strerror}). The one before it counts.") from error
    except (ValueError, RecursionError) as error:
        raise StoreError(f"{path}: is no {what} ({error}).\nThe one before it counts. Give it again.") from None


def _write(folder: Path, kind: str, said: GivenAlias | GivenTags) -> None:
    number = max((int(name.partition("-")[0]) for name in said_names(folder, kind)), default=0) + 1
    content = msgspec.json.format(msgspec.json.encode(said))
    write_once(folder / kind / f"{number:06d}-{content_name(content)}.json", content)


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")

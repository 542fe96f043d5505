"""Stores of version 1, whose records were files of their own: read here, and nowhere else.

An import was a JSON file that a rename made count (several waited for one more file), a segment of grades its Parquet
file; graders, queues, stories, probes, orders of jobs and batches were JSON objects with a hash at their end, reviews
lines of such objects, modes TOML. Wings declare where theirs lay (`BEFORE` in `store/*.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from exam_core import wings
from exam_core.errors import StoreError
from exam_core.flushing import move
from exam_core.store.files import HASH_DIGITS, content_name, files_in, plain_name, write_once

FOLDER = ".before-2"
"""Folder of the store with the files of version 1 whose content this version has taken over."""
MOVING = "files of version 1"
"""The record that says that they are still to be moved there."""
LAYOUT = ".layout"
"""File by which version 1 knows that a store is not its own: it says 2. Later versions count the catalogue's schema."""
_TOGETHER = ".together"
_MANIFEST = re.compile(rf"(\d{{6,}}-[0-9a-f]{{{HASH_DIGITS}}})\.json(?:\.(\w+))?")
_SEAL = re.compile(rb'(\{.*),"check":"([0-9a-f]{16})"\}', re.DOTALL)
_LIKE_A_SEAL = re.compile(rb'\{.*(?:"check":"[^"]*"|"[^"]*":"[0-9a-f]{16}")\}', re.DOTALL)
"""A seal, or what damage makes of one."""
_AFTER = re.compile(rb',"after":"([0-9a-f]{16})"\}')
_JOBS = ("order", "generation", "probe", "request")
Record = tuple[str, str, str, bytes, bool]
"""Kind, collection, id, what it says as JSON, and whether that is what was written."""


@dataclass(frozen=True)
class OldFiles:
    """Files of a kind of records.

    Parameters
    ----------
    pattern : of the files, from the store's folder; `*` in place of the collection's folder
    of_collections : the place of the collection's folder among the parts of a path; -1: there is none
    name : gives the record's id, of the file's path
    read : gives what a file says as JSON; ValueError where it is not what was written
    lines : gives the id of a line, where files are lines of JSON
    """

    kind: str
    pattern: str
    of_collections: int = -1
    name: Callable[[Path], str] = lambda path: plain_name(path.stem)
    read: Callable[[bytes, Path], bytes] = lambda content, _: unsealed(content)
    lines: Callable[[bytes], str] | None = None


def refuse_others(place: Path) -> None:
    """Raise StoreError where a store without a catalogue had one, or it can't be told."""
    path = place / LAYOUT
    try:
        layout = int(msgspec.json.decode(path.read_bytes(), type=dict[str, int | str])["layout"])
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, ValueError, LookupError) as error:
        raise StoreError(
            f"{path}: says which version wrote the store, and can't be read ({error}).\n"
            "Put it back from a copy; or remove it, if no later version than 1.0 ever wrote to the store."
        ) from None
    if layout == 2 and not (place / "catalogue.sqlite").exists():
        raise StoreError(
            f"{place / 'catalogue.sqlite'}: is gone, and with it what the store knows of its files.\n"
            f"Put it back from a copy of the store; or begin an empty one: remove {path}."
        )


def keep_out(place: Path) -> None:
    """Let version 1 refuse the store from now on."""
    body = b'{"layout":2'
    write_once(place / LAYOUT, b'%s,"check":"%s"}' % (body, content_name(body).encode()))


def records(place: Path, *, strict: bool = False) -> Iterator[Record]:
    """The records of a store; what is damaged comes as it is, to be named by `check`.

    Where `strict`, raises StoreError for a file that can't be read, which may be whole.
    """
    counts = dict[tuple[str, str], set[str]]()
    for kind in _kinds() if place.is_dir() else ():
        for path in _files(place, kind):
            parts = path.relative_to(place).parts
            collection = plain_name(parts[kind.of_collections]) if kind.of_collections >= 0 else ""
            names = counts.setdefault((kind.kind, collection), set())
            for name, content, is_sound in _of_file(kind, path, strict=strict):
                while name in names:
                    name += "'"  # said twice
                names.add(name)
                yield kind.kind, collection, name, content, is_sound


def _of_file(kind: OldFiles, path: Path, *, strict: bool) -> Iterator[tuple[str, bytes, bool]]:
    try:
        content = b"" if kind.kind == "segment" else path.read_bytes()
    except FileNotFoundError:
        return
    except OSError as error:
        if strict and not path.is_dir():
            raise StoreError(f"{path}: can't be read ({error.strerror}). Give yourself the right to read it.") from None
        content = b""
    if kind.lines:
        yield from _lines(kind.lines, content)
        return
    try:
        yield kind.name(path), kind.read(content, path), True
    except ValueError:
        yield kind.name(path), content, False


def move_records(place: Path) -> None:
    """Move the files whose records were taken over to `.before-2`."""
    for kind in _kinds():
        if kind.kind != "segment":
            for path in _files(place, kind):
                _move(place, path)
    for path in files_in(place / _TOGETHER, "*"):  # by which imports counted
        _move(place, path)


def _move(place: Path, path: Path) -> None:
    with suppress(OSError):  # another process is as fast, or the next one does it
        move(path, place / FOLDER / path.relative_to(place))


def _files(place: Path, kind: OldFiles) -> list[Path]:
    paths = [path for path in files_in(place, kind.pattern) if not path.name.startswith(".")]
    if kind.of_collections == 0:
        paths = [path for path in paths if not path.relative_to(place).parts[0].startswith(".")]
    if kind.kind == "import":
        counting = ((path, _MANIFEST.fullmatch(path.name)) for path in paths)
        return [path for path, match in counting if match and (not match[2] or (place / _TOGETHER / match[2]).exists())]
    if kind.kind == "segment":
        return [path for path in paths if not path.name.startswith("import-")]
    return paths


def unsealed(content: bytes) -> bytes:
    """A JSON object as it was before it got a hash of itself; what was written without one, as it is.

    Raises ValueError where it was changed since.
    """
    compact = _compact(content)
    seal = _SEAL.fullmatch(compact)
    if seal and content_name(seal[1]).encode() == seal[2]:
        return seal[1] + b"}"
    if _LIKE_A_SEAL.fullmatch(compact):
        raise ValueError("its content is not what was written")
    return compact


def _lines(name: Callable[[bytes], str], content: bytes) -> Iterator[tuple[str, bytes, bool]]:
    """The lines of a file, each with the hash of the line above; where some are missing, one damaged line says so."""
    above: bytes | None = b""
    for line in content.splitlines(keepends=True):
        raw = line.removesuffix(b"\n")
        if raw.strip():
            try:
                whole = unsealed(raw)
                after = _AFTER.fullmatch(whole[-28:])
                if after and above is not None and content_name(above).encode() != after[1]:
                    yield f"missing above {after[1].decode()}", b"", False
                yield name(whole), whole[:-28] + b"}" if after else whole, True
            except ValueError:
                if line.endswith(b"\n"):  # or a kill cut it off
                    yield f"damaged {content_name(raw)}", raw, False
                raw = b" "
        above = None if raw.isspace() else raw


def _import_of(content: bytes, path: Path) -> bytes:
    compact = _compact(content)
    if content_name(compact) != path.name.partition(".")[0][-HASH_DIGITS:]:
        raise ValueError("its content is not what was written")
    return compact


def _saying_of(content: bytes, path: Path) -> bytes:
    if content_name(content) != path.stem[-HASH_DIGITS:]:
        raise ValueError("its content is not what was written")
    return _compact(content)


def _compact(content: bytes) -> bytes:
    try:
        return msgspec.json.format(content, indent=-1)
    except RecursionError:
        raise ValueError("lists and objects nested too deep") from None


def _segment_of(_: bytes, path: Path) -> bytes:
    return msgspec.json.encode({"grader": plain_name(path.parent.name)})


def _order_of(content: bytes, path: Path) -> bytes:
    if path.name == "request.json":
        return msgspec.json.encode({"arguments": msgspec.json.decode(content, type=list[str])})
    return msgspec.json.encode({"kind": path.stem, "request": msgspec.Raw(unsealed(content))})


def _number(path: Path) -> str:
    return str(int(path.name.partition("-")[0]))


def _id(path: Path) -> str:
    return path.name.partition(".")[0]


def _kinds() -> list[OldFiles]:
    return [
        OldFiles("import", "*/imports/*.json*", 0, _id, _import_of),
        OldFiles("undone", "*/imports/undone/*.json", 0, _id, _import_of),
        OldFiles("segment", "*/grades/*/*.parquet", 0, lambda path: "/".join(path.parts[-3:]), _segment_of),
        OldFiles("grader", "*/graders/*.json", 0),
        OldFiles("alias", "*/aliases/[0-9]*.json", 0, _number, _saying_of),
        OldFiles("tags", "*/tags/[0-9]*.json", 0, _number, _saying_of),
        *(
            OldFiles("order", f"jobs/*/{name}.json", name=lambda path: path.parent.name, read=_order_of)
            for name in _JOBS
        ),
        *wings.declared("before"),
    ]

"""What is computed of a large collection and kept in files beside it, for every process that asks: gradebooks, facts.

A file's name says of which content of the collection it is, so that none is ever out of date.
"""

from __future__ import annotations

import fcntl
import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar, get_type_hints

import msgspec

from exam_core import __version__
from exam_core.errors import StoreError
from exam_core.rights import read_only
from exam_core.store.files import files_in, write_once
from exam_core.store.snapshot import Snapshot

P = ParamSpec("P")
T = TypeVar("T")

FOLDER = "gradebooks"
"""Folder of a collection: whoever may not read the collection may not read these either."""
LOCKS = ".locks"
"""Folder of the store with a file that is locked while something large is made; no collection's folder begins so."""
LARGE = 8 << 20
"""Bytes of grades, rankings and judgments in the store from which what is computed of them is kept in files."""
_DIGEST = 16


def derived_file(snapshot: Snapshot, items: tuple[Any, ...], ending: str) -> tuple[Path, str] | None:
    """The path for what is computed of a collection, told from others by `items`, and its hash; None of a small
    collection.
    """
    if snapshot.folder is None:
        return None
    size = 0
    for table in ("grades", "rankings", "judgments"):
        for path in snapshot.files.get(table, ()):
            with suppress(OSError):
                size += path.stat().st_size
    if size < LARGE:
        return None
    left_out = snapshot.left_out if snapshot.own_documents else (snapshot.left_out, "own documents")
    identity = repr((snapshot.collection, snapshot.fingerprint, left_out, items))
    digest = hashlib.blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=_DIGEST).hexdigest()
    return snapshot.folder / FOLDER / f"{snapshot.fingerprint}-{digest}.{ending}", digest


def on_disk(function: Callable[Concatenate[Snapshot, P], T]) -> Callable[Concatenate[Snapshot, P], T]:
    """A function that reads all grades or rankings for a small result, which the next process takes from a file.

    The result is what its annotation says, of kinds that msgpack has; a file that is damaged is made anew.
    """

    @cache
    def decoder() -> msgspec.msgpack.Decoder[T]:
        return msgspec.msgpack.Decoder(get_type_hints(function)["return"])

    @wraps(function)
    def cached(snapshot: Snapshot, /, *arguments: P.args, **options: P.kwargs) -> T:
        request = (__version__, function.__module__, function.__qualname__, arguments, tuple(options.items()))
        file = derived_file(snapshot, request, "fact")
        if file is None:
            return function(snapshot, *arguments, **options)
        with suppress(OSError, ValueError, msgspec.MsgspecError):
            content = file[0].read_bytes()
            if content.startswith(_digest(file[1], content[_DIGEST:])):
                return decoder().decode(content[_DIGEST:])
        value = function(snapshot, *arguments, **options)
        if not read_only():
            data = msgspec.msgpack.encode(value)
            with suppress(StoreError):
                write_once(file[0], _digest(file[1], data) + data)
        return value

    return cached


@contextmanager
def alone(place: Path, what: str) -> Iterator[None]:
    """Nobody else makes something in a store meanwhile. Raises OSError where that can't be made sure of."""
    path = place / LOCKS / what
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX)
        yield


def stale_files(folder: Path, fingerprint: str) -> list[Path]:
    """What is kept of a collection as it was once, and what killed processes left of a file."""
    derived = [path for ending in ("book", "fact") for path in files_in(folder / FOLDER, f"*.{ending}")]
    stale = [path for path in derived if not path.name.startswith(f"{fingerprint}-")]
    return stale + files_in(folder / FOLDER, ".*.part")


def _digest(of: str, content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST, key=of.encode()).digest()

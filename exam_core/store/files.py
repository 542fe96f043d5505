"""Files that are never changed: written aside, flushed to disk, then renamed into place."""

from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote, unquote

from exam_core.errors import StoreError

HASH_DIGITS = 16


def write_once(path: Path, content: bytes) -> None:
    """Write a file so that it is there whole or not at all, even if the machine stops meanwhile."""
    aside = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with aside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
        _flush_folder(path.parent)
    except OSError as error:
        raise StoreError(
            f"{path}: can't be written ({error.strerror}).\nCheck the store's folder and the free space."
        ) from None
    finally:
        with suppress(OSError):
            aside.unlink()


def write_or_touch(path: Path, content: bytes) -> bool:
    """Write a file, unless it is there: then it counts as written now, so that nobody collects it.

    Returns
    -------
    whether it was written: it was not there, or what was there is damaged
    """
    if touch([path]) and _holds(path, content):
        return False
    write_once(path, content)
    return True


def _holds(path: Path, content: bytes) -> bool:
    try:
        return path.stat().st_size == len(content) and path.read_bytes() == content
    except OSError:
        return False


def damage(path: Path) -> str:
    """What is wrong with a file that is named by a hash of its content; empty if nothing is."""
    try:
        return "" if content_name(path.read_bytes()) == path.stem[-HASH_DIGITS:] else "damaged"
    except FileNotFoundError:
        return "gone"
    except OSError as error:
        return f"not readable ({error.strerror})"


def touch(paths: Iterable[Path]) -> int:
    """Set the files' time to now; returns how many there are."""
    found = 0
    for path in paths:
        with suppress(OSError):
            os.utime(path)
            found += 1
    return found


def _flush_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def content_name(content: bytes) -> str:
    """First 16 hex digits of the content's SHA-256: the name of an immutable file."""
    return hashlib.sha256(content).hexdigest()[:HASH_DIGITS]


def folder_name(name: str) -> str:
    """A grader's or collection's name as one folder name; any text is possible."""
    safe = quote(name, safe=" @+,=()")
    return f"%2E{safe[1:]}" if safe.startswith(".") else safe


def plain_name(folder: str) -> str:
    """Undo `folder_name`."""
    return unquote(folder)

"""Files of JSON lines that only grow: each line has a seal, and the hash of the line above, so that none goes unseen.

Lines of earlier versions have no hash of the line above, or not even a seal; they are read as they are.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeVar, cast

import msgspec

from exam_core.errors import StoreError
from exam_core.flushing import flush
from exam_core.store.files import content_name, linked, unsealed

Kind = TypeVar("Kind", bound=msgspec.Struct)
LARGEST = 1 << 30
"""Bytes of such a file that are read: some two million reviews."""
DAMAGED = "damaged"
MISSING = "not the one that followed: lines are missing or changed places"
"""What is wrong with a line: it is not what was written, or not where it was written."""
_AFTER = re.compile(rb',"after":"([0-9a-f]{16})"\}')
_BLOCK = 1 << 16
_read: dict[tuple[Path, type], tuple[FileLine, int, int, list[Any], list[tuple[int, str]]]] = {}
"""Of each file the last line that was read, its inode, its time, what it holds so far and what is wrong: only what is
new is read again."""


class FileLine(NamedTuple):
    """A line of a file.

    Parameters
    ----------
    number : from 1
    content : as it was written, without its seal; what is no JSON, because a kill cut it off, is left as it is
    name : what the line below calls it; empty where the line was blanked, so that any may follow
    end : where it ends in the file, its line end included
    whole : whether it has a line end
    fault : DAMAGED or MISSING; empty where it is as it was written
    """

    number: int
    content: bytes
    name: str
    end: int
    whole: bool
    fault: str = ""


NOTHING = FileLine(0, b"", content_name(b""), 0, whole=True)
"""What is above the first line."""


def lines_below(file: BinaryIO, above: FileLine = NOTHING) -> Iterator[FileLine]:
    """The lines of a file below one of them, one at a time."""
    file.seek(above.end)
    for raw in file:
        line = raw.removesuffix(b"\n")
        content, fault = line, ""
        try:
            content = unsealed(line)
        except ValueError:
            fault = DAMAGED
        after = _AFTER.fullmatch(content[-28:])
        if after and not fault and above.name not in ("", after[1].decode()):
            fault = MISSING
        above = FileLine(above.number + 1, content, _name(line), above.end + len(raw), raw != line, fault)
        yield above


def _name(line: bytes) -> str:
    return "" if line.isspace() else content_name(line)


def told_below(file: BinaryIO, kind: Any, above: FileLine = NOTHING) -> Iterator[tuple[FileLine, list[Any]]]:
    """The lines of a file below one of them, with what each holds: nothing where it is blank or damaged.

    A line is damaged too where it holds something of another kind; below it none is said to be missing.
    """
    decoder = msgspec.json.Decoder(kind)
    for line in lines_below(file, above):
        held, fault = [], "" if above.fault == DAMAGED and line.fault == MISSING else line.fault
        try:
            held = [decoder.decode(line.content)] if line.fault != DAMAGED and line.content.strip() else []
        except (ValueError, RecursionError):
            fault = DAMAGED
        above = line._replace(fault=fault)
        yield above, held


def grown(path: Path, kind: type[Kind]) -> tuple[list[Kind], int, list[tuple[int, str]]]:
    """What a file holds, to which byte it was read, and the numbers of its lines with what is wrong with them.

    A last line that somebody is writing is left for later. One that a kill cut off, or that is damaged, is passed over.

    Raises StoreError where it can't be read.
    """
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            last, inode, written, known, wrong = _read.get((path, kind), (NOTHING, 0, 0, [], []))
            in_place = status.st_size == last.end and status.st_mtime_ns != written
            if inode != status.st_ino or status.st_size < last.end or in_place:
                last, known, wrong = NOTHING, [], []
            if status.st_size > LARGEST:
                raise StoreError(
                    f"{path}: is larger than {LARGEST >> 20} MiB, the most that a file of reviews may have."
                )
            found, faults = list(known), list(wrong)
            for line, held in told_below(file, kind, last):
                if line.whole:
                    found += held
                    faults += [(line.number, line.fault)] if line.fault else []
                    last = line
    except OSError as error:
        raise StoreError(f"{path}: can't be read ({error.strerror}). What can be done: examboard check") from None
    _read[path, kind] = (last, status.st_ino, status.st_mtime_ns, found, faults)
    return found, last.end, faults


@contextmanager
def held(path: Path, mode: str) -> Iterator[BinaryIO]:
    """A file that nobody else adds to meanwhile; who waited while it was written anew has the new one.

    Raises OSError where it can't be opened.
    """
    while True:
        with path.open(mode) as opened:
            file = cast(BinaryIO, opened)
            fcntl.flock(file.fileno(), fcntl.LOCK_EX)
            if _is(file, path):
                yield file
                return


def _is(file: BinaryIO, path: Path) -> bool:
    """Whether a file that is open is still the one of that name."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def add(file: BinaryIO, path: Path, contents: Sequence[bytes], most: int = LARGEST) -> None:
    """Add JSON objects as lines to a file that is held; when this returns they are on disk.

    A line that was cut off by a kill ends where the next one begins. Of what can't be written whole nothing stays.

    Raises StoreError where it would be larger than what is read of it, and OSError where it can't be written.
    """
    size = file.seek(0, os.SEEK_END)
    above = _last_line(file, size)
    lines = list(chained(contents, above.removesuffix(b"\n")))
    if size + sum(map(len, lines)) > most:
        raise StoreError(f"{path}: would be larger than {most >> 20} MiB, and not be read then. Nothing was stored.")
    file.seek(0, os.SEEK_END)
    content = (b"\n" if above and not above.endswith(b"\n") else b"") + b"".join(lines)
    try:
        while content:
            content = content[os.write(file.fileno(), content) :]  # by no buffer, which is written once more at the end
        os.fsync(file.fileno())
    except OSError:
        with suppress(OSError):
            file.truncate(size)  # a full disk may have taken a part of it
        raise
    if not size:
        flush(path.parent)


def chained(contents: Sequence[bytes], above: bytes = b"") -> Iterator[bytes]:
    """JSON objects as lines below another one."""
    for content in contents:
        above = linked(content, above)
        yield above + b"\n"


def _last_line(file: BinaryIO, size: int) -> bytes:
    """The last line with its end, if it has one."""
    start, block, found = size, _BLOCK, b""
    while start and b"\n" not in found[:-1]:
        start, block = max(0, start - block), block * 4
        file.seek(start)
        found = file.read(size - start)
    return found[found.rfind(b"\n", 0, -1) + 1 :]

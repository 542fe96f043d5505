"""Files that people ask for: whole under their name or not there at all, or given to a pipe."""

from __future__ import annotations

import errno
import gzip
import lzma
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO, Any

from exam_core.addresses import local_path
from exam_core.errors import BadInput, UsageError, visible
from exam_core.flushing import flush, make_folder
from exam_core.rights import require_outside
from exam_core.temporary import filling, temporary_folder

STDOUT = 1
_OPEN = re.compile(r"/(?:dev|proc/self)/fd/(\d+)")
_NAMED = {"-": STDOUT, "/dev/stdout": STDOUT, "/dev/stderr": 2}


def prints(path: Path) -> bool:
    """Whether what is written there goes to standard output, where nothing else may be said then."""
    return _descriptor(path) == STDOUT


def _descriptor(path: Path) -> int | None:
    """The open file that a path means; None where it means a file by its name."""
    match = _OPEN.fullmatch(str(path))
    return int(match[1]) if match else _NAMED.get(str(path))


@contextmanager
def whole(path: Path, *, text: bool = True) -> Iterator[Path]:
    """A place to write a file to, which then takes the place of `path`, or is given to the pipe or device.

    A link is followed, and a file that is replaced hands its permissions on. `-` is standard output.

    Parameters
    ----------
    text : whether a terminal can show it, with control characters as escapes

    Raises
    ------
    BadInput : it can't be written
    UsageError : it is an address, or no text would go to a terminal
    Refused : it would be in a store that is shown read-only
    """
    number = _descriptor(local_path(path))
    if number is None and not path.is_fifo() and not path.is_char_device():
        with _beside(path) as (target, folder):
            if target.exists() and not target.is_file():
                raise BadInput(f"{path}: is not a regular file. Name a file to write.")
            if target.exists() and not os.access(target, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            # What is left beside a file that can't be finished goes with it.
            spill = folder / target.name
            yield spill
            with suppress(FileNotFoundError):
                shutil.copymode(target, spill)
            flush(spill)
            spill.replace(target)
            flush(target.parent)
        return
    if not text and number is not None and os.isatty(number):
        raise UsageError(f"{path}: is a terminal, which can't show such a file. Name a file, or a pipe behind it.")
    try:
        with temporary_folder("printed") as folder:
            spill = folder / "file"
            with filling():
                yield spill
            with spill.open("rb") as file, _stream(path, number) as stream:
                if stream.isatty():  # a terminal is shown its control characters as escapes
                    stream.writelines(visible(line.decode("utf-8", "surrogateescape")).encode() for line in file)
                else:
                    shutil.copyfileobj(file, stream)
                stream.flush()
    except BrokenPipeError:  # whoever reads has seen enough
        raise
    except OSError as error:
        raise _refusal(path, error) from None


@contextmanager
def _beside(path: Path) -> Iterator[tuple[Path, Path]]:
    """What a path means, behind links, and a folder beside it that is gone at the end; an OSError becomes BadInput."""
    require_outside(local_path(path))
    target = Path(os.path.realpath(path))
    try:
        make_folder(target.parent)
        with tempfile.TemporaryDirectory(prefix=".examboard-", dir=target.parent, ignore_cleanup_errors=True) as folder:
            yield target, Path(folder)
    except OSError as error:
        raise _refusal(path, error) from None


@contextmanager
def whole_folder(path: Path, known: Callable[[Path], Collection[str]]) -> Iterator[Path]:
    """A folder to fill, which then takes the place of `path` as a whole.

    Parameters
    ----------
    known : the names of files in a folder that is there already, and that may be replaced

    Raises
    ------
    BadInput : it can't be written, is no folder, or holds what is not known
    UsageError : it is an address
    Refused : it would be in a store that is shown read-only
    """
    with _beside(path) as (target, folder):
        _require_known(path, target, known)
        spill = folder / "new"
        spill.mkdir()
        yield spill
        for file in (*spill.rglob("*"), spill):
            flush(file)
        _require_known(path, target, known)
        if target.exists():
            target.rename(folder / "before")
        try:
            spill.rename(target)
        except BaseException:
            with suppress(OSError):
                (folder / "before").rename(target)
            raise
        flush(target.parent)


def _require_known(path: Path, target: Path, known: Callable[[Path], Collection[str]]) -> None:
    if not target.exists():
        return
    if not target.is_dir():
        raise BadInput(f"{path}: is not a folder. Name a folder to write.")
    names = {file.name for file in target.iterdir()}
    if foreign := sorted(names.difference(known(target) if names else ())):
        raise BadInput(f"{path}: holds {foreign[0]}, which this export did not write. Name another folder.")


def _refusal(path: Path, error: OSError) -> BadInput:
    return BadInput(f"{path}: can't be written ({error.strerror or error}). Check the folder and the free space.")


def _stream(path: Path, number: int | None) -> AbstractContextManager[IO[bytes]]:
    if number is None:
        return path.open("wb")
    if number != STDOUT:
        return os.fdopen(os.dup(number), "wb")
    if sys.stdout is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    sys.stdout.flush()
    return nullcontext(sys.stdout.buffer)


def write_lines(path: Path, lines: Iterable[bytes]) -> int:
    """Write lines, and count them; a name that ends in .gz or .xz is compressed. Errors as `whole`."""
    count = 0
    with whole(path) as spill, spill.open("wb") as file, ExitStack() as stack:
        stream: Any = file
        if path.suffix == ".gz":
            # Neither name nor time in the header, so that the same content makes the same file.
            stream = stack.enter_context(gzip.GzipFile("", "wb", fileobj=file, mtime=0))
        elif path.suffix == ".xz":
            stream = stack.enter_context(lzma.open(file, "wb"))
        for line in lines:
            stream.write(line + b"\n")
            count += 1
    return count


def content_of(lines: Iterable[bytes]) -> bytes:
    """Lines as the content of a file."""
    return b"".join(line + b"\n" for line in lines)

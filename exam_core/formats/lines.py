"""Lines of a text file, plain or compressed, with their numbers."""

from __future__ import annotations

import gzip
import hashlib
import lzma
import uuid
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, cast

from exam_core.errors import BadInput, Problems
from exam_core.progress import Progress, no_progress


def open_bytes(path: Path) -> IO[bytes]:
    """Open a file for reading; gzip and xz are recognised by their first bytes, not by the name."""
    try:
        with path.open("rb") as file:
            magic = file.read(6)
    except OSError as error:
        raise BadInput(f"{path}: can't be read ({error.strerror}).\nCheck the path. Nothing was stored.") from None
    if magic[:2] == b"\x1f\x8b":
        return cast(IO[bytes], gzip.open(path, "rb"))
    if magic == b"\xfd7zXZ\x00":
        return lzma.open(path, "rb")
    return path.open("rb")


def numbered_lines(path: Path, progress: Progress = no_progress) -> Iterator[tuple[int, bytes]]:
    """Lines of a file from 1, without line ends (LF or CRLF) and byte order mark; blank ones are left out.

    Raises
    ------
    BadInput : the file can't be opened, or its compressed data breaks off
    """
    number = 0
    with open_bytes(path) as file:
        size = max(path.stat().st_size, 1)
        raw = getattr(file, "fileobj", None) or getattr(file, "_fp", None) or file
        try:
            for number, line in enumerate(file, 1):
                if number % 4096 == 1 or len(line) > 100_000:
                    progress(min(_position(raw) / size, 1.0))
                stripped = line.rstrip(b"\r\n")
                if number == 1:
                    stripped = stripped.removeprefix(b"\xef\xbb\xbf")
                if stripped.strip():
                    yield number, stripped
        except (EOFError, lzma.LZMAError, zlib.error, OSError) as error:
            problems = Problems(path)
            problems.add(
                number + 1,
                f"the compressed data breaks off or is damaged ({error})",
                remedy="Fetch or compress the file again.",
            )
            problems.raise_if_any()
    progress(1.0)


def _position(raw: IO[bytes]) -> int:
    try:
        return raw.tell()
    except (OSError, ValueError):
        return 0


def text_lines(path: Path, problems: Problems, progress: Progress = no_progress) -> Iterator[tuple[int, str]]:
    """Lines of a UTF-8 file; a line that is not UTF-8 goes to `problems`."""
    for number, line in numbered_lines(path, progress):
        try:
            yield number, line.decode("utf-8")
        except UnicodeDecodeError as error:
            problems.add(number, f"not UTF-8 at byte {error.start + 1}", line[:80], "Save the file as UTF-8.")


def file_hash(path: Path) -> str:
    """SHA-256 of the file as it lies on disk, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_lines(path: Path, lines: Iterator[bytes]) -> None:
    """Write lines; a name that ends in .gz or .xz is compressed. The file appears whole or not at all."""
    if path.exists() and not path.is_file():
        raise BadInput(f"{path}: is no regular file. Name a file to write.")
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as file, _compressed(file, path.suffix) as stream:
            for line in lines:
                stream.write(line + b"\n")
        part.replace(path)
    except OSError as error:
        raise BadInput(f"{path}: can't be written ({error.strerror}). Check the folder and the free space.") from None
    finally:
        # Where the folder can't be used, there is nothing to remove either.
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _compressed(file: IO[bytes], suffix: str) -> IO[bytes]:
    if suffix == ".gz":
        # Neither name nor time in the header, so that the same content makes the same file.
        return cast(IO[bytes], gzip.GzipFile("", "wb", fileobj=file, mtime=0))
    return lzma.open(file, "wb") if suffix == ".xz" else file

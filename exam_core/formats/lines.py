"""Lines of a text file, plain or compressed, with their numbers.

A pipe or device can be read only once; `settled` makes a file of it, and of standard input, whose name is `-`.
What can't be a file of ours is refused before it fills the memory: a line without end, a compressed
file that unpacks to a thousand times its size.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import hashlib
import io
import lzma
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import IO, Any

import msgspec

from exam_core.addresses import local_path
from exam_core.errors import BadInput, ExamboardError, Problems
from exam_core.formats.column_names import named, renamed
from exam_core.progress import Progress, no_progress
from exam_core.temporary import filling, temporary_folder

START = 512
"""Bytes that are looked at."""
_WRITE = "write it as CSV or JSON lines, and import that"
_SAVE = "save its table as CSV UTF-8, and import that"
_SIGNS = {
    rb"ARROW1": f"is an Arrow file; {_WRITE}",
    rb"\x80[\x02-\x05]": f"is a pickle of Python; {_WRITE}",
    rb"\x93NUMPY": f"is an array of NumPy; {_WRITE}",
    rb"\x89HDF\r\n": f"is HDF5; {_WRITE}",
    rb"SQLite format 3\0": f"is a database of SQLite; {_WRITE}",
    rb"PK\x03\x04.{26}(?:\[Content_Types\]|_rels/|docProps/|xl/|word/|mimetype|Index/)|\xd0\xcf\x11\xe0": (
        f"is a spreadsheet or a document; {_SAVE}"
    ),
    rb"%PDF-|\{\\rtf": f"is a document; {_SAVE}",
    rb"PK\x03\x04|7z\xbc\xaf|Rar!|.{257}ustar": "is an archive; unpack it and name its folder",
}


def foreign_form(start: bytes) -> str:
    """What a file is that begins so (`is HDF5; write it ...`), empty where it may be a text.

    Of a compressed file, `start` is what it holds.
    """
    return next((form for sign, form in _SIGNS.items() if re.match(sign, start, re.DOTALL)), "")


STANDARD_INPUT = Path("-")
LONGEST_JSON, LONGEST_TEXT = 64 * 2**20, 2**20
"""Bytes of the longest line of a file of JSON lines, and of a run, qrels, topics or leaderboard."""
LONGEST_STREAM = 2 * 2**30
"""Bytes that are taken from a pipe or device."""
LONGEST_CORPUS = 64 * 2**30
"""The same where texts of passages are expected."""
FREE, RATIOS = 8 * 2**20, {"gzip": 200, "bzip2": 500, "xz": 500, "zstd": 500}
"""A file that unpacks to more than `FREE` bytes may do so to this many times its size.

Released graded files have 14 (gzip) and 22 (xz), without texts 36 and 51, a run of regular ids 9 and 96, a graded file
of nothing but zeros 123 and 303. Bombs have 230 (fast gzip) to 1,030, and 7,000.
"""
_NUL, _LF, _CR = b"\0\n\r"
_UNPACKED = 2**16
_AHEAD = FREE + _UNPACKED
"""So much is unpacked before the first line is read: what unpacks too far is refused before time is lost on it."""
_COPIED = 2**20
_PARQUET, _ROWS = b"PAR1", 2**10
_MAGIC = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x50\x2a\x4d\x18": "zstd",  # of pzstd, which begins with a frame to skip
}
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""How a text begins that Excel saves as "Unicode text", or that PowerShell writes with `>`."""
UTF8_REMEDY = "Save the file as UTF-8: in Excel, as the type 'CSV UTF-8'; elsewhere, with iconv -f cp1252 -t utf-8."
_NOT_TEXT = "a NUL byte, so this is not UTF-8 text"
_NOT_TEXT_REMEDY = "Check that it is the right file; if it is a text, save it as UTF-8."


class _UnpacksTooFar(Exception):  # noqa: N818
    """Little data unpacks to very much."""


_DAMAGED = (EOFError, lzma.LZMAError, zlib.error, OSError)
_BROKEN = (_UnpacksTooFar, *_DAMAGED)


class _Pieces(io.RawIOBase):
    """What a function makes of a file, piece by piece.

    An error waits until all that came before it is read, but for that of data that unpacks to very much.
    """

    def __init__(self, file: IO[bytes], pieces: Iterator[bytes]) -> None:
        self._file, self._pieces = file, filter(None, pieces)
        self._piece = memoryview(b"")
        self._error: Exception | None = None

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer as far as the pieces go."""
        filled, view = 0, memoryview(buffer)
        while filled < len(view) and not self._error:
            try:
                self._piece = self._piece or memoryview(next(self._pieces, b""))
            except _BROKEN as error:
                self._error = error
            if not self._piece:
                break
            count = min(len(view) - filled, len(self._piece))
            view[filled : filled + count] = self._piece[:count]
            filled, self._piece = filled + count, self._piece[count:]
        if self._error and (not filled or isinstance(self._error, _UnpacksTooFar)):
            raise self._error
        return filled

    def close(self) -> None:
        """Close the file too."""
        self._file.close()
        super().close()


def _unpacked(file: IO[bytes], kind: str) -> Iterator[bytes]:
    """What a compressed file holds; raises if it is too much for what was read of the file."""
    count = 0
    if kind == "zstd":
        import pyarrow as pa

        stream: Any = pa.CompressedInputStream(pa.PythonFile(file, "r"), "zstd")
        read = stream.read
    else:
        opener: Any = {"bzip2": bz2.open, "gzip": gzip.open, "xz": lzma.open}[kind]
        read = opener(file, "rb").read1
    while piece := read(_UNPACKED):
        count += len(piece)
        if count > FREE and count > RATIOS[kind] * file.tell():
            raise _UnpacksTooFar
        yield piece


def _kind_of_packing(start: bytes) -> str | None:
    return next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), None)


def foreign_form_of(path: Path) -> str:
    """What a file is that holds no text, as `foreign_form` says it; empty for every other file."""
    with suppress(ExamboardError, *_BROKEN), _open(path, _UNPACKED)[1] as file:
        return foreign_form(file.peek(START))
    return ""


def _rows_of_parquet(file: IO[bytes]) -> Iterator[bytes]:
    """The rows of a Parquet file as JSON lines; some thousand are in memory at a time."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        for batch in parquet.ParquetFile(file, pre_buffer=False).iter_batches(_ROWS):
            yield b"".join(msgspec.json.encode(row) + b"\n" for row in batch.to_pylist())
    except pa.ArrowException as error:
        raise OSError(str(error).split("\n")[0]) from None


def _recoded(file: IO[bytes]) -> Iterator[bytes]:
    """What a UTF-16 file holds, as UTF-8; what can't be read becomes a byte that UTF-8 does not have."""
    decoder, piece = codecs.getincrementaldecoder("utf-16")("strict"), b" "
    while piece:
        piece = file.read(_UNPACKED)
        try:
            yield decoder.decode(piece, final=not piece).encode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            yield b"\xff"
            return


def _open(path: Path, ahead: int = _AHEAD) -> tuple[IO[bytes], io.BufferedReader]:
    """The file as it lies there, whose position tells the progress, and what it holds, in UTF-8."""
    try:
        raw = path.open("rb")
        kind = _kind_of_packing(raw.peek(6))
    except OSError as error:
        raise _unreadable(path, error) from None
    file: Any = io.BufferedReader(_Pieces(raw, _unpacked(raw, kind)), ahead) if kind else raw
    start = b""
    with suppress(*_BROKEN):  # whoever reads on is told
        start = file.peek(4)[:4]
    if start == _PARQUET:
        file = io.BufferedReader(_Pieces(file, _rows_of_parquet(file)))
    if start[:2] in _UTF_16:
        file = io.BufferedReader(_Pieces(file, _recoded(file)))
    if columns := named(path):
        file = io.BufferedReader(_Pieces(file, renamed(file, columns)))
    return raw, file


def _unreadable(path: Path, error: OSError) -> BadInput:
    return BadInput(f"{path}: can't be read ({error.strerror}).\nCheck the path. Nothing was stored.")


@contextmanager
def settled(path: Path, most: int | None = None, *, text: bool = True) -> Iterator[Path]:
    """A file that can be read again: the path itself, or a copy of what a pipe, device or standard input has.

    The copy of a pipe is named after its content, because imports are told apart by the names of their files. Messages
    speak of the path that was given.

    `most`: bytes that may come, if not `LONGEST_STREAM`. `text`: whether a text is expected. Raises BadInput where what
    comes is what no file of ours holds, or too much, and UsageError where it is an address.
    """
    if not is_stream(local_path(path)):
        yield path
        return
    with temporary_folder("pipe") as folder:
        digest = hashlib.sha256()
        with filling(), (folder / "copy").open("wb") as target:
            for piece in _pieces(path, most or LONGEST_STREAM, text=text):
                digest.update(piece)
                target.write(piece)
        copy = (folder / "copy").rename(folder / f"pipe-{digest.hexdigest()[:8]}")
        try:
            yield copy
        except ExamboardError as error:
            error.args = (str(error).replace(str(copy), str(path)),)
            raise


def is_stream(path: Path) -> bool:
    """Whether what the path delivers can't be asked for again, or not by that name."""
    if str(path).startswith(("/dev/fd/", "/dev/stdin", "/proc/")):
        return path.exists()
    return path == STANDARD_INPUT or (path.exists() and not path.is_file() and not path.is_dir())


def opened(path: Path) -> io.BufferedReader:
    """A file to read, or standard input where it is `-`; OSError if it can't be opened."""
    return os.fdopen(os.dup(0), "rb") if path == STANDARD_INPUT else path.open("rb")


def _pieces(path: Path, most: int, *, text: bool) -> Iterator[bytes]:
    """What comes, piece by piece; BadInput where it begins as no text does, is too much, or can't be read."""
    count = 0
    try:
        with opened(path) as source:
            while piece := source.read1(_COPIED):
                is_plain = _kind_of_packing(piece) is None and piece[:2] not in _UTF_16 and piece[:4] != _PARQUET
                if text and not count and is_plain and _NUL in piece:
                    _refuse(path, piece[: piece.index(_NUL)].count(b"\n") + 1, _NOT_TEXT, _NOT_TEXT_REMEDY)
                count += len(piece)
                if count > most:
                    raise BadInput(
                        f"{path}: delivers more than {most // 2**30} GiB.\n"
                        "Save it in a file and import that. Nothing was stored."
                    )
                yield piece
    except OSError as error:
        raise _unreadable(path, error) from None


def _refuse(path: Path, line: int, what: str, remedy: str) -> None:
    problems = Problems(path)
    problems.add(line, what, remedy=remedy)
    problems.raise_if_any()


def numbered_lines(path: Path, progress: Progress = no_progress) -> Iterator[tuple[int, bytes]]:
    """Lines of a file from 1, without line ends (LF or CRLF) and byte order mark; blank ones are left out.

    Raises BadInput where the file can't be opened, its compressed data breaks off or unpacks to very much, it is no
    text, or a line is too long.
    """
    blocks = numbered_blocks(path, progress)
    yield from chain.from_iterable(numbered_lines_of(path, *block) for block in blocks)


def numbered_blocks(path: Path, progress: Progress = no_progress) -> Iterator[tuple[int, bytes]]:
    """Some MiB of a file at a time, and how many lines come before them, for `numbered_lines_of`."""
    return _blocks(path, progress, LONGEST_JSON, Problems(path))


def numbered_lines_of(path: Path, before: int, block: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines of a block as `numbered_lines` has them."""
    return _lines_of(path, before, block, LONGEST_JSON)


def _lines_of(path: Path, before: int, block: bytes, longest: int) -> Iterator[tuple[int, bytes]]:
    is_plain = len(block) <= longest and not (_NUL in block or _CR in block)
    for number, line in enumerate(block.removesuffix(b"\n").split(b"\n"), before + 1):
        if not is_plain:
            line = line.rstrip(b"\r")
            if len(line) > longest:
                what = f"a line of more than {longest // 2**20} MiB"
                _refuse(path, number, what, "Check that it is the right file, with a line end after each entry.")
            if _NUL in line:
                _refuse(path, number, _NOT_TEXT, _NOT_TEXT_REMEDY)
        if line and not line.isspace():
            yield number, line


def _blocks(path: Path, progress: Progress, longest: int, problems: Problems) -> Iterator[tuple[int, bytes]]:
    """Some MiB of whole lines at a time, and how many lines come before them; no byte order mark.

    A last line without line end comes by itself, and `problems` learns its number. A line that is too long breaks off.
    """
    before, rest = 0, bytearray()
    raw, file = _open(path)
    with file:
        size, position = max(path.stat().st_size, 1), 0
        try:
            if form := foreign_form(file.peek(START)):
                raise BadInput(f"{path}: {form}. Nothing was stored.")
            while piece := file.read1(_COPIED):
                with suppress(OSError, ValueError):
                    position = raw.tell()
                progress(min(position / size, 1.0))
                end = piece.rfind(_LF) + 1
                rest += memoryview(piece)[: end or None]
                if end or len(rest) > longest:
                    yield before, _without_mark(rest, before)
                    before += rest.count(_LF)
                    rest = bytearray(piece[end:] if end else b"")
        except _UnpacksTooFar:
            what = "the compressed data unpacks to hundreds of times its size"
            _refuse(path, before + 1, what, "Check that it is the right file; if it is, unpack it and import that.")
        except _DAMAGED as error:
            what = f"the compressed data breaks off or is damaged ({error})"
            _refuse(path, before + 1, what, "Fetch or compress the file again.")
    if last := _without_mark(rest, before):
        problems.unfinished = before + 1 if last.strip() else 0
        yield before, last
    progress(1.0)


def _without_mark(block: bytearray, before: int) -> bytes:
    return bytes(block) if before else bytes(block.removeprefix(codecs.BOM_UTF8))


def text_lines(path: Path, problems: Problems, progress: Progress = no_progress) -> Iterator[tuple[int, str]]:
    """Lines of a UTF-8 file; one that is not UTF-8 or ends with CR alone goes to `problems`.

    `problems` also learns which line has no line end.
    """
    blocks = text_blocks(path, problems, progress)
    yield from chain.from_iterable(text_lines_of(*block, problems) for block in blocks)


def text_blocks(path: Path, problems: Problems, progress: Progress = no_progress) -> Iterator[tuple[int, bytes]]:
    """Some MiB of a text at a time, and how many lines come before them, for `text_lines_of` or what is as exact."""
    return _blocks(path, progress, LONGEST_TEXT, problems)


def text_lines_of(before: int, block: bytes, problems: Problems) -> Iterator[tuple[int, str]]:
    """The lines of a block as `text_lines` has them."""
    for number, line in _lines_of(problems.path, before, block, LONGEST_TEXT):
        if _CR in line:
            what = "a carriage return within the line, so the lines end with CR alone"
            problems.add(number, what, line[:80].decode("utf-8", "replace"), "Save the file with LF line ends.")
            continue
        try:
            yield number, line.decode("utf-8")
        except UnicodeDecodeError as error:
            problems.add(number, f"not UTF-8 at byte {error.start + 1}", line[:80], UTF8_REMEDY)


def first_lines(path: Path, count: int, width: int) -> list[str]:
    """The first lines that are not blank, each cut to `width` characters; of long lines not all may be found.

    What can't be read ends them.
    """
    lines: list[str] = []
    budget = count * width * 4
    with suppress(ExamboardError, *_BROKEN), _open(path, _UNPACKED)[1] as file:
        start, budget = True, 0 if foreign_form(file.peek(START)) else budget
        while budget > 0 and len(lines) < count and (piece := file.readline(width * 4)):
            budget -= len(piece)
            text = piece.decode("utf-8", "replace").removeprefix("\ufeff").rstrip("\r\n")[:width]
            if start and text.strip():
                lines.append(text)
            start = piece.endswith(b"\n")
    return lines


def file_hash(path: Path, progress: Progress = no_progress) -> str:
    """SHA-256 of the file as it lies on disk, in hex. Raises BadInput where it can't be read."""
    digest, count = hashlib.sha256(), 0
    try:
        with path.open("rb") as file:
            size = max(path.stat().st_size, 1)
            while piece := file.read(_COPIED):
                digest.update(piece)
                count += len(piece)
                progress(min(count / size, 1.0))
            return digest.hexdigest()
    except OSError as error:
        raise _unreadable(path, error) from None

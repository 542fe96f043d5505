"""The JSON objects of a file: one a line, or one document over all lines, each with the line where it begins.

A name that an object has twice is refused: a decoder would keep the last one and lose the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from exam_core.errors import Problems
from exam_core.formats.json_lines import add_bad_line, bad_line, decode_line, decoded
from exam_core.formats.lines import LONGEST_JSON, numbered_lines
from exam_core.progress import Progress, no_progress

T = TypeVar("T")
_RAW, _ANY = msgspec.json.Decoder(msgspec.Raw), msgspec.json.Decoder()
_RAWS, _NAMED = msgspec.json.Decoder(list[msgspec.Raw]), msgspec.json.Decoder(dict[str, msgspec.Raw])
_BYTE = re.compile(r"\(byte (\d+)\)")
Piece = tuple[int, bytes]
"""A part of a file and the line where it begins."""


def objects(path: Path, problems: Problems, progress: Progress = no_progress) -> Iterator[Piece]:
    """The objects of a file of JSON lines or of documents; where they stand in a list, one after the other.

    Documents may go over several lines, one below the other, as `jq` writes them. One that is no JSON goes to
    `problems`; what is wrong with a line is left to who decodes it.
    """
    lines = numbered_lines(path, progress)
    first = next(lines, None)
    if first is None:
        return
    if not is_cut_off(first[1]):
        yield from listed(first)
        yield from lines
        return
    number, whole, second = _whole(first, lines, problems)
    problems.raise_if_any()
    start, view = 0, memoryview(whole)
    while start < len(whole):
        end = len(whole)
        try:
            _RAW.decode(view[start:])
        except (msgspec.MsgspecError, RecursionError) as error:
            end = start + _document_length(error, view[start:])
            if end == start:
                part = whole[start:]
                if not start and second and not is_cut_off(second) and second[:1] in (b"{", b"["):
                    # Lines after all, the first of which breaks off.
                    yield from _split(whole, number)
                    return
                fault = bad_line(error, part)
                add_bad_line(problems, _line_of(error, part, number), part, fault, "a JSON document", _REMEDY)
                return
        part = whole[start:end]
        yield from listed((number, part))
        start, number = end, number + part.count(b"\n")


_REMEDY = "Write one JSON object a line, or whole documents. It may have been cut off: fetch it again."


def _document_length(error: Exception, text: memoryview) -> int:
    """The length of the document that a text begins with, where another one follows; 0 where it is none."""
    byte = _BYTE.search(str(error)) if "trailing" in str(error) else None
    length = int(byte[1]) - 1 if byte else 0
    return length if bytes(text[length : length + 1]) in (b"{", b"[") else 0


def _whole(first: Piece, lines: Iterator[Piece], problems: Problems) -> tuple[int, bytes, bytes]:
    """All lines as one text, and the second line; blank lines stay, so that lines can be counted."""
    number, text = first
    parts, size, last, second = [text], len(text), number, b""
    for line, text in lines:
        second = second or text
        parts.append(b"\n" * (line - last) + text)
        size, last = size + len(parts[-1]), line
        if size > LONGEST_JSON:
            remedy = "Split it, or write one JSON object a line."
            problems.add(line, f"a JSON document of more than {LONGEST_JSON // 2**20} MiB", remedy=remedy)
            break
    return number, b"".join(parts), second


def _split(whole: bytes, number: int) -> Iterator[Piece]:
    for line, text in enumerate(whole.split(b"\n"), number):
        if text:
            yield line, text


def is_cut_off(line: bytes) -> bool:
    """Whether a line is the beginning of JSON that goes on."""
    try:
        _RAW.decode(line)
    except (msgspec.MsgspecError, RecursionError) as error:
        return "truncated" in str(error)
    return False


def _line_of(error: Exception, raw: bytes, first: int) -> int:
    """The line of a document at which a decoder stopped."""
    found = _BYTE.search(str(error))
    return first + raw.count(b"\n", 0, int(found[1]) if found else len(raw))


def unwrapped(piece: Piece, *words: str) -> Iterator[Piece]:
    """The objects of a list that stands alone in an object under one of some words, or the piece itself."""
    number, raw = piece
    for word in words:
        if re.match(rb'\{\s*"%s"\s*:\s*\[\s*\{' % word.encode(), raw):
            with suppress(msgspec.MsgspecError, RecursionError):
                found = _NAMED.decode(raw)
                if len(found) == 1:
                    for part in pieces(raw, number, found.values()):
                        yield from listed(part)
                    return
    yield piece


def listed(piece: Piece) -> Iterator[Piece]:
    """The elements of a list of objects, or the piece itself."""
    number, raw = piece
    if re.match(rb"\[\s*\{", raw):
        try:
            elements = _RAWS.decode(raw)
        except (msgspec.MsgspecError, RecursionError):
            yield piece
            return
        yield from pieces(raw, number, elements)
    else:
        yield piece


def pieces(raw: bytes, number: int, parts: Iterable[msgspec.Raw]) -> Iterator[Piece]:
    """Parts of a text in its order, each with its line."""
    place = 0
    for part in parts:
        text = bytes(part)
        start = raw.index(text, place)
        number += raw.count(b"\n", place, start)
        yield number, text
        number += text.count(b"\n")
        place = start + len(text)


def entries(raw: bytes, number: int) -> list[tuple[str, Piece]]:
    """What an object says under each name. Raises BadLine where it is no object, or has a name twice."""
    try:
        found = _NAMED.decode(raw)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise bad_line(error, raw) from None
    decoded(raw)
    return list(zip(found, pieces(raw, number, found.values()), strict=True))


def decode_object(raw: bytes, typed: msgspec.json.Decoder[T]) -> tuple[T, Any]:
    """The object by its type, and with all that it says.

    Raises BadLine where it is not JSON, not of the type, says what can't be kept, or has a name twice.
    """
    found = decode_line(raw, typed, _ANY)
    decoded(raw)
    return found

"""JSON: lines, lists and single objects of any size, decoded with the line of each record."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from exam_core.errors import Problems
from exam_core.formats.lines import LONGEST_JSON, numbered_lines
from exam_core.progress import Progress, no_progress

T = TypeVar("T")
_TYPES = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_HALF = "an incomplete character (half of a surrogate pair)"
_PATH = re.compile(r"(?s)(?P<what>.*?)(?: - at `(?P<path>[^`]*)`)?$")


class BadLine(ValueError):  # noqa: N818
    """A line is not as it should be.

    `place`: what of the line is wrong, in the file's words; empty for the line itself. `cause`: the same for all lines
    that are wrong for the same reason.
    """

    def __init__(self, what: str, *, place: str = "", cause: str = "") -> None:
        super().__init__(f"{place}: {what}" if place else what)
        self.place, self.cause = place, cause or what


class Number(str):
    """A number as JSON writes it: an id of many digits keeps them all, and 1 is not 1.0."""

    __slots__ = ()


def decoded(raw: bytes) -> Any:
    """What a piece of JSON says, with its numbers as they are written.

    Raises BadLine where it is no JSON, or an object has a name twice, of which a decoder would lose one.
    """
    try:
        text = raw.decode("utf-8")
        value = json.loads(
            text, object_pairs_hook=_distinct, parse_int=Number, parse_float=Number, parse_constant=_refuse_constant
        )
        if "\\ud" in text.lower():
            json.dumps(value, ensure_ascii=False).encode()
        return value
    except RecursionError:
        raise BadLine("lists and objects nested too deep") from None
    except UnicodeDecodeError as fault:
        raise BadLine(f"not UTF-8 at byte {fault.start + 1}", cause="not UTF-8") from None
    except UnicodeEncodeError:
        raise BadLine(_HALF, cause="not UTF-8") from None
    except json.JSONDecodeError as error:
        raise BadLine(f"not valid JSON ({error.msg}, at character {error.pos + 1})", cause="not valid JSON") from None


def _refuse_constant(name: str) -> None:
    raise BadLine(f"{name}, which JSON does not have; null says that there is no number", cause="no number")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise BadLine(f"{twice[:60]} is named twice", cause="a name twice")
    return fields


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*(?:"|$)|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_BROKEN = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?$")


def completed(text: str) -> str:
    """The JSON that a text begins with, without what is cut short at its end but the text that a field begins with."""
    ends, complete, before = "", "", ""
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in "{[":
            ends = "}]"["{[".index(sign)] + ends
        elif sign in "}]":
            ends = ends[1:]
        if sign in "{[}]":
            complete = text[: token.end()] + ends
        elif sign == ",":
            complete = text[: token.start()] + ends
        elif before == ":" and sign[0] == '"' and token.end() == len(text):
            begun = sign[1:].removesuffix('"')
            complete = f'{text[: token.start()]}"{_BROKEN.sub("", begun)}"{ends}'
        if not ends:
            break
        before = sign
    return complete


def decode_line(line: bytes, typed: msgspec.json.Decoder[T], untyped: msgspec.json.Decoder[Any]) -> tuple[T, Any]:
    """The line by its type, and with all that it says.

    Raises BadLine where it is not JSON, not of the type, or says what can't be kept.
    """
    try:
        return typed.decode(line), untyped.decode(line)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise bad_line(error, line) from None


def bad_line(error: Exception, line: bytes) -> BadLine:
    """The error of a decoder, in the file's words."""
    if isinstance(error, RecursionError):
        return BadLine("lists and objects nested too deep")
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as fault:
        return BadLine(f"not UTF-8 at byte {fault.start + 1}", cause="not UTF-8")
    match = _PATH.match(str(error))
    what, path = (match["what"], match["path"] or "") if match else (str(error), "")
    if "surrogate" in what or "hex escape" in what:
        return BadLine(_HALF, cause="not UTF-8")
    if not isinstance(error, msgspec.ValidationError):
        return BadLine(f"not valid JSON ({what})", cause="not valid JSON")
    place, what = path.lstrip("$."), _in_words(what)
    return BadLine(what, place=place, cause=f"{re.sub('[0-9]+', '', place)}: {what}")


@contextmanager
def reporting(problems: Problems, number: int, line: bytes, kind: str, remedy: str) -> Iterator[None]:
    """Report a line that turns out to be no `kind`, by a BadLine, while it is read."""
    try:
        yield
    except BadLine as error:
        add_bad_line(problems, number, line, error, kind, remedy)


def add_bad_line(problems: Problems, number: int, line: bytes, error: BadLine, kind: str, remedy: str) -> None:
    """Report a line that is no `kind`."""
    what = str(error) if error.place else f"not {kind}: {error}"
    problems.add(number, what, excerpt(line), remedy, cause=error.cause)


def excerpt(line: bytes) -> str:
    """The beginning of a line, and its end if that is far."""
    text = line[:70].decode("utf-8", "replace")
    return text if len(line) <= 70 else f"{text} ... {line[-40:].decode('utf-8', 'replace')}"


def _in_words(what: str) -> str:
    """`Expected X, got Y` with the words that users have for types."""
    if what.startswith("Object missing required field"):
        return f"{what.removeprefix('Object missing required field ').strip('`')} is missing"
    if "out of range" in what:
        return "a number that is out of range"
    words = re.sub(
        r"`([^`]+)`", lambda result: " or ".join(_TYPES.get(part, part) for part in result[1].split(" | ")), what
    )
    return words[:1].lower() + words[1:]


Part = TypeVar("Part")
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
                    yield from ((line, text) for line, text in enumerate(whole.split(b"\n"), number) if text)
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


def is_cut_off(line: bytes) -> bool:
    """Whether a line is the beginning of JSON that goes on."""
    try:
        _RAW.decode(line)
    except (msgspec.MsgspecError, RecursionError) as error:
        return "truncated" in str(error)
    return False


def _line_of(error: Exception, raw: bytes, first: int) -> int:
    """The line of a document at which a decoder stopped."""
    match = _BYTE.search(str(error))
    return first + raw.count(b"\n", 0, int(match[1]) if match else len(raw))


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
        fields = _NAMED.decode(raw)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise bad_line(error, raw) from None
    decoded(raw)
    return list(zip(fields, pieces(raw, number, fields.values()), strict=True))


def decode_object(raw: bytes, typed: msgspec.json.Decoder[Part]) -> tuple[Part, Any]:
    """The object by its type, and with all that it says.

    Raises BadLine where it is not JSON, not of the type, says what can't be kept, or has a name twice.
    """
    values = decode_line(raw, typed, _ANY)
    decoded(raw)
    return values

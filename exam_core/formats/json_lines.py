"""A line of JSON, read twice: by what it should be, and as it is. What is wrong with it is said in the file's words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import msgspec

from exam_core.errors import Problems

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
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]")


class BadLine(ValueError):  # noqa: N818
    """A line is not as it should be.

    Parameters
    ----------
    place : what of the line is wrong, in the file's words; empty for the line itself
    cause : the same for all lines that are wrong for the same reason
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
        found = json.loads(
            text, object_pairs_hook=_distinct, parse_int=Number, parse_float=Number, parse_constant=_refuse_constant
        )
        if "\\ud" in text.lower():
            json.dumps(found, ensure_ascii=False).encode()
        return found
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
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise BadLine(f"{twice[:60]} is named twice", cause="a name twice")
    return found


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*(?:"|$)|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_BROKEN = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?$")


def completed(text: str) -> str:
    """The JSON that a text begins with, without what is cut short at its end but the text that a field begins with."""
    ends, kept, before = "", "", ""
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in "{[":
            ends = "}]"["{[".index(sign)] + ends
        elif sign in "}]":
            ends = ends[1:]
        if sign in "{[}]":
            kept = text[: token.end()] + ends
        elif sign == ",":
            kept = text[: token.start()] + ends
        elif before == ":" and sign[0] == '"' and token.end() == len(text):
            begun = sign[1:].removesuffix('"')
            kept = f'{text[: token.start()]}"{_BROKEN.sub("", begun)}"{ends}'
        if not ends:
            break
        before = sign
    return kept


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
    found = _PATH.match(str(error))
    what, path = (found["what"], found["path"] or "") if found else (str(error), "")
    if "surrogate" in what or "hex escape" in what:
        return BadLine(_HALF, cause="not UTF-8")
    if not isinstance(error, msgspec.ValidationError):
        return BadLine(f"not valid JSON ({what})", cause="not valid JSON")
    place = _place(path)
    what = _in_words(what)
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
    words = re.sub(r"`([^`]+)`", lambda found: " or ".join(_TYPES.get(one, one) for one in found[1].split(" | ")), what)
    return words[:1].lower() + words[1:]


def _place(path: str) -> str:
    """`$[1][0].exam_grades[1].answers[0][1]` as passage 1 of the line, exam_grades 2, answers 1."""
    words: list[str] = []
    steps = [(found[1], found[2]) for found in _STEP.finditer(path)]
    if path.startswith("$["):
        # A line of a graded file: a query and its passages.
        first, second, *steps = [*steps, ("", ""), ("", "")][: max(len(steps), 2)]
        if first[1] == "0":
            words.append("the query's id")
        elif first[1] == "1":
            words.append(f"passage {int(second[1]) + 1} of the line" if second[1].isdigit() else "the passages")
    indexed = False
    for name, index in steps:
        if name:
            words.append(name)
        elif index.isdigit() and words and not indexed:
            words[-1] = f"{words[-1]} {int(index) + 1}"
        elif index == "0":
            words.append("question id")
        indexed = not name
    return ", ".join(words)

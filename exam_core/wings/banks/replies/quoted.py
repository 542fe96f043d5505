"""Strings in brackets: JSON, Python, and what is nearly either, read in one pass from left to right.

A quote ends a string where something follows that can follow a string. So a list that breaks off gives its whole
strings, keys may repeat, brackets may be missing or of the wrong kind, and a quote within a string does no harm.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from exam_core.wings.banks.replies import rejection_reasons
from exam_core.wings.banks.replies.listed import ITEM, asks

DEEPEST = 40
MOST_PIECES = 6_000
"""Brackets, strings, words that are looked at in a reply."""
# The last one: the first quote is forgotten.
_START = re.compile(
    r"""[\[{](?=\s*(?:["'“‘\[{]|\\"|[A-Za-z_]\w*\s*:\s*["'“\[{]|[#/]))|(?<![^\n])\[(?=[^\n"\]]{1,500}"[ \t]*,)"""
)
_PIECE = re.compile(
    r"""\s*(?:(?P<sign>[\[{(\]}),:])|(?P<quote>["'“‘])|(?P<note>(?:#|//)[^\n]*)|(?P<bare>[^\s\[\]{}(),:"'“‘]+))"""
)
_CLOSING = {'"': '"', "'": "'", "“": "”", "‘": "’"}
_BODY = {quote: re.compile(rf"(?:[^{end}\\\n]|\\.)*+", re.DOTALL) for quote, end in _CLOSING.items()}
# What stands behind a comma must be able to begin the next thing: else the quote is one within the string.
_FOLLOWING = re.compile(
    r"""\s*(?:[\]}):]|,\s*(?:["'“‘\[{(\]}]|[#/]|-?\d|(?:true|false|null|None|True|False)\b|[A-Za-z_]\w*\s*:|\.\.\.|\Z))"""
)
_NEXT_STRING = re.compile(r"""[ \t]*\n\s*["'“‘\]}]|[ \t]*\n[ \t]*\n""")
_JOINED = re.compile(r"""["'”’][ \t]*\n\s*["'“‘]""")
_ADJACENT = re.compile(r"""\s*["'“‘]\S""")
_TO_THE_END = re.compile(r"\s*(?:```\s*)?\Z")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U(000[0-9a-fA-F]{5}|0010[0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([\s\S]))")
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\n": ""} | {sign: sign for sign in "\"'/\\`"}
_OF_QUESTIONS = {"", "q", "question", "questions", "questiontext", "text", "item", "items", "content", "subquestion"}
_OF_OTHERS = frozenset(
    "answer answers goldanswer goldanswers choices options distractors rationale explanation reason reasoning thought "
    "thoughts analysis note notes comment query queryid querytext querytitle querysubtopic title topic subtopic prompt "
    "instruction instructions metadata id type kind difficulty level category source references keywords context "
    "description role name info purpose facet facetid facettext".split()
)


@dataclass
class Scanned:
    """What was found.

    Parameters
    ----------
    found : strings that are questions by their place
    unclear : strings, with their quotes, of which it is not clear where they end
    rest : the text without what was read
    """

    found: list[str] = field(default_factory=list)
    unclear: list[str] = field(default_factory=list)
    rest: str = ""
    lost: Counter[str] = field(default_factory=Counter)


@dataclass
class _Open:
    """A bracket that is open: the key that a value in it would have, and whether none of it is a question."""

    key: str = ""
    refused: bool = False


def scan(text: str) -> Scanned:
    """The strings in all brackets of a text."""
    result, rest, at = Scanned(), [], 0
    scanner = _Scanner(text, result)
    while start := _START.search(text, scanner.at):
        if _is_within_an_item(text, start.start()):
            scanner.at = start.end()
            continue
        before = len(result.found) + len(result.unclear) + result.lost.total()
        scanner.at = start.start()
        scanner.region()
        if len(result.found) + len(result.unclear) + result.lost.total() > before:
            rest.append(text[at : start.start()])
            at = scanner.at
    result.rest = "\n".join([*rest, text[at:]])
    return result


def _is_within_an_item(text: str, place: int) -> bool:
    """Whether brackets stand behind words of a list's item: they belong to it."""
    line = text[text.rfind("\n", 0, place) + 1 : place]
    marked = ITEM.match(line)
    return bool(marked and line[marked.end() :].strip())


class _Scanner:
    """Goes through a text; `at` is where it is."""

    def __init__(self, text: str, result: Scanned) -> None:
        self._text, self._result = text, result
        self._left = MOST_PIECES
        self.at = 0

    def region(self) -> None:
        """Read from an opening bracket to its end."""
        stack: list[_Open] = []
        self._stray = False
        while piece := _PIECE.match(self._text, self.at):
            if self._is_spent():
                return
            self.at = piece.end()
            sign = piece["sign"]
            if sign and sign in "[{(":
                if len(stack) == DEEPEST:
                    self._result.lost[rejection_reasons.DEEP] += 1
                    return
                above = stack[-1] if stack else _Open()
                stack.append(_Open(above.key, above.refused or above.key in _OF_OTHERS))
            elif sign and sign in "]})":
                stack.pop()
                if not stack:
                    return
            elif piece["quote"]:
                if not self._string(piece["quote"], stack):
                    return
            elif piece["bare"]:
                self._bare(piece["bare"], stack[-1])

    def _bare(self, word: str, top: _Open) -> None:
        """A key without quotes, a number, or a stray word."""
        if self._text.startswith(":", self.at):
            top.key = _letters(word)
        elif not re.fullmatch(r"-?[\d.eE+-]+|true|false|null|None|True|False|[rbuf]|\.\.\.", word):
            self._stray = True
            if self._text[self.at : self.at + 1] in ('"', "'"):
                self.at += 1  # It ends words whose first quote is missing.

    def _string(self, quote: str, stack: list[_Open]) -> bool:
        """Read a string; False where the brackets end with it, unclosed."""
        start, end = self.at, self._end_of(quote)
        body = self._text[start : self.at]
        top = stack[-1]
        refused = top.refused or top.key in _OF_OTHERS
        if end == "open":
            if not refused and body.strip():
                if self.at >= len(self._text) or _TO_THE_END.match(self._text, self.at):
                    self._result.lost[rejection_reasons.CUT] += 1
                else:
                    self._result.unclear.append(quote + body)
            return not re.match(r"[ \t]*\n[ \t]*\n", self._text[self.at : self.at + 200])
        self.at += 1
        if following := re.compile(r"\s*:").match(self._text, self.at):
            top.key = _letters(body)
            if asks(body) and not top.refused:
                self._add(quote, body)
                top.key = "answer"
            self.at = following.end()
        elif not refused and (not top.key or top.key in _OF_QUESTIONS or len(stack) > 1 or asks(body)):
            self._add(quote, body)
        return True

    def _end_of(self, quote: str) -> str:
        """Go to the quote that ends the string, or to where it can't go on: closed or open."""
        text, end, start = self._text, _CLOSING[quote], self.at
        while True:
            self.at = _BODY[quote].match(text, self.at).end()  # type: ignore[union-attr]
            if self.at >= len(text):
                return "open"
            if text[self.at] == "\n":
                if _NEXT_STRING.match(text, self.at):
                    return "open"
            elif text[self.at] == end and self._closes(start):
                return "closed"
            elif joined := _JOINED.match(text, self.at):
                self.at = joined.end() - 1  # Python makes one string of two.
            elif text[self.at] == end:
                self._stray |= quote != "'" or not text[self.at + 1 : self.at + 2].isalpha()
            self.at += 1
            if self._is_spent():
                return "open"

    def _is_spent(self) -> bool:
        """Count one more piece; after too many the rest of the text is left out."""
        self._left -= 1
        if self._left < 0:
            self._result.lost[rejection_reasons.BEYOND] = 1
            self.at = len(self._text)
        return self._left < 0

    def _closes(self, start: int) -> bool:
        text, after = self._text, self.at + 1
        if _FOLLOWING.match(text, after) or (_NEXT_STRING.match(text, after) and not _JOINED.match(text, self.at)):
            return True
        # Where nothing follows, it may be a quote within a string that broke off.
        if not asks(text[max(start, self.at - 20) : self.at]):
            return False
        return any(what.match(text, after) for what in (_TO_THE_END, _ADJACENT, _NEXT_STRING))

    def _add(self, quote: str, body: str) -> None:
        """Keep a string that is whole for certain."""
        if not balanced(body, _CLOSING[quote]) or (self._stray and not asks(body)):
            self._stray = True
            self._result.unclear.append(f"{quote}{body}{_CLOSING[quote]}")
        else:
            self._result.found.append(unescaped(body))


def standing(piece: str) -> list[str]:
    """Questions that stand whole among unclear quotes: from a comma with a quote to a quote with a comma or the end.

    A program that repairs JSON would guess more: it closes what is open and joins what it can't place, so that of what
    it says only these could be believed.

    Parameters
    ----------
    piece : a string with its quotes
    """
    end = _CLOSING[piece[0]]
    found = re.findall(rf"(?=[,\[]\s*{piece[0]}([^{piece[0]}{end}\n]+){end}\s*(?:[,\]]|$))", piece)
    # One that begins small may be the end of another one.
    return [unescaped(text) for text in found if asks(text) and not text[0].islower()]


def balanced(body: str, quote: str) -> bool:
    """Whether the quotes of its own kind within a string stand around words, such as "this", or are apostrophes."""
    opened = False
    for match in re.finditer(rf"\\[\s\S]|{quote}", body):
        if match[0] != quote:
            continue
        before, after = body[: match.start()][-1:], body[match.end() :][:1]
        if quote == "'" and before.isalnum() and (after.isalnum() or (not opened and before == "s")):
            continue
        stands_right = (
            before.strip() and not after.isalnum()
            if opened
            else after.strip() and (not before.strip() or before in "([")
        )
        if not stands_right:
            return False
        opened = not opened
    return not opened


def unescaped(body: str) -> str:
    """A string's text as JSON and Python would read it; an escape that neither knows stays as it is."""
    if "\\" not in body:
        return body
    text = _ESCAPE.sub(_sign, body)
    # Two halves of a pair, each escaped, are one character.
    return re.sub(
        "[\ud800-\udbff][\udc00-\udfff]",
        lambda pair: pair[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le"),
        text,
    )


def _sign(escape: re.Match[str]) -> str:
    *codes, letter = escape.groups()
    code = next(filter(None, codes), None)
    return chr(int(code, 16)) if code else _PLAIN.get(letter, escape[0])


def _letters(key: str) -> str:
    """A key as it is compared: its letters, so that `question_1` is `question`."""
    return "".join(filter(str.isalpha, key)).casefold()

"""Questions in a model's reply: lists, quoted strings or plain lines, and why a piece of it becomes no question.

Servers ignore the format that they are asked for, so a reply is read for what it holds: JSON, Python, lists with
numbers or bullets, lines. A quote ends a string where something follows that can follow a string. So a list that breaks
off gives its whole strings, and brackets may be missing or of the wrong kind.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from exam_core.texts.scripts import about_tokens

CUT = "cut off"
UNCLEAR = "unclear quotes"
BLANK = "blank"
REPEATED = "repeated"
LONG = "too long"
NO_QUESTION = "no question"
UNREADABLE = "unreadable characters"
THOUGHTS = "thoughts without an end"
BEYOND = "beyond the longest reply"
DEEP = "nested too deeply"
NOTHING = "no list of questions"
REASONS = {
    CUT: "The reply ends within it, so it may be half of a question.",
    UNCLEAR: "Quotes within it look like those around it, so its end is unknown.",
    BLANK: "There is nothing in it.",
    REPEATED: "The reply has the same words before.",
    LONG: "It has more than 1,000 characters.",
    NO_QUESTION: "An item of a list, or a string, that asks nothing: a heading, a single word.",
    UNREADABLE: "It holds characters that no text has, such as NUL or half of a pair.",
    THOUGHTS: "The model began to think and never came to an answer.",
    BEYOND: "Characters of a reply after the first 20,000 are not read.",
    DEEP: "More than 40 brackets within each other.",
    NOTHING: "The reply holds neither strings in brackets, nor a list, nor lines that ask.",
}
"""What each means, for people."""
ITEM = re.compile(
    r"""[ \t>]*(?:\*\*|__)?(?:
        [-*+•‣◦▪–—](?=[ \t])
        | \(?\d{1,3}\\?[.):](?!\d)\)?
        | \(?(?:[a-zA-Z]|[ivxIVX]{2,5})[.)](?=[ \t])
        | (?:Q|Question)[ \t]*\#?\d{0,3}[ \t]*[:.)]
        | \#{1,6}(?=[ \t])
    )(?:\*\*|__)?[ \t]*""",
    re.VERBOSE | re.IGNORECASE,
)
_MARKS = "?？؟\u037e"
_ENDING = re.compile(rf"[{_MARKS}][\"'”’»)\]*_`.]*$")
_LABEL = re.compile(r"\*\*[^*?\n]{1,80}?(?::\*\*|\*\*[ \t]*[:–—-])[ \t]+")
_BOLD = re.compile(rf"(\*\*|__)(.+?[{_MARKS}])\1")
_REMARK = re.compile(rf"(.+?[{_MARKS}])[ \t]+(?:\(.*\)|\[.*\]|[–—-][ \t].*|→.*|\#.*)")
_TAG = re.compile(r"<(q|question|li|item)>(.*)</\1>,?", re.IGNORECASE)
_PAIRS = (('"', '"'), ("'", "'"), ("“", "”"), ("‘", "’"), ("«", "»"), ("**", "**"), ("`", "`"), ("_", "_"), ("*", "*"))
_FENCE = re.compile(r"[ \t]*(?:```|~~~)")
_OFFER = re.compile(
    r"(?:would you|do you|shall i|should i|can i|may i|could you|is there anything|let me know)\b", re.I
)
_WRAPPED = 60
"""Characters of a line that somebody may have broken because it was full."""


@dataclass
class ListedQuestions:
    """Questions that a list has, and what else was in it."""

    questions: list[str] = field(default_factory=list)
    lost: Counter[str] = field(default_factory=Counter)


def asks(text: str) -> bool:
    """Whether a text ends with a question mark, be it Arabic, Chinese or Greek, or with one in quotes or brackets."""
    return _ENDING.search(text.rstrip()[-20:]) is not None


def items(text: str, *, cut: bool = False) -> ListedQuestions:
    """The questions among the items of lists.

    A line break within an item becomes a blank. `cut`: whether the text may go on where it ends.
    """
    listed, marked = ListedQuestions(), _marked(text)
    for place, (words, ends_text) in enumerate(marked):
        question = _bare(words)
        last = ends_text and place == len(marked) - 1
        if last and (cut or not asks(question)):
            listed.lost[CUT] += 1
        elif asks(question):
            listed.questions.append(question)
        else:
            listed.lost[NO_QUESTION if question else BLANK] += 1
    return listed


def lines(text: str, *, cut: bool = False) -> ListedQuestions:
    """Questions that stand in lines of their own; a single one is part of what a model says around a list."""
    rows = [row.strip() for row in text.split("\n")]
    pairs = [(place, _bare(row)) for place, row in enumerate(rows) if row and not _FENCE.match(row)]
    asking = [(place, row) for place, row in pairs if asks(row) and row.count("?") < 3 and not _OFFER.match(row)]
    if len(asking) < 2:
        return ListedQuestions()
    may_go_on = cut and asking[-1][0] == len(rows) - 1
    return ListedQuestions([row for _, row in asking[: -1 if may_go_on else None]], Counter({CUT: int(may_go_on)}))


def _marked(text: str) -> list[tuple[str, bool]]:
    """The items, each with whether the text ends with it."""
    pairs: list[tuple[str, bool]] = []
    open_item, first_line = False, ""
    rows = text.split("\n")
    for place, row in enumerate(rows):
        last = place == len(rows) - 1
        mark = ITEM.match(row)
        if mark and not re.fullmatch(r"[ \t*_=-]*", row):
            words = row[mark.end() :]
            while again := ITEM.match(words):
                words = words[again.end() :]
            # Bold may begin before the number: `**1. Why?**` is `**Why?**`.
            began = mark[0].count("**") == 1 and "**" in words
            pairs.append((f"**{words}" if began else words, last))
            open_item, first_line = True, row
        elif open_item and _continues(pairs[-1][0], first_line, row):
            pairs[-1] = (f"{pairs[-1][0].rstrip()} {row.strip()}", last)
        elif row.strip():
            open_item = False
    return pairs


def _continues(so_far: str, first_line: str, row: str) -> bool:
    """Whether a line without a mark belongs to the item before it."""
    words = row.strip()
    if not words or asks(so_far) or _FENCE.match(row):
        return False
    return words[0].islower() or (len(first_line) >= _WRAPPED and row[:1] in " \t")


def _bare(words: str) -> str:
    """An item without labels, remarks, and what stands around it."""
    words = words.strip()
    if tagged := _TAG.fullmatch(words):
        words = tagged[2].strip()
    words = _LABEL.sub("", words, count=1) if _LABEL.match(words) else words
    if bold := _BOLD.match(words):
        return bold[2].strip()
    for _ in range(4):
        stripped = words.rstrip(",;") if words[:1] in "\"'“‘" else words
        for left, right in _PAIRS:
            size = len(left)
            if len(stripped) > 2 * size and stripped.startswith(left) and stripped.endswith(right):
                inner = stripped[size:-size]
                if left not in inner and right not in inner:
                    stripped = inner.strip()
        if stripped == words:
            break
        words = stripped
    if not asks(words) and (remark := _REMARK.fullmatch(words)):
        return remark[1]
    return words


DEEPEST = 40
_START = re.compile(r"""[\[{](?=\s*(?:["'\[{]|[A-Za-z_]\w*\s*:\s*["'\[{]|[#/]))""")
_PIECE = re.compile(
    r"""\s*(?:(?P<sign>[\[{(\]}),:])|(?P<quote>["'])|(?P<note>(?:#|//)[^\n]*)|(?P<bare>[^\s\[\]{}(),:"']+))"""
)
# What stands behind a comma must be able to begin the next thing: else the quote is one within the string.
_FOLLOWING = (
    r"""\s*(?:[\]}):]|,\s*(?:["'\[{(\]}]|[#/]|-?\d|(?:true|false|null|None|True|False)\b|[A-Za-z_]\w*\s*:|\.\.\.|\Z))"""
)
_STRINGS = {
    quote: re.compile(rf"((?:[^\\\n]|\\.)*?){quote}(?:(?={_FOLLOWING})|(?<=[{_MARKS}].)(?=[ \t]*\n|\s*\Z))", re.DOTALL)
    for quote in "\"'"
}
_KEY = re.compile(r"\s*:")
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
    """What brackets in a reply hold: questions, and the text without what was read."""

    items: list[str] = field(default_factory=list)
    rest: str = ""
    lost: Counter[str] = field(default_factory=Counter)


@dataclass
class _Open:
    """A bracket that is open: the key that a value in it would have, and whether none of it is a question.

    `broken` : whether the string before has no end, and no comma behind it, so that the next one may be its end
    """

    key: str = ""
    refused: bool = False
    broken: bool = False


def scan(text: str) -> Scanned:
    """The strings in all brackets of a text."""
    result, rest, rest_from, at = Scanned(), [], 0, 0
    while start := _START.search(text, at):
        place = start.start()
        line = text[text.rfind("\n", 0, place) + 1 : place]
        marked = ITEM.match(line)
        if marked and line[marked.end() :].strip():
            at = start.end()
            continue
        before = len(result.items) + result.lost.total()
        at = _region(text, place, result)
        if len(result.items) + result.lost.total() > before:
            rest.append(text[rest_from:place])
            rest_from = at
    result.rest = "\n".join([*rest, text[rest_from:]])
    return result


def _region(text: str, at: int, result: Scanned) -> int:
    """Read from an opening bracket to its end; where that is."""
    stack: list[_Open] = []
    while piece := _PIECE.match(text, at):
        at, sign = piece.end(), piece["sign"]
        if sign and sign in "[{(":
            if len(stack) == DEEPEST:
                result.lost[DEEP] += 1
                return at
            above = stack[-1] if stack else _Open()
            stack.append(_Open(above.key, above.refused or above.key in _OF_OTHERS))
        elif sign and sign in "]})":
            stack.pop()
            if not stack:
                return at
        elif piece["quote"]:
            at = _string(text, at, piece["quote"], stack, result)
        elif piece["bare"] and _KEY.match(text, at):
            stack[-1].key = _letters(piece["bare"])
    return at


def _string(text: str, at: int, quote: str, stack: list[_Open], result: Scanned) -> int:
    """Read a string that begins at a place; where it ends. Without an end it is lost, with the rest of its line."""
    top = stack[-1]
    refused = top.refused or top.key in _OF_OTHERS
    string = _STRINGS[quote].match(text, at)
    if not string:
        end = text.find("\n", at) if "\n" in text[at:] else len(text)
        if not refused and text[at:end].strip():
            result.lost[CUT if _TO_THE_END.match(text, end) else UNCLEAR] += 1
        top.broken = not text[at:end].rstrip().endswith(",")
        return end
    body, follows, top.broken = string[1], top.broken, False
    if key := _KEY.match(text, string.end()):
        top.key = _letters(body)
        if asks(body) and not top.refused:
            result.items.append(unescaped(body))
            top.key = "answer"
        return key.end()
    if not (refused or follows) and (not top.key or top.key in _OF_QUESTIONS or len(stack) > 1 or asks(body)):
        if _is_clear(body, quote):
            result.items.append(unescaped(body))
        else:
            result.lost[UNCLEAR] += 1
    return string.end()


def _is_clear(body: str, quote: str) -> bool:
    """Whether the quotes of its own kind within a string stand around words: else it may be two strings."""
    bare = re.sub(r"\\[\s\S]", "", body)
    if re.search(rf"{quote}\s*{quote}", bare):
        return False
    return len(re.findall(rf"(?<!\w){quote}(?=\w)", bare)) <= len(re.findall(rf"(?<=\S){quote}(?!\w)", bare))


def unescaped(body: str) -> str:
    """A string's text as JSON and Python would read it; an escape that neither knows stays as it is."""
    if "\\" not in body:
        return body

    def sign(escape: re.Match[str]) -> str:
        *codes, letter = escape.groups()
        code = next(filter(None, codes), None)
        return chr(int(code, 16)) if code else _PLAIN.get(letter, escape[0])

    text = _ESCAPE.sub(sign, body)
    # Two halves of a pair, each escaped, are one character.
    return re.sub(
        "[\ud800-\udbff][\udc00-\udfff]",
        lambda pair: pair[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le"),
        text,
    )


def _letters(key: str) -> str:
    """A key as it is compared: its letters, so that `question_1` is `question`."""
    return "".join(filter(str.isalpha, key)).casefold()


Way = Literal["quoted", "listed", "lines", "nothing"]
"""How a reply was read: strings in brackets, marked items, lines that end with a question mark."""
LONGEST_REPLY = 20_000
"""Characters of a reply that are read: ten questions have some 1,500."""
MOST_TAGS = 1_000
"""Closing tags at the end of a reply among which the end of the thoughts is looked for."""
LONGEST = 1_000
"""Characters of a question."""
_THOUGHTS = r"(?:think|thinking|thought|thoughts|reasoning|reflection)"
_END = re.compile(rf"</{_THOUGHTS}>", re.IGNORECASE)
_BEGIN = re.compile(rf"^[ \t]*<{_THOUGHTS}>", re.IGNORECASE | re.MULTILINE)
_UNREADABLE = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff\ufffd]")
_NUMBER = re.compile(r"(?:\(?\d{1,3}[.)]|Q(?:uestion)?\s?\d{1,3}[.:)])\s+", re.IGNORECASE)


@dataclass(frozen=True)
class Read:
    """What was read of a reply: each question once, as written but for escapes, and blanks and list marks around it.

    `lost` counts by reason (`REASONS`) what was left out.
    """

    questions: tuple[str, ...]
    lost: Counter[str] = field(default_factory=Counter)
    way: Way = "nothing"


def read(reply: str, *, cut: bool = False) -> Read:
    """The questions in a reply; if it was `cut`, what stands last may be half of something."""
    lost: Counter[str] = Counter()
    text = reply[_end_of_thoughts(reply) :]
    if begin := _BEGIN.search(text):
        lost[THOUGHTS] += 1
        text = text[: begin.start()]
    text = _unwrapped(text)
    if len(text) > LONGEST_REPLY:
        text, cut = text[:LONGEST_REPLY], True
        lost[BEYOND] += 1
    strings = scan(text)
    lost |= strings.lost
    listed = items(strings.rest, cut=cut)
    plain = ListedQuestions() if strings.items or listed.questions else lines(strings.rest, cut=cut)
    lost += listed.lost + plain.lost
    way: Way = "quoted" if strings.items else "listed" if listed.questions else "lines"
    questions: dict[str, None] = {}
    # A string that holds a list itself is taken as its items.
    parts = [
        part for name in strings.items for part in (items(name).questions if "\n" in name.strip() else []) or [name]
    ]
    for piece in [*parts, *listed.questions, *plain.questions]:
        question = _NUMBER.sub("", piece.strip(), count=1) if _NUMBER.match(piece.strip()) else piece.strip()
        if reason := _fault(question) or (REPEATED if question in questions else ""):
            lost[reason] += 1
        else:
            questions[question] = None
    if not questions and not lost:
        lost[NOTHING] += 1
    return Read(tuple(questions), lost, way if questions else "nothing")


def _end_of_thoughts(reply: str) -> int:
    """Where the last tag ends that ends thoughts; 0 where none does."""
    place = len(reply)
    for _ in range(MOST_TAGS):
        place = reply.rfind("</", 0, place)
        if place < 0:
            break
        tag = _END.match(reply, place)
        if tag and _ends_a_line(reply, place, tag.end()):
            return tag.end()
    # In the middle of a line a tag ends only what the reply begins with.
    first = _END.search(reply) if _BEGIN.match(reply.lstrip()) else None
    return first.end() if first else 0


def _ends_a_line(text: str, begin: int, end: int) -> bool:
    """Whether a tag begins a line or ends it; else it is what a question is about."""
    return (
        not text[max(0, text.rfind("\n", 0, begin)) : begin].strip()
        or not text[end : end + 80].partition("\n")[0].strip()
    )


def _unwrapped(text: str) -> str:
    """A reply that is a JSON string holds what that string says."""
    text = text.lstrip("\ufeff")
    if text.lstrip().startswith('"'):
        try:
            record = json.loads(text)
        except (ValueError, RecursionError):
            return text
        return record if isinstance(record, str) else text
    return text


def _fault(question: str) -> str:
    if not question:
        return BLANK
    if len(question) > LONGEST:
        return LONG
    if _UNREADABLE.search(question):
        return UNREADABLE
    if not asks(question) and (about_tokens(question, 1) < 2 or not re.search(r"[^\W\d_]", question)):
        return NO_QUESTION
    return ""

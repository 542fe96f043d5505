"""Letters of all scripts: which belong together, which stand without blanks, and how many tokens they are."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from exam_core.wording import composed

TOKENS_PER_WORD = 1.3
"""Of models that are asked over a network, in English."""
SIZE = 3
"""Letters that are read at a time where nothing shows where words end."""
Place = tuple[int, int]
"""Begin and end."""
_BY_THEMSELVES = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
    "\u3041-\u3096\u309d-\u309f"
)
"""Ideographs and hiragana."""
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9d"
_UNBROKEN = (
    *range(0x0E00, 0x0F00),
    *range(0x1000, 0x10A0),
    *range(0x1780, 0x1800),
    *range(0x1950, 0x1AB0),
    *range(0xA9E0, 0xAA00),
    *range(0xAA60, 0xAAE0),
)
"""Thai, Lao, Burmese, Khmer and the Tai scripts: those in which a line ends where a dictionary says (UAX 14, SA)."""
_WITH_MARKS = (*range(0x300, 0x20000), *range(0xE0100, 0xE01F0))
_JOINERS = "\u200c\u200d"
_PLAIN = {True: re.compile(r"(?P<word>[^\W_]+)"), False: re.compile(r"(?P<word>[^\W_]+)(?:['’][^\W_]+)?")}
_NOT_PLAIN = re.compile("[^\u0000-\u02ff\u2000-\u200b\u200e-\u20cf\u2100-\u2e7f]")
"""What may be a mark, or of a script that has words of another kind."""
_UNTIL_BLANK = re.compile(r"\S+\s*")


def words_in(text: str, *, endings: bool = True) -> Iterator[tuple[int, int, str]]:
    """The words of a text in any script, each with where it begins and ends, and `composed`.

    A word is a run of letters and digits, and of the marks on them (as in Unicode, UAX 29). Ideographs and hiragana are
    a word each. Nothing shows where words of Thai, Lao, Khmer or Burmese end, and a single letter says little: of
    those, all runs of three letters with their marks are words (McNamee & Mayfield 2004, Character n-gram tokenization
    for European language text retrieval). Without `endings`, what follows an apostrophe is no word of its own, but left
    out: the `s` of `moon's`.
    """
    if not _NOT_PLAIN.search(text):
        for match in _PLAIN[endings].finditer(text):
            yield match.start(), match.end(), composed(match["word"])
        return
    for match in _pattern("words" if endings else "without endings").finditer(text):
        if match.lastgroup:
            yield match.start(), match.end(), composed(match[match.lastgroup])
            continue
        letters = [letter.span() for letter in _pattern("letter").finditer(text, *match.span())]
        for place in range(max(len(letters) - SIZE + 1, 1)):
            start, end = letters[place][0], letters[min(place + SIZE, len(letters)) - 1][1]
            yield start, end, composed(text[start:end])


def word_list(text: str, *, endings: bool = True) -> list[str]:
    """The words of `words_in` alone."""
    if _NOT_PLAIN.search(text):
        return [word for *_, word in words_in(text, endings=endings)]
    return _PLAIN[endings].findall(composed(text))


def characters(text: str) -> Iterator[tuple[int, int, str]]:
    """The characters of a text with the marks on them, each with where it begins and ends, and `composed`."""
    for match in _pattern("character").finditer(text):
        yield match.start(), match.end(), composed(match[0])


def about_tokens(text: str, per_word: float) -> float:
    """How many tokens a model makes of a text, about: one for each letter of scripts without blanks, else by words."""
    if text.isascii():
        return per_word * len(text.split())
    others, letters = _pattern("without blanks").subn(" ", text)
    return letters + per_word * len(others.split())


def pieces(text: str, *, letters: bool = True) -> list[str]:
    """A text cut behind its white space and, of scripts without blanks, behind each letter and what stands at it."""
    pattern = _pattern("piece") if letters and not text.isascii() else _UNTIL_BLANK
    return pattern.findall(text)


def united(places: Iterable[Place]) -> list[Place]:
    """Places in order, those that overlap or touch as one."""
    pairs: list[Place] = []
    for start, end in sorted(places):
        if pairs and start <= pairs[-1][1]:
            pairs[-1] = (pairs[-1][0], max(end, pairs[-1][1]))
        else:
            pairs.append((start, end))
    return pairs


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """A regular expression; it is made when a text needs it, because all characters are asked what they are."""
    mark = f"[{_those(_WITH_MARKS, lambda kind: kind[0] == 'M')}{_JOINERS}]"
    unbroken = _those(_UNBROKEN, lambda kind: kind[0] == "L")
    letter = rf"[^\W_{_BY_THEMSELVES}{unbroken}]"
    word = f"{letter}(?:{letter}|{mark})*"
    spaceless = f"[{_BY_THEMSELVES}{_KATAKANA}{unbroken}]{mark}*"
    several = f"(?:[{unbroken}]{mark}*)+"
    return re.compile(
        {
            "words": f"(?P<word>{word})|(?P<alone>[{_BY_THEMSELVES}]{mark}*)|{several}",
            "without endings": f"(?P<word>{word})(?:['’]{word})?|(?P<alone>[{_BY_THEMSELVES}]{mark}*)|{several}",
            "character": rf"[\s\S]{mark}*",
            "letter": f"[{unbroken}]{mark}*",
            "without blanks": spaceless,
            "piece": rf"{spaceless}[^\w\s]*\s*|(?:(?![{_BY_THEMSELVES}{_KATAKANA}{unbroken}])\S)+\s*",
        }[name]
    )


def _those(characters: Iterable[int], wanted: Callable[[str], bool]) -> str:
    """The characters whose Unicode category is wanted, as a class of a regular expression has them."""
    ranges: list[list[int]] = []
    for character in characters:
        if not wanted(unicodedata.category(chr(character))):
            continue
        if ranges and ranges[-1][1] == character - 1:
            ranges[-1][1] = character
        else:
            ranges.append([character, character])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)

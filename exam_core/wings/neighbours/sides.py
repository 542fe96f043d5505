"""Texts of runs beside texts of nuggets, and long responses in passages that a grader can read whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from exam_core.texts.scripts import pieces

_CLOSING = "['\"”’)\\]»」』）】》〉］]*"
_END = re.compile(
    rf"[.!?]{_CLOSING}\s+(?=['\"“‘(\[«]?(?P<next>\w))"
    rf"|(?:[。！？｡।॥؟۔።។]|．(?![0-9０-９]))+{_CLOSING}\s*|\n\s*\n\s*"
)
"""Full stops of other scripts need neither a blank nor a capital after them, which few scripts have."""
_EMPTY_LINE = re.compile(r"\n\s*\n")
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Za-z]|Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|vs|etc|al|Fig|Figs|Eq|No|Vol|approx|ca|cf)\.)\Z"
)


def segments(doc_id: str, text: str, count_tokens: Callable[[str], int], target: int = 400) -> list[tuple[str, str]]:
    """Cut a response into passages of at most `target` tokens, at the ends of sentences.

    A response that fits stays whole under its own id; the passages of another are `<doc_id>#0`, `<doc_id>#1`, ...
    A sentence that is longer than `target` is cut between words. A single word is never cut, unless it is of a script
    without blanks: then it is cut between letters. No word is lost.

    Returns (passage id, text) in the order of the text; always the same for the same text.

    Source: Farzi & Dietz 2024, section 3.2.1, with a target of 400.
    """
    if count_tokens(text) <= target:
        return [(doc_id, text)]
    packed = _packed(_pieces(text, count_tokens, target), count_tokens, target)
    passages = [passage.strip() for passage in packed if passage.strip()]
    if len(passages) < 2:
        return [(doc_id, text)]
    return [(f"{doc_id}#{place}", passage) for place, passage in enumerate(passages)]


def sentences(text: str) -> Iterator[str]:
    """Yield sentences with the white space that follows them; joined they are the text again.

    A sentence ends at . ! or ? before a capital, a digit or a letter of a script without capitals, at the full stops of
    other scripts, or at an empty line; not after an initial or one of a few abbreviations.
    """
    start = 0
    for end in _END.finditer(text):
        goes_on = end["next"] is not None and (end["next"].islower() or end["next"] == "_")
        if goes_on and not _EMPTY_LINE.search(end[0]):
            continue
        if not goes_on and _ABBREVIATION.search(text[max(start, end.start() - 8) : end.start() + 1]):
            continue
        yield text[start : end.end()]
        start = end.end()
    if start < len(text):
        yield text[start:]


def _pieces(text: str, count_tokens: Callable[[str], int], target: int) -> Iterator[str]:
    """Yield sentences; one that is too long in words, or letters in a script without blanks, packed like sentences."""
    for sentence in sentences(text):
        if count_tokens(sentence) <= target:
            yield sentence
            continue
        words = pieces(sentence, letters=False)
        fitting = (part for word in words for part in ((word,) if count_tokens(word) <= target else pieces(word)))
        yield from _packed(fitting, count_tokens, target)


def _packed(pieces: Iterable[str], count_tokens: Callable[[str], int], target: int) -> Iterator[str]:
    """Yield as many pieces at a time as fit."""
    text, size = "", 0
    for piece in pieces:
        tokens = count_tokens(piece)
        if text and size + tokens > target:
            yield text
            text, size = "", 0
        text, size = text + piece, size + tokens
    if text:
        yield text


@dataclass(frozen=True)
class Nugget:
    """A fact that an answer should contain.

    `vital` is whether an answer must have it, or may; `weight` is for instance the share of assessors that hold it
    vital (pyramid).
    """

    nugget_id: str
    text: str
    vital: bool = True
    weight: float = 1.0


@dataclass(frozen=True)
class Sides:
    """The two sides of a comparison, for R runs and Q queries.

    `strings` are answer strings by places of run and query, in order; none where the run returned nothing. `nuggets`
    are of each query; one without has no value. `documents` gives the collection's texts, for the frequencies of terms.
    """

    run_ids: Sequence[str]
    query_ids: Sequence[str]
    strings: Mapping[tuple[int, int], Sequence[str]]
    nuggets: Sequence[Sequence[Nugget]]
    documents: Callable[[], Sequence[str]] = tuple

    def of_query(self, query: int) -> Iterator[tuple[int, int, str]]:
        """Yield run, place among its answer strings, and string: all of a query's, run by run."""
        for run in range(len(self.run_ids)):
            for place, string in enumerate(self.strings.get((run, query), ())):
                yield run, place, string

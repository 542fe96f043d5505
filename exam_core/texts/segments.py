"""Long responses as passages of a size that a grader can read whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

_END = re.compile(r"(?:[.!?]['\"”’)\]]*\s+(?=['\"“‘(\[]?[A-Z0-9À-Þ])|\n\s*\n\s*)")
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Za-z]|Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|vs|etc|al|Fig|Figs|Eq|No|Vol|approx|ca|cf)\.)\Z"
)
_WORD = re.compile(r"\S+\s*")


def segments(doc_id: str, text: str, count_tokens: Callable[[str], int], target: int = 400) -> list[tuple[str, str]]:
    """Cut a response into passages of at most `target` tokens, at the ends of sentences.

    A response that fits stays whole under its own id; the passages of another are `<doc_id>#0`, `<doc_id>#1`, ...
    A sentence that is longer than `target` is cut between words; a single word is never cut. No word is lost.

    Parameters
    ----------
    count_tokens : tokens of a text, without special tokens
    target : 400 in the papers

    Returns
    -------
    (passage id, text) in the order of the text; always the same for the same text

    Source: Farzi & Dietz 2024, section 3.2.1.
    """
    if count_tokens(text) <= target:
        return [(doc_id, text)]
    packed = _packed(_pieces(text, count_tokens, target), count_tokens, target)
    passages = [passage.strip() for passage in packed if passage.strip()]
    if len(passages) < 2:
        return [(doc_id, text)]
    return [(f"{doc_id}#{place}", passage) for place, passage in enumerate(passages)]


def sentences(text: str) -> Iterator[str]:
    """Sentences with the white space that follows them; joined they are the text again.

    A sentence ends at . ! or ? before a capital or digit, or at an empty line; not after an initial or one of a
    few abbreviations.
    """
    start = 0
    for end in _END.finditer(text):
        if _ABBREVIATION.search(text[max(start, end.start() - 8) : end.start() + 1]):
            continue
        yield text[start : end.end()]
        start = end.end()
    if start < len(text):
        yield text[start:]


def _pieces(text: str, count_tokens: Callable[[str], int], target: int) -> Iterator[str]:
    """Sentences; one that is too long in words, which are packed like sentences."""
    for sentence in sentences(text):
        if count_tokens(sentence) <= target:
            yield sentence
        else:
            yield from _packed(_WORD.findall(sentence), count_tokens, target)


def _packed(pieces: Iterable[str], count_tokens: Callable[[str], int], target: int) -> Iterator[str]:
    """As many pieces at a time as fit."""
    kept, size = "", 0
    for piece in pieces:
        tokens = count_tokens(piece)
        if kept and size + tokens > target:
            yield kept
            kept, size = "", 0
        kept, size = kept + piece, size + tokens
    if kept:
        yield kept

"""Whether an extracted answer is one of the answer key: by its words, or by asking a model."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from typing import Literal

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from exam_core.grading.modes.ratings import denies_an_answer
from exam_core.texts.porter import nltk_stem
from exam_core.texts.words import NLTK_STOP_WORDS, STOP_WORDS, stem, words

Verifier = Literal["words", "words-authors", "llm"]

LARGEST_DISTANCE = 0.2
"""Edits, as a share of the longer answer, from which two answers differ (EXAM++, section 4.2.1)."""

_TRUE = frozenset({"yes", "correct", "true"})
_FALSE = frozenset({"no", "incorrect", "false"})
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def is_correct(answer: str, key: Iterable[str], verifier: Verifier = "words") -> bool:
    """Whether an answer matches one of the gold answers.

    A key of only "true" takes yes, correct and true, one of only "false" no, incorrect and false, nothing else.
    Upper case, a trailing full stop, and how accents are encoded never matter.

    Parameters
    ----------
    verifier : how other answers are compared, after lower-casing, removing stop words and stemming

        - words: fewer edits than 20% of the longer one, as the papers say; up to 5 letters that is none. Answers
          of stop words alone, or that deny an answer ("unknown", "(iii)"), must be in the key as they are. "US" and
          "u.s." are the same.
        - words-authors: as the authors' code does, with NLTK's stop words and stemmer; see `_match_of_authors`
    """
    said, gold = _bare(answer), [_bare(text) for text in key if _bare(text)]
    lowered = {text.lower() for text in gold}
    if lowered in ({"true"}, {"false"}):
        return said.lower() in (_TRUE if lowered == {"true"} else _FALSE)
    matches = _match_of_authors if verifier == "words-authors" else _match
    return matches(said, gold)


def _bare(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip().removesuffix(".")


def _match(said: str, gold: Sequence[str]) -> bool:
    """Edit distance below 20% of the longer of two normalised answers; Farzi & Dietz 2024, section 3.2.2."""
    mine = normalised(said)
    if not mine or denies_an_answer(said):
        as_is = said.lower() in {text.lower() for text in gold}
        return as_is or any(_same_abbreviated(said, text) for text in gold)
    return any(_near(mine, normalised(text)) or _same_abbreviated(said, text) for text in gold)


_ABBREVIATION = re.compile(r"\b(?:[^\W\d_]\.)+[^\W\d_]\b\.?")


def _same_abbreviated(said: str, gold: str) -> bool:
    """Whether two answers are near with the full stops of abbreviations left out: "US" and "u.s.".

    The letters of an abbreviation are a word with content, also where they make a stop word ("us").
    """
    spelled = {_joined(found[0]).lower() for text in (said, gold) for found in _ABBREVIATION.finditer(text)}
    if not spelled:
        return False
    one, other = (
        normalised(_ABBREVIATION.sub(lambda found: _joined(found[0]), text), keep=spelled) for text in (said, gold)
    )
    return bool(one) and _near(one, other)


def _joined(abbreviation: str) -> str:
    return abbreviation.replace(".", "")


def _near(one: str, other: str) -> bool:
    return Levenshtein.distance(one, other) < LARGEST_DISTANCE * max(len(one), len(other))


def normalised(text: str, keep: Collection[str] = ()) -> str:
    """Stems of the words that carry content, in order, in lower case; `keep` are words that do in any case."""
    return " ".join(stem(word) for word in words(text) if word in keep or word not in STOP_WORDS)


def _match_of_authors(said: str, gold: Sequence[str]) -> bool:
    """What the authors' code does instead: similarity (2 * matches / letters of both, in whole percent) above 80.

    Answers of fewer than 4 normalised letters must be equal, below 2 equal before normalising, upper case and all.
    So "carbon monoxide" passes for "carbon dioxide" (81), and "all of the above" for nothing but itself.
    """
    mine, keys = normalised_by_authors(said), [normalised_by_authors(text) for text in gold]
    if len(mine) >= 2 and mine in keys:
        return True
    if len(mine) >= 4:
        return any(round(fuzz.ratio(mine, other)) > 80 for other in keys)
    return said in gold


def normalised_by_authors(text: str) -> str:
    """Punctuation deleted, split as NLTK's word_tokenize does, without NLTK's stop words, by NLTK's stems."""
    bare = text.lower().translate(_PUNCTUATION)
    kept = _IN_TWO.sub(r"\g<0> ", _OWN_TOKEN.sub(r" \g<0> ", bare)).split()
    return " ".join(nltk_stem(word) for word in kept if word not in NLTK_STOP_WORDS)


# All that word_tokenize does beyond splitting at white space once ASCII punctuation is deleted.
_OWN_TOKEN = re.compile("[«»‒–—―‘’“”„]")
_IN_TWO = re.compile(r"\b(?:can(?=not\b)|(?:gim|lem)(?=me\b)|got(?=ta\b)|(?:gon|wan)(?=na\b))")


_ABOVE = re.compile(r"(all|none) of (?:the|these) (?:above|choices|answers)\.?", re.IGNORECASE)


def spelled_out(gold: str, choices: Sequence[str]) -> str:
    """A gold answer that stands without its question's choices.

    "all of the above" becomes "all of X, Y and Z" and "none of the above" "neither X nor Y": the model that
    verifies an answer doesn't see the choices. Other answers, and answers without choices, stay.
    """
    named = _ABOVE.fullmatch(gold.strip())
    others = [_bare(choice) for choice in choices if not _ABOVE.fullmatch(choice.strip())]
    if not named or len(others) < 2:
        return gold
    if named[1].lower() == "none":
        return "neither " + " nor ".join(others)
    return f"all of {', '.join(others[:-1])} and {others[-1]}"

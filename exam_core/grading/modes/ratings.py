"""Reading what a model answers: a rating, yes or no, or nothing that can be used."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from exam_core.grading.options import Unreadable
from exam_core.texts.porter import nltk_stem
from exam_core.texts.words import NLTK_STOP_WORDS, STOP_WORDS, stem, words


@dataclass(frozen=True)
class Verdict:
    """What an answer is worth.

    Parameters
    ----------
    grade : on the mode's scale; None if the answer can't be read
    correct : whether it counts as answered at all (grade above 0); None as for grade
    unreadable : whether to count it as unreadable
    reason : why it can't be read, of `readings.reasons`; also where a rule gives it a grade all the same
    decimal : the grade that the likelihoods of all grades lead one to expect; None where these are not known
    """

    grade: int | None
    correct: bool | None
    unreadable: bool = False
    reason: str = field(default="", compare=False)
    decimal: float | None = None


def verdict_of(grade: int | None, reason: str = "") -> Verdict:
    """The verdict of a grade; None is unreadable."""
    return Verdict(grade, None, True, reason) if grade is None else Verdict(grade, grade > 0, reason=reason)


EXPRESSIONS = (
    *("unanswerable", "no", "no answer", "not enough information", "unknown"),
    *("it is not possible to tell", "it does not say", "no relevant information"),
)
"""Answers that deny an answer (EXAM++, section 4.2.1)."""

_CHOICES = [*"ABCDabcd", "i", "ii", "iii", "iv"]
ILL_FORMED = frozenset(form.format(choice) for choice in _CHOICES for form in ("{}", "{})", "({})", "[{}]", "{}."))
"""Answers that name a choice of a multiple-choice question which was never shown: "a.", "(iii)"."""

# Full stop, brackets and a copied "- 4:" change nothing about which rating is meant. A minus sign does.
_CODE = re.compile(r"""(?:-\s)?[\s"'(\[]*([0-9])[\s.:)\]"']*""")
_AUTHORS_CODE = re.compile(r"\W*([0-9])\W*")


def rating(answer: str, rules: Unreadable = "null", scale: int = 5) -> int | None:
    """The rating 0..scale that an answer gives, or None if it can't be read.

    A bare digit is a rating, also as "4.", "(4)" or "- 4:": the model copies the shape of the choices that the
    prompt lists. "Rating: 4", "4/5", "4.5" and "10" are none: what else is there changes what the digit means.
    """
    if rules == "authors":
        return _rating_of_authors(answer, scale)
    code = _CODE.fullmatch(answer.strip())
    if code and int(code[1]) <= scale:
        return int(code[1])
    if rules == "null":
        return None
    return 0 if denies_an_answer(answer) else 1


def yes_or_no(answer: str, rules: Unreadable = "null") -> int | None:
    """1 for yes, 0 for no, None if the answer is neither.

    paper: whatever isn't yes is 0, and so with authors, who also take "Yes." and " yes" for 0.
    """
    if rules == "authors":
        return int(answer.lower() in _YES)
    text = answer.strip().strip("\"'").removesuffix(".").lower()
    if text in _YES:
        return 1
    return 0 if text in _NO or rules == "paper" else None


_YES = frozenset({"yes", "correct", "true"})
_NO = frozenset({"no", "incorrect", "false"})


def denies_an_answer(answer: str) -> bool:
    """Whether an answer says that there is none, or names a choice that was never shown; EXAM++, section 4.2.1."""
    text = answer.strip()
    return not text or text.lower() in ILL_FORMED or text.removesuffix(".").lower() in EXPRESSIONS


def _rating_of_authors(answer: str, scale: int) -> int:
    """The rule that explains each of the 92,600 released ratings of DL19.

    Any digit that no letter or digit stands beside is read ("-1" is 1); 0 if it is above the scale, 1..5.
    """
    code = _AUTHORS_CODE.fullmatch(answer)
    if code and int(code[1]) <= 5:
        return int(code[1]) if int(code[1]) <= scale else 0
    return int(_denies_for_authors(answer))


@lru_cache(maxsize=10_000)
def _denies_for_authors(answer: str) -> bool:
    """Whether an answer equals or nearly equals an expression; stemmed as if it were one word."""
    stemmed = nltk_stem(answer.lower())
    expressions = ILL_FORMED.union(EXPRESSIONS)
    return (
        not stemmed
        or answer in expressions
        or any(round(fuzz.ratio(stemmed, nltk_stem(expression.lower()))) > 80 for expression in expressions)
    )


Verifier = Literal["words", "words-authors", "llm"]

LARGEST_DISTANCE = 0.2
"""Edits, as a share of the longer answer, from which two answers differ (EXAM++, section 4.2.1)."""

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
    bare, gold = _bare(answer), [_bare(text) for text in key if _bare(text)]
    lowered = {text.lower() for text in gold}
    if lowered in ({"true"}, {"false"}):
        return bare.lower() in (_YES if lowered == {"true"} else _NO)
    matches = _match_of_authors if verifier == "words-authors" else _match
    return matches(bare, gold)


def _bare(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip().removesuffix(".")


def _match(answer: str, gold: Sequence[str]) -> bool:
    """Edit distance below 20% of the longer of two normalised answers; Farzi & Dietz 2024, section 3.2.2."""
    mine = normalised(answer)
    if not mine or denies_an_answer(answer):
        as_is = answer.lower() in {text.lower() for text in gold}
        return as_is or any(_same_abbreviated(answer, text) for text in gold)
    return any(_near(mine, normalised(text)) or _same_abbreviated(answer, text) for text in gold)


_ABBREVIATION = re.compile(r"\b(?:[^\W\d_]\.)+[^\W\d_]\b\.?")


def _same_abbreviated(answer: str, gold: str) -> bool:
    """Whether two answers are near with the full stops of abbreviations left out: "US" and "u.s.".

    The letters of an abbreviation are a word with content, also where they make a stop word ("us").
    """
    letters = {match[0].replace(".", "").lower() for text in (answer, gold) for match in _ABBREVIATION.finditer(text)}
    if not letters:
        return False
    joined = (_ABBREVIATION.sub(lambda match: match[0].replace(".", ""), text) for text in (answer, gold))
    mine, other = (normalised(text, keep=letters) for text in joined)
    return bool(mine) and _near(mine, other)


def _near(answer: str, other: str) -> bool:
    return Levenshtein.distance(answer, other) < LARGEST_DISTANCE * max(len(answer), len(other))


def normalised(text: str, keep: Collection[str] = ()) -> str:
    """Stems of the words that carry content, in order, in lower case; `keep` are words that do in any case."""
    return " ".join(stem(word) for word in words(text) if word in keep or word not in STOP_WORDS)


def _match_of_authors(answer: str, gold: Sequence[str]) -> bool:
    """What the authors' code does instead: similarity (2 * matches / letters of both, in whole percent) above 80.

    Answers of fewer than 4 normalised letters must be equal, below 2 equal before normalising, upper case and all.
    So "carbon monoxide" passes for "carbon dioxide" (81), and "all of the above" for nothing but itself.
    """
    mine, keys = normalised_by_authors(answer), [normalised_by_authors(text) for text in gold]
    if len(mine) >= 2 and mine in keys:
        return True
    if len(mine) >= 4:
        return any(round(fuzz.ratio(mine, other)) > 80 for other in keys)
    return answer in gold


def normalised_by_authors(text: str) -> str:
    """Punctuation deleted, split as NLTK's word_tokenize does, without NLTK's stop words, by NLTK's stems."""
    bare = text.lower().translate(_PUNCTUATION)
    names = _IN_TWO.sub(r"\g<0> ", _OWN_TOKEN.sub(r" \g<0> ", bare)).split()
    return " ".join(nltk_stem(word) for word in names if word not in NLTK_STOP_WORDS)


# All that word_tokenize does beyond splitting at white space once ASCII punctuation is deleted.
_OWN_TOKEN = re.compile("[«»‒–—―‘’“”„]")
_IN_TWO = re.compile(r"\b(?:can(?=not\b)|(?:gim|lem)(?=me\b)|got(?=ta\b)|(?:gon|wan)(?=na\b))")

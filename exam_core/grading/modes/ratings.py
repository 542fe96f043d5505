"""Reading what a model answers: a rating, yes or no, or nothing that can be used."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from rapidfuzz import fuzz

from exam_core.grading.options import Unreadable
from exam_core.texts.porter import nltk_stem


@dataclass(frozen=True)
class Verdict:
    """What an answer is worth.

    Parameters
    ----------
    grade : on the mode's scale; None if the answer can't be read
    correct : whether it counts as answered at all (grade above 0); None as for grade
    unreadable : whether to count it as unreadable
    reason : why it can't be read, of `readings.reasons`; also where a rule gives it a grade all the same
    """

    grade: int | None
    correct: bool | None
    unreadable: bool = False
    reason: str = field(default="", compare=False)


def verdict_of(grade: int | None, reason: str = "") -> Verdict:
    """The verdict of a grade; None is unreadable."""
    return Verdict(grade, None, True, reason) if grade is None else Verdict(grade, grade > 0, reason=reason)


EXPRESSIONS = (
    "unanswerable",
    "no",
    "no answer",
    "not enough information",
    "unknown",
    "it is not possible to tell",
    "it does not say",
    "no relevant information",
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
    said = answer.strip().strip("\"'").removesuffix(".").lower()
    if said in _YES:
        return 1
    return 0 if said in _NO or rules == "paper" else None


_YES = frozenset({"yes", "correct", "true"})
_NO = frozenset({"no", "incorrect", "false"})


def denies_an_answer(answer: str) -> bool:
    """Whether an answer says that there is none, or names a choice that was never shown; EXAM++, section 4.2.1."""
    said = answer.strip()
    return not said or said.lower() in ILL_FORMED or said.removesuffix(".").lower() in EXPRESSIONS


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

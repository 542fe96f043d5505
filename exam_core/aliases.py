"""What graders are called where people read: an alias that somebody gave, else a name that is guessed from the id.

An id says everything (`flan-t5-large.self-rating.greedy.bf16`) and is what files, links and commands have. Every room
may take this.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from exam_core.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

LEXICAL = "lexical.pourpre-idf"
"""The grader that compares words, which people call `lexical`, as `grade --grader lexical` does."""
LEXICAL_NAMES = ("lexical", LEXICAL)
"""What people call it: in short, and as its grades are called."""
LONGEST_ALIAS = 60
"""Characters of an alias."""

COLUMNS = (
    *("grader", "grader_id", "grader_a", "grader_b", "first", "second"),
    *("series", "method", "leaderboard", "column", "figure"),
)
"""Columns of result tables that hold graders or printed columns, or names that are made of theirs."""

_QA, _QA_LLM = "QA, word match", "QA, LLM-verified"
_RATED, _NUGGETS = "Self-rating", "Nugget rating"
KNOWN = {
    "self-rating": _RATED,
    "QuestionSelfRatedUnanswerablePromptWithChoices": _RATED,
    "nugget-rating": _NUGGETS,
    "NuggetSelfRatedPrompt": _NUGGETS,
    **dict.fromkeys(("nugget-assignment", "NuggetAssignmentPrompt"), "Nugget assignment"),
    **dict.fromkeys(("citation-support", "CitationSupportPrompt"), "Citation support"),
    "qa": _QA,
    "QuestionCompleteConcisePromptWithAnswerKey2": _QA,
    "qa-llm": _QA_LLM,
    "QuestionCompleteConcisePromptWithT5VerifiedAnswerKey2": _QA_LLM,
    "squad2": "SQuAD2, word match",
    "squad2-llm": "SQuAD2, LLM-verified",
    "thomas": "Thomas",
    "Thomas": "Thomas",
    "faggioli-b": "FaggioliB",
    "FagB": "FaggioliB",
    "faggioli-b-few": "FaggioliB few-shot",
    "FagB_few": "FaggioliB few-shot",
    "helm": "HELM",
    "HELM": "HELM",
    "sun": "Sun",
    "Sun": "Sun",
    "sun-few": "Sun few-shot",
    "Sun_few": "Sun few-shot",
    LEXICAL: "Lexical match",
    "nuggetizer": "Nuggetizer",
}
"""Grading modes as people say them, by the name of the mode, and by what the authors' code calls its prompt."""

_MODE = re.compile(rf"(?:(?P<model>.+)\.)?(?P<mode>{'|'.join(map(re.escape, KNOWN))})(?:\.(?P<options>.+))?", re.DOTALL)
_T5 = re.compile(r"flan-t5-(small|base|large|xxl|xl)(?![^-])", re.IGNORECASE)
_SIZES = {"small": "S", "base": "B", "large": "L", "xl": "XL", "xxl": "XXL"}
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def aliases(graders: Iterable[str], about: Mapping[str, Mapping[str, Any]], names: Mapping[str, str]) -> dict[str, str]:
    """What each grader of a collection is called; no two are called alike, and none as another one's id.

    A guess says the mode and the model. Where two would be alike, it says as much more as tells them apart: the options
    (precision, reading), the model's full name, the id. `names` are aliases that people gave; one that another grader
    has already, which two imports may bring, does not count.
    """
    ids = sorted(set(graders))
    named: dict[str, str] = {}
    for grader in ids:
        alias = names.get(grader, "")
        if alias and alias not in named.values() and alias not in ids:
            named[grader] = alias
    taken = set(named.values())
    guesses = {
        grader: [guess for guess in _guesses(grader, about.get(grader, {})) if guess not in ids or guess == grader]
        for grader in ids
        if grader not in named
    }
    while True:
        counts = Counter(names[0] for names in guesses.values())
        alike = [grader for grader, names in guesses.items() if counts[names[0]] > 1 or names[0] in taken]
        if not alike:
            break
        # A grader's own id is its last guess, and nobody else is called so: there is always a next one.
        for grader in alike:
            guesses[grader].pop(0)
    return {grader: named.get(grader) or guesses[grader][0] for grader in ids}


def _guesses(grader: str, about: Mapping[str, Any]) -> list[str]:
    """Names for a grader, each saying more than the one before; its id is the last."""
    if about.get("kind") == "ensemble":
        return [f"{about['rule'].capitalize()} of {about['members']}", grader]
    match, mode = _MODE.fullmatch(grader), str(about.get("mode", ""))
    if match is None and re.fullmatch(r".+-[0-9a-f]{8}", mode):  # a mode of one's own, with a hash of what it asks
        pattern = rf"(?:(?P<model>.+)\.)?(?P<mode>{re.escape(mode)})(?:\.(?P<options>.+))?"
        match = re.fullmatch(pattern, grader, re.DOTALL)
    if match is None:
        return [grader]
    name, _, digest = match["mode"].rpartition("-")
    mode_name = KNOWN.get(match["mode"]) or name.replace("-", " ")
    if about.get("kind") == "labels" and mode_name in (_RATED, _NUGGETS):
        # A file of labels has one for each passage, where the mode itself rates each question.
        mode_name = f"{mode_name} (labels)"
    model, options = match["model"] or "", (match["options"] or "").split(".") if match["options"] else []
    organisation, _, short = model.rpartition("/")
    short = _T5.sub(lambda size: f"FLAN-T5-{_SIZES[size[1].lower()]}", short)
    first = ", ".join(filter(None, (mode_name, short)))
    second = ", ".join((first, *options))
    third = ", ".join(filter(None, (mode_name, f"{organisation}/{short}" if organisation else short, *options)))
    told_apart = [] if match["mode"] in KNOWN else [", ".join(filter(None, (f"{mode_name} {digest}", short)))]
    return [first, *told_apart, second, third, f"{first} ({grader})", grader]


def checked(alias: str, grader: str, called: Mapping[str, str]) -> str:
    """An alias as it is kept, without spaces around it; empty takes the guess again. `called` has all names by id.

    Raises UsageError where there is no such grader, or the alias is blank, too long, not a line of text, or what
    another grader is called.
    """
    if grader not in called:
        raise UsageError(f"There is no grader {grader}. There are: {', '.join(called) or 'none'}.")
    if _CONTROL.search(alias):
        raise UsageError("An alias is a line of text, without control characters. Nothing was stored.")
    stripped = " ".join(alias.split())
    if alias and not stripped:
        raise UsageError("An alias of spaces alone can't be read. Leave it empty to have the guessed name again.")
    if len(stripped) > LONGEST_ALIAS:
        raise UsageError(
            f"An alias has {LONGEST_ALIAS} characters at most; this has {len(stripped)}. Nothing was stored."
        )
    for other, name in called.items():
        if other != grader and stripped and stripped.casefold() in (other.casefold(), name.casefold()):
            raise UsageError(f"{other} is called {name} already. Take another alias; nothing was stored.")
    return stripped


def with_aliases(frame: pd.DataFrame, called: Mapping[str, str]) -> pd.DataFrame:
    """A frame for people: names, by id in `called`, where it has graders, alone or in a title that is made of them."""
    named = {
        column: [
            called.get(cell) or (in_words(cell, called) if isinstance(cell, str) else cell) for cell in frame[column]
        ]
        for column in COLUMNS
        if column in frame
    }
    return frame.assign(**named) if named else frame


def in_words(sentence: str, called: Mapping[str, str]) -> str:
    """A sentence for people: names in the place of the ids of graders; a name that is there already stays."""
    if not called:
        return sentence
    return _any_of(frozenset({*called, *called.values()})).sub(lambda match: called.get(match[0], match[0]), sentence)


@lru_cache(maxsize=16)
def _any_of(words: frozenset[str]) -> re.Pattern[str]:
    """Any of the words where it stands alone, the longest that there is."""
    listed = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    return re.compile(rf"(?<![\w./-])(?:{listed})(?![\w/-]|\.\w)")

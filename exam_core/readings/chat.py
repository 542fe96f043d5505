"""The reading `chat`: what chat models, reasoning models and their servers write where a grade was asked for.

Only what an answer says of itself is read, and nothing is guessed: two grades, a range, or another scale are no grade.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from exam_core.readings.answer_parts import final_part, plain, western
from exam_core.readings.claims import (
    BESIDE,
    FINAL,
    HINTED,
    LABELLED,
    YES_OR_NO,
    Claim,
    ClaimedScale,
    claims,
    whole,
    without_scale,
)
from exam_core.readings.own_patterns import groups_in
from exam_core.readings.reasons import ANOTHER_SCALE, EMPTY, NO_GRADE, REFUSAL, SEVERAL, THOUGHTS

__all__ = ["VERSION", "YES_OR_NO", "ClaimedScale", "ReadGrade", "bare_answer", "read_grade"]
VERSION = 2
"""Of the rules below; another one is part of the names of the graders that are read by it."""
_MOST_OBJECTS = 50
"""JSON objects that are looked for in an answer."""
_REFUSES = re.compile(
    r"\b(?:i[’']?m sorry|i am sorry|i apologi[sz]e|sorry, (?:but )?i|i (?:can[’']?t|can ?not|won[’']?t|am unable to"
    r"|am not able to|must decline|decline to|will not)|i[’']?m (?:unable|not able|not comfortable)"
    r"|as an ai(?: language)? model|(?:can[’']?t|can ?not|unable to) (?:assist|help|comply|fulfill|provide))\b",
    re.IGNORECASE,
)
_KEYS = re.compile(
    r"(?P<final>o|(?:final|overall)[a-z]*)|(?P<rating>(?:self|relevance)?(?:rating|score|grade|label|verdict|judge?ment"
    r"|choice|assessment)|isrelevant)|(?P<answer>answer|value|option|result|decision|output|level|category|prediction"
    r"|response|class)|relevan(?:ce|t)|completeness|accuracy|coverage|quality|correctness|support|match|helpfulness|m|t"
)
"""Keys of a JSON object, letters alone, under which a grade stands."""
_BESIDE = re.compile(BESIDE)
_SCALE_KEYS = re.compile(
    r"(?:max(?:imum)?|highest|largest|best)(?:possible)?(?:score|rating|grade|value|points)?|outof"
    r"|(?:rating|score|grade|grading)?(?:scale|range)"
)
"""Keys under which the scale of a grade stands."""
_ANSWER = re.compile(r"(?im)^[ \t]*(?:the\s+|my\s+|final\s+|short\s+|correct\s+)*answer(?:\s+is)?\s*:[ \t]*(\S[^\n]*)")
_THE_ANSWER = re.compile(r"(?i)\A(?:the\s+|my\s+|final\s+|short\s+|correct\s+)*answer\s+(?:is|would be)\s*:?\s+(?=\S)")
_EXPLAINS = re.compile(r"(?im)^[ \t]*(?:explanation|reasoning|rationale|justification|note|reason)\b\s*:.*", re.DOTALL)


@dataclass(frozen=True)
class ReadGrade:
    """A grade, or why there is none: one of `reasons.HELP`."""

    grade: int | None
    reason: str = ""


def read_grade(answer: str, scale: ClaimedScale) -> ReadGrade:
    """The grade that an answer gives; where a scale of several grades has words, numbers are read, too."""
    by_words = _read(answer, scale)
    if scale.words and scale.largest > 1 and by_words.reason == NO_GRADE:
        return _read(answer, replace(scale, words=()))
    return by_words


def _read(answer: str, scale: ClaimedScale) -> ReadGrade:
    """The grade on which the claims agree that count most."""
    final = final_part(answer)
    if not final:
        return ReadGrade(None, THOUGHTS if final is None else EMPTY)
    text = western(final)
    if scale.pattern:
        nothing = Claim(LABELLED, None, NO_GRADE)
        every = [whole(group, scale) or nothing for group in groups_in(scale.pattern, text)]
    else:
        objects, rest = _objects(text)
        every = [claim for object in objects for claim in _of_json(object, scale)]
        text = plain(rest)
        if text and (alone := whole(text, scale)):
            every.append(alone)
        elif text:
            every += claims(text, scale)
    if not every:
        return ReadGrade(None, REFUSAL if _REFUSES.search(text) else NO_GRADE)
    weight = max(claim.weight for claim in every)
    heaviest = [claim for claim in every if claim.weight == weight]
    grades = {claim.grade for claim in heaviest if claim.grade is not None}
    if len(grades) > 1:
        return ReadGrade(None, SEVERAL)
    if faults := [claim.reason for claim in heaviest if claim.grade is None]:
        return ReadGrade(None, faults[0])
    return ReadGrade(grades.pop())


def _objects(text: str) -> tuple[list[Any], str]:
    """The JSON in a text, and the text without it."""
    decoder, objects, rest, place = json.JSONDecoder(), [], [], 0
    for _ in range(_MOST_OBJECTS):
        start = text.find("{", place)
        if start < 0:
            break
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
            rest.append(text[place:end])
        else:
            objects.append(value)
            rest.append(text[place:start])
        place = end
    return objects, "".join([*rest, text[place:]])


def _of_json(value: Any, scale: ClaimedScale) -> Iterator[Claim]:
    """What a JSON object claims: by its keys, or as its only value."""
    if not isinstance(value, dict):
        return
    aspects = any((named := _KEYS.fullmatch(_letters(key))) and not named.lastgroup for key in value)
    for key, field_value in value.items():
        named = _KEYS.fullmatch(_letters(key)) or (aspects and _BESIDE.fullmatch(_letters(key))) or None
        if not scale.words and _of_another_scale(key, field_value, scale):
            yield Claim(FINAL, None, ANOTHER_SCALE)
        if named or len(value) == 1:
            kind = named.lastgroup if named else "rating"
            labelled = kind == "rating" or (kind == "answer" and scale.words)
            yield from _of_value(field_value, FINAL if kind == "final" else LABELLED if labelled else HINTED, scale)
        elif isinstance(field_value, dict):
            yield from _of_json(field_value, scale)


def _of_another_scale(key: object, value: Any, scale: ClaimedScale) -> bool:
    """Whether a field says that the grade is on another scale: {"score": 4, "max_score": 10}, {"score (0-10)": 4}."""
    if without_scale(str(key)[:200], scale)[1]:
        return True
    tops = re.findall(r"\d{1,9}", str(value)[:200]) if _SCALE_KEYS.fullmatch(_letters(key)) else []
    return bool(tops) and int(tops[-1]) != scale.largest


def _of_value(value: Any, weight: int, scale: ClaimedScale) -> Iterator[Claim]:
    """What a value claims that stands where a grade should."""
    if isinstance(value, dict):
        yield from _of_json(value, scale)
    elif isinstance(value, list):
        for item in value[:_MOST_OBJECTS]:
            yield from _of_value(item, weight, scale)
    elif isinstance(value, bool) and scale.words:
        yield from _of_value("yes" if value else "no", weight, scale)
    elif isinstance(value, str) or (isinstance(value, int | float) and not isinstance(value, bool)):
        text = plain(western(str(value)))
        alone = whole(text, scale)
        for claim in [alone] if alone else claims(text, scale):
            yield claim._replace(weight=weight)


def _letters(key: object) -> str:
    """A key by which others of the same words are known: "Final score" is "final_score"."""
    return re.sub(r"[^a-z]", "", str(key).lower())


def bare_answer(answer: str) -> tuple[str, str]:
    """An answer in words without all that chat models put around it, and why there is none.

    Thoughts, Markdown, JSON, "Answer:" and an explanation after it are left out.
    """
    final = final_part(answer)
    if final is None:
        return "", THOUGHTS
    objects, rest = _objects(final)
    for object in objects:
        named = {_letters(key): value for key, value in object.items()}
        only = next(iter(named.values())) if len(named) == 1 else None
        value = named.get("finalanswer", named.get("answer", only))
        if isinstance(value, str | int | float):
            return str(value).strip(), ""
    text = plain(rest)
    if _REFUSES.search(text[:200]):
        return "", REFUSAL
    labelled = _ANSWER.findall(text)
    if labelled and len(set(labelled)) == 1:
        text = labelled[0]
    text = _THE_ANSWER.sub("", _EXPLAINS.sub("", text).strip()).strip()
    return text.strip("\"'“”").strip(), ""

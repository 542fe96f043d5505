"""What an answer claims to be its grade: every place that says one, and how much it says so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from exam_core.readings.reasons import ANOTHER_SCALE, BETWEEN, OFF_SCALE, SEVERAL

FINAL, LABELLED, HINTED = 3, 2, 1
"""How a claim stands: it says that it is the last word; it has a label or a line of its own; it has neither."""
YES_OR_NO = (("yes", 1), ("true", 1), ("correct", 1), ("no", 0), ("false", 0), ("incorrect", 0))
"""The words of a grade that is 0 or 1."""
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_END_OF_SCALE = rf"(?:\d{{1,9}}|(?:{'|'.join(_NUMBERS[2:])}|hundred)\b)"


@dataclass(frozen=True)
class ClaimedScale:
    """The grades that are asked for: 0 to `largest`, as numbers; or words in lower case, each of which means a grade.

    `pattern` is a regular expression whose one group is the grade; empty: wherever an answer claims one.
    """

    largest: int = 5
    words: tuple[tuple[str, int], ...] = ()
    pattern: str = ""


class Claim(NamedTuple):
    """A grade that an answer claims, or why what stands there is none."""

    weight: int
    grade: int | None
    reason: str = ""


_NUMBER = (
    r"(?P<about>[<>≤≥~≈]\s*)?(?P<sign>[-+])?(?P<value>\d{1,9})(?P<part>[.,]\d+)?"
    r"(?:\s*(?:(?:stars?|points?)\s+)?(?:/|\b(?:out of|von|van|sur|su|de|из|of a possible|on a scale of)\b)\s*"
    rf"(?:(?:a\s+)?(?:maximum|possible|total)\s+(?:of\s+)?)?(?P<of>{_END_OF_SCALE})(?![\d.,]*\d))?"
    r"(?P<range>\s*(?:[-–—/]|\b(?:or|to|and)\b)\s*(?:an?\s+)?\d|\+|½"
    r"|\s+or (?:more|higher|above|better|less|lower|below|worse)\b)?(?P<percent>\s*(?:%|percent\b))?"
)
"""A grade as a number, with all that changes what it means."""
_STOPS = r"$|[.;:!?)(|\n\"'\]}},=]|[-–—]\s|because\b|since\b|as\b|given\b|based\b"
_END = rf"(?=\s*(?:{_STOPS}|on\b|stars?\b|points?\b|for\b))"
"""What stands after a grade that is not one of a sentence's words, as in "3 causes"."""
_UNITS = r"stars?|points?|punkte|puntos|分|点|점"
_END_OF_WORD = rf"(?=\s*(?:{_STOPS}))"
_END_OF_YES = rf"(?=\s*(?:{_STOPS}|it\b|the\b|this\b|there\b))"

_FINALLY = r"(?:final|overall|ultimate)"
_RATING = r"(?:rating|score|grade|label|verdict|judge?ment|choice|assessment|evaluation|selection)"
_NAMED = r"(?:option|decision|level|category|class|conclusion|result|output|response|answer|relevant)"
_ABROAD = (
    r"(?:bewertung|punktzahl|beoordeling|évaluation|note(?=\s*:\s*\d\s*/)|valutazione|punteggio|puntuación|evaluación|calificación"
    r"|valoración|avaliação|pontuação|ocena|оценка|评分|評分|分数|得分|评级|評価|点数|スコア|평가|점수|التقييم|الدرجة)"
)
"""What a rating is called by models that answer in the language of a passage."""
_ASPECT = (
    r"(?:relevance|relevancy|completeness|accuracy|coverage|quality|correctness|helpfulness|support|trustworthiness"
    r"|usefulness|match)"
)
BESIDE = (
    r"(?:clarity|fluency|coherence|conciseness|consistency|faithfulness|factuality|groundedness|informativeness"
    r"|readability|specificity|depth|style)"
)
"""What else is rated of a text: beside a rating of the kinds above, a second one."""
_OF_LABEL = r"(?:[ _-](?:rating|score|grade|label|level|value|category|number|answer|choice|judge?ment))?s?"
_OPEN = r"\s*(?:an?\s+)?(?:[\"'(\[]{1,2}\s*)?"
_IN_BRACKETS = r"[\"']?\s*(?:\([^()\n]{0,40}\)|\[[^\[\]\n]{0,40}\])?\s*"
_COLON = rf"{_IN_BRACKETS}(?::{{1,2}}=?|=+>?|->|→|⇒|\||[-–—](?=\s)){_OPEN}"
_IS = (
    rf"(?:\s+(?:for|of)\s+(?:this|the|that)\s+\w+)?{_IN_BRACKETS}"
    rf"\b(?:is|would be|should be|will be|of)\b(?:\s*:)?{_OPEN}"
)
_SO = r"\b(?:therefore|thus|hence|so|in conclusion|in summary|overall|finally|i(?:[’']d| would) say)\b[\s,:]*"
_RATES = (
    r"\b(?:i|we|i[’'](?:d|ll|ve)|let me)\b[^.!?\n\d]{0,30}?"
    r"(?:\b(?:choose|chose|select|selected|pick|picked|assign|rate|go with)\s+|"
    r"\b(?:rate|rated|score|scored|grade|graded|give|gave|assign|assigned|choose|select|pick)\b[^.!?\n\d]{0,60}?"
    r"\b(?:it|this|that|passage|answer|context|response|text|an?|as|at|of|with|be|rating|score|grade|level|option"
    rf"|choice)\s*:?\s+){_OPEN}"
)
_EARNS = rf"\b(?:deserves?|merits?|warrants?|earns?|(?:it|this|passage|context|answer) (?:gets?|receives?))\s+{_OPEN}"
_SHOULD = (
    r"\b(?:it|(?:this|the)(?: (?:passage|answer|context|text|response))?)\s+(?:should|would|can)\s+be\s+"
    rf"(?:rated|scored|graded|assigned|given)\s+(?:(?:as|at|with)\s+)?{_OPEN}"
)
_DENIED = re.compile(r"\b(?:not|never|cannot|rather than|instead of|\w+n[’']t)\s[^.\n]{0,25}$", re.IGNORECASE)
_FOR = r"\s*(?:for|on|in)\s+(?:the\s+|its\s+)?[a-z]{3,20}"
"""What of a text a grade is for."""
_HEADS = re.compile(
    rf"(?:\A|^|\d|\b(?:{_RATING}|{_ASPECT}|{_NAMED}){_OF_LABEL})[\s\"']*\Z", re.IGNORECASE | re.MULTILINE
)
"""What a scale in brackets belongs to."""
_SENTENCE = r"(?<=[.!?;])" + "".join(
    rf"(?<!\b{word}\.)" for word in "fig vol no nr p pp ch sec art eq approx ca v".split()
)
"""The end of a sentence, and not of an abbreviation that a number follows."""
_CHANGED = r"[ \t]*(?:(?:\.{2,}|…|-+>|→|=+>|[:,;)])[ \t]*)*(?:(?:actually|no|wait|rather|make (?:it|that))\b[ \t,:]*)*"
"""What stands between a grade and another one in its place."""
_BOUNDS = rf"[01]\s*(?:[-–—]|to|through)\s*(?P<%s>{_END_OF_SCALE})(?![\d.,]*\d)"
_SCALES = re.compile(
    r"(?P<scale>(?:(?:on|using|with|in)\s+)?(?:an?\s+|the\s+)?(?:(?:integer|rating)\s+)?"
    rf"(?:scale\s*(?:is\b|of|from|:)?\s*{_BOUNDS % 'a'}|{_BOUNDS % 'b'}[\s-]+scale\b"
    rf"|(?P<points>{_END_OF_SCALE})[\s-]points?\s+(?:\w+\s+)?scale\b))"
    rf"|[(\[]\s*(?:scale:?\s*)?(?:from\s+)?(?:{_BOUNDS % 'c'}"
    rf"|(?:out\s+of|max(?:imum)?\b\.?(?:\s+of)?|/)\s*:?\s*(?P<d>{_END_OF_SCALE})(?![\d.,]*\d)"
    rf"|[01]\s*=[^()\[\]\n=]{{0,40}}?\b(?P<e>\d{{1,9}})\s*=)[^()\[\]\n]{{0,40}}[)\]]"
    rf"|\bfrom {_BOUNDS % 'f'}",
    re.IGNORECASE,
)
"""Where an answer names a scale, by the largest grade of it."""
_HEDGES = r"\b(?:or|maybe|perhaps|possibly|arguably|(?:could|might|may)(?: also| well)? be)\s+(?:even\s+)?(?:an?\s+)?"


@dataclass(frozen=True)
class _Shapes:
    """Where claims stand, as patterns for one scale; each has the groups of a value."""

    whole: re.Pattern[str]
    patterns: tuple[tuple[int, re.Pattern[str]], ...]
    ends: tuple[re.Pattern[str], ...]
    faults: tuple[tuple[str, re.Pattern[str]], ...]
    hedge: re.Pattern[str]
    named: re.Pattern[str]
    changed: re.Pattern[str]
    beside: re.Pattern[str]
    second: re.Pattern[str]
    fractions: re.Pattern[str]


@lru_cache(maxsize=64)
def _shapes(scale: ClaimedScale) -> _Shapes:
    """The patterns of a scale."""
    close = r"[\s.)\]\"'!}:;,]*"
    if scale.words:
        words = "|".join(map(re.escape, sorted(dict(scale.words), key=len, reverse=True)))
        value, spelled = rf"(?<!\w)(?P<word>{words})(?!\w)", ""
        end = leading = _END_OF_YES if scale.words == YES_OR_NO else _END_OF_WORD
        several = _compiled(rf"(?<!\w)(?:{words})\s*(?:/|\bor\b|\band\b)\s*(?:{words})(?!\w)")
        faults: tuple[tuple[str, re.Pattern[str]], ...] = ((SEVERAL, several),)
    else:
        value, end = _NUMBER, _END
        spelled = rf"|(?P<spelled>{'|'.join(_NUMBERS[: scale.largest + 1])})\b"
        leading = r"(?=\s*(?:$|[:(=]|[;,]\s*[^\W\d_]|[-–—]\s|because\b|since\b|\n))"
        faults = ((BETWEEN, _compiled(r"\bbetween\s+(?:an?\s+)?\d\s+and\s+(?:an?\s+)?\d")),)
    grade = rf"(?:{value}{end}" + (spelled + r"(?=\s*(?:$|[.;\n]))" if spelled else "") + ")"
    named = LABELLED if scale.words else HINTED
    patterns = (
        (FINAL, rf"\[(?:result|score|rating)\]\s*:?\s*[\"'(\[]*(?:{value})(?!\w)"),  # as Prometheus ends its feedback
        (FINAL, rf"(?<!\w){_FINALLY}[ _-](?:{_RATING}|{_NAMED}|{_ASPECT}){_OF_LABEL}(?:{_COLON}|{_IS}){grade}"),
        (FINAL, rf"(?<!\w)(?:{_FINALLY}|(?<=[\"'])o)[\"']?\s*[:=]\s*[\"']?{grade}"),
        (LABELLED, rf"(?<!\w){_RATING}{_OF_LABEL}(?:{_COLON}|{_IS}){grade}"),
        (LABELLED, rf"(?<!\w){_RATING}{_OF_LABEL}[\"']?\s*[:=]\s*[\"'(]?(?:{value})(?!\w)"),
        (LABELLED, rf"{_ABROAD}(?:{_COLON}|\s*(?:[ei]st|es|è|é|是|为|は)?\s*)(?:{value})(?=\s*(?:{_STOPS}|{_UNITS}))"),
        (LABELLED, rf"(?:{_RATES}|{_EARNS}|{_SHOULD}){grade}"),
        (LABELLED, rf"\A[\s\"'(\[]*(?:{value}){leading}"),
        (LABELLED, rf"^[ \t]*[\"'(\[]?(?:{value})(?=\s?[:=](?:\s|$))"),
        (LABELLED, rf"^[ \t]*[\"'(\[]*(?:{value})[ \t.)\]\"'!;,]*$"),
        (LABELLED, rf"{_SENTENCE}\s+(?:{value})\s*(?=[.!?;]?\s*$)"),
        (LABELLED, rf"\A(?:{value})\.(?=\s+\d)"),
        (named, rf"(?<!\w){_NAMED}{_OF_LABEL}(?:{_COLON}{'|' + _IS if scale.words else ''}){grade}"),
        (HINTED, rf"(?<!\w){_ASPECT}{_OF_LABEL}(?:{_COLON}|{_IS}){grade}"),
        (HINTED, rf"(?<!\w)(?:{_RATING}|option)\s+{grade}"),
        (HINTED, rf"^[ \t]*[\"'(\[]*(?:{value})\s?[.)\]]+(?=\s)"),
    )
    ends = (
        rf"{_SO}(?:it(?:[’']s| is)\s+)?(?:an?\s+)?(?:{value}){close}\Z",
        rf"(?:\A|{_SO})(?:the|my)\s+(?:answer|option|level|category)(?:{_IS})(?:{value}){close}\Z",
        rf"\b(?:relevan\w*|complete\w*|accura\w*|support\w*)\b[^\n]*\(\s*(?:{value})\s*\)\s*\.?\Z",
    )
    return _Shapes(
        whole=_compiled(rf"[\s\"'(\[{{]*(?:{value}{spelled}){close}(?:{_UNITS})?[\s.!]*"),
        patterns=tuple((weight, _compiled(pattern)) for weight, pattern in patterns),
        ends=tuple(map(_compiled, ends)),
        faults=faults,
        changed=_compiled(_CHANGED + (rf"(?P<other>{words})(?!\w)" if scale.words else r"(?P<other>\d{1,9})")),
        hedge=_compiled(rf"{_HEDGES}(?:{value}){end}"),
        beside=_compiled(rf"(?<!\w){BESIDE}{_OF_LABEL}(?:{_COLON}|{_IS}){grade}"),
        second=_compiled(rf"{_FOR}(?:\s*(?:[,;&]|and|but)\s*)+(?:an?\s+)?(?:{value})\s+(?:for|on|in)\b"),
        fractions=_compiled(r"(?!)" if scale.words else rf"(?<![\w.,/])(\d{{1,9}})\s*(?:/|out of)\s*{scale.largest}\b"),
        named=_compiled(value if scale.words else r"(?<![\w.,])\d{1,9}(?![\w%])"),
    )


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)


def whole(text: str, scale: ClaimedScale) -> Claim | None:
    """What a text claims that is nothing but a grade; None where it is more."""
    match = _shapes(scale).whole.fullmatch(text)
    return _claim(LABELLED, match, scale) if match else None


def claims(text: str, scale: ClaimedScale) -> Iterator[Claim]:
    """Every place of a text, as `answer_parts.plain` gives it, that claims a grade."""
    text, other_scale = without_scale(text, scale)
    if other_scale:
        yield Claim(FINAL, None, ANOTHER_SCALE)
    shapes, is_claimed = _shapes(scale), False
    for weight, pattern in shapes.patterns:
        for match in pattern.finditer(text):
            count = match.start(match.lastgroup or 0)
            if not _DENIED.search(text, max(0, count - 60), count):
                claim, other = _claim(weight, match, scale), shapes.changed.match(text, match.end())
                if other and claim.grade is not None and _value(other["other"], scale) != claim.grade:
                    claim = Claim(weight, None, SEVERAL)
                yield claim
                if second := shapes.second.match(text, match.end()):
                    yield _claim(weight, second, scale)
                is_claimed = True
    for reason, pattern in shapes.faults:
        if pattern.search(text):
            yield Claim(LABELLED, None, reason)
            is_claimed = True
    if len({value[1] for value in shapes.fractions.finditer(text)}) > 1:
        yield Claim(HINTED, None, SEVERAL)
        is_claimed = True
    if not is_claimed:
        yield from _ending(text, scale)
        return
    for weight, pattern in ((LABELLED, shapes.hedge), (HINTED, shapes.beside)):
        for match in pattern.finditer(text):
            yield _claim(weight, match, scale)


def _ending(text: str, scale: ClaimedScale) -> Iterator[Claim]:
    """The grade that a text ends with, where it names no other one."""
    shapes = _shapes(scale)
    if len({result[0].lower() for result in shapes.named.finditer(text)}) == 1:
        for pattern in shapes.ends:
            if match := pattern.search(text):
                yield _claim(HINTED, match, scale)
                return


def without_scale(text: str, scale: ClaimedScale) -> tuple[str, bool]:
    """A text that doesn't name the scale that was asked for, and whether it names another one as that of its grade.

    Numbers in brackets may be others: they are a scale behind a label or a number, or before anything else.
    """
    if scale.words:
        return re.sub(r"\(\s*yes\s*(?:/|or)\s*no\s*\)", "", text, flags=re.IGNORECASE), False
    names, end, other = [], 0, False
    for match in _SCALES.finditer(text):
        named = {name: _end_of(top) for name, top in match.groupdict().items() if top and name != "scale"}
        points = named.pop("points", scale.largest)
        if {*named.values(), points} <= {scale.largest} or (not named and points == scale.largest + 1):
            names.append(text[end : match.start()])
            end = match.end()
        elif not match["f"] and (match["scale"] or _HEADS.search(text, max(0, match.start() - 60), match.start())):
            other = True
    return "".join([*names, text[end:]]).lstrip(" :,"), other


def _end_of(text: str) -> int:
    """The end of a scale, as a number or a word."""
    return int(text) if text.isdecimal() else 100 if text.lower() == "hundred" else _NUMBERS.index(text.lower())


def _value(text: str, scale: ClaimedScale) -> int:
    return dict(scale.words)[text.lower()] if scale.words else int(text)


def _claim(weight: int, match: re.Match[str], scale: ClaimedScale) -> Claim:
    """What a value says."""
    fields = match.groupdict()
    if scale.words:
        return Claim(weight, dict(scale.words)[fields["word"].lower()])
    if fields.get("spelled"):
        return Claim(weight, _NUMBERS.index(fields["spelled"].lower()))
    if fields["percent"] or (fields["of"] and _end_of(fields["of"]) != scale.largest):
        return Claim(weight, None, ANOTHER_SCALE)
    value, part = int(fields["value"]), fields["part"] or ""
    if (fields["sign"] == "-" and value) or value > scale.largest or (part[:1] == "," and len(part) == 4):
        return Claim(weight, None, OFF_SCALE)
    if fields["range"] or fields["about"] or part[1:].strip("0"):
        return Claim(weight, None, BETWEEN)
    return Claim(weight, value)

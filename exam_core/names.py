"""Names and ids in sentences: the first few of many, and what makes those of two sides look alike."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice

from exam_core.errors import visible

NAMED = 5
"""Names in a note; of the others it says how many there are."""


def listed(names: Sequence[str]) -> str:
    """The first few names, and how many more there are."""
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")


def enumerated(names: Sequence[str]) -> str:
    """Names as a sentence lists them: `Sun, FagB and HELM`."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else ""


LOOKED_AT = 2_000
"""Ids of either side that are compared."""
_TRIED = 20
"""Ids that are asked for a beginning or an end that all have."""
_FORMS: dict[str, Callable[[str], str]] = {
    "in blanks": lambda name: "".join(name.split()),
    "in capital letters": str.casefold,
    "in zeros in front": lambda name: re.sub(r"(?<![0-9])0+(?=[0-9])", "", name),
    "in an ending, a version or .0": lambda name: re.sub(r"(\.0|[._-][vV][0-9]+)$", "", name),
    "in how accents are encoded": lambda name: unicodedata.normalize("NFC", name),
}
"""What ids may differ in: how an id is written without it."""


def likeness(strangers: Collection[str], known: Collection[str]) -> str:
    """How ids that are not known look like known ones, in a sentence; empty where they do not.

    They do where half of the fewer of both have a counterpart: a run may answer many more queries than are judged.

    Parameters
    ----------
    strangers, known : ids of one kind, no id in both
    """
    theirs, ours = (list(islice(names, LOOKED_AT)) for names in (strangers, known))
    if not theirs or not ours:
        return ""
    for what, form in _ways(theirs, ours):
        of = {form(name): name for name in ours}
        pairs = [(name, of[form(name)]) for name in theirs if form(name) in of]
        if 2 * len({name for _, name in pairs}) >= min(len(theirs), len(ours)):
            text, other = (visible(name, line_ends=False) for name in pairs[0])
            return f"Ids look alike: {text} and {other} differ {what}."
    return ""


def _ways(theirs: Collection[str], ours: Collection[str]) -> Iterator[tuple[str, Callable[[str], str]]]:
    """Ways to write ids so that they may be equal, with what they differ in then: one thing, all of them, an affix."""

    def plain(name: str) -> str:
        for form in _FORMS.values():
            name = form(name)
        return name

    yield from _FORMS.items()
    yield "in several of blanks, capital letters, zeros and endings", plain
    for form, more in ((str, ""), (plain, ", and in zeros, capital letters or blanks")):
        for long, short in ((theirs, ours), (ours, theirs)):
            for start, end in _affixes([form(name) for name in long], [form(name) for name in short]):
                yield f"in {_named(start, end)}{more}", _without(form, start, end)


def _affixes(long: Collection[str], short: Collection[str]) -> list[tuple[str, str]]:
    """What stands before and behind short ids in long ones, and may do so in all of them; the most frequent first."""
    counter: Counter[tuple[str, str]] = Counter()
    for name in islice(long, _TRIED):
        for other in islice(short, _TRIED * _TRIED):
            start, inside, end = name.partition(other)
            # 1 is part of 213, but no number begins or ends within another one.
            within = (start[-1:].isdigit() and other[:1].isdigit()) or (other[-1:].isdigit() and end[:1].isdigit())
            if inside and (start or end) and not within:
                counter[start, end] += 1
    return [affix for affix, _ in counter.most_common(_TRIED)]


def _without(form: Callable[[str], str], start: str, end: str) -> Callable[[str], str]:
    def written(name: str) -> str:
        name = form(name)
        return name[len(start) : len(name) - len(end)] if name.startswith(start) and name.endswith(end) else name

    return written


def _named(start: str, end: str) -> str:
    names: Mapping[str, str] = {"in front": start, "behind": end}
    return " and ".join(f"{visible(text, line_ends=False)!r} {where}" for where, text in names.items() if text)

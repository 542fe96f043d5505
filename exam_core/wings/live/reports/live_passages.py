"""Passages as the text that a live page reads when somebody asks for them: a block for each query, each text once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from exam_core.measures.gradebook import Labels
from exam_core.tables import UNGRADED, UNREADABLE
from exam_core.texts.scripts import Place
from exam_core.wings.live.analysis.cube import Cube
from exam_core.wings.live.analysis.returned_passages import BankQuestions, GradedPassages, QueryPassages, depth_of
from exam_core.wings.live.reports.packing import Numbered

UNREAD = "?"
"""A grade that could not be read; one that is not there is null."""


def live_passages(each: Iterable[QueryPassages], runs: Sequence[str]) -> Iterator[str]:
    """The block of each query as JSON. A passage of an earlier block is its number there, behind that block's.

    Parameters
    ----------
    runs : in the order of the page's
    """
    homes: dict[str, list[int]] = {}
    for number, one in enumerate(each):
        listed: list[list[Any]] = []
        for place, (doc, text) in enumerate(one.passages):
            listed.append(homes.get(doc, [doc, text]))
            homes.setdefault(doc, [number, place])
        block = {
            "query": one.query_text,
            "passages": listed,
            "judged": _grades(one.judged),
            "ranked": [one.ranked[run].tolist() if run in one.ranked else [] for run in runs],
            "banks": [_asking(bank) for bank in one.banks],
            "modes": [None if mode is None else _graded(mode) for mode in one.modes],
        }
        yield json.dumps(block, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def about_passages(found: Cube) -> dict[str, Any]:
    """How many passages of a ranking there are at most, and by mode and tau the tau that its labels are read at."""
    # A measure with a tau of its own, P(rel=2)@10, counts only where there is no other.
    choices = sorted(found.choices.items(), key=lambda one: not one[1].measure.rel)
    read = {(mode, at): one.tau for (mode, _, at, _), one in choices if one.of_grades and not one.grading.judgments}
    modes, taus = (range(len(listed)) for listed in (found.axes.modes, found.axes.taus))
    return {"depth": depth_of(found.asked), "taus": [[read.get((mode, at)) for at in taus] for mode in modes]}


def _graded(mode: GradedPassages) -> dict[str, Any]:
    return {
        "bank": mode.bank,
        "labels": [_grades(labels) for labels in mode.labels],
        "grades": [_grades(row) for row in mode.grades],
    }


def _grades(values: Labels) -> list[int | str | None]:
    return [None if one == UNGRADED else UNREAD if one == UNREADABLE else int(one) for one in values]


def _asking(bank: BankQuestions) -> dict[str, Any]:
    """The questions; of each passage the marked places, with the number of the group of questions that mark it."""
    groups = Numbered()
    return {"questions": bank.questions, "marks": [_marks(one, groups) for one in bank.marks], "groups": groups.values}


def _marks(by_question: Sequence[Sequence[Place]], groups: Numbered) -> list[int]:
    """Of each place how far it begins after the one before, how long it is, and its group."""
    found: dict[Place, list[int]] = {}
    for number, places in enumerate(by_question):
        for place in places:
            found.setdefault(place, []).append(number)
    flat, before = [], 0
    for start, end in sorted(found):
        flat += [start - before, end - start, groups.of(found[start, end])]
        before = start
    return flat

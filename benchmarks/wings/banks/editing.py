"""How long an edit of a bank takes until what it does is known, beside the edited bank evaluated from nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from statistics import median
from typing import Any

from exam_core.analysis.evaluation import books
from exam_core.asked import Asked
from exam_core.errors import UsageError
from exam_core.progress import Progress, no_progress
from exam_core.store import Snapshot
from exam_core.store.question_banks import find_bank
from exam_core.store.summary import banks
from exam_core.wings.banks.analysis.effect import Edit, effect, graders_of
from exam_core.wings.banks.analysis.versions import questions_of
from exam_core.wings.banks.bank_questions import reworded


def benchmark(
    snapshot: Snapshot, bank: str | None = None, *, edits: int = 20, progress: Progress = no_progress
) -> dict[str, Any]:
    """Milliseconds of a question off and of one in other words: board, correlations, kappa and changed passages.

    Each is another question, so that nothing is looked up; `from_nothing_ms` reads the grades, too.

    Raises
    ------
    UsageError : the collection has no bank, or nobody graded it
    """
    names = banks(snapshot)
    if not names:
        raise UsageError(f"{snapshot.collection} has no question bank to edit.")
    name, version = find_bank(snapshot, bank or names[0])
    old = questions_of(snapshot, name, version)
    graders = graders_of(snapshot, Edit(name, version, old, old))
    if not graders:
        raise UsageError(f"Nobody graded bank {name} of {snapshot.collection}.")
    asked = Asked(measure="Cover@20", grader=graders[0])
    some = [one for one in old.values() if one.enabled and one.text][: 2 * edits + 2]

    def done(new: dict[Any, Any], state: str) -> Callable[[], object]:
        edit = Edit(name, version, old, new, state)
        return lambda: effect(snapshot, edit, asked, relevant_from=asked.relevant_from)

    offs = [done({**old, one.key: replace(one, enabled=False)}, one.question_id) for one in some]
    others = [done({**old, **_in_other_words(one)}, f"{one.question_id} reworded") for one in some]
    _milliseconds(offs[-1])  # what both sides share is read once
    off, words, nothing = [], [], []
    for place in range(min(edits, len(some) // 2)):
        off.append(_milliseconds(offs[place]))
        words.append(_milliseconds(others[place]))
        progress((place + 1) / edits)
    for act in offs[-4:-1]:
        books.forget()
        nothing.append(_milliseconds(act))
    return {
        "collection": snapshot.collection,
        "bank": f"{name}@{version}",
        "questions": len(old),
        "edits": len(off),
        "one_off_ms": {"median": round(median(off), 1), "slowest": round(max(off), 1)},
        "other_words_ms": {"median": round(median(words), 1), "slowest": round(max(words), 1)},
        "from_nothing_ms": round(median(nothing), 1),
        "one_off_to_from_nothing": round(median(off) / median(nothing), 3),
    }


def _in_other_words(one: Any) -> dict[Any, Any]:
    new = reworded(one, f"{one.text} In other words?")
    return {one.key: replace(one, enabled=False), new.key: new}


def _milliseconds(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return 1000 * (time.perf_counter() - began)

"""How long the slowest reply of a model takes to be read: of drawn ones, and of such as are made to be slow."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

from benchmarks.wings.banks.bad_replies import bad_replies, hostile_replies
from exam_core.progress import Progress, no_progress
from exam_core.wings.banks.replies.reply_questions import read

ROUNDS = 3
"""A reply is read so often; the quickest counts, as this machine does other things."""


def benchmark(size: int, *, progress: Progress = no_progress) -> dict[str, Any]:
    """Milliseconds of the slowest replies, and whether what came out of the drawn ones is right.

    Parameters
    ----------
    size : characters of a hostile reply
    """
    drawn, ways, wrong = {}, Counter[str](), 0
    replies = list(bad_replies())
    for place, one in enumerate(replies):
        drawn[f"{one.kind}, number {place}"] = seconds(one.text, one.cut)
        found = read(one.text, cut=one.cut)
        ways[found.way] += 1
        wrong += set(found.questions) != set(one.questions) or found.lost != +one.lost
        progress(place / len(replies) / 2)
    hostile = {}
    for name, text in hostile_replies(size).items():
        hostile[name] = seconds(text, False)
        progress(0.5 + len(hostile) / 100)
    return {
        "replies": len(replies),
        "kinds": len({one.kind for one in replies}),
        "read_wrong": wrong,
        "read_how": dict(ways),
        "slowest_ms": _slowest(drawn),
        "hostile": {"characters": size, "replies": len(hostile), "slowest_ms": _slowest(hostile)},
    }


def seconds(text: str, cut: bool) -> float:
    """Of the quickest of some readings."""
    taken = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        read(text, cut=cut)
        taken.append(time.perf_counter() - began)
    return min(taken)


def _slowest(taken: dict[str, float]) -> dict[str, float]:
    """The three slowest, in milliseconds."""
    first = sorted(taken, key=lambda name: -taken[name])[:3]
    return {name: round(1000 * taken[name], 2) for name in first}

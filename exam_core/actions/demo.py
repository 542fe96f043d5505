"""Building the embedded collections."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from exam_core.actions.committing import Imported
from exam_core.actions.generated import responses_reading
from exam_core.actions.ranking import rank_answers
from exam_core.actions.verbs import verb
from exam_core.demo.answers import demo_answers
from exam_core.demo.collection import demo_collection
from exam_core.demo.embedded import NUGGETS
from exam_core.demo.nuggets import nugget_collection
from exam_core.demo.printed import COLLECTIONS, printed
from exam_core.formats import Reading
from exam_core.formats.responses import read_responses
from exam_core.grading.ranking import RankingOrder
from exam_core.progress import Progress, no_progress
from exam_core.store import Store

ANSWERS = "demo-answers"


@verb("edit")
def build_demo(store: Store, *, progress: Progress = no_progress) -> list[Imported]:
    """Put the demo and the printed collections into a store; what is there already stays as it is."""
    made: dict[str, tuple[str, Callable[[], Reading]]] = {
        **{name: ("published", partial(printed, name)) for name in COLLECTIONS},
        "demo": ("demo", demo_collection),
        "demo-nuggets": ("demo", _assigned),
    }
    done = []
    for place, (name, (source, make)) in enumerate(made.items()):
        progress(place / len(made))
        reading = make()
        committed = store.commit(name, reading, source=source)
        done.append(Imported(name, committed.changed, reading.counts, reading.notes))
    done += _build_answers(store)
    progress(1.0)
    return done


def _assigned() -> Reading:
    """Generated answers and what was found in them."""
    return nugget_collection(responses_reading(read_responses(NUGGETS / "answers.jsonl"), "whole"))


def _build_answers(store: Store) -> list[Imported]:
    """Generated answers in a collection of their own: runs of answers are no runs to evaluate."""
    reading = demo_answers()
    committed = store.commit(ANSWERS, reading, source="demo")
    ranked = rank_answers(store, ANSWERS, RankingOrder("bm25"))
    return [Imported(ANSWERS, committed.changed, reading.counts, reading.notes), ranked]

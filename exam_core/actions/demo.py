"""Building the embedded collections."""

from __future__ import annotations

from exam_core.actions.importing import Imported
from exam_core.actions.ranking import rank_answers
from exam_core.demo.answers import demo_answers
from exam_core.demo.collection import demo_collection
from exam_core.demo.printed import COLLECTIONS, printed
from exam_core.grading.ranking import RankingOrder
from exam_core.progress import Progress, no_progress
from exam_core.store import Store

ANSWERS = "demo-answers"


def build_demo(store: Store, *, progress: Progress = no_progress) -> list[Imported]:
    """Put the demo and the printed collections into a store; what is there already stays as it is."""
    done = []
    for place, name in enumerate(COLLECTIONS):
        progress(place / 4)
        reading = printed(name)
        committed = store.commit(name, reading, source="published")
        done.append(Imported(name, committed.changed, reading.counts, reading.notes))
    progress(3 / 4)
    reading = demo_collection()
    committed = store.commit("demo", reading, source="demo")
    done.append(Imported("demo", committed.changed, reading.counts, reading.notes))
    done += _build_answers(store)
    progress(1.0)
    return done


def _build_answers(store: Store) -> list[Imported]:
    """Generated answers in a collection of their own: runs of answers are no runs to evaluate."""
    reading = demo_answers()
    committed = store.commit(ANSWERS, reading, source="demo")
    ranked = rank_answers(store, ANSWERS, RankingOrder("bm25"))
    return [Imported(ANSWERS, committed.changed, reading.counts, reading.notes), ranked]

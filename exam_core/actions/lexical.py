"""Grading by words that are shared: at once, in the process that asks for it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from exam_core.actions.planning import Plan, recorded_plan
from exam_core.actions.verbs import verb
from exam_core.grading.modes.lexical_grader import ABOUT, GRADER_ID, lexical_grades
from exam_core.jobs.ordering import Order
from exam_core.jobs.task import bank_of, gradable, refuse_blank, refuse_nothing
from exam_core.progress import Progress, no_progress
from exam_core.store import Snapshot, Store
from exam_core.store.names import BankRef
from exam_core.store.pairs_to_grade import Work, work


@dataclass(frozen=True)
class LexicallyGraded:
    """Grades by words on a version of a bank: before, and made now; and the pairs without a text, which can't be
    graded.
    """

    bank: str
    graded: int
    done: int
    without_text: int


@verb("edit")
def grade_lexically(store: Store, order: Order, *, progress: Progress = no_progress) -> LexicallyGraded:
    """Grade what is missing of an order's bank, up to its limit, by the words that questions and passages share.

    Raises UsageError where there is no such bank, it isn't said which, or nothing can be graded, and StoreError where
    the store is a single file.
    """
    store.refuse_file("grade in a folder")
    with recorded_plan(store):  # A job of the dashboard that is asked for this ends at once, too.
        snapshot, bank, missing = _asked(store, order)
        if len(missing.pair):
            progress(0.1)
            passages = snapshot.frame("passages")
            progress(0.2)
            # All passages, since their words say what a word weighs; and all questions of a passage's query.
            questions = missing.questions.iloc[np.unique(missing.question)]
            grades = lexical_grades(questions, passages, missing.pairs.iloc[np.unique(missing.pair)])
            names = ["query_id", "doc_id", "question_id"]
            wanted = missing.pairs.iloc[missing.pair][["query_id", "doc_id"]].reset_index(drop=True)
            wanted["question_id"] = missing.questions["question_id"].to_numpy()[missing.question]
            is_missing = pd.MultiIndex.from_frame(grades[names]).isin(pd.MultiIndex.from_frame(wanted))
            grades = grades[is_missing].reset_index(drop=True)
            progress(0.9)
            store.describe_grader(order.collection, GRADER_ID, ABOUT)
            store.add_grades(order.collection, GRADER_ID, grades)
        progress(1.0)
        return LexicallyGraded(bank, missing.graded, len(missing.pair), _without_text(missing))


@verb("read", has_line=False)
def plan_lexically(store: Store, order: Order) -> Plan:
    """What `grade_lexically` would do; nothing is asked, so that it costs nothing."""
    _, bank, missing = _asked(store, order)
    return Plan(
        collection=order.collection,
        bank=bank,
        grader=GRADER_ID,
        graded=missing.graded,
        missing=len(missing.pair),
        cached=0,
        repeated=0,
        new=0,
        without_text=_without_text(missing),
        first=int(missing.pairs["first"].to_numpy().astype(bool)[missing.pair].sum()),
        tokens=0,
        prompts_per_second=None,
        seconds=None,
        cost=None,
        cut_share=0.0,
    )


def _asked(store: Store, order: Order) -> tuple[Snapshot, str, Work]:
    """The collection with the bank that is asked, the bank's version, and what is to be graded."""
    snapshot = store.snapshot(order.collection)
    bank = bank_of(snapshot, order)
    to_grade = gradable(work(snapshot, GRADER_ID, bank), order.limit)
    named = str(BankRef(*bank))
    refuse_nothing(order.collection, named, to_grade)
    used = to_grade.questions.iloc[np.unique(to_grade.question)]
    refuse_blank(order.collection, bank[0], used[used["gold_answers"].isna()])
    return snapshot, named, to_grade


def _without_text(to_grade: Work) -> int:
    return int(to_grade.pairs["passage_text"].isna().sum())

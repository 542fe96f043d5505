"""Grading by words that are shared: at once, in the process that asks for it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from exam_core.banks.question import Question, rows_of
from exam_core.errors import StoreError
from exam_core.grading.modes.lexical import ABOUT, GRADER_ID, lexical_grades
from exam_core.progress import Progress, no_progress
from exam_core.store import Store
from exam_core.store.banks import find_bank
from exam_core.store.names import BankRef
from exam_core.store.work import Work, work
from exam_core.store.wouldbe import with_version


def grade_lexically(
    store: Store,
    collection: str,
    bank: str,
    drafted: Sequence[Question] = (),
    *,
    progress: Progress = no_progress,
) -> int:
    """Grade what is missing of a bank by the words that questions and passages share.

    Parameters
    ----------
    bank : `genq` or `genq@2`; where questions are drafted, the version that is edited, or the name of a new bank
    drafted : questions that are asked beside the bank's; their grades wait until a version has them

    Returns
    -------
    how many grades were made

    Raises
    ------
    UsageError : there is no such bank
    """
    if store.is_file:
        raise StoreError(f"{store.path} is a single-file store and read only; grade in a folder.")
    snapshot = store.snapshot(collection)
    asked = BankRef.parse(bank)
    if drafted:
        snapshot, asked = with_version(snapshot, asked.name, asked.version, rows_of(drafted))
    missing = work(snapshot, GRADER_ID, find_bank(snapshot, str(asked)))
    if not len(missing.pair):
        return 0
    progress(0.1)
    passages = snapshot.frame("passages")
    progress(0.2)
    grades = _only_missing(lexical_grades(*_asked(missing, passages)), missing)
    progress(0.9)
    store.describe_grader(collection, GRADER_ID, ABOUT)
    store.add_grades(collection, GRADER_ID, grades)
    progress(1.0)
    return len(grades)


def _asked(missing: Work, passages: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Questions, all passages, whose words say what a word weighs, and the pairs with a text."""
    questions = missing.questions.iloc[np.unique(missing.question)]
    pairs = missing.pairs.iloc[np.unique(missing.pair)]
    return questions, passages, pairs[pairs["passage_text"].notna()]


def _only_missing(grades: pd.DataFrame, missing: Work) -> pd.DataFrame:
    """Without the grades that are there already: a passage is compared with all questions of its query."""
    names = ["query_id", "doc_id", "question_id"]
    wanted = missing.pairs.iloc[missing.pair][["query_id", "doc_id"]].reset_index(drop=True)
    wanted["question_id"] = missing.questions["question_id"].to_numpy()[missing.question]
    return grades[pd.MultiIndex.from_frame(grades[names]).isin(pd.MultiIndex.from_frame(wanted))].reset_index(drop=True)

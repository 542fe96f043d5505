"""The forms that a bank is written in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from exam_core.formats.banks.bank_csv import write_csv
from exam_core.formats.banks.bank_json import write_json
from exam_core.formats.banks.nuggetizer import write_nuggets
from exam_core.formats.banks.rows import BankLines, Texts, rows_of
from exam_core.formats.banks.workbench import write_items
from exam_core.wings.banks.bank_forms import BankForm
from exam_core.wings.banks.formats.nuggetbank import write_nugget_banks
from exam_core.wings.banks.formats.ragtime26 import write_ragtime26
from exam_core.wings.banks.formats.rubrics import write_rubrics
from exam_core.wording import counted

FORMS: dict[BankForm, Callable[[list[dict[str, Any]], Texts], BankLines]] = {
    "workbench": write_items,
    "nuggetbank": write_nugget_banks,
    "nuggetizer": write_nuggets,
    "ragtime26": write_ragtime26,
    "rubrics": write_rubrics,
    "csv": write_csv,
    "json": write_json,
}
_WORDS = {
    "question_text": "texts (only the id is known)",
    "gold_answers": "answer keys",
    "importance": "importances",
    "avoided": "avoid-nuggets",
    "questions_without_words": "questions without words",
    "claims": "claims",
    "kind": "kinds (all are nuggets there)",
    "questions": "kinds (all are criteria there)",
    "enabled": "on-or-off marks",
    "weight": "weights",
    "choices": "choice lists",
    "creators": "creators",
    "lineage": "lineages",
    "facet_id": "facets",
    "facet_text": "facet texts",
    "extra": "other fields",
}


def write_form(form: BankForm, questions: pd.DataFrame, queries: pd.DataFrame) -> BankLines:
    """A bank in a form.

    Parameters
    ----------
    form : one of `FORMS`
    questions : its rows of the table `questions`
    queries : rows of the table `queries`, of its queries and perhaps others

    Returns
    -------
    the lines of the file, and notes on what has no place in it
    """
    known = queries.astype(object).where(queries.notna(), None)
    texts = known.set_index("query_id")[["query_text", "title", "subtopic"]].to_dict("index")
    written = FORMS[form](rows_of(questions), texts)
    left = {_WORDS[name]: count for name, count in written.left_out.items() if count}
    if left:
        fields = counted({"fields": sum(left.values())})
        written.notes.insert(0, f"{form} has no place for {fields}, and leaves out: {counted(left)}.")
    return written

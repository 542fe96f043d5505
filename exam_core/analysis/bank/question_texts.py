"""Questions with their words: what an analysis says of a question_id, and what the question asks."""

from __future__ import annotations

import pandas as pd

from exam_core.analysis.evaluation.choice import Grading
from exam_core.store import Snapshot
from exam_core.store.names import BankRef
from exam_core.store.question_texts import question_words


def with_words(snapshot: Snapshot, grading: Grading, rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of question_id and query_id with question_text and facet; None where the bank has no words.

    A row about several queries, joined by a comma, has the words under the first of them.
    """
    bank = grading.bank or BankRef("")
    known = question_words(snapshot, bank.name, bank.version or 0)
    queries = rows["query_id"].str.split(", ", n=1).str[0]
    # a facet's question may be the page's
    words = [
        known.get((question, query)) or known.get((question, query.rpartition("/")[0])) or (None, None)
        for question, query in zip(rows["question_id"], queries, strict=True)
    ]
    texts, facets = ([one[part] for one in words] for part in (0, 1))
    return rows.assign(
        question_text=pd.Series(texts, rows.index, dtype=object), facet=pd.Series(facets, rows.index, dtype=object)
    )

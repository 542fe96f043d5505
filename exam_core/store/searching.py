"""Everything that has a name or a text in a collection, searched at once: runs, queries, questions, passages."""

from __future__ import annotations

import pandas as pd

from exam_core.store.evidence import searched, words_of
from exam_core.store.snapshot import Snapshot
from exam_core.tables import OVERALL
from exam_core.wording import composed

# Of each kind: an id, the query that it belongs to, and its text. Words are looked for letter for letter, so that no
# character of theirs means anything else.
_KINDS = {
    "run": f"""
        SELECT DISTINCT run_id AS id, NULL AS query_id, '' AS text, 0 AS of_bank FROM (
            SELECT run_id FROM rankings UNION ALL SELECT run_id FROM leaderboards UNION ALL SELECT run_id FROM scores
        ) WHERE run_id != '{OVERALL}'
    """,
    "query": """
        SELECT query_id AS id, query_id, coalesce(query_text, concat_ws(' / ', title, subtopic)) AS text, 0 AS of_bank
        FROM queries
    """,
    "question": """
        SELECT question_id AS id, query_id, coalesce(question_text, '') AS text, row_number() OVER () AS of_bank
        FROM questions WHERE bank_id = $bank AND version = (SELECT max(version) FROM questions WHERE bank_id = $bank)
    """,
    "passage": """
        SELECT doc_id AS id, NULL AS query_id, coalesce(passage_text, '') AS text, 0 AS of_bank FROM passages
    """,
}
_FOUND = f"""
SELECT id, query_id, left(text, $characters) AS text, count(*) OVER () AS total
FROM (SELECT *, {searched("(id || ' ' || text)")} AS searched FROM ({{}})) known
WHERE list_bool_and(list_transform($words::VARCHAR[], lambda word: contains(searched, word)))
ORDER BY {searched("id")} != $asked, of_bank, lower(id), query_id LIMIT $most
"""


def found_of_each(
    snapshot: Snapshot, text: str, *, bank: str | None = None, most: int = 8, characters: int = 240
) -> dict[str, pd.DataFrame]:
    """What has all words of a text in its id or its own text, upper or lower case; words in quotes stand together.

    Parameters
    ----------
    bank : whose questions are searched, in the newest version; None for no questions
    most : of each kind; an id that is the whole text comes first, then questions in their bank's order, others by id
    characters : of a text's beginning

    Returns
    -------
    by kind (run, query, question, passage): id, query_id (null of runs and passages), text, total (all that was found)
    """
    words = words_of(text)
    asked = {"words": words, "asked": composed(text.strip()), "most": most, "characters": characters}
    kinds = [kind for kind in _KINDS if words and (bank or kind != "question")]
    return {
        kind: snapshot.query(_FOUND.format(_KINDS[kind]), asked | ({"bank": bank} if kind == "question" else {}))
        for kind in kinds
    }

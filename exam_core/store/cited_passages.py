"""What generated passages say, sentence by sentence, and what each sentence cites."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pandas as pd

from exam_core.store.pairs_to_grade import Work
from exam_core.store.snapshot import Snapshot

SUPPORT = "support"
"""The kind of a grader that says whether cited passages support what is said of them. Its grades have the ids of
statements where others have questions', so that no board reads them."""
_CITING = """
SELECT run_id, query_id, doc_id, passages.extra FROM passages JOIN rankings USING (doc_id)
WHERE passages.extra LIKE '%"citations":%' ORDER BY run_id, query_id, rank
"""
_CITED = """
SELECT named.query_id, named.doc_id, passage_text, true AS first
FROM (SELECT unnest($queries::VARCHAR[]) AS query_id, unnest($docs::VARCHAR[]) AS doc_id) AS named
LEFT JOIN passages USING (doc_id) ORDER BY query_id, doc_id
"""
_GRADED = "SELECT question_id, query_id, doc_id FROM grades WHERE grader_id = $grader"
_QUERIES = "SELECT query_id, coalesce(query_text, title) AS query_text FROM queries"


class _CitedSentence(msgspec.Struct):
    text: str = ""
    citations: list[str] = []


class _Extra(msgspec.Struct):
    sentences: list[_CitedSentence] = []


def _citing(snapshot: Snapshot) -> Iterator[tuple[str, str, str, list[_CitedSentence]]]:
    """Run, query, passage and sentences of generated passages, by run and query in the order of the response."""
    decoder = msgspec.json.Decoder(_Extra)
    with snapshot.cursor(narrow=True) as cursor:  # of all passages
        found = cursor.execute(snapshot.with_tables(_CITING)).fetchall()
    for run_id, query_id, doc_id, extra in found:
        try:
            sentences = decoder.decode(extra).sentences
        except msgspec.ValidationError:
            continue  # another format's word for something else
        if sentences:
            yield run_id, query_id, str(doc_id), sentences


def cited_passages(snapshot: Snapshot) -> dict[str, tuple[str, ...]]:
    """The passages that each generated passage of a run cites, each once, in order; also of those that cite none.

    A passage is generated where its import told its sentences (`import responses`).
    """
    return {
        doc_id: tuple(dict.fromkeys(name for sentence in sentences for name in sentence.citations))
        for _, _, doc_id, sentences in _citing(snapshot)
    }


def statements(snapshot: Snapshot) -> pd.DataFrame:
    """Every sentence of generated responses, with what it cites.

    Returns
    -------
    Frame of run_id, query_id, statement_id (passage and number, from 1), statement, cited (tuple of doc_ids, each
    once, in order), by run and query in the order of the response
    """
    rows = [
        (run_id, query_id, f"{doc_id}:{number}", sentence.text, tuple(dict.fromkeys(sentence.citations)))
        for run_id, query_id, doc_id, sentences in _citing(snapshot)
        for number, sentence in enumerate(sentences, 1)
    ]
    return pd.DataFrame(rows, columns=["run_id", "query_id", "statement_id", "statement", "cited"])


def cited_work(snapshot: Snapshot, grader_id: str) -> Work:
    """What a grader has still to say of cited passages: `Work` whose questions are statements that cite any."""
    said = statements(snapshot)
    said = said[said["cited"].map(len) > 0].reset_index(drop=True)
    asked = said.explode("cited")
    pairs = asked[["query_id", "cited"]].drop_duplicates()
    frame = snapshot.query(_CITED, {"queries": pairs["query_id"].tolist(), "docs": pairs["cited"].tolist()})
    place = {key: row for row, key in enumerate(zip(frame["query_id"], frame["doc_id"], strict=True))}
    known = set(snapshot.query(_GRADED, {"grader": grader_id}).itertuples(index=False, name=None))
    items = [
        (place[query_id, doc_id], row)
        for row, statement_id, query_id, doc_id in zip(
            asked.index, asked["statement_id"], asked["query_id"], asked["cited"], strict=True
        )
        if (statement_id, query_id, doc_id) not in known
    ]
    texts = snapshot.query(_QUERIES)
    questions = said.rename(columns={"statement_id": "question_id", "statement": "question_text"}).assign(
        facet_id=None, gold_answers=None
    )
    questions = questions.merge(texts, on="query_id", how="left")
    missing = pd.DataFrame(items, columns=["pair", "question"], dtype="int64")
    graded = len(asked) - len(missing)
    return Work(frame, questions, missing["pair"].to_numpy(), missing["question"].to_numpy(), graded, True)

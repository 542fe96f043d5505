"""Rows while a file is read: once each, packed some at a time, with all their lines."""

from pathlib import Path

import pytest

from exam_core.errors import BadInput, Problems
from exam_core.formats import reading
from exam_core.formats.reading import Rows
from exam_core.tables import JUDGMENTS, QUESTIONS


def read(rows):
    frame, merged = rows.frame("judgment")
    rows.problems.raise_if_any()
    return list(zip(frame["doc_id"], frame["relevance"], strict=True)), merged


@pytest.mark.parametrize("together", [2, 100], ids=["packed apart", "packed together"])
def test_rows_are_merged_and_contradictions_told_by_all_their_lines_wherever_they_were_packed(monkeypatch, together):
    monkeypatch.setattr(reading, "TOGETHER", together)
    rows = Rows(JUDGMENTS, Problems(Path("some.qrels")))
    for line, (doc_id, relevance) in enumerate([("a", 1), ("b", 0), ("a", 1), ("c", 2), ("b", 0), ("d", 0)], 1):
        rows.add(line, "official", "q1", doc_id, relevance)
    assert read(rows) == ([("a", 1), ("b", 0), ("c", 2), ("d", 0)], 2)
    rows = Rows(JUDGMENTS, Problems(Path("some.qrels")))
    for line, relevance in enumerate([1, 1, 2, 0, 2, 1], 1):
        rows.add(line, "official", "q1", "a", relevance)
    with pytest.raises(BadInput, match="than line 1") as refused:
        read(rows)
    assert "some.qrels:3: second judgment" in str(refused.value)
    assert "The same in lines 4, 5: 3 times in all." in str(refused.value)


def test_rows_with_lists_are_merged_as_others_are():
    rows = Rows(QUESTIONS, Problems(Path("some.qrels")))
    values = dict.fromkeys(QUESTIONS.names) | {"bank_id": "b", "version": 1, "question_id": "a", "query_id": "q"}
    values |= {"weight": 1.0, "enabled": True}
    for answers in (["x"], ["x"], ["y"]):
        rows.add(7, *(values | {"gold_answers": answers}).values())
    with pytest.raises(BadInput, match="second judgment for bank b"):
        read(rows)
    assert rows.merged == 2

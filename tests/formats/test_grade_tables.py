"""Tables of grades by question: however they are written, what is refused, and what is said."""

import random
from typing import Any

import pandas as pd
import pytest

from exam_core.errors import BadInput
from exam_core.formats import plain_tables
from exam_core.formats.format import Opening
from exam_core.formats.registry import reader, recognised
from exam_core.formats.workbench.grade_tables import read_csv
from exam_core.tables import TABLES, question_id

GRADES = [("q1", "d1", "a", 4), ("q1", "d2", "a", 0), ("q1", "d2", "b", None)]
WAYS = {
    "commas": "query_id,doc_id,question_id,grade\nq1,d1,a,4\nq1,d2,a,0\nq1,d2,b,\n",
    "semicolons and decimal commas": "\ufeffqid;docid;Question ID;Rating\r\nq1;d1;a;4,0\r\nq1;d2;a;0\r\nq1;d2;b;\r\n",
    "tabs, other order": "score\tquestion\tpassage-id\tquery\n4.0\ta\td1\tq1\n0\ta\td2\tq1\n\tb\td2\tq1\n",
    "quoted, with bars": 'topic_id|docno|nugget_id|self_rating\n"q1"|d1|a|4\nq1|d2|a|0\nq1|d2|b|""\n',
    "a failure": "query,doc,question,grade\nq1,d1,a,4\nq1,d2,a,0\nq1,d2,b,ERROR\n",
    "objects": '{"qid":"q1","docid":"d1","question_id":"a","grade":4}\n'
    '{"qid":"q1","docid":"d2","question_id":"a","grade":false}\n'
    '{"qid":"q1","docid":"d2","question_id":"b","grade":null}\n',
    "repeated": "qid,doc_id,question_id,grade\nq1,d1,a,4\nq1,d1,a,4.0\nq1,d2,a,0\nq1,d2,b,\n",
}


@pytest.mark.parametrize("text", WAYS.values(), ids=WAYS)
def test_a_table_of_grades_is_the_same_however_it_is_written(write: Any, text: str) -> None:
    path = write(text, "gpt-4.1.csv")
    assert reader("workbench", path) is read_csv
    reading = read_csv(path)
    grades = reading.frames["grades"][["query_id", "doc_id", "question_id", "grade"]]
    assert [(*row[:3], None if pd.isna(row[3]) else row[3]) for row in grades.itertuples(index=False)] == GRADES
    assert reading.graders["gpt-4.1"] == {"kind": "exam", "item": "question", "rated": True, "scale": 5}
    assert reading.notes[-3:] == [
        "1 unreadable grade kept as unreadable, not as 0.",
        "No column names a grader, so it is named after the file: gpt-4.1.",
        "Scales, by the largest grades: 0 to 5 for gpt-4.1.",
    ]
    assert ("1 repeated row merged." in reading.notes) == (text == WAYS["repeated"])


REST = "query_id,doc_id,question_id,grade,judge\nq1,d1,a,4,m\n"
DAMAGED = {
    "beyond a byte": ("q1,d2,a,127.5,m", ":3: grade 127.5 is no grade\n"),
    "a word": ("q1,d2,a,high,m", ":3: grade high is no grade\n"),
    "below 0": ("q1,d2,a,-1,m", "Grades are numbers from 0 to 127."),
    "no passage": ("q1,,a,4,m", ":3: doc_id is missing\n"),
    "no grader": ("q1,d2,a,4,", ":3: grader is missing\n"),
    "two grades": ("q1,d1,a,3,m", ":3: second grade for grader m, question a, query q1, passage d1, with other values"),
    "unreadable and not": ("q1,d1,a,,m", ":3: second grade"),
    "too few cells": ("q1,d1", ":3: 2 cells where the header has 5"),
}


@pytest.mark.parametrize(("row", "said"), DAMAGED.values(), ids=DAMAGED)
def test_what_is_no_grade_is_refused_with_its_line(write: Any, refusal: Any, row: str, said: str) -> None:
    assert said in refusal(read_csv, write(f"{REST}{row}\nq1,d3,a,4,m\n"))


LACKING = {
    "qid,question_id,rating": "doc_id",
    "docid,question_id,rating": "query_id",
    "qid,docid,question_id": "grade",
    "qid,passage,question,rating": "doc_id",
}


@pytest.mark.parametrize(("header", "column"), LACKING.items())
def test_a_table_of_grades_without_a_column_is_recognised_and_says_which(
    write: Any, refusal: Any, header: str, column: str
) -> None:
    path = write(f"{header}\n{','.join('a text' for _ in header.split(','))}\n")
    found = recognised(Opening(path))
    assert found is not None
    assert f":1: no column for {column} (" in refusal(read_csv, path)


def test_several_graders_each_with_a_scale_and_only_one_takes_a_name(write: Any, refusal: Any) -> None:
    path = write(f"{REST}q1,d1,a,1,n\n")
    assert {name: about["scale"] for name, about in read_csv(path).graders.items()} == {"m": 5, "n": 1}
    assert "holds 2 graders, so --grader can't name them all" in refusal(read_csv, path, grader_id="x")
    assert list(read_csv(write(REST), grader_id="x").graders) == ["x"]


def test_texts_of_questions_give_their_ids_and_other_columns_are_taken_or_named(write: Any) -> None:
    header = "qid\tquery\tpid\ttext\tquestion\tscore\trun\trank\tcost\n"
    rows = "q1\twhy rain\td1\tIt rains.\tDoes it rain?\t5\tbm25\t1\t$\nq1\t\td2\t\tDoes it rain?\t0\tbm25\t2\t$\n"
    reading = read_csv(write(header + rows))
    frames = reading.frames
    assert set(frames["grades"]["question_id"]) == {question_id("q1", "Does it rain?")}
    assert frames["questions"]["question_text"].tolist() == ["Does it rain?"]
    assert frames["queries"]["query_text"].tolist() == ["why rain"]
    assert frames["passages"]["passage_text"].isna().tolist() == [False, True]
    assert frames["rankings"][["run_id", "doc_id", "rank"]].values.tolist() == [["bm25", "d1", 1], ["bm25", "d2", 2]]
    assert "Not kept: cost." in reading.notes


def test_an_id_with_two_texts_is_refused(write: Any, refusal: Any) -> None:
    header = "qid,docid,question_id,question,grade\n"
    said = refusal(read_csv, write(f"{header}q1,d1,a,Does it rain?,1\nq1,d2,a,Why?,1\n"))
    assert ":3: question a has another text than on an earlier line\n  Why?" in said


ODD_CELLS = ["", " d1 ", "nan", "2.0", "-1", "yes", "d\x01", "=1", "\u00e9", "d" * 1001, "d2"]


def made(seed: int) -> str:
    """A table of some grades, as often as not with an odd cell, and with rows that stand apart."""
    rng = random.Random(seed)
    more = [name for name in ("grader", "answer", "passage_text", "query_text", "run_id", "rank") if rng.random() < 0.4]
    rows = []
    for query, doc in ((query, doc) for query in range(rng.randint(1, 4)) for doc in range(rng.randint(1, 5))):
        for question in "ab":
            cells = {"grader": rng.choice("gh"), "answer": "so", "passage_text": rng.choice(["", f"of {doc}"])}
            cells |= {"query_text": rng.choice(["", "why"]), "run_id": "bm25", "rank": f"{doc + 1}"}
            row = [f"q{query}", f"d{doc}", question, f"{rng.randint(0, 5)}", *(cells[name] for name in more)]
            rows += [row] * rng.choice([1, 1, 1, 2])
    if rng.random() < 0.3:
        rng.shuffle(rows)
    if rng.random() < 0.5:
        at = rng.randrange(len(rows))
        rows[at] = [rng.choice(ODD_CELLS) if place == at % len(rows[at]) else one for place, one in enumerate(rows[at])]
    return "\n".join(map("\t".join, (["query_id", "doc_id", "question_id", "grade", *more], *rows))) + "\n"


def test_rows_at_once_are_what_rows_one_by_one_are(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    paths, found = [write(made(seed), f"{seed}.tsv") for seed in range(16)], dict[int, list[Any]]()
    for together in (4, 1):
        monkeypatch.setattr(plain_tables, "TOGETHER", together)
        found[together] = []
        for path in paths:
            try:
                reading = read_csv(path)
                rows = {name: TABLES[name].arrow(frame).to_pylist() for name, frame in reading.frames.items()}
                found[together].append((rows, reading.graders, reading.counts, reading.notes))
            except BadInput as error:
                found[together].append(str(error))
    assert found[4] == found[1]
    assert 0.12 < sum(isinstance(one, str) for one in found[4]) / len(paths) < 0.88


def test_grades_with_decimals_keep_them_and_a_scale_reaches_beyond_them(write: Any) -> None:
    path = write(f"{REST}q1,d2,a,2.4,n\nq1,d3,a,2,n\nq1,d4,a,0.85,p\n")
    reading = read_csv(path)
    grades = reading.frames["grades"]
    assert grades["grade"].tolist() == [4, 2, 2, 0]
    assert grades["decimal"].fillna(-1).tolist() == [-1, 2.4, -1, 0.85]
    assert {name: about["scale"] for name, about in reading.graders.items()} == {"m": 5, "n": 3, "p": 1}
    assert any(note.startswith("2 grades have decimals, which are kept") for note in reading.notes)


def test_json_with_fractions_has_grades_where_its_field_says_so(write: Any) -> None:
    line = {"query_id": "q1", "doc_id": "d1", "question_id": "a", "grade": 2.5}
    found = recognised(Opening(write([line], "a.jsonl")))
    assert found is not None
    assert found.kind.key == "workbench"
    assert read_csv(write([line], "a.jsonl")).frames["grades"]["decimal"].tolist() == [2.5]

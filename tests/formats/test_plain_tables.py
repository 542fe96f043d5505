"""Formats that are declared by their columns, as somebody declares a new one."""

import pytest

from exam_core.errors import BadInput, Problems
from exam_core.formats.extra import decode_extra
from exam_core.formats.format import Opening
from exam_core.formats.plain_tables import PlainTable, an_id, number, whole, words
from exam_core.formats.trec import QRELS
from exam_core.tables import JUDGMENTS

COLUMNS = {"query_id": an_id("search"), "doc_id": an_id("hit"), "relevance": whole("stars", among=range(6))}
VOTES = PlainTable(table=JUDGMENTS, columns=COLUMNS, of_file="qrels_id", what="judgment", counted="judgments")
ROWS = "search,hit,stars\nq1,d1,3\nq1,d2,0\n"


@pytest.mark.parametrize(
    "text",
    [
        ROWS,
        ROWS.replace(",", "\t"),
        "sep=;\nhit;stars;search\nd1;3,0;q1\nd2;0;q1\n",
        '{"search":"q1","hit":"d1","stars":3}\n{"search":"q1","hit":"d2","stars":0}\n',
        f"{ROWS}q1,d2,0.0\n",
    ],
    ids=["commas", "tabs", "a spreadsheet's", "JSON lines", "repeated"],
)
def test_a_declared_table_is_read_however_it_is_written(write, text):
    row, path = VOTES.format(QRELS, looks="votes", order=85), write(text)
    assert row.fits(Opening(path))
    reading = row.read(path, qrels_id="mine")
    assert reading.frames["judgments"][["qrels_id", "query_id", "doc_id", "relevance"]].values.tolist() == [
        ["mine", "q1", "d1", 3],
        ["mine", "q1", "d2", 0],
    ]
    assert (reading.counts, reading.judges) == ({"judgments": 2}, ("mine",))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("q1,d3,9", ":4: relevance 9 is not one of 0 to 5\n  q1, d3, 9\nWrite a whole number from 0 to 5"),
        ("q1,,1", ":4: doc_id is blank"),
        ("q1,d1,4", ":4: second judgment for query q1, passage d1, with other values than line 2"),
        ("q1,d3", ":4: 2 cells where the header has 3"),
    ],
    ids=["out of range", "blank", "contradiction", "cells"],
)
def test_a_wrong_cell_is_refused_with_its_line_and_a_remedy(write, row, message):
    with pytest.raises(BadInput) as refused:
        VOTES.read(write(f"{ROWS}{row}\nq1,d4,1\n"), qrels_id="mine")
    assert message in str(refused.value)


def test_columns_that_are_not_declared_are_named_or_kept(write):
    path = write("search,hit,stars,when\nq1,d1,3,today\n")
    assert VOTES.read(path, qrels_id="mine").notes == ["Columns that are not kept: when."]
    kept = PlainTable(table=JUDGMENTS, columns=COLUMNS, keeps=True).read(path, qrels_id="mine")
    assert (decode_extra(kept.frames["judgments"]["extra"][0]), kept.notes) == ({"when": "today"}, [])


def test_what_is_not_needed_may_lack_and_a_column_without_a_header_is_known_by_its_place(write, tmp_path):
    table = PlainTable(columns={"query_id": words(), "weight": number(needed=False)}, bare=True)
    problems = Problems(tmp_path)
    rows = [row for _, row in table.records(write("q1\t0.5\nq2\t\n"), problems)]
    assert rows == [{"query_id": "q1", "weight": 0.5}, {"query_id": "q2", "weight": None}]

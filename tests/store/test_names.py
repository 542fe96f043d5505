"""Names of two parts: what is written is read back, and SQL and Python part them alike."""

import duckdb
import pytest

from exam_core.store.names import BANK_REF, BankRef, Source, page_of, page_sql


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("genq", BankRef("genq")),
        ("genq@2", BankRef("genq", 2)),
        ("genq@old", BankRef("genq@old")),
        ("a@1@2", BankRef("a@1", 2)),
        ("genq@²", BankRef("genq@²")),
    ],
)
def test_a_bank_is_named_with_its_version_or_without(text, expected):
    assert (BankRef.parse(text), str(expected)) == (expected, text)


def test_a_row_of_a_bank_is_named_as_its_version_is():
    found = duckdb.execute(f"SELECT {BANK_REF} FROM (SELECT 'genq' AS bank_id, 2 AS version)").fetchone()
    assert found == (str(BankRef("genq", 2)),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("run:bm25", Source("run", "bm25")),
        ("runs:3:0f", Source("runs", "3:0f")),
        ("topics:a:b.tsv", Source("topics", "a:b.tsv")),
    ],
)
def test_a_source_is_its_kind_and_its_name(text, expected):
    assert (Source.parse(text), str(expected)) == (expected, text)


@pytest.mark.parametrize(
    ("query_id", "page"),
    [("q1", ""), ("page/facet", "page"), ("page/facet/part", "page/facet"), ("page/", ""), ("/facet", "")],
)
def test_a_facet_belongs_to_its_page_in_python_and_in_sql(query_id, page):
    (in_sql,) = duckdb.execute(f"SELECT {page_sql('id')} FROM (SELECT ? AS id)", [query_id]).fetchone() or ()
    assert (page_of(query_id), in_sql) == (page, page)

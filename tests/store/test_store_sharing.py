"""A store as one file: nothing is lost on the way out and back."""

import shutil
import subprocess
import sys

import duckdb
import pandas as pd
import pytest

from exam_core.errors import BadInput, StoreError
from exam_core.store import Store
from exam_core.store.sharing import export_duckdb, import_duckdb
from exam_core.tables import CONFUSIONS, POOL, QUESTIONS, SCORES, TABLES, VERSIONS
from tests.wings import added

from .store_samples import frame, grades, judgments, leaderboard, passages, queries, rankings, reading, shown

QUESTION_COLUMNS = "bank_id version question_id query_id question_text gold_answers weight enabled extra kind lineage"


def everything():
    """Rows in every table, in no order, with nulls, quotes, line ends and empty texts."""
    text, lineage = 'What\'s "it"?\nSay.', '{"merged_from":["q1/c"]}'
    questions = [
        ("genq", 1, "q1/b", "q1", text, ["a", ""], 0.5, True, '{"b":1}', "claim", lineage),
        ("genq", 1, "q1/a", "q1", None, None, 1.0, False, None, None, None),
        ("empty key", 1, "q2/a", "q2", "", [], 1.0, True, None, None, None),
    ]
    return [
        queries(q2="zwei ☃", q1=None),
        passages("d2", "d1", "d10", "d3").assign(extra=[None, '{"x":[1,null]}', None, None]),
        frame(POOL, "query_id doc_id position extra", [("q2", "d1", 1, None), ("q1", "d2", 0, '{"e":{}}')]),
        rankings(("q2", "d1", 0.1 + 0.2), ("q1", "d2", -1e-300)),
        judgments(("q2", "d1", -2), ("q1", "d2", 3)),
        frame(QUESTIONS, QUESTION_COLUMNS, questions),
        frame(
            VERSIONS,
            "bank_id version created author reason base",
            [("genq", 1, "2026-01-01T00:00:00+00:00", "a@b", 'because\n"it"', None)],
        ),
        pd.concat([grades(("q1", "d2", None), ("q1", "d1", 5)), grades(("q2", "d1", -126), question=None)]),
        leaderboard(("zebra", 0.25), ("ant", 1 / 3)),
        frame(
            SCORES,
            "method run_id query_id value parts",
            [("m(a=1)", "r", "q1", 0.1 + 0.2, '{"n":[1]}'), ("m", "r", "q2", None, None)],
        ),
        *(one for rows in added("table_rows") for one in rows()),
        frame(CONFUSIONS, "confusion_id grade relevance count source", [("t", "4-5", "1-3", 7, "table 4")]),
    ]


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """A store with rows in every table, from two sources and an owner; tests only read it."""
    store = Store(tmp_path_factory.mktemp("full") / "store")
    content = reading(*everything())
    content.graders = {"g": {"kind": "exam", "scale": 5, "prompt": "it's"}}
    store.commit("c", content, source="workbench:c.jsonl", file="c.jsonl")
    store.commit("c", reading(judgments(("q3", "d1", 0)), queries(q1="one")), source="second")
    store.commit("c", reading(rankings(("q1", "d9", 2.0), run="own")), source="run:own", owns=[("rankings", "own")])
    return store


@pytest.fixture(scope="module")
def exported(full, tmp_path_factory):
    """The full store as one file; tests only read it."""
    path = tmp_path_factory.mktemp("exported") / "shared.duckdb"
    export_duckdb([full.snapshot("c")], path)
    return path


@pytest.fixture(scope="module")
def back(exported, tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("back") / "store")
    import_duckdb(store, exported)
    return store


def test_the_full_store_has_rows_in_every_table(full):
    assert set(shown(full.snapshot("c"))) == set(TABLES)


@pytest.mark.parametrize("table", TABLES)
def test_every_table_of_an_exported_file_is_equal_there_and_after_the_round_trip(full, exported, back, table):
    for there in (Store(exported), back):
        found = there.snapshot("c")
        pd.testing.assert_frame_equal(found.frame(table), full.snapshot("c").frame(table), check_exact=True)
        assert found.graders == full.snapshot("c").graders


def test_importing_an_exported_file_twice_changes_nothing(store, exported):
    assert [import_duckdb(store, exported)["c"].changed for _ in range(2)] == [True, False]


def test_an_exported_file_can_be_exported_again(full, exported, tmp_path):
    export_duckdb([Store(exported).snapshot("c")], tmp_path / "again.duckdb")
    assert shown(Store(tmp_path / "again.duckdb").snapshot("c")) == shown(full.snapshot("c"))


@pytest.mark.parametrize("name", ["c.duckdb", "shared.duckdb", "main.duckdb", "it's.duckdb", "no suffix"])
def test_the_file_may_have_the_name_of_its_collection(full, tmp_path, name):
    export_duckdb([full.snapshot("c")], tmp_path / name)
    assert Store(tmp_path / name).collections() == ["c"]


def test_questions_of_a_version_that_knew_fewer_columns_are_read(exported, tmp_path):
    shutil.copy(exported, tmp_path / "old.duckdb")
    with duckdb.connect(str(tmp_path / "old.duckdb")) as connection:
        for column in QUESTIONS.later:
            connection.execute(f"ALTER TABLE c.questions DROP COLUMN {column.name}")
    there = Store(tmp_path / "old.duckdb").snapshot("c").frame("questions")
    now = Store(exported).snapshot("c").frame("questions")
    names = [column.name for column in QUESTIONS.later]
    pd.testing.assert_frame_equal(there.drop(columns=names), now.drop(columns=names))
    assert there[names].isna().all(axis=None)


def test_a_file_of_a_version_without_scores_is_read_as_without_any(exported, tmp_path):
    shutil.copy(exported, tmp_path / "old.duckdb")
    with duckdb.connect(str(tmp_path / "old.duckdb")) as connection:
        connection.execute("DROP TABLE c.scores")
    old = Store(tmp_path / "old.duckdb").snapshot("c")
    assert (len(old.frame("scores")), len(old.frame("grades"))) == (0, 3)


def test_an_export_leaves_nothing_but_its_file(full, tmp_path):
    (tmp_path / "out").mkdir()
    export_duckdb([full.snapshot("c")], tmp_path / "out" / "c.duckdb")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["c.duckdb"]


def test_an_exported_file_opens_read_only(exported):
    with pytest.raises(StoreError, match="read only"):
        Store(exported).commit("c", reading(passages("d1")), source="a")


def test_the_engine_itself_refuses_to_change_an_exported_file(exported):
    snapshot = Store(exported).snapshot("c")
    with snapshot.cursor() as cursor, pytest.raises(duckdb.InvalidInputException, match="read-only"):
        cursor.execute("DELETE FROM shared.c.grades")


def test_a_second_process_opens_the_file_at_the_same_time(exported):
    here = Store(exported).snapshot("c")
    code = "import sys; from exam_core.store import Store; print(len(Store(sys.argv[1]).snapshot('c').frame('grades')))"
    other = subprocess.run([sys.executable, "-c", code, exported], capture_output=True, text=True, check=True)
    assert int(other.stdout) == len(here.frame("grades"))


def test_names_that_differ_in_case_only_are_refused(store, tmp_path):
    for name in ("DL19", "dl19"):
        store.commit(name, reading(passages("d1")), source="a")
    with pytest.raises(StoreError, match="DL19 and dl19"):
        export_duckdb([store.snapshot(name) for name in store.collections()], tmp_path / "shared.duckdb")


@pytest.mark.parametrize("content", [b"", b"no database", b"x" * 20_000, None], ids=["empty", "text", "long", "other"])
def test_what_is_no_exported_store_is_refused(store, tmp_path, content):
    path = tmp_path / "some.duckdb"
    with pytest.raises(StoreError, match=r"some\.duckdb: no exported store"):
        import_duckdb(store, path)
    if content is None:
        with duckdb.connect(str(path)) as connection:
            connection.execute("CREATE TABLE grades AS SELECT 1 AS grade")
    else:
        path.write_bytes(content)
    with pytest.raises(StoreError, match=r"some\.duckdb"):
        import_duckdb(store, path)


def test_an_export_that_can_not_be_written_says_so(full, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(BadInput, match="can't be written"):
        export_duckdb([full.snapshot("c")], tmp_path / "file" / "c.duckdb")

"""DuckDB as the store reads with it."""

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from exam_core.store import Store
from exam_core.store import database as database_module
from exam_core.store.database import Database, of_folders
from exam_core.store.sharing import export_duckdb
from tests.store.store_samples import judgments, reading


def begun(renewed):
    """A database, and the connections that it has begun."""
    made = []

    def begin(_options):
        connection = duckdb.connect(":memory:")
        made.append(weakref.ref(connection))
        return connection

    return Database(begin, renewed=renewed), made


def test_after_so_many_cursors_there_is_a_new_duckdb_and_the_old_one_is_gone_though_its_cursors_go_on():
    database, made = begun(3)
    open_one = database.cursor()
    open_one.execute("CREATE TEMP TABLE mine AS SELECT 7 AS number")
    for _ in range(6):
        with database.cursor() as cursor:
            cursor.execute("SELECT 1")
    gc.collect()
    assert [one() is None for one in made] == [True, True, False]
    assert open_one.execute("SELECT number FROM mine").fetchall() == [(7,)]


@pytest.mark.parametrize("asked", [0, 1])
def test_what_is_closed_gives_no_cursor_and_begins_none(asked):
    database, made = begun(2)
    for _ in range(asked):
        database.cursor().close()
    database.close()
    for _ in range(4):
        with pytest.raises(duckdb.ConnectionException):
            database.cursor()
    assert len(made) == asked


def test_threads_that_read_while_it_is_begun_anew_read_what_there_is(store, monkeypatch):
    monkeypatch.setattr(database_module, "RENEWED", 3)
    store.commit("c", reading(judgments(*[(f"q{number}", "d", 1) for number in range(50)])), source="first")
    snapshot = Store(store.path).snapshot("c")
    with ThreadPoolExecutor(8) as people:
        found = list(people.map(lambda _: len(snapshot.frame("judgments")), range(100)))
    assert found == [50] * 100


def test_an_exported_file_is_read_by_one_duckdb_for_good(store, tmp_path, monkeypatch):
    monkeypatch.setattr(database_module, "RENEWED", 2)
    path = tmp_path / "shared.duckdb"
    for docs in (1, 2):
        store.commit("c", reading(judgments(*[("q1", f"d{number}", 1) for number in range(docs)])), source="first")
        export_duckdb([store.snapshot("c")], path)
        if docs == 1:
            snapshot = Store(path).snapshot("c")
    assert [len(snapshot.frame("judgments")) for _ in range(5)] == [1] * 5


def test_a_long_statement_says_how_far_it_is(tmp_path, monkeypatch):
    monkeypatch.setattr(database_module, "_TOLD_EVERY", 0.001)
    told = []
    pq.write_table(pa.table({"n": range(500_000)}), tmp_path / "n.parquet", row_group_size=5000)
    with of_folders(tmp_path).narrow(progress=told.append) as cursor:
        cursor.execute(f"COPY (FROM '{tmp_path}/n.parquet' ORDER BY hash(n)) TO '{tmp_path}/sorted.parquet'")
    assert 0 < told[-1] <= 1
    assert told == sorted(told)

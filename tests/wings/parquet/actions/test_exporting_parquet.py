"""A collection as Parquet: every tool reads all of it, and the README's query is a leaderboard."""

import re
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from exam_core.actions import export_parquet
from exam_core.analysis.evaluation.choosing import choose
from exam_core.analysis.evaluation.leaderboard import leaderboard
from exam_core.asked import Asked
from exam_core.errors import BadInput, StoreError
from exam_core.formats import Reading
from exam_core.store import Store
from exam_core.tables import TABLES
from exam_core.wings.parquet.actions.exporting_parquet import cover_example
from exam_core.wings.parquet.store import parquet_folder
from tests.store.store_samples import rankings

PARTED = {"grades": "grader", "rankings": "run", "judgments": "qrels"}
LONG = "a very long/" * 40
NAMES = [
    "a/b",
    "50%",
    "%2F",
    "x=y",
    "two words",
    ".",
    "dot.",
    "é—語",
    LONG,
    "1",
    "01",
    "2026-01-01",
    "BM25",
    "bm25",
    "'",
]


@pytest.fixture(scope="module")
def demo(demo_store, tmp_path_factory):
    folder = tmp_path_factory.mktemp("parquet") / "demo"
    export_parquet(Store(demo_store).snapshot("demo"), folder)
    return folder


def statements(folder):
    return re.findall(r"```sql\n(.+?)\n```", (folder / "README.md").read_text(encoding="utf-8"), re.DOTALL)


def test_the_readmes_query_is_the_leaderboard(demo, demo_store, monkeypatch):
    monkeypatch.chdir(demo)
    views, query = statements(demo)
    with duckdb.connect() as connection:
        connection.execute(views)
        found = connection.execute(query).df().set_index("run_id")
    snapshot = Store(demo_store).snapshot("demo")
    one = cover_example(snapshot)
    assert one is not None
    asked = Asked(measure="Cover@20", bank=f"{one.bank}@{one.version}", grader=one.grader, tau=one.tau)
    rows = leaderboard(snapshot, choose(snapshot, asked)).rows.set_index("run_id")
    pd.testing.assert_frame_equal(found.sort_index(), rows[["mean", "n_queries"]].sort_index(), check_dtype=False)


def by_duckdb(folder):
    return duckdb.sql(f"FROM read_parquet('{folder}/*/*.parquet', hive_partitioning = true)").df()


def by_arrow(folder):
    return ds.dataset(folder, partitioning="hive").to_table().to_pandas()


READERS = pytest.mark.parametrize("read", [by_duckdb, by_arrow, pd.read_parquet])


@READERS
@pytest.mark.parametrize("table", PARTED)
def test_every_reader_finds_all_rows(demo, demo_store, read, table):
    key = [f"{PARTED[table]}_id", "query_id", "doc_id", *(["question_id", "grade"] if table == "grades" else [])]
    rows, expected = read(demo / table), Store(demo_store).snapshot("demo").frame(table)
    first, second = (frame[key].sort_values(key, ignore_index=True) for frame in (rows, expected))
    pd.testing.assert_frame_equal(first, second, check_dtype=False)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Runs whose names are no names of folders, or look like numbers."""
    folder = tmp_path_factory.mktemp("hostile")
    store = Store(folder / "store")
    rows = [rankings((f"q{number}", "d", 1.0), run=name) for number, name in enumerate(NAMES)]
    store.commit("c", Reading({"rankings": pd.concat(rows)}), source="runs")
    export_parquet(store.snapshot("c"), folder / "out")
    return folder / "out"


@READERS
def test_names_of_runs_stay_what_they_are(hostile, read):
    rows = read(hostile / "rankings")
    assert dict(zip(rows["run_id"], rows["query_id"], strict=True)) == {
        name: f"q{number}" for number, name in enumerate(NAMES)
    }
    short = rows[rows["run_id"] != LONG]
    assert short["run"].astype(str).tolist() == short["run_id"].tolist()


def files_of(folder):
    return folder.glob("**/*.parquet")


def test_all_parts_have_the_declared_types_and_say_where_they_are_from(demo, demo_store):
    fingerprint = Store(demo_store).snapshot("demo").fingerprint
    for file in files_of(demo):
        schema = pq.read_schema(file)
        assert schema.equals(TABLES[file.relative_to(demo).parts[0]].schema)
        assert schema.metadata[b"fingerprint"].decode() == fingerprint
    assert f"`fingerprint`: {fingerprint}" in (demo / "README.md").read_text()


def test_every_column_is_in_the_readme(demo):
    said = (demo / "README.md").read_text()
    for table in {file.relative_to(demo).parts[0] for file in files_of(demo)}:
        assert all(column.meaning in said.split(f"\n## {table}\n")[1] for column in TABLES[table].columns)


def test_a_folder_that_holds_something_is_left_alone(demo, demo_store):
    with pytest.raises(BadInput, match=r"holds .+, which this export did not write. Name another folder."):
        export_parquet(Store(demo_store).snapshot("demo"), demo)


def test_what_breaks_off_leaves_nothing(demo_store, tmp_path, monkeypatch):
    whole = parquet_folder.write_rows

    def full(path: Path, *rest: object) -> int:
        if "run=" in str(path):
            raise OSError(28, "No space left on device")
        return whole(path, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(parquet_folder, "write_rows", full)
    with pytest.raises((BadInput, StoreError), match="No space left on device"):
        export_parquet(Store(demo_store).snapshot("demo"), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []

"""Exports: what went in comes out, for the real DL19 file too."""

import gzip
import json
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from exam_core.actions.exporting import (
    export_labels,
    export_run,
    export_store,
    export_workbench,
    labels_text,
    without_labels,
)
from exam_core.actions.importing import import_labels, import_workbench
from exam_core.actions.importing_runs import import_run
from exam_core.analysis.choosing import choose
from exam_core.errors import StoreError, UsageError
from exam_core.formats.workbench import read_workbench
from exam_core.request import Request
from exam_core.store import Store
from exam_core.store.sharing import export_duckdb

from .action_files import workbench, written

DL19 = "appendix/EXAM-graded-data/DL19-graded-t5-rating-genq-exam-qrels-runs-with-text.jsonl.gz"
PUBLISHED_LABELS = "appendix/dl19-results/dl19-exam-3.qrels"


@pytest.fixture(scope="session")
def dl19(dl19_store):
    """The authors' graded DL19 file, imported; tests only read it."""
    return Store(dl19_store).snapshot("dl19")


@pytest.fixture(scope="session")
def demo(demo_store):
    """The demo's store; tests only read it."""
    return Store(demo_store)


def lines(path):
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def test_the_exported_labels_equal_the_published_ones(dl19, shared_data, tmp_path):
    export_labels(dl19, choose(dl19, Request(measure="P@20", tau=3)).labelling, tmp_path / "labels.qrels")
    exported = {tuple(line.split()) for line in (tmp_path / "labels.qrels").read_text().splitlines()}
    published = {tuple(line.split()) for line in (shared_data / PUBLISHED_LABELS).read_text().splitlines()}
    assert exported == published


LLM_JUDGE = {5: 3, 4: 1}
"""How LLMJudge reads the ratings 0 to 5 as labels 0 to 3; every other rating is 0."""


def test_mapped_labels_equal_the_published_ones_mapped_outside(dl19, shared_data):
    choice = choose(dl19, Request(measure="P@20", label_map="5=3,4=1"))
    exported = {tuple(line.split()) for line in labels_text(dl19, choice.labelling).decode().splitlines()}
    rows = [line.split() for line in (shared_data / PUBLISHED_LABELS).read_text().splitlines()]
    assert exported == {(*row[:3], str(LLM_JUDGE.get(int(row[3]), 0))) for row in rows}


def test_mapped_labels_of_rank_2_equal_the_second_best_ratings_of_the_file(dl19, shared_data):
    choice = choose(dl19, Request(measure="P@20", label_rank=2, label_map="5=3,4=1"))
    exported = {tuple(line.split()) for line in labels_text(dl19, choice.labelling).decode().splitlines()}
    second = {
        (query, doc["paragraph_id"]): sorted(
            rating["self_rating"] for grades in doc["exam_grades"] for rating in grades["self_ratings"]
        )[-2]
        for query, docs in lines(shared_data / DL19)
        for doc in docs
    }
    assert exported == {(query, "0", doc, str(LLM_JUDGE.get(label, 0))) for (query, doc), label in second.items()}


def test_where_no_passage_has_a_second_grade_label_rank_2_writes_nothing_and_says_why(store, tmp_path):
    import_workbench(store, "c", workbench(tmp_path / "one.jsonl", questions=1), bank="b")
    snapshot = store.snapshot("c")
    choice = choose(snapshot, Request(measure="P@20", label_rank=2))
    with pytest.raises(UsageError, match=r"No passage has 2 readable grades of .* Choose a smaller label rank"):
        export_labels(snapshot, choice.labelling, tmp_path / "labels.qrels")
    with pytest.raises(UsageError, match="No passage has 2 readable grades"):
        labels_text(snapshot, choice.labelling)
    assert not (tmp_path / "labels.qrels").exists()
    assert without_labels(snapshot, choose(snapshot, Request(measure="P@20")).labelling) is None


def test_two_workbench_files_of_a_collection_come_out_as_one(store, tmp_path):
    sources = [workbench(tmp_path / f"{first}.jsonl", first=first, docs=5) for first in (1, 3)]
    for source in sources:
        import_workbench(store, "c", source)
    export_workbench(store.snapshot("c"), tmp_path / "out.jsonl")
    # Its lines may be in another order: a passage's position counts within its own file.
    assert sorted(lines(tmp_path / "out.jsonl")) == [line for source in sources for line in lines(source)]


def test_labelled_passages_without_text_are_exported_too(store, tmp_path):
    import_labels(store, "c", written(tmp_path / "l.qrels", "q1 0 d1 2\nq1 0 d2 0\n"), grader="Thomas")
    export_workbench(store.snapshot("c"), tmp_path / "out.jsonl")
    (line,) = lines(tmp_path / "out.jsonl")
    assert [(doc["paragraph_id"], doc["grades"][0]["self_ratings"]) for doc in line[1]] == [("d1", 2), ("d2", 0)]


def test_labels_that_can_not_be_read_stay_so_in_a_workbench_file_also_where_they_come_first(store, tmp_path):
    labels = written(tmp_path / "labels.qrels", "q1 0 d1 ERROR\nq1 0 d2 3\n")
    import_labels(store, "c", labels, grader="judge")
    export_workbench(store.snapshot("c"), tmp_path / "graded.jsonl")
    back = read_workbench(tmp_path / "graded.jsonl").frames["grades"].set_index("doc_id")["grade"]
    assert (back.isna().to_dict(), back["d2"]) == ({"d1": True, "d2": False}, 3)


def test_an_empty_collection_has_no_workbench_file(store, tmp_path):
    import_run(store, "c", written(tmp_path / "r.run", "q1 Q0 d1 1 2.5 bm25\n"))
    with pytest.raises(UsageError, match="no graded or judged passages"):
        export_workbench(store.snapshot("c"), tmp_path / "out.jsonl")


def test_exported_runs_read_back(demo, store, tmp_path):
    export_run(demo.snapshot("demo"), tmp_path / "all.run")
    import_run(store, "demo", tmp_path / "all.run")
    columns = ["run_id", "query_id", "doc_id", "rank", "score"]
    expected, found = (
        one.snapshot("demo").frame("rankings")[columns].sort_values(columns, ignore_index=True) for one in (demo, store)
    )
    pd.testing.assert_frame_equal(found, expected, check_exact=True)


def test_one_run_is_exported_alone(demo, tmp_path):
    export_run(demo.snapshot("demo"), tmp_path / "one.run", "bm25-top4")
    assert {line.split()[5] for line in (tmp_path / "one.run").read_text().splitlines()} == {"bm25-top4"}


def test_an_unknown_run_is_refused(demo, tmp_path):
    with pytest.raises(UsageError, match="no run bm26 in demo"):
        export_run(demo.snapshot("demo"), tmp_path / "one.run", "bm26")


@pytest.mark.parametrize("table", ["passages", "rankings", "grades", "questions", "pool"])
def test_the_real_collection_comes_back_equal(dl19, table, dl19_back):
    pd.testing.assert_frame_equal(dl19_back.frame(table), dl19.frame(table), check_exact=True)


@pytest.fixture(scope="session")
def dl19_back(dl19, tmp_path_factory):
    """DL19, exported to one file and opened as a store."""
    path = tmp_path_factory.mktemp("dl19-shared") / "dl19.duckdb"
    export_duckdb([dl19], path)
    return Store(path).snapshot("dl19")


def test_a_store_is_not_written_beside_the_log_of_a_database_that_somebody_changes(demo, tmp_path):
    path = tmp_path / "shared.duckdb"
    with duckdb.connect(str(path)) as other:
        other.execute("CREATE TABLE mine (number INTEGER)")
        with pytest.raises(StoreError, match=r"shared\.duckdb\.wal: may hold changes of shared\.duckdb"):
            export_store(demo, path, ["dl19-published"])
    with duckdb.connect(str(path)) as other:
        assert other.sql("FROM mine").fetchall() == []
    export_store(demo, path, ["dl19-published"])
    assert Store(path).collections() == ["dl19-published"]
    with pytest.raises(StoreError, match=r"can't be compressed\. Name it shared\.duckdb\."):
        export_store(demo, tmp_path / "shared.duckdb.gz", ["dl19-published"])


def test_a_store_is_sent_through_a_pipe(demo, tmp_path, capsysbinary):
    export_store(demo, Path("-"), ["dl19-published"])
    (tmp_path / "sent.duckdb").write_bytes(capsysbinary.readouterr().out)
    assert Store(tmp_path / "sent.duckdb").collections() == ["dl19-published"]


def test_an_empty_store_has_nothing_to_share(store, tmp_path):
    with pytest.raises(UsageError, match="store is empty"):
        export_store(store, tmp_path / "shared.duckdb", [])

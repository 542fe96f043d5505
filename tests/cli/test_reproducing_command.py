"""`examboard reproduce`, and the imports' list and undo."""

import json
from collections.abc import Callable

import pytest

from exam_core.analysis.printed.reproduction import reproduction
from exam_core.store import Store

Run = Callable[..., object]


def test_the_figures_are_those_of_the_analysis(demo_store, examboard):
    done = examboard(demo_store, "reproduce", "car-y3-published", "--format", "json")
    found = reproduction(Store(demo_store).snapshot("car-y3-published"))
    answer = json.loads(done.out)
    assert [row["ours"] for row in answer["rows"]] == found.rows["ours"].tolist()
    assert (answer["figures"], answer["equal"]) == (len(found.rows), found.counts["equal"])


def test_printed_figures_keep_their_digits(told):
    rows = told("reproduce", "dl20-published")["rows"]
    assert [
        row["printed"] for row in rows if row["figure"].endswith("Cover@20 tau=4 with the official ranks: Kendall")
    ] == ["0.70"]


def test_a_table_ends_with_the_reasons_and_the_sentence(demo_store, examboard):
    done = examboard(demo_store, "reproduce", "dl19-published")
    found = reproduction(Store(demo_store).snapshot("dl19-published"))
    assert done.out.rstrip().endswith(found.sentence)
    assert all(f"[{number}] {reason}" in done.out for number, (reason, _) in enumerate(found.reasons, 1))


def test_a_collection_of_nobody_says_where_to_go(demo_store, examboard):
    done = examboard(demo_store, "reproduce", "demo")
    assert (done.status, "choose one of the published collections" in done.out) == (0, True)


@pytest.fixture
def store(tmp_path, examboard):
    """A store into which two editions of a qrels file were imported."""
    for number in (1, 2):
        (tmp_path / f"{number}.qrels").write_text(f"q1 0 d1 {number}\n", encoding="utf-8")
        examboard(tmp_path / "store", "import", "qrels", tmp_path / f"{number}.qrels", "--collection", "c")
    return tmp_path / "store"


def relevance(store):
    return int(Store(store).snapshot("c").frame("judgments")["relevance"].iloc[0])


def test_imports_are_listed_with_their_ids(store, examboard):
    rows = json.loads(examboard(store, "import", "list", "--collection", "c", "--format", "json").out)
    assert [(row["file"], row["counts"]["judgments"], row["id"][:6]) for row in rows] == [("2.qrels", 1, "000002")]


def test_an_undo_brings_back_what_was_replaced(store, examboard):
    done = examboard(store, "import", "undo", "--collection", "c")
    assert (done.status, relevance(store)) == (0, 1)
    assert "Data that it replaced count again: 1.qrels" in done.out


def test_an_import_is_undone_by_its_id(store, examboard):
    (row,) = json.loads(examboard(store, "import", "list", "--collection", "c", "--format", "json").out)
    assert (examboard(store, "import", "undo", row["id"], "--collection", "c").status, relevance(store)) == (0, 1)


@pytest.mark.parametrize("arguments", [["9", "--collection", "c"], ["--collection", "other"], []])
def test_an_undo_of_nothing_is_wrong_usage_and_changes_nothing(store, examboard, arguments):
    assert (examboard(store, "import", "undo", *arguments).status, relevance(store)) == (2, 2)

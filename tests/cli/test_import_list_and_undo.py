"""The imports' list and undo."""

import pytest

from exam_core.store import Store


@pytest.fixture
def store(tmp_path, examboard):
    """A store into which two editions of a qrels file were imported."""
    for number in (1, 2):
        (tmp_path / f"{number}.qrels").write_text(f"q1 0 d1 {number}\n", encoding="utf-8")
        examboard(tmp_path / "store", "import", "qrels", tmp_path / f"{number}.qrels", "--collection", "c")
    return tmp_path / "store"


def relevance(store):
    return int(Store(store).snapshot("c").frame("judgments")["relevance"].iloc[0])


def test_imports_are_listed_with_their_ids(store, told):
    rows = told("import", "list", "--collection", "c", store=store)
    assert [(row["file"], row["counts"]["judgments"], row["id"][:6]) for row in rows] == [("2.qrels", 1, "000002")]


def test_an_undo_brings_back_what_was_replaced(store, examboard):
    done = examboard(store, "import", "undo", "--collection", "c")
    assert (done.status, relevance(store)) == (0, 1)
    assert "Data that it replaced count again: 1.qrels" in done.out


def test_an_import_is_undone_by_its_id(store, examboard, told):
    (row,) = told("import", "list", "--collection", "c", store=store)
    assert (examboard(store, "import", "undo", row["id"], "--collection", "c").status, relevance(store)) == (0, 1)


@pytest.mark.parametrize("arguments", [["9", "--collection", "c"], ["--collection", "other"], []])
def test_an_undo_of_nothing_is_wrong_usage_and_changes_nothing(store, examboard, arguments):
    assert (examboard(store, "import", "undo", *arguments).status, relevance(store)) == (2, 2)

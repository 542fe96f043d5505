"""Grades that are made here: segments that commit themselves beside the imports."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from exam_core.errors import StoreError, UsageError
from exam_core.store import Store
from exam_core.store.sharing import export_duckdb

from .store_samples import change_record, grades, passages, reading

ABOUT = {"kind": "exam", "item": "question", "scale": 5, "rated": True, "llm": "tiny"}


@pytest.fixture
def graded(store):
    """A collection with two passages, one imported grade, and one that was made here."""
    store.commit("c", reading(passages("d1", "d2"), grades(("q1", "d1", 3), grader="imported")), source="a")
    store.describe_grader("c", "tiny", ABOUT)
    store.add_grades("c", "tiny", grades(("q1", "d1", 5), grader="tiny"))
    return store


def rows(store):
    return store.snapshot("c").query("SELECT grader_id, doc_id, grade FROM grades ORDER BY ALL")


@pytest.mark.parametrize(
    ("grader", "more", "shown"),
    [("tiny", [5, 0], [3, 5, 0]), ("imported", [3, 4], [3, 4, 5])],
    ids=["two jobs", "goes on with imported ones"],
)
def test_what_is_graded_twice_shows_once(graded, grader, more, shown):
    graded.add_grades("c", grader, grades(("q1", "d1", more[0]), ("q1", "d2", more[1]), grader=grader))
    assert rows(graded)["grade"].tolist() == shown


def test_many_may_append_at_once(graded):
    frames = [grades((f"q{number}", "d1", number % 6), grader="tiny") for number in range(24)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda frame: Store(graded.path).add_grades("c", "tiny", frame), frames))
    assert len(rows(graded)) == 2 + 24 - 1  # q1 and d1 are graded already


def test_grades_show_beside_imported_ones_and_a_snapshot_does_not_see_later_ones(graded):
    before = graded.snapshot("c")
    assert (rows(graded).values.tolist(), before.graders["tiny"]) == ([["imported", "d1", 3], ["tiny", "d1", 5]], ABOUT)
    graded.add_grades("c", "tiny", grades(("q1", "d2", None), grader="tiny"))
    assert graded.snapshot("c").fingerprint != before.fingerprint
    assert (len(before.query("SELECT * FROM grades")), len(rows(graded))) == (2, 3)


def test_a_graders_name_never_means_another_one(graded):
    graded.describe_grader("c", "tiny", ABOUT)
    with pytest.raises(UsageError, match=r"differs in llm(.|\n)*tiny there, huge here(.|\n)*--grader NAME"):
        graded.describe_grader("c", "tiny", ABOUT | {"llm": "huge"})


def test_a_damaged_description_leaves_out_the_grades_of_its_grader_alone_until_it_is_back(graded):
    graded.describe_grader("c", "other", ABOUT)
    graded.add_grades("c", "other", grades(("q1", "d1", 2), grader="other"))
    whole = graded.snapshot("c")
    before = change_record(graded.path, "grader", b"[", is_sound=True)
    snapshot = graded.snapshot("c")
    assert set(rows(graded)["grader_id"]) == {"imported", "other"}
    assert "catalogue.sqlite: grader tiny of c can't be read" in snapshot.unread[0]
    with pytest.raises(StoreError, match="grader tiny of c can't be read"):
        graded.describe_grader("c", "tiny", ABOUT)
    change_record(graded.path, "grader", before, is_sound=True)
    assert (graded.snapshot("c").fingerprint, graded.snapshot("c").unread) == (whole.fingerprint, ())


def test_an_exported_file_holds_them_and_is_read_only(graded, tmp_path):
    export_duckdb([graded.snapshot("c")], tmp_path / "c.duckdb")
    shared = Store(tmp_path / "c.duckdb")
    assert rows(shared)["grade"].tolist() == [3, 5]
    with pytest.raises(StoreError, match="read only; grade into a folder"):
        shared.describe_grader("c", "tiny", ABOUT)


@pytest.mark.parametrize("name", ["cache", "jobs"])
def test_folders_of_the_graders_are_no_collections(store, name):
    with pytest.raises(UsageError, match="taken by the graders"):
        store.commit(name, reading(passages("d1")), source="a")


def test_a_graders_name_may_hold_anything(graded):
    name = "org/flan t5.self-rating:α"
    graded.describe_grader("c", name, ABOUT)
    graded.add_grades("c", name, grades(("q1", "d1", 2), grader=name))
    assert name in graded.snapshot("c").graders
    assert rows(graded)["grader_id"].tolist() == ["imported", name, "tiny"]

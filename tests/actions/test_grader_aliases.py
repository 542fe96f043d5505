"""What graders are called: given, taken back, refused, taken along."""

import shutil

import pytest

from exam_core.actions.tagging import name_grader
from exam_core.errors import StoreError
from exam_core.store import Store
from exam_core.store.sharing import export_duckdb, import_duckdb
from exam_core.store.summary import alias_of
from tests.store.store_samples import ids_of

LEXICAL = "lexical.pourpre-idf"


@pytest.fixture
def graded(two_graders, tmp_path):
    """A store of its own with two graders: `nuggetizer` and the lexical one."""
    return Store(shutil.copytree(two_graders, tmp_path / "store"))


def name(store, grader):
    return alias_of(store.snapshot("demo"), grader)


def test_a_new_name_shows_though_the_data_are_the_same(graded):
    before = graded.snapshot("demo")
    name_grader(graded, "demo", LEXICAL, "Words")
    after = graded.snapshot("demo")

    assert after != before
    assert after.fingerprint == before.fingerprint
    assert graded.snapshot("demo") is after


def test_a_name_that_is_there_already_writes_nothing(graded):
    for _ in range(2):
        name_grader(graded, "demo", LEXICAL, "Words")

    assert ids_of(graded.path, "alias") == ["1"]


def test_names_go_along_in_a_file_of_the_store(graded, tmp_path):
    name_grader(graded, "demo", LEXICAL, "Words")
    file = tmp_path / "shared.duckdb"
    export_duckdb([graded.snapshot("demo")], file)
    other = Store(tmp_path / "other")
    import_duckdb(other, file)

    assert name(Store(file), LEXICAL) == name(other, LEXICAL) == "Words"
    with pytest.raises(StoreError, match="read only"):
        name_grader(Store(file), "demo", LEXICAL, "Other")
    name_grader(other, "demo", LEXICAL, "")
    assert name(other, LEXICAL) == "Lexical match"

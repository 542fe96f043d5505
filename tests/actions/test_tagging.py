"""Tags of runs: given, taken back, refused, taken along."""

import pytest

from exam_core.actions.tagging import tag_run, tag_runs, undo_tags
from exam_core.errors import StoreError, UsageError
from exam_core.store import Store
from exam_core.store.sharing import export_duckdb, import_duckdb
from tests.store.store_samples import ids_of

LLM, BANK = "uses an LLM", "saw the bank"


@pytest.fixture
def demo(own_store):
    return Store(own_store)


def tags(store):
    return dict(Store(store.path).snapshot("demo").tags)


def test_new_tags_show_though_the_data_are_the_same(demo):
    before = demo.snapshot("demo")
    tag_run(demo, "demo", "bm25", [LLM])
    after = demo.snapshot("demo")
    assert (after != before, after.fingerprint == before.fingerprint) == (True, True)
    assert demo.snapshot("demo") is after


def test_the_last_change_is_taken_back_and_counts_again(demo):
    tag_run(demo, "demo", "bm25", [LLM])
    tag_runs(demo, "demo", {"lsa-40": [BANK]})
    undo_tags(demo, "demo")
    assert tags(demo) == {"bm25": (LLM,)}
    undo_tags(demo, "demo")
    assert tags(demo) == {"lsa-40": (BANK,)}


def test_nothing_is_written_where_nothing_changes(demo):
    for _ in range(2):
        done = tag_run(demo, "demo", "bm25", [LLM])
    assert done.sentence == "demo: these tags are there already."
    assert ids_of(demo.path, "tags") == ["1"]


@pytest.mark.parametrize(
    ("run", "own", "why"),
    [
        ("bm26", [LLM], "There is no run bm26. There are: .*bm25"),
        ("bm25", ["x" * 41], "40 characters at most; this has 41"),
        ("bm25", ["two\nlines"], "without control characters"),
        ("bm25", list("abcdefghijk"), "10 tags at most, not 11"),
    ],
)
def test_what_can_be_no_tag_is_refused_and_nothing_is_written(demo, run, own, why):
    with pytest.raises(UsageError, match=why):
        tag_run(demo, "demo", run, own)
    assert ids_of(demo.path, "tags") == []


def test_a_file_of_a_whole_store_has_the_tags_and_what_is_said_here_counts_more(demo, tmp_path):
    tag_run(demo, "demo", "bm25", [LLM])
    tag_run(demo, "demo", "lsa-40", [LLM])
    export_duckdb([demo.snapshot("demo")], tmp_path / "all.duckdb")
    shared = Store(tmp_path / "all.duckdb")
    assert shared.snapshot("demo").tags == demo.snapshot("demo").tags
    with pytest.raises(StoreError, match="read only"):
        tag_run(shared, "demo", "bm25", [])

    tag_run(demo, "demo", "lsa-40", [BANK])
    tag_run(demo, "demo", "bm25", [])
    import_duckdb(demo, tmp_path / "all.duckdb")
    assert tags(demo) == {"bm25": (LLM,), "lsa-40": (BANK,)}

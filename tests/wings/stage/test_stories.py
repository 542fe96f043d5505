"""Stories in a store: kept under a name, changed by several at once, never half; listed, exported and on a page."""

import csv
import io
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from dashboards import opened, sentences

from exam_core.errors import StoreError, UsageError
from exam_core.request import Request
from exam_core.store import Store
from exam_core.store.sharing import export_duckdb
from exam_core.view import View
from exam_core.wings.stage import stories
from tests.store.store_samples import change_record, queries, reading

VIEW = View("Leaderboard", ("Sun",), Request(bank="open@1", tau=3), ("a",), address={"tau": ["3"]}, title="T", note="N")


@pytest.fixture
def own(own_store):
    return Store(own_store)


def test_a_pinned_view_is_read_as_it_was_pinned_and_leaves_the_collection_as_it_is(own):
    before = own.snapshot("demo").fingerprint, own.collections()
    stories.pin_view(own, "demo", "s", VIEW)
    assert (own.snapshot("demo").fingerprint, own.collections()) == before
    (found,) = stories.story_of(Store(own.path), "demo", "s").views
    assert replace(found, address=dict(found.address)) == replace(VIEW, address={"tau": ["3"]})


def test_views_are_moved_worded_removed_and_restored_on_disk(own):
    for name in "ab":
        stories.pin_view(own, "demo", "s", replace(VIEW, view_id=name))
    stories.move_view(own, "demo", "s", "b", -1)
    stories.reword_view(own, "demo", "s", "a", ("New", ""))
    stories.remove_view(own, "demo", "s", "b")
    assert [view.heading for view in stories.story_of(own, "demo", "s").views] == ["New"]
    stories.restore_view(own, "demo", "s")
    assert [view.heading for view in stories.story_of(Store(own.path), "demo", "s").views] == ["T", "New"]


def test_a_view_of_another_collection_is_pinned_to_a_story(own):
    own.commit("other", reading(queries(q1="Why?")), source="x")
    stories.pin_view(own, "demo", "s", VIEW)
    stories.pin_view(own, "demo", "s", replace(VIEW, collection="other", view_id="b"))
    stories.reword_view(own, "demo", "s", "b", ("T", "", "Said so"))
    found = stories.story_of(Store(own.path), "demo", "s").views
    assert [(view.collection, view.sentence) for view in found] == [("", None), ("other", "Said so")]
    with pytest.raises(UsageError, match="There is no collection gone"):
        stories.pin_view(own, "demo", "s", replace(VIEW, collection="gone", view_id="c"))


def test_what_several_pin_at_once_is_all_there(own):
    names = [f"v{place}" for place in range(24)]
    with ThreadPoolExecutor(8) as several:
        list(several.map(lambda name: stories.pin_view(own, "demo", "s", replace(VIEW, view_id=name)), names))
    assert sorted(view.view_id for view in stories.story_of(own, "demo", "s").views) == sorted(names)


def test_a_story_without_views_is_no_story_and_can_be_begun_again(own):
    stories.pin_view(own, "demo", "s", VIEW)
    stories.remove_view(own, "demo", "s", VIEW.view_id)
    assert stories.stories_of(own, "demo") == []
    with pytest.raises(UsageError, match="demo has no story s"):
        stories.story_of(own, "demo", "s")


def test_a_story_or_collection_that_is_not_there_is_refused_with_those_that_are(own):
    stories.pin_view(own, "demo", "meeting-3", VIEW)
    with pytest.raises(UsageError, match=r"no story other\. There are: meeting-3"):
        stories.story_of(own, "demo", "other")
    with pytest.raises(UsageError, match="There is no collection other"):
        stories.pin_view(own, "other", "s", VIEW)


@pytest.mark.parametrize("content", [b"{", b'{"story": {"name": 1}}', b'{"story": {"name": "s"}, "version": 2}'])
def test_a_record_that_is_no_story_is_named_and_not_overwritten(own, content):
    stories.pin_view(own, "demo", "s", VIEW)
    change_record(own.path, "story", content, is_sound=True)
    with pytest.raises(StoreError, match=r"story s of demo can't be read"):
        stories.pin_view(own, "demo", "s", VIEW)
    assert change_record(own.path, "story", b"") == content


def test_a_single_file_store_takes_no_pins(own, tmp_path):
    export_duckdb([own.snapshot("demo")], tmp_path / "one.duckdb")
    with pytest.raises(StoreError, match="read only"):
        stories.pin_view(Store(tmp_path / "one.duckdb"), "demo", "s", VIEW)


TOLD = View("Agreement", ("lexical.pourpre-idf",), Request(bank="open@1", tau=3), title="Where judges part")


def test_a_story_is_listed_and_exported_with_the_data_of_each_of_its_collections(own_store, tmp_path, examboard):
    store, other = Store(own_store), View("Leaderboard", ("genq P@20 tau=4",), Request(), collection="dl20-published")
    for view in (TOLD, other):
        stories.pin_view(store, "demo", "meeting-3", view)
    listed = csv.DictReader(io.StringIO(examboard(own_store, "story", "list", "demo", "--format", "csv").out))
    assert next((row["story"], row["title"]) for row in listed) == ("meeting-3", "Where judges part")
    done = examboard(own_store, "export", "story", "demo", "meeting-3", tmp_path / "s.html")
    assert "2 views" in done.out
    page = (tmp_path / "s.html").read_text(encoding="utf-8")
    assert "Where judges part" in page
    for name in ("demo", "dl20-published"):
        assert f"{name}, fingerprint {store.snapshot(name).fingerprint}" in page


def test_a_story_that_is_not_there_writes_nothing(demo_store, tmp_path, examboard):
    done = examboard(demo_store, "export", "story", "demo", "other", tmp_path / "s.html")
    assert "demo has no story other" in done.err
    assert not (tmp_path / "s.html").exists()


PAGE = "pages/leaderboard/leaderboard.py"


def test_a_damaged_story_is_named_and_the_others_can_be_worked_with(own_store, monkeypatch):
    own = Store(own_store)
    for name in ("bad", "good"):
        stories.pin_view(own, "demo", name, View("Leaderboard", ("lexical.pourpre-idf",), Request(tau=3), title=name))
    change_record(own.path, "story", b"[" * 10_000, is_sound=True)
    test = opened(PAGE, own.path, monkeypatch, collection="demo")
    test.menu_button(key="present").click("Pinned views").run()
    assert "story bad of demo can't be read" in sentences(test).replace("\\", "")
    assert "good" in test.selectbox(key="pinned_story").options

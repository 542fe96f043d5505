"""`examboard story` and `examboard export story`."""

import csv
import io

from exam_core.request import Request
from exam_core.store import Store
from exam_core.view import View
from exam_core.wings.stage import stories

VIEW = View("Agreement", ("lexical.pourpre-idf",), Request(bank="open@1", tau=3), title="Where judges part")


def test_a_story_is_listed_and_exported(own_store, tmp_path, examboard):
    stories.pin_view(Store(own_store), "demo", "meeting-3", VIEW)
    listed = examboard(tmp_path / "store", "story", "list", "demo", "--format", "csv").out
    assert [(row["story"], row["title"]) for row in csv.DictReader(io.StringIO(listed))] == [
        ("meeting-3", "Where judges part")
    ]
    done = examboard(tmp_path / "store", "export", "story", "demo", "meeting-3", tmp_path / "s.html")
    assert "1 view" in done.out
    assert "Where judges part" in (tmp_path / "s.html").read_text(encoding="utf-8")


def test_a_story_of_several_collections_names_the_data_of_each(own_store, tmp_path, examboard):
    store = Store(own_store)
    other = View("Leaderboard", ("genq P@20 tau=4",), Request(), collection="dl20-published")
    for view in (VIEW, other):
        stories.pin_view(store, "demo", "both", view)
    examboard(own_store, "export", "story", "demo", "both", tmp_path / "s.html")
    page = (tmp_path / "s.html").read_text(encoding="utf-8")
    for name in ("demo", "dl20-published"):
        assert f"{name}, fingerprint {store.snapshot(name).fingerprint}" in page


def test_a_story_that_is_not_there_writes_nothing(demo_store, tmp_path, examboard):
    done = examboard(demo_store, "export", "story", "demo", "other", tmp_path / "s.html")
    assert "demo has no story other" in done.err
    assert not (tmp_path / "s.html").exists()

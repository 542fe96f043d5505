"""Views are pinned and told as a story."""

from dashboards import opened, sentences

from exam_core.request import Request
from exam_core.store import Store
from exam_core.view import View
from exam_core.wings.stage import stories
from tests.store.store_samples import change_record

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

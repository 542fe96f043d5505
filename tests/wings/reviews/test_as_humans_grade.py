"""The switch "As humans would grade" on the Leaderboard."""

import shutil

import pytest
from dashboards import charts, opened, sentences, table

from exam_core.analysis.choosing import choose
from exam_core.analysis.leaderboard import leaderboard
from exam_core.request import Request
from exam_core.store import Store
from exam_core.wings.reviews.queue import Draw
from tests.wings.reviews.reviewing import reviewed

PAGE = "pages/leaderboard/leaderboard.py"
ASKED = Request(measure="P@20", bank="open", tau=3)
ASKS = {"collection": "demo", "bank": "open", "tau": "3", "measure": "P"}


@pytest.fixture(scope="module")
def held(demo_store, tmp_path_factory):
    """The demo with every passage reviewed by the judges."""
    path = shutil.copytree(demo_store, tmp_path_factory.mktemp("reviewed") / "store")
    reviewed(path, "demo", ASKED, Draw(n=100_000, by="uniform"))
    return path


def test_without_reviews_there_is_no_switch(demo_store, monkeypatch):
    test = opened(PAGE, demo_store, monkeypatch, **ASKS)
    assert "humans" not in [toggle.key for toggle in test.toggle]


def test_the_switch_shows_the_board_of_the_humans(held, monkeypatch):
    test = opened(PAGE, held, monkeypatch, **ASKS)
    test.toggle(key="humans").set_value(True).run()
    rows = table(test, "corrected").set_index("run_id")
    humans = leaderboard(
        Store(held).snapshot("demo"), choose(Store(held).snapshot("demo"), Request("P@20", judgments="official"))
    )
    expected = humans.rows.set_index("run_id")["mean"]
    # One passage of the demo has no text, so that nobody can review it; only this run holds it.
    assert rows["corrected"].drop("random").to_dict() == pytest.approx(expected.drop("random").to_dict(), abs=1e-9)
    assert "passages of the lists have no text" in sentences(test)
    assert "as humans would grade" in charts(test)[0].alt
    assert "2 reviewers" in sentences(test)
    test.toggle(key="humans").set_value(False).run()
    assert table(test, "displacement") is not None

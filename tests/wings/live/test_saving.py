"""The live page in the box "Share and export": it is made, then it can be saved."""

import base64
import gzip
import re

from dashboards import opened, saves, unfolded

from exam_core.wings.live import cube
from pages.live.added import MADE

PAGE = "pages/compare/compare.py"

LEFT_OUT = "bm25-twin-a"

CHOICE = {
    "collection": "demo",
    "bank": "open",
    "reference": "official",
    "without": LEFT_OUT,
    "runs": f"-{LEFT_OUT} -lsa",
}


def text_of(test):
    """The page that was made, with what lies compressed in it."""
    page = test.session_state[MADE][1]
    packed = re.findall('type="application/gzip" id="(?!plotly)[^"]+">([^<]*)<', page)
    return page + "".join(gzip.decompress(base64.b64decode(one)).decode() for one in packed)


def saved(test):
    return [one for one in saves(test) if "live page" in one]


def test_a_page_is_of_the_choice_and_another_choice_makes_another_page(demo_store, monkeypatch):
    monkeypatch.setattr(cube, "USUAL", ("RR",))
    monkeypatch.setattr(cube, "TAUS", (2, 4))
    test = unfolded(opened(PAGE, demo_store, monkeypatch, **CHOICE), "share")
    assert not saved(test)
    test.button(key="make_live").click().run()
    assert len(saved(test.run())) == 1
    assert LEFT_OUT not in text_of(test)
    assert '"runs": "-lsa"' in text_of(test)
    assert "<dd>demo, without 1 run, fingerprint " in text_of(test)
    assert not saved(test.checkbox(key="live_texts").check().run())
    test.button(key="make_live").click().run()
    assert len(saved(test)) == 1
    test.session_state["tau"] = 2
    assert not saved(test.run())


def test_where_nothing_can_be_chosen_there_is_no_button(demo_store, monkeypatch):
    test = unfolded(opened(PAGE, demo_store, monkeypatch, collection="car-y3-published"), "share")
    assert [button.key for button in test.button if button.key == "make_live"] == []

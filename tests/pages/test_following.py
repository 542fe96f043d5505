"""Charts that stay while their figure changes, and those that the browser holds for other places of the slider."""

from __future__ import annotations

import json

import pytest
from dashboards import charts, opened
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_cache import populate_hash_if_needed

from exam_core.analysis.choice import TAUS
from pages.mending import following


def board_page(store, monkeypatch):
    return opened("pages/leaderboard/leaderboard.py", store, monkeypatch, collection="demo")


def component(test):
    return next(element.proto for element in test.main.get("bidi_component"))


def test_another_tau_is_another_figure_of_the_same_chart_and_one_that_is_clicked_stays(store, monkeypatch):
    test = board_page(store, monkeypatch)
    before, identity = charts(test)[0].figure, component(test).id
    slider = test.slider(key="tau")
    slider.set_value(slider.value - 1).run()
    assert charts(test)[0].figure["data"] != before["data"]
    assert component(test).id == identity
    kinds = [len(test.main.get(kind)) for kind in ("bidi_component", "plotly_chart")]
    name = test.selectbox(key="leaderboard_run").options[0]
    test.selectbox(key="leaderboard_run").select(name).run()
    assert (kinds, [len(test.main.get(kind)) for kind in ("bidi_component", "plotly_chart")]) == ([1, 0], [2, 0])


PAGE = "pages/leaderboard/leaderboard.py"


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """A machine that is busy holds no less."""
    monkeypatch.setattr(following, "PATIENCE", 60.0)


def sent(of):
    return [json.loads(one.proto.mixed.json or one.proto.json) for one in of.get("bidi_component")]


def held(test):
    """By tau what the browser holds; nothing where it holds none."""
    return next((one["held"] for one in sent(test.sidebar) if "held" in one), {})


@pytest.mark.parametrize(
    "choice",
    [
        {},
        pytest.param({"scores": "raw", "runs": "bm25*"}, marks=pytest.mark.thorough),
        {"scores": "ranks", "order": "first series"},
        {"measure": "P", "leaderboard_run": "bm25", "whole_axis": "true"},
    ],
    ids=str,
)
def test_what_is_held_for_a_tau_is_what_the_page_sends_there(choice, store, monkeypatch):
    test = opened(PAGE, store, monkeypatch, collection="demo", bank="open", tau="3", **choice)
    kept, chart = held(test), sent(test.main)[0]
    assert set(kept) == set(map(str, TAUS))
    for tau in (1, 5):
        there = sent(test.slider(key="tau").set_value(tau).run().main)[0]
        assert kept[str(tau)] == {name: there[name] for name in ("figure", "alt", "config")}
        # The browser draws what it holds for this chart alone.
        assert there["at"] == chart["at"] | {"place": tau}


@pytest.mark.parametrize(
    "choice", [{"collection": "demo", "measure": "nDCG"}, {"collection": "car-y3-published"}], ids=["graded", "printed"]
)
def test_nothing_is_held_where_tau_changes_nothing(choice, store, monkeypatch):
    test = opened(PAGE, store, monkeypatch, **choice)
    assert (len(charts(test)), held(test)) == (1, {})


def test_nothing_is_held_where_streamlit_is_to_be_as_it_comes(store, monkeypatch):
    monkeypatch.setattr(following, "PLAIN", True)
    assert held(opened(PAGE, store, monkeypatch, collection="demo")) == {}


def test_another_choice_is_another_chart_and_what_takes_long_is_left_out(store, monkeypatch):
    monkeypatch.setattr(following, "PATIENCE", 0.0)
    test = opened(PAGE, store, monkeypatch, collection="demo", bank="open")
    before = sent(test.main)[0]["at"]["of"]
    assert held(test) == {}
    test.selectbox(key="measure").select("P").run()
    assert sent(test.main)[0]["at"]["of"] != before


def test_no_message_is_sent_by_its_name_alone():
    """A browser forgets messages while keys come faster than answers, and a page that misses one is dead for good."""
    large = ForwardMsg()
    large.delta.new_element.html.body = "x" * 10**6
    populate_hash_if_needed(large)
    assert large.hash
    assert not large.metadata.cacheable

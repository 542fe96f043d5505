"""Boxes that fold, and rows of tables, stay as their reader left them."""

from __future__ import annotations

import ast
from pathlib import Path

from streamlit.testing.v1 import AppTest

PAGES = Path(__file__).parents[2] / "pages"
LOOSE = {"shared/passage_texts.py", "shared/show.py"}
"""A whole passage and notes are boxes of what stands above them, with which they come and go."""


def test_each_box_has_a_key_because_another_place_or_label_closes_one_without():
    keyless = {
        file.relative_to(PAGES).as_posix()
        for file in PAGES.rglob("*.py")
        for call in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "expander"
        if not {"key"} & {given.arg for given in call.keywords}
    }
    assert keyless == LOOSE


def page():
    import streamlit as st

    from pages.shared import boxes

    boxes.options("More", key="more", icon="", opened=st.session_state["opened"])


def test_a_box_opens_by_itself_once_and_nothing_but_its_reader_closes_it():
    test = AppTest.from_function(page)

    def opened(now, by_hand=None):
        test.session_state["opened"] = now
        if by_hand is not None:
            test.session_state["more"] = by_hand
        assert not test.run().exception
        return test.expander[0].proto.expanded

    assert [opened(False), opened(True), opened(False)] == [False, True, True]
    assert [opened(True, by_hand=False), opened(False, by_hand=False), opened(False)] == [True, False, False]
    assert [opened(True), opened(True, by_hand=False), opened(True)] == [True, False, False]


def page_of_rows():
    import streamlit as st

    from pages.shared import picking

    names = st.session_state["names"]
    picking.keep_row(names, key="run", table="scores", value=st.session_state["given"])
    st.session_state["shown"] = st.session_state["scores_table"]["selection"]["cells"]


def follows(test, names, given, cells):
    """The selected cells after a run, where the browser says which are selected."""
    for key, value in (("names", names), ("given", given), ("scores_table", {"selection": {"cells": cells}})):
        test.session_state[key] = value
    assert not test.run().exception
    return [tuple(cell) for cell in test.session_state["shown"]]


def test_a_row_follows_its_run_and_a_late_answer_of_the_browser_is_no_click():
    test = AppTest.from_function(page_of_rows)
    test.session_state["run"] = "b"
    assert follows(test, ["a", "b", "c"], 4, [(1, 0)]) == [(1, 0)]
    assert follows(test, ["b", "a", "c"], 3, [(1, 0)]) == [(0, 0)]
    assert follows(test, ["c", "a", "b"], 2, [(1, 0)]) == [(2, 0)]  # the browser has not heard of row 0 yet
    assert follows(test, ["c", "a", "b"], 2, [(2, 0)]) == [(2, 0)]
    assert follows(test, ["c", "a", "b"], 2, [(1, 0)]) == [(1, 0)]  # a click on another run


def test_a_click_on_the_place_that_a_run_has_left_is_a_click():
    test = AppTest.from_function(page_of_rows)
    test.session_state["run"] = "b"
    follows(test, ["a", "b", "c"], 4, [(1, 0)])
    follows(test, ["b", "a", "c"], 3, [(1, 0)])
    assert follows(test, ["b", "a", "c"], 3, [(1, 0)]) == [(1, 0)]

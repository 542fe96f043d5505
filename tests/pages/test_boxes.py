"""Boxes that fold stay as their reader left them."""

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

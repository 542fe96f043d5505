"""The selected row of a table when the rows change places, also where page runs overtake what the browser knows."""

from streamlit.testing.v1 import AppTest


def page():
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
    test = AppTest.from_function(page)
    test.session_state["run"] = "b"
    assert follows(test, ["a", "b", "c"], 4, [(1, 0)]) == [(1, 0)]
    assert follows(test, ["b", "a", "c"], 3, [(1, 0)]) == [(0, 0)]
    assert follows(test, ["c", "a", "b"], 2, [(1, 0)]) == [(2, 0)]  # the browser has not heard of row 0 yet
    assert follows(test, ["c", "a", "b"], 2, [(2, 0)]) == [(2, 0)]
    assert follows(test, ["c", "a", "b"], 2, [(1, 0)]) == [(1, 0)]  # a click on another run


def test_a_click_on_the_place_that_a_run_has_left_is_a_click():
    test = AppTest.from_function(page)
    test.session_state["run"] = "b"
    follows(test, ["a", "b", "c"], 4, [(1, 0)])
    follows(test, ["b", "a", "c"], 3, [(1, 0)])
    assert follows(test, ["b", "a", "c"], 3, [(1, 0)]) == [(1, 0)]

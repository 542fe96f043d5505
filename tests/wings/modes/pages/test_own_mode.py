"""A mode of one's own, pasted below the form of a job."""

from dashboards import sentences

from tests.pages.test_grading import button, on_demo
from tests.pages.test_grading import copy as copy


def test_a_mode_of_ones_own_is_pasted_and_chosen_or_what_is_wrong_with_it_is_said(copy, monkeypatch):
    test = on_demo(copy, monkeypatch)
    printed = next(code.value for code in test.code if code.value.startswith('name = "self-rating"'))
    test.text_area(key="grading_own_mode").set_value(printed.replace("{passage}", "")).run()
    button(test, "Add the mode").click().run()
    assert "mode.toml:5: prompt has no {passage}" in sentences(test)
    test.text_area(key="grading_own_mode").set_value(printed.replace("choose one", "take one")).run()
    button(test, "Add the mode").click().run()
    chosen = test.selectbox(key="grading_mode").value
    assert chosen.startswith("self-rating-")
    assert f"flan-t5-large.{chosen}" in sentences(test)

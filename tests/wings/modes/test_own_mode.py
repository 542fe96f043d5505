"""A prompt of one's own, written over that of a mode."""

from dashboards import sentences, table
from grading.server import Server, says

from exam_core.jobs import records
from exam_core.store import Store
from tests.pages.test_grading import button, on_demo, wait_for
from tests.pages.test_grading import copy as copy

PROMPT = "grading_own_text_self-rating"


def written(test, old, new):
    """The form with a prompt of one's own."""
    test.toggle("grading_own").set_value(True).run()
    prompt = test.text_area(PROMPT)
    return prompt.set_value(prompt.value.replace(old, new)).run()


def test_a_prompt_of_ones_own_begins_as_the_papers_and_what_is_wrong_with_it_is_said(copy, monkeypatch):
    test = on_demo(copy, monkeypatch)
    test.toggle("grading_own").set_value(True).run()
    assert test.text_area(PROMPT).value.startswith("Can the question be answered")
    assert "The grades are shown as Self-rating, FLAN-T5-L." in sentences(test)  # nothing is changed yet
    written(test, "{passage}", "{pasage}")
    line = test.text_area(PROMPT).value[: test.text_area(PROMPT).value.index("{pasage}")].count("\n") + 1
    assert f"Line {line}: {{pasage}} is no placeholder; write {{passage}}." in sentences(test)
    assert not {"Nothing was stored.", "prompt has no {passage}"} & set(sentences(test).splitlines())
    assert (button(test, "Start").disabled, len(test.button_group("grading_by").options) > 1) == (True, True)
    written(test, "{pasage}", "")
    assert "prompt has no {passage}; put {passage} once where the passage belongs." in sentences(test)
    written(test, "Context: ", "Passage: {passage}")
    assert "The grades are shown as my prompt, FLAN-T5-L." in sentences(test)
    button(test, "Add the mode").click().run()
    chosen = test.selectbox(key="grading_mode").value
    assert chosen.startswith("my-prompt-")
    assert not test.toggle("grading_own").value


def test_a_prompt_is_seen_filled_tried_and_graded_with_and_nothing_is_asked_twice(copy, monkeypatch):
    with Server(lambda *_: says("4"), models=["m"]) as server:
        monkeypatch.setenv("EXAMBOARD_SERVERS", server.address)
        test = on_demo(copy, monkeypatch)
        test.button_group("grading_by").set_value("openai").run()
        test.text_input("grading_base_url").set_value(server.address)
        test.number_input("grading_limit").set_value(3).run()
        written(test, "choose one", "take one")
        passages = set(Store(copy).snapshot("demo").frame("passages")["passage_text"])
        (shown,) = (code.value for code in test.code if "take one" in code.value)
        assert any(shown.endswith(f"Context: {passage}") for passage in passages)
        button(test, "Try on three passages").click().run()
        tried = table(test, "answer")
        assert (tried["grade"].tolist(), set(tried["passage"]) <= passages) == ([4, 4, 4], True)
        button(test, "Start").click().run()
        (job,) = records.jobs(Store(copy))
        wait_for(job)
        asked = {request.text for request in server.requests}
        assert len(asked) == len(server.requests) <= 5
    assert job.progress().done == 3

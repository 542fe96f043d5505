"""Probes on the page Grading: the lexical grader at once, a model by a job."""

import pytest
from dashboards import charts, sentences, table

from exam_core.actions import job_control
from exam_core.actions.job_control import create_job, write_progress
from exam_core.grading.options import GradingOptions
from exam_core.jobs.ordering import Order
from exam_core.jobs.records import JobProgress
from exam_core.wings.trust.probe_request import ProbeRequest
from tests.pages.test_grading import button, newest, on_demo, wait_for
from tests.pages.test_grading import copy as copy


def test_the_lexical_grader_is_probed_at_once_by_its_button(copy, monkeypatch):
    test = on_demo(copy, monkeypatch, grading_tabs="Gullibility")
    assert "No grader was probed here yet." in sentences(test)
    test.selectbox("probing_grader").select("Lexical match")
    test.number_input("probing_sample").set_value(16).run()
    assert any(
        code.value.endswith("gullible demo --bank open --grader lexical.pourpre-idf --sample 16") for code in test.code
    )
    button(test, "Probe").click().run()
    assert "Lexical match: question 100.0%, words 100.0%, instruction 0.0%, doubled 0.0%." in charts(test)[-1].alt
    assert table(test, "label_rises")["perturbation"].tolist() == ["question", "words", "instruction", "doubled"]
    assert "16 of 120 passages with a relevance below 2 in official" in sentences(test)


def test_a_model_is_probed_by_a_job_that_is_asked_what_the_form_says(copy, monkeypatch):
    test = on_demo(copy, monkeypatch, grading_tabs="Gullibility")
    # 120 passages are judged below 2; each with ten questions, as it is and in four perturbations
    assert "would be asked 6,000 prompts about 120 of the 120 passages" in sentences(test)
    test.number_input("probing_sample").set_value(8)
    test.text_input("probing_model").set_value("tiny").run()
    monkeypatch.setattr(job_control, "start_job", lambda store, request, _confirmed: create_job(store, request))
    test.button("probing_plan").click().run()
    order = Order("demo", "self-rating", GradingOptions("tiny"), bank="open")
    assert newest(copy).request == ProbeRequest(order, sample=8, plan=True)
    write_progress(newest(copy), JobProgress(state="failed", message="No such model."))
    said = sentences(test.run())
    assert f"Plan of a probe {newest(copy).id}." in said
    assert ("✗ failed" in said, "No such model." in said, "(#jobs)" in said) == (True, True, True)


@pytest.mark.thorough
def test_what_prevents_a_probe_is_said_beside_its_buttons(copy, monkeypatch):
    test = on_demo(copy, monkeypatch, grading_tabs="Gullibility")
    test.number_input("probing_relevant_from").set_value(-5).run()
    assert "There is nothing to ask about in demo" in sentences(test)
    assert [test.button(f"probing_{name}").disabled for name in ("plan", "start")] == [True, True]


@pytest.mark.thorough
def test_a_probe_is_planned_and_run_by_its_buttons(copy, model_folder, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    test = on_demo(copy, monkeypatch, grading_tabs="Gullibility")
    test.text_input("probing_model").set_value(str(model_folder))
    test.selectbox("probing_device").select("cpu")
    test.number_input("probing_sample").set_value(2).run()
    for name in ("plan", "start"):
        test.button(f"probing_{name}").click().run()
        wait_for(newest(copy))
        test.run()
        assert newest(copy).progress().state == "done", newest(copy).log
        if name == "plan":
            assert any("in the cache" in code.value for code in test.code)
    assert table(test, "label_rises")["grader_id"].nunique() == 1

"""The form that has questions written: what it asks for, what prevents it, and a real job from start to end."""

import json
import time

import pytest
from dashboards import ROOT, button, sentences, table
from grading.server import Server, says
from streamlit.testing.v1 import AppTest

from exam_core.actions.job_control import create_job, write_progress
from exam_core.formats import Reading
from exam_core.grading.options import GradingOptions
from exam_core.jobs import records
from exam_core.jobs.records import RUNNING, JobProgress
from exam_core.store import Store
from exam_core.tables import TABLES
from exam_core.wings.banks.prompts import GenerationOrder, GenerationRequest

SECONDS = 90
HOSTILE = "<script>alert(1)</script> **bold** [x](javascript:y)"


def page():
    from pages.questions import generation_form
    from pages.shared import data

    generation_form.draw(data.snapshot("c"), "mine")


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("EXAMBOARD_STORE", str(tmp_path / "store"))
    monkeypatch.chdir(ROOT)
    store = Store(tmp_path / "store")
    frame = TABLES["queries"].frame({"query_id": ["q1", "q2"], "query_text": ["what is iron", "what is gold"]})
    store.commit("c", Reading({"queries": frame}), source="queries")
    return store


def shown():
    return AppTest.from_function(page, default_timeout=60).run()


def filled(test, address):
    test.text_input(key="generating_model").set_value("m")
    return test.text_input(key="generating_base_url").set_value(address).run()


@pytest.mark.usefixtures("store")
def test_it_says_what_is_missing_or_prevents_a_job_and_takes_words_of_ones_own():
    test = shown()
    assert (
        "Name a model and a server (type its address and, if it runs on this machine, press Ask) to begin."
        in sentences(test)
    )
    assert button(test, "Start").disabled
    assert "Break the query" in sentences(test)
    filled(test, "http://127.0.0.1:1/v1").selectbox(key="generating_prompt").set_value("car").run()
    assert "needs subtopics, and none is known in c" in sentences(test)
    assert button(test, "Start").disabled
    test.selectbox(key="generating_prompt").set_value("own words").run()
    assert "the words of the prompt" in sentences(test)
    test.text_area(key="generating_template").set_value("Why {topic}?").run()
    assert "{topic} is nothing that can be filled in" in sentences(test)
    test.text_area(key="generating_template").set_value("Why {query}?").run()
    assert "2 prompts to be asked" in sentences(test)
    assert "--template 'Why {query}?'" in test.code[-1].value


def test_a_job_runs_from_the_button_to_the_new_version(store, monkeypatch):
    with Server(lambda _text, _times: says(json.dumps(["What is a?", "What is a?", "Why b?"]))) as server:
        monkeypatch.setenv("EXAMBOARD_SERVERS", server.address)
        test = filled(shown(), server.address)
        button(test, "Start").click().run()
        (job,) = records.jobs(store)
        until = time.monotonic() + SECONDS
        while job.progress().state in RUNNING:
            assert time.monotonic() < until, job.log
            time.sleep(0.05)
        records.children[-1].wait()
        test.run()
    assert "4 questions were read: 4 are new in mine@1." in sentences(test)
    assert table(test, "reason")[["reason", "count"]].to_numpy().tolist() == [["repeated", 2]]


def test_a_server_that_the_dashboard_may_not_ask_is_refused(store):
    test = filled(shown(), "http://127.0.0.1:1/v1")
    button(test, "Start").click().run()
    assert "private network" in sentences(test)
    assert records.jobs(store) == []


def test_what_a_job_says_is_no_markup(store):
    job = create_job(store, GenerationRequest(GenerationOrder("c", "mine", options=GradingOptions(HOSTILE))))
    write_progress(job, JobProgress(state="failed", message=HOSTILE, lost={HOSTILE: 1}, total=1, done=1))
    test = shown()
    assert not any("<script>" in element.proto.body for element in test.get("html"))

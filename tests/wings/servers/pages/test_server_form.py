"""The form of a job at a server: its address, its options, where the key goes, and which servers nobody is let ask."""

import pytest
from dashboards import sentences

from exam_core.jobs import records
from exam_core.store import Store
from tests.pages.test_grading import button, command, on_demo


def test_a_server_is_asked_for_by_its_address_and_its_key_by_no_field(store, monkeypatch):
    test = on_demo(store, monkeypatch)
    test.selectbox("grading_backend").select("openai").run()
    assert button(test, "Start").disabled
    assert "environment variable OPENAI_API_KEY" in sentences(test)
    test.text_input("grading_base_url").set_value("http://127.0.0.1:9/v1").run()
    assert not button(test, "Start").disabled
    assert command(test).endswith("--backend openai --base-url http://127.0.0.1:9/v1")
    assert [field.label for field in test.text_input if "key" in field.label.lower()] == []
    test.number_input("grading_samples").set_value(3)
    test.selectbox("grading_reasoning_effort").select("low")
    test.checkbox("grading_batch").check()
    test.text_input("grading_extra").set_value('{"top_p": 0.5}').run()
    assert command(test).endswith("--reasoning-effort low --samples 3 --extra '{\"top_p\": 0.5}' --batch")
    test.text_input("grading_extra").set_value('{"top_p"').run()
    assert " is no JSON" in sentences(test)
    assert button(test, "Start").disabled


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:9/v1", "http://169.254.169.254/latest", "http://2130706433:9/v1"]
)
def test_no_visitor_has_a_server_of_the_private_network_asked(own_store, monkeypatch, address):
    test = on_demo(own_store, monkeypatch)
    test.selectbox("grading_backend").select("openai").run()
    test.text_input("grading_base_url").set_value(address).run()
    for label in ("Plan", "Start"):
        button(test, label).click().run()
        assert "is on this machine or in a private network" in sentences(test)
    assert records.jobs(Store(own_store)) == []


def test_the_form_says_where_the_key_goes(store, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://me:pw@models.example:8000/v1")
    test = on_demo(store, monkeypatch)
    test.selectbox("grading_backend").select("openai").run()
    said = sentences(test)
    assert "is sent to models.example:8000/v1 only" in said
    assert "pw" not in said

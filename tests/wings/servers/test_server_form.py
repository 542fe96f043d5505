"""The form of a job at a server: its address and models, where the key goes, and which servers nobody is let ask."""

import pytest
from dashboards import sentences
from grading.server import Server, says
from thoroughly import thoroughly

from exam_core.actions import job_control
from exam_core.errors import GraderError
from exam_core.jobs import records
from exam_core.store import Store
from exam_core.wings.servers.backends import _with_path
from exam_core.wings.servers.connection import listed_models
from pages.shared import visiting
from tests.pages.test_grading import button, command, on_demo


@pytest.fixture
def alone(monkeypatch):
    """The visitor runs the dashboard for themselves."""
    monkeypatch.setattr(visiting, "is_alone", lambda: True)


@pytest.fixture
def rater():
    """A server of this machine that lists two models below /v1."""
    with Server(lambda *_: says("4"), models=["qwen3", "llama3"]) as server:
        server.below = "/v1/"
        yield server


def by_server(test):
    return test.button_group("grading_by").set_value("openai").run()


def at(test, address):
    return by_server(test).text_input("grading_base_url").set_value(address).run()


def test_a_server_is_asked_for_by_its_address_and_its_key_by_no_field(demo_store, monkeypatch):
    test = by_server(on_demo(demo_store, monkeypatch))
    assert button(test, "Start").disabled
    assert (
        "Name a server (type its address and, if it runs on this machine, press Ask) and a model to begin."
        in sentences(test)
    )
    assert "environment variable OPENAI_API_KEY" in sentences(test)
    assert "For instance https://api.openai.com/v1" in sentences(test)
    test.text_input("grading_model").set_value("m")
    at(test, "http://127.0.0.1:9/v1")
    assert not button(test, "Start").disabled
    assert command(test).endswith("--model m --backend openai --base-url http://127.0.0.1:9/v1")
    assert [field.label for field in test.text_input if "key" in field.label.lower()] == []
    test.number_input("grading_samples").set_value(3)
    test.selectbox("grading_reasoning_effort").select("low")
    test.checkbox("grading_batch").check()
    test.text_input("grading_extra").set_value('{"top_p": 0.5}').run()
    assert command(test).endswith("--reasoning-effort low --samples 3 --extra '{\"top_p\": 0.5}' --batch")
    test.text_input("grading_extra").set_value('{"top_p"').run()
    assert " is not JSON" in sentences(test)
    assert button(test, "Start").disabled


@pytest.mark.parametrize(
    "address", ["http://169.254.169.254/latest", *thoroughly("http://127.0.0.1:9/v1", "http://2130706433:9/v1")]
)
def test_no_visitor_has_a_server_of_the_private_network_asked(own_store, monkeypatch, address):
    test = at(on_demo(own_store, monkeypatch), address)
    said = [sentences(test), *(code.value for code in test.code)]
    assert any("EXAMBOARD_SERVERS=" in one for one in said), "as soon as it is typed"
    test.text_input("grading_model").set_value("m").run()
    for label in ("Plan", "Start", "Try on three passages"):
        button(test, label).click().run()
        assert "is on this machine or in a private network" in sentences(test)
    assert records.jobs(Store(own_store)) == []


def test_who_is_not_alone_is_told_the_line_that_lets_a_server_of_this_machine_be_asked(demo_store, monkeypatch, rater):
    monkeypatch.setenv("EXAMBOARD_SERVERS", "http://gpu:8000")
    monkeypatch.setenv("EXAMBOARD_STARTED_BY", "open --no-browser --port 8600")
    test = at(on_demo(demo_store, monkeypatch), rater.address)
    servers = f"EXAMBOARD_SERVERS='http://gpu:8000 http://127.0.0.1:{rater.server_port}'"
    line = f"EXAMBOARD_STORE={demo_store} {servers} examboard open --no-browser --port 8600"
    assert line in [code.value for code in test.code]
    assert [one.label for one in test.button if one.label.startswith("Ask ")] == []
    assert rater.connections == 0


@pytest.mark.usefixtures("alone")
def test_one_click_confirms_a_server_of_this_machine_lists_its_models_and_lets_a_job_ask_it(
    own_store, monkeypatch, rater
):
    test = by_server(on_demo(own_store, monkeypatch))
    assert "Ask Ollama at http://127.0.0.1:11434 for its models" in [one.label for one in test.button]
    address = f"http://127.0.0.1:{rater.server_port}"
    at(test, address)
    assert rater.connections == 0
    assert "Allow the dashboard to ask this server before you try or start:" in sentences(test)
    assert button(test, "Start").disabled
    button(test, f"Ask {address} for its models").click().run()
    assert test.selectbox(f"grading_model_of_{address}").options == ["qwen3", "llama3"]
    assert command(test).endswith(f"--model qwen3 --backend openai --base-url {address}/v1")
    started = []
    monkeypatch.setattr(job_control, "start_job", lambda *given: started.append(given) or records.Job(own_store))
    button(test, "Start").click().run()
    assert [confirmed for *_, confirmed in started] == [[address]]
    # A confirmation is of who gave it, and worth nothing where others can open the dashboard.
    monkeypatch.setattr(visiting, "is_alone", lambda: False)
    button(test, "Start").click().run()
    assert [confirmed for *_, confirmed in started] == [[address], []]
    another = at(on_demo(own_store, monkeypatch), address)
    assert [one.key for one in another.selectbox if one.key.startswith("grading_model_of")] == []


def test_the_form_says_where_the_key_goes(demo_store, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://me:pw@models.example:8000/v1")
    said = sentences(by_server(on_demo(demo_store, monkeypatch)))
    assert "is sent to models.example:8000/v1 only" in said
    assert "pw" not in said


@pytest.mark.parametrize("path", ["", "/", "/v1"])
def test_a_server_is_recognised_with_and_without_the_v1_of_its_address(path, rater):
    typed = f"http://127.0.0.1:{rater.server_port}{path}"
    address, names = listed_models(typed)
    assert (address.removesuffix("/"), names) == (rater.address, ["qwen3", "llama3"])
    assert _with_path(typed) == rater.address, "a job asks below the same address"


def test_where_no_server_lists_models_the_reason_is_said():
    with Server(lambda *_: says("4")) as server:
        address = server.address
        with pytest.raises(GraderError, match=r"lists no models \(HTTP 404\)"):
            listed_models(address)
    with pytest.raises(GraderError, match="no connection, or it broke off"):
        listed_models(address)

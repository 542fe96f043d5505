"""`examboard doctor`: what it finds, what it advises, and how it exits."""

import json
import re
import socket
import subprocess
import sys
import tomllib
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
import typer
from typer.testing import CliRunner

from exam_core import installation as home_of
from exam_core.installation import home
from exam_core.wings.doctor.cli.doctor_command import doctor
from exam_core.wings.doctor.doctor import PACKAGES, Finding, Package, State, _package, examine, is_usable
from exam_core.wings.doctor.grading import machine

ROOT = Path(__file__).parents[4]
NOBODY = "http://127.0.0.1:9"

app = typer.Typer()
app.command()(doctor)


@pytest.fixture(autouse=True)
def offline(monkeypatch, tmp_path):
    """No test asks the real hub, nor looks into a real cache."""
    monkeypatch.setenv("HF_ENDPOINT", NOBODY)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "huggingface"))
    for name in ("HF_HUB_CACHE", "HF_HUB_OFFLINE"):
        monkeypatch.delenv(name, raising=False)


@contextmanager
def answering(status):
    """The address of a server that answers everything with a status."""

    class Answers(BaseHTTPRequestHandler):
        def do_HEAD(self):
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_):
            """Say nothing on the terminal."""

    with HTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def found(what, store, address=None):
    """The line of the report about something."""
    return next(finding for finding in examine(store, address=address) if finding.what == what)


@pytest.mark.parametrize("what", ["python", "package duckdb", "package streamlit", "processors", "store"])
def test_what_tests_run_with_is_found_well(tmp_path, what):
    assert found(what, tmp_path).state is State.OK


def test_only_what_is_not_well_has_a_remedy(tmp_path):
    findings = examine(tmp_path)
    assert [finding.what for finding in findings if (finding.state is State.OK) == bool(finding.remedy)] == []


def test_the_packages_are_those_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = {"": project["dependencies"]} | project["optional-dependencies"]
    wanted = {
        (*re.sub(r"\[.*?\]", "", line).split(">="), extra)
        for extra, lines in groups.items()
        for line in lines
        if extra not in ("dev", "serve")  # serve: more of a package that is there
    }
    assert {(package.name, package.oldest, package.extra) for package in PACKAGES} == wanted


@pytest.mark.parametrize(
    ("package", "state", "says", "remedy"),
    [
        (Package("no-such-thing", "1.0", "dreams"), State.PROBLEM, "missing; needed for dreams", "pip install -e"),
        (Package("no-such-thing", "1.0", "dreams", "ray"), State.WARN, "missing", f"pip install -e '{home()}[ray]'"),
        (Package("numpy", "99.0", "numbers"), State.WARN, "older than 99.0; for numbers", "-U"),
        (Package("numpy", "2.0", "numbers"), State.OK, "for numbers", ""),
    ],
    ids=["core missing", "extra missing", "too old", "well"],
)
def test_a_package_is_named_with_its_purpose_and_what_to_do(package, state, says, remedy):
    finding = _package(package)
    assert finding.state is state
    assert says in finding.finding
    assert remedy in finding.remedy


def test_of_a_wheel_what_is_missing_is_installed_by_name(tmp_path, monkeypatch):
    (tmp_path / home_of.INSTALLED).mkdir()
    monkeypatch.setattr(home_of, "_PACKAGE", tmp_path)
    assert _package(Package("no-such-thing", "1.0", "dreams", "ray")).remedy == "Run: pip install 'examboard[ray]'"


def test_a_hub_that_answers_is_well(tmp_path):
    with answering(200) as address:
        assert found("network", tmp_path, address) == Finding("network", State.OK, f"{address} answers")


def test_a_hub_that_refuses_is_a_warning(tmp_path):
    with answering(503) as address:
        assert "status 503" in found("network", tmp_path, address).finding


def test_no_network_is_a_warning(tmp_path):
    finding = found("network", tmp_path)
    assert (finding.state, finding.finding) == (State.WARN, f"{NOBODY}: no connection (ConnectionError)")


def test_a_network_that_never_answers_is_given_up():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        assert machine.network_trouble(address, timeout=0.1) == "no answer within 0.1 s"


def test_offline_by_choice_asks_nobody(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with answering(200) as address:
        assert machine.network_trouble(address) == "HF_HUB_OFFLINE is set"


def test_models_of_the_cache_are_listed_with_their_size(tmp_path):
    folder = tmp_path / "huggingface" / "hub" / "models--google--flan-t5-base"
    (folder / "blobs").mkdir(parents=True)
    (folder / "blobs" / "abc").write_bytes(b"x" * 5000)
    (folder / "snapshots" / "main").mkdir(parents=True)
    (folder / "snapshots" / "main" / "model.safetensors").symlink_to(folder / "blobs" / "abc")
    assert machine.cached_models(machine.model_cache()) == [machine.CachedModel("google/flan-t5-base", 5000)]
    assert "google/flan-t5-base (0.0 GiB)" in found("models", tmp_path).finding


def test_an_empty_cache_says_how_to_fill_it(tmp_path):
    finding = found("models", tmp_path)
    assert finding.finding == f"none in {tmp_path / 'huggingface' / 'hub'}"
    assert "hf download" in finding.remedy


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({"HF_HUB_CACHE": "/a", "HF_HOME": "/b"}, "/a"),
        ({"HF_HOME": "/b", "XDG_CACHE_HOME": "/c"}, "/b/hub"),
        ({"XDG_CACHE_HOME": "/c"}, "/c/huggingface/hub"),
    ],
)
def test_the_cache_is_where_the_hub_keeps_it(monkeypatch, variables, folder):
    monkeypatch.delenv("HF_HOME")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert machine.model_cache() == Path(folder)
    pytest.importorskip("huggingface_hub")
    program = "from huggingface_hub.constants import HF_HUB_CACHE; print(HF_HUB_CACHE)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == folder


def test_a_store_that_is_not_there_yet_is_well(tmp_path):
    finding = found("store", tmp_path / "new" / "store")
    assert finding.state is State.OK
    assert "does not exist yet" in finding.finding
    assert list(tmp_path.iterdir()) == []


def test_a_store_is_told_with_its_collections(demo_store):
    assert re.fullmatch(rf"{re.escape(str(demo_store))}: [1-9]\d* collections", found("store", demo_store).finding)


def test_a_store_that_cannot_be_written_can_still_be_looked_at():
    finding = found("store", Path("/proc"))
    assert finding.state is State.WARN
    assert "can't be written" in finding.finding


def test_a_store_that_is_no_store_stops_the_dashboard(tmp_path):
    (tmp_path / "text").write_text("no store")
    findings = examine(tmp_path / "text")
    assert not is_usable(findings)
    assert [finding.what for finding in findings if finding.state is State.PROBLEM] == ["store"]


@pytest.mark.parametrize(("name", "status"), [("new", 0), ("text", 1)], ids=["usable", "unusable"])
def test_the_exit_status_tells_whether_the_dashboard_works(tmp_path, monkeypatch, name, status):
    (tmp_path / "text").write_text("no store")
    monkeypatch.setenv("EXAMBOARD_STORE", str(tmp_path / name))
    assert CliRunner().invoke(app).exit_code == status


def test_the_table_ends_with_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("EXAMBOARD_STORE", str(tmp_path))
    lines = CliRunner().invoke(app).output.splitlines()
    assert lines[0].split() == ["what", "state", "finding"]
    assert any(line.startswith("warn: network. Only new models need it.") for line in lines)


def test_json_has_every_finding_with_its_remedy(tmp_path, monkeypatch):
    monkeypatch.setenv("EXAMBOARD_STORE", str(tmp_path))
    answer = json.loads(CliRunner().invoke(app, ["--format", "json"]).output)
    assert (answer["store"], answer["usable"]) == (str(tmp_path), True)
    assert {"what", "state", "finding", "remedy"} == set(answer["rows"][0])
    assert {"python", "gpu", "memory", "models", "network", "store", "disk"} <= {
        row["what"].split(" cuda")[0] for row in answer["rows"]
    }


@pytest.mark.skipif(machine.has_nvidia_driver(), reason="with an NVIDIA driver torch is asked for the cards")
def test_without_a_card_torch_is_not_loaded(tmp_path):
    program = (
        "from pathlib import Path; from exam_core.wings.doctor.doctor import examine; "
        f"examine(Path({str(tmp_path)!r}))\n"
        "import sys; print(sorted({'torch', 'transformers', 'ray', 'ctranslate2'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"

"""`examboard doctor`: what it finds, what it advises, and how it exits."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from exam_core import installation as home_of
from exam_core.installation import home
from exam_core.wings.doctor.cli import doctor
from exam_core.wings.doctor.doctor import OK, PACKAGES, PROBLEM, WARN, _package, examine

ROOT = Path(__file__).parents[3]

app = typer.Typer()
app.command()(doctor)


def found(what, store):
    return next(finding for finding in examine(store) if finding.what == what)


def test_only_what_is_not_well_has_a_remedy(tmp_path):
    findings = examine(tmp_path)
    assert [finding.what for finding in findings if (finding.state == OK) == bool(finding.remedy)] == []
    well = {finding.what for finding in findings if finding.state == OK}
    assert well >= {"python", "package duckdb", "package streamlit", "store"}, "what tests run with"


def test_the_packages_are_those_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = {"": project["dependencies"]} | project["optional-dependencies"]
    wanted = {
        extra: sorted(re.sub(r"\[.*?\]", "", line) for line in lines)
        for extra, lines in groups.items()
        if extra not in ("dev", "serve")  # serve: more of a package that is there
    }
    assert {extra: sorted(lines.split()) for extra, lines in PACKAGES.items()} == wanted


@pytest.mark.parametrize(
    ("line", "extra", "state", "says", "remedy"),
    [
        ("no-such-thing>=1.0", "", PROBLEM, "missing", "pip install -e"),
        ("no-such-thing>=1.0", "ray", WARN, "missing; needed for the extra ray", f"pip install -e '{home()}[ray]'"),
        ("numpy>=99.0", "", WARN, "older than 99.0", "-U"),
        ("numpy>=2.0", "", OK, "2.", ""),
    ],
    ids=["core missing", "extra missing", "too old", "well"],
)
def test_a_package_is_named_with_what_to_do(line, extra, state, says, remedy):
    finding = _package(line, extra)
    assert finding.state == state
    assert says in finding.finding
    assert remedy in finding.remedy


def test_of_a_wheel_what_is_missing_is_installed_by_name(tmp_path, monkeypatch):
    (tmp_path / home_of.INSTALLED).mkdir()
    monkeypatch.setattr(home_of, "_PACKAGE", tmp_path)
    assert _package("no-such-thing>=1.0", "ray").remedy == "Run: pip install 'examboard[ray]'"


def test_a_store_that_is_not_there_yet_is_well(tmp_path):
    finding = found("store", tmp_path / "new" / "store")
    assert finding.state == OK
    assert "does not exist yet" in finding.finding
    assert list(tmp_path.iterdir()) == []


def test_a_store_is_told_with_its_collections(demo_store):
    assert re.fullmatch(rf"{re.escape(str(demo_store))}: [1-9]\d* collections", found("store", demo_store).finding)


def test_a_store_that_cannot_be_written_can_still_be_looked_at():
    finding = found("store", Path("/proc"))
    assert finding.state == WARN
    assert "can't be written" in finding.finding


@pytest.mark.parametrize(("name", "status"), [("new", 0), ("text", 1)], ids=["usable", "unusable"])
def test_the_exit_status_tells_whether_the_dashboard_works(tmp_path, monkeypatch, name, status):
    (tmp_path / "text").write_text("no store")
    monkeypatch.setenv("EXAMBOARD_STORE", str(tmp_path / name))
    done = CliRunner().invoke(app, ["--format", "json"])
    answer = json.loads(done.output)
    assert (done.exit_code, answer["usable"]) == (status, not status)
    assert {"what", "state", "finding", "remedy"} == set(answer["rows"][0])
    assert [row["what"] for row in answer["rows"] if row["state"] == "problem"] == ["store"] * status


def test_the_table_ends_with_what_to_do(tmp_path, monkeypatch):
    (tmp_path / "text").write_text("no store")
    monkeypatch.setenv("EXAMBOARD_STORE", str(tmp_path / "text"))
    lines = CliRunner().invoke(app).output.splitlines()
    assert lines[0].split() == ["what", "state", "finding"]
    assert any(line.startswith("problem: store. Choose a folder: name another") for line in lines)


@pytest.mark.skipif(shutil.which("nvidia-smi") is not None, reason="with an NVIDIA driver torch is asked for the cards")
def test_without_a_card_torch_is_not_loaded(tmp_path):
    program = (
        "from pathlib import Path; from exam_core.wings.doctor.doctor import examine; "
        f"examine(Path({str(tmp_path)!r}))\n"
        "import sys; print(sorted({'torch', 'transformers', 'ray'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"

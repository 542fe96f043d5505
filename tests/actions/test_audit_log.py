"""What was done stands in the log, once for each verb, and nothing of texts."""

import json

import pytest

from exam_core.actions import importing_runs, repairing
from exam_core.actions.verbs import noted
from exam_core.errors import ExamboardError


@pytest.fixture
def run(tmp_path):
    path = tmp_path / "secret.run"
    path.write_text("q1 Q0 d1 1 2.5 hidden\n", encoding="utf-8")
    return path


def test_a_verb_leaves_a_line_when_it_is_done_and_when_it_is_refused(store, run, tmp_path, monkeypatch):
    log = tmp_path / "log.jsonl"
    monkeypatch.setenv("EXAMBOARD_LOG", str(log))
    monkeypatch.setenv("LOGNAME", "ann")
    importing_runs.import_run(store, "c", run)
    with pytest.raises(ExamboardError):
        importing_runs.import_run(store, "c", tmp_path / "none.run")
    repairing.rests(store)
    done, failed = map(json.loads, log.read_text(encoding="utf-8").splitlines())
    assert (done["verb"], done["collection"], done["store"], done["outcome"]) == (
        *("import_run", "c", str(store.path), "done"),
    )
    assert done["by"].startswith("ann@")
    assert (failed["outcome"], failed["error"]) == ("failed", "BadInput")
    assert "hidden" not in json.dumps(done)


def test_a_log_that_cant_be_kept_is_said_and_stops_nobody(store, run, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("EXAMBOARD_LOG", str(tmp_path))
    importing_runs.import_run(store, "c", run)
    assert capsys.readouterr().err.endswith("no log can be kept here (Is a directory).\n")
    assert store.collections() == ["c"]


def test_without_the_variable_nothing_stands_between(monkeypatch):
    monkeypatch.delenv("EXAMBOARD_LOG", raising=False)
    assert noted(print) is print

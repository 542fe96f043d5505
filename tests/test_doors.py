"""An analysis is one file of the table of answers: its command and its method are made of that."""

import pytest
import typer
from typer.testing import CliRunner

import exam_core as eb
from exam_core import answers
from exam_core.cli.analysis_commands import command
from exam_core.notebook.analysis_methods import method

NEW = '''
from dataclasses import dataclass
from typing import Annotated

from exam_core.answers.analysis import Subject, analysis
from exam_core.answers.answer import Answer, described
from exam_core.answers.asking import at_one_tau, figures
from exam_core.request import Evaluating
from exam_core.declared import Field
from exam_core.results import ResultTable, number, text

RUNS = ResultTable("first runs: rows", "The first runs", text("run_id", "Run"), number("mean", "Mean", "Mean score."))


@dataclass(frozen=True, kw_only=True)
class Options(Evaluating):
    first: Annotated[int, Field("So many runs are listed.")] = 3


@analysis("first-runs")
def answer(subject: Subject, options: Options) -> Answer:
    """The runs with the highest means.

    Example: examboard first-runs demo --first 3
    """
    board = figures(subject, options).boards(at_one_tau(subject, options))[0]
    rows = board.rows[RUNS.names].head(options.first)
    said = f"{rows['run_id'].iloc[0]} has the highest mean."
    return Answer("The first runs", described(rows, RUNS), [said])
'''
SAID = " has the highest mean."


@pytest.fixture
def _an_analysis_more(tmp_path, monkeypatch):
    (tmp_path / "first_runs.py").write_text(NEW, encoding="utf-8")
    monkeypatch.setattr(answers, "__path__", [*answers.__path__, str(tmp_path)])
    monkeypatch.setitem(answers._OWN, "first_runs", "exam_core.answers.first_runs:answer")
    answers.places.cache_clear()
    yield
    answers.places.cache_clear()


@pytest.mark.usefixtures("_an_analysis_more")
def test_one_file_is_a_command_and_a_method(demo_store, monkeypatch):
    monkeypatch.setenv("EXAMBOARD_STORE", str(demo_store))

    app = typer.Typer()
    app.command()(command("first_runs"))
    said = CliRunner().invoke(app, ["demo", "--bank", "open", "--first", "2"])
    assert (said.exit_code, SAID in said.stdout, len(said.stdout.splitlines())) == (0, True, 5)

    monkeypatch.setattr(eb.Collection, "first_runs", method("first_runs"), raising=False)
    assert len(eb.open(demo_store)["demo"].first_runs(bank="open", first=2).rows) == 2

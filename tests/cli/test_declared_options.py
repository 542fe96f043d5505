"""Options made of dataclasses, how results are printed, and how a job in a terminal is stopped."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import dataclass, field
from typing import Annotated, Literal

import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

from exam_core.actions.job_control import create_job
from exam_core.cli.common import OutputForm, fitting, shown
from exam_core.cli.declared_options import takes_declared
from exam_core.cli.running import stopping
from exam_core.declared import Field, declared
from exam_core.jobs.ordering import JobRequest, Order
from exam_core.store import Store
from tests.wings import rows_added


@dataclass(frozen=True)
class Size:
    """What is within another."""

    depth: Annotated[int, Field("How deep.", least=1, most=9)] = 3
    unit: Annotated[Literal["m", "km"], Field("In what.")] = "m"


@dataclass(frozen=True)
class Lake:
    """Fields of every kind."""

    name: Annotated[str, Field("Whose.")]
    size: Size = field(default_factory=Size)
    share: Annotated[float | None, Field("How much.", least=0.5)] = None
    is_salt: Annotated[bool, Field("Whether salty.", option="--salt")] = False
    where: Annotated[str, typer.Option(help="As Typer has it.")] = "here"
    fish: Annotated[list[str], Field("What swims there.")] = field(default_factory=list)


@dataclass(frozen=True)
class Mute:
    """A field that nothing is said of."""

    name: str = ""


def typed(*arguments, first=()):
    """What a command gets of such a line, and what it prints."""
    app, got = typer.Typer(), []

    @app.command()
    @takes_declared(first=first)
    def measure(lake: Lake, twice: Annotated[int, typer.Option(help="Its own.")] = 2) -> None:
        got.append((lake, twice))

    done = CliRunner().invoke(app, list(arguments), env={"TERM": "dumb", "COLUMNS": "120"})
    return got, done


def test_a_command_is_given_the_dataclass_with_what_was_typed():
    line = ["Bled", "--depth", "4", "--unit", "km", "--share", "0.75", "--salt", "--where", "there", "--twice", "5"]
    line += ["--fish", "char", "--fish", "trout"]
    assert typed(*line)[0] == [(Lake("Bled", Size(4, "km"), 0.75, True, "there", ["char", "trout"]), 5)]


def test_what_is_left_out_is_at_the_default_that_was_declared():
    assert typed("Bled")[0] == [(Lake("Bled"), 2)]


@pytest.mark.parametrize("line", [[], ["B", "--depth", "0"], ["B", "--depth", "10"], ["B", "--unit", "mm"]], ids=str)
def test_what_is_not_declared_is_refused(line):
    got, done = typed(*line)
    assert (got, done.exit_code) == ([], 2)


def test_the_help_has_every_declared_field_in_the_order_that_is_asked_for():
    # The height is an option of a wing that is not there.
    said = typed("--help", first=("twice", "height", "depth"))[1].stdout
    places = [said.index(text) for text in ("Whose.", "Its own.", "How deep.", "In what.", "How much.", "As Typer")]
    assert places == sorted(places)
    assert "[1<=x<=9]" in said
    assert "<m|km>" in said


def test_a_field_that_declares_nothing_is_a_mistake_of_the_programmer():
    with pytest.raises(TypeError, match=r"Mute\.name declares nothing"):

        @takes_declared()
        def command(mute: Mute) -> None: ...


def test_two_options_of_one_name_are_a_mistake_of_the_programmer():
    with pytest.raises(TypeError, match="two options are named depth"):

        @takes_declared()
        def command(lake: Lake, depth: int = 1) -> None: ...


def test_a_form_reads_the_same_declarations():
    unit, depth = declared(Size)["unit"], declared(Size)["depth"]
    assert (unit.choices, depth.choices, depth.type, declared(Lake)["share"].type) == (("m", "km"), (), int, float)
    assert (declared(Lake)["is_salt"].option, unit.option) == ("--salt", "--unit")


@pytest.mark.parametrize(
    ("line", "said"),
    [("outliers demo --graders a --graders=b", "--graders is given 2 times"), *rows_added("GIVEN_TWICE")],
    ids=str,
)
def test_a_list_is_refused_when_it_is_given_again(examboard, demo_store, line, said):
    done = examboard(demo_store, *line.split())
    assert (done.status, said in done.err) == (2, True), done.err


def test_of_another_option_the_last_counts(examboard, demo_store):
    line = ["leaderboard", "demo", "--bank", "open", "--without", "bm25", "--without", "lsa-8", "--format", "csv"]
    done = examboard(demo_store, *line, "--tau", "3", "--tau", "4")
    assert done == examboard(demo_store, *line, "--tau", "4")
    assert done.status == 0


@pytest.mark.parametrize(
    ("width", "shown"),
    [(35, "run_id mean interval rank"), (34, "run_id mean rank"), (18, "run_id rank"), (3, "run_id")],
)
def test_a_table_has_the_columns_that_fit_and_names_the_others(width, shown):
    rows = pd.DataFrame({"run_id": ["bm25"], "mean": [0.5], "interval": [(0.25, 0.75)], "rank": [1]})
    found, told = fitting(rows, width)
    assert list(found) == shown.split()
    left_out = [name for name in rows if name not in shown.split()]
    assert [line.endswith(f": {', '.join(left_out)}.") for line in told] == [True] * bool(left_out)


def test_elsewhere_than_on_a_terminal_a_table_has_all_columns_and_rows(monkeypatch):
    rows = pd.DataFrame({f"a long name {number}": range(2_000) for number in range(200)})
    assert (fitting(rows)[0] is rows, shown(rows, OutputForm.TABLE, long=False)[0] is rows) == (True, True)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert [len(part) for part in shown(rows, OutputForm.TABLE, long=False)] == [1_000, 1]


def test_ctrl_c_ends_a_job_at_once_that_still_loads_its_model(tmp_path):
    job = create_job(Store(tmp_path), JobRequest(Order("c")))
    with pytest.raises(KeyboardInterrupt), stopping(job):
        os.kill(os.getpid(), signal.SIGINT)
    with stopping(job) as stopped:
        assert not stopped()
        os.kill(os.getpid(), signal.SIGINT)
        assert stopped()

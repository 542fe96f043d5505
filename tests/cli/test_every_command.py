"""Every command of the command line: those that read, on every embedded collection and in every format."""

import csv
import io
import json
import sys
from itertools import cycle
from pathlib import Path

import pytest
import typer
from thoroughly import thoroughly
from typer.testing import CliRunner

from exam_core.cli.main import application
from exam_core.cli.tree import app
from exam_core.demo.printed import COLLECTIONS
from exam_core.errors import UsageError
from exam_core.store import Store
from tests.wings import added_to, rows_added

READING = added_to(
    {
        "list": ["list"],
        "evaluate": ["evaluate {of} --measure Cover@20"],
        "leaderboard": ["leaderboard {of} --measure Cover@20", "leaderboard {of} --measure P@20 --tau all"],
        "correlate": ["correlate {of}", "correlate {of} --tau all"],
        "agreement": ["agreement {of}", "agreement {of} --per-query", "agreement {of} --grid"],
        "outliers": ["outliers {of} --draws 20"],
        "cite": ["cite {of}"],
        "import list": ["import list --collection {collection}"],
        "jobs": ["jobs"],
        "alias": ["alias {collection}"],
        "tags": ["tags {collection}"],
    },
    "READING",
)
"""Commands that read the store, with what they can be asked."""
ELSEWHERE = added_to(
    {
        "template": "cli/test_collection_commands.py",
        "open": "cli/test_open_command.py",
        "demo": "cli/test_refusals.py",
        "grade": "cli/test_grade_commands.py",
        "check": "cli/test_collection_commands.py",
        "clean": "cli/test_collection_commands.py",
        "backup": "cli/test_collection_commands.py",
        "import files": "cli/test_importing_commands.py",
        "import workbench": "test_docs.py",
        "import run": "cli/test_importing_commands.py",
        "import qrels": "cli/test_importing_commands.py",
        "import topics": "cli/test_pipes_and_names.py",
        "import passages": "cli/test_reports.py",
        "import bank": "test_docs.py",
        "import leaderboard": "test_docs.py",
        "import labels": "cli/test_importing_commands.py",
        "import duckdb": "cli/test_importing_commands.py",
        "import undo": "cli/test_collection_commands.py",
        "export qrels": "cli/test_importing_commands.py",
        "export workbench": "cli/test_importing_commands.py",
        "export run": "cli/test_importing_commands.py",
        "export values": "cli/test_analysis_commands.py",
        "export leaderboard": "cli/test_importing_commands.py",
        "export duckdb": "cli/test_importing_commands.py",
        "bench corpus": "",
        "bench analysis": "",
        "bench growth": "",
        "bench coverage": "simulation/test_coverage.py",
        "bench errors": "exam_numbers/true_means/test_bench.py",
        "bench circularity": "simulation/test_circularity.py",
        "bench dashboard": "",
        "bench grader": "grading/t5/test_trial.py",
    },
    "ELSEWHERE",
)
"""Commands that write, measure or look at the machine, with the file of tests that runs them (test_docs.py: as README
has them). None runs two benchmarks, which take minutes; what they measured is compared with the documents."""
OF = {"demo": "demo --bank open --tau 3", "car-y3-published": "car-y3-published --bank genq"}
"""How a collection is named to a command that evaluates it, where its name is not enough."""
REFUSED = {
    (command, name): refusal
    for name in COLLECTIONS
    for command, refusal in (*added_to({}, "REFUSED_OF_PRINT").items(), ("evaluate", "no values by query are printed"))
}
WITHOUT_ROWS = ("jobs", "tags {collection}", *rows_added("WITHOUT_ROWS"))
"""What has nothing to list on the demo: it is in no paper, and nobody graded there."""
TESTS = Path(__file__).parents[1]


def leaves(command, before=()):
    """The names of all commands of the command tree that are no groups."""
    inner = getattr(command, "commands", None)
    if inner is None:
        yield " ".join(before)
    for name, one in (inner or {}).items():
        yield from leaves(one, (*before, name))


COMMANDS = tuple(leaves(typer.main.get_command(app)))
LINES = tuple((name, line) for name, lines in READING.items() for line in lines)
ONCE = tuple((name, line) for name, line in LINES if "{" not in line)
"""What is asked of the store, not of a collection."""
OF_A_COLLECTION = tuple(pair for pair in LINES if pair not in ONCE)
# Each as a table or as JSON, by turns; make test-all has every form of each.
LINES_AND_FORMS = [
    pytest.param(line, form, id=f"{line}-{form}", marks=() if form == usual else pytest.mark.thorough)
    for (_, line), usual in zip(LINES, cycle(("table", "json")), strict=False)
    for form in ("table", "json", "csv", "latex", "siunitx")
]


@pytest.fixture(scope="session")
def asked(demo_store):
    """A line of READING as arguments: `asked(line, collection)`."""
    store = Store(demo_store)
    questions = store.snapshot("demo").frame("questions")
    question = questions.loc[questions["bank_id"] == "open", "question_id"].iloc[0]
    runs = {name: store.snapshot(name).frame("leaderboards")["run_id"].iloc[0] for name in ("demo", *COLLECTIONS)}

    def arguments(line, collection):
        names = {"of": OF.get(collection, collection), "run": runs[collection], "question": question}
        return line.format(collection=collection, **names).split()

    return arguments


def parsed(text):
    """JSON as its standard has it: there is no NaN."""

    def refuse(name):
        raise AssertionError(name)

    return json.loads(text, parse_constant=refuse)


def is_well_formed(text, form):
    """Whether a text is what its format promises."""
    if form == "json":
        parsed(text)
        return True
    if form == "csv":
        head, *rows = csv.reader(io.StringIO(text))
        return all(head) and {len(row) for row in rows} <= {len(head)}
    if text.startswith("We evaluate "):
        return text.count("{") == text.count("}") and ("\\cite{" in text) == (form != "table")
    if form in ("latex", "siunitx"):
        return "\\toprule" in text and "\\bottomrule" in text
    return bool(text.strip())


def test_every_command_is_run_here_or_elsewhere():
    assert sorted([*READING, *ELSEWHERE]) == sorted(COMMANDS)
    assert [file for file in ELSEWHERE.values() if not (TESTS / file).exists()] == []


@pytest.mark.parametrize("command", [*COMMANDS, "bench"])
def test_every_command_helps_with_an_example(examboard, tmp_path, command):
    said = " ".join(examboard(tmp_path, *command.split(), "--help").out.split())
    assert f"Example: examboard {command}" in said


@pytest.mark.parametrize(("line", "form"), LINES_AND_FORMS)
def test_the_demo_is_shown_in_every_format(examboard, demo_store, asked, line, form):
    done = examboard(demo_store, *asked(line, "demo"), "--format", form)
    assert (done.status, done.err) == (0, "")
    assert is_well_formed(done.out, form)
    assert form != "csv" or line in WITHOUT_ROWS or len(done.out.splitlines()) > 1


@pytest.mark.parametrize("collection", [*list(COLLECTIONS)[:1], *thoroughly(*list(COLLECTIONS)[1:])])
@pytest.mark.parametrize(("command", "line"), OF_A_COLLECTION, ids=[line for _, line in OF_A_COLLECTION])
def test_printed_figures_are_shown_or_refused_in_a_sentence(examboard, demo_store, asked, command, line, collection):
    done = examboard(demo_store, *asked(line, collection), "--format", "json")
    if refusal := REFUSED.get((command, collection)):
        assert (done.status, done.out, refusal in done.err, len(done.err.splitlines())) == (1, "", True, 1)
    else:
        assert (done.status, done.err) == (0, "")
        assert parsed(done.out)


def test_benchmarks_of_an_installed_package_say_where_they_are(monkeypatch):
    monkeypatch.setitem(sys.modules, "benchmarks", None)
    monkeypatch.delitem(sys.modules, "benchmarks.commands", raising=False)
    done = CliRunner().invoke(application("bench"), ["bench", "analysis", "--scale", "10"])
    assert isinstance(done.exception, UsageError)
    assert "Benchmarks come with the source" in str(done.exception)

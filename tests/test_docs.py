"""The documents say what is true: README's commands run, the data dictionary is that of the tables."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks.figures import figures
from benchmarks.tables import (
    circularity_table,
    coverage_table,
    dashboard_table,
    errors_table,
    grader_table,
    gullibility_table,
    performance_table,
    populations_table,
    ranks_table,
    texts_table,
    widths_table,
)
from exam_core.cli.reference import command_list
from exam_core.cli.tree import app
from exam_core.grading.modes.papers import MODES
from exam_core.numbers.true_means import ORDERED
from exam_core.reports.dictionary import data_dictionary
from exam_core.reports.measure_list import measure_list
from pages.mending import leaving

ROOT = Path(__file__).parents[1]
GRADING = (ROOT / "docs" / "reference" / "grading.md").read_text(encoding="utf-8")
MEASURED = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
INTERVALS = (ROOT / "benchmarks" / "intervals.md").read_text(encoding="utf-8")
ANALYSES = (ROOT / "docs" / "reference" / "analyses.md").read_text(encoding="utf-8")


def commands(text):
    """The command lines of a document, without the program's name."""
    return re.findall(r"^examboard (.+)$", text, re.MULTILINE)


def test_the_data_dictionary_is_that_of_the_tables():
    assert (ROOT / "docs" / "reference" / "data-dictionary.md").read_text(encoding="utf-8") == data_dictionary()


def test_the_list_of_measures_is_that_of_the_table():
    assert (ROOT / "docs" / "reference" / "measures.md").read_text(encoding="utf-8") == measure_list()


def test_the_list_of_commands_is_that_of_the_command_line():
    assert (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8") == command_list(app)


def test_the_page_of_figures_is_what_was_measured():
    from benchmarks.growth_chart import growth_chart  # matplotlib takes half a second of every process that collects

    assert (ROOT / "docs" / "figures.md").read_text(encoding="utf-8") == figures()
    assert (ROOT / "docs" / "pictures" / "growth.svg").read_text(encoding="utf-8") == growth_chart()


def test_the_coverage_of_intervals_is_what_the_benchmark_measured():
    measured = json.loads((ROOT / "benchmarks" / "coverage.json").read_text(encoding="utf-8"))
    told = (ROOT / "exam_core" / "numbers" / "true_means" / "README.md").read_text(encoding="utf-8")
    for table in (coverage_table, populations_table, widths_table):
        assert table(measured) in told
    assert measured["made_by"]["command"] in told
    assert f"coverage.json), at commit {measured['made_by']['commit']}" in told
    for name in [name for name in ORDERED if name in {row["statistic"] for row in measured["rows"]}]:
        told = [row for row in measured["rows"] if row["statistic"] == name and row["coverage"] is not None]
        told = [row for row in told if not re.search("half|without", row["population"])]
        held = [row["coverage"] for row in told if row["reference"] != "list of the same queries"]
        assert (min(held) >= 0.8, 0.94 <= (mean := sum(held) / len(held)) <= 0.97) == (True, True)
        assert f"{mean:.1%}" in INTERVALS.partition("**What they hold.**")[2]


def test_errors_of_whole_boards_are_what_the_benchmark_measured():
    measured = json.loads((ROOT / "benchmarks" / "errors.json").read_text(encoding="utf-8"))
    told = (ROOT / "exam_core" / "numbers" / "true_means" / "README.md").read_text(encoding="utf-8")
    for said in (errors_table(measured), ranks_table(measured), measured["made_by"]["command"]):
        assert said in told
    assert f"errors.json), at commit {measured['made_by']['commit']}" in told
    errors = {(row["population"], row["statistic"], row["reference"]): row["error"] for row in measured["errors"]}
    above = [key for key, error in errors.items() if error > 0.06]
    assert above == [("mostly 0, families", "flags", "measure")]
    best = [row["coverage"] for row in measured["ranks"] if row["statistic"] == "rank of the best run"]
    assert min(best) > 0.9


def test_the_table_of_gullibility_is_what_the_benchmark_measured():
    measured = json.loads((ROOT / "benchmarks" / "gullibility.json").read_text(encoding="utf-8"))
    held = [row["rises"] for row in measured["rows"] if row["bias"] + row["accidents"] > 0]
    assert gullibility_table(measured) in INTERVALS
    net = [row["net"] for row in measured["rows"] if row["bias"] + row["accidents"] > 0]
    said = f"hold it in {min(held):.1%} to {max(held):.1%}, those of `net` in {min(net):.1%} to {max(net):.1%}"
    assert said in INTERVALS
    assert measured["made_by"]["command"] in INTERVALS
    assert f"at commit {measured['made_by']['commit']}" in INTERVALS
    assert min(held + net) > 0.93
    assert max(held + net) < 0.97


def test_the_coverage_of_displacements_is_what_the_benchmark_measured():
    measured = json.loads((ROOT / "benchmarks" / "circularity.json").read_text(encoding="utf-8"))
    assert circularity_table(measured) in INTERVALS
    assert measured["made_by"]["command"] in INTERVALS
    assert f"circularity.json), at commit {measured['made_by']['commit']}" in INTERVALS
    scores, ranks = (
        [row["coverage"] for row in measured["rows"] if row["displacement"] == name] for name in ("score", "rank")
    )
    assert (
        f"scores hold it in {min(scores):.1%} to {max(scores):.1%}, those of ranks in {min(ranks):.1%} to" in INTERVALS
    )
    assert f"to {max(ranks):.1%}. With 721 queries" in INTERVALS
    both = scores + ranks
    assert (len(both), min(both) >= 0.93, max(both) <= 0.97) == (36, True, True)


def measured(*names):
    return [json.loads((ROOT / "benchmarks" / f"{name}.json").read_text(encoding="utf-8")) for name in names]


def test_tables_of_what_takes_long_are_what_the_benchmarks_measured():
    assert performance_table(measured(*(f"analysis-{scale}" for scale in (1, 10, 100, 1000)))) in MEASURED
    assert texts_table(measured("texts")[0]) in MEASURED
    assert dashboard_table(measured("dashboard-dl19", "dashboard-car")) in MEASURED
    assert grader_table(measured("grader-cpu-base")) in MEASURED


def test_the_list_of_grading_modes_is_that_of_the_registry():
    grades = {5: "0 to 5", 2: "0 to 2", 1: "0 or 1"}
    for mode in MODES.values():
        row = f"| `{mode.name}` | {mode.about} | {grades[mode.scale]} of each {mode.item} | {mode.source} |"
        assert row in GRADING.splitlines()


@pytest.fixture
def folder(own_store, tmp_path, monkeypatch):
    """The folder where commands run, with the embedded collections in its store."""
    del own_store
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EXAMBOARD_STORE", raising=False)
    return tmp_path


def examboard(command):
    return CliRunner().invoke(app, shlex.split(command))


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", commands(ANALYSES))
def test_an_example_of_the_analyses_runs(command: str) -> None:
    if command.startswith("circularity "):
        examboard('tags demo bm25 "uses an LLM"')
    done = examboard(command)
    assert (done.exit_code, done.stderr) == (0, "")


def test_a_command_of_the_tour_runs_as_it_is_printed(folder):
    done = subprocess.run([sys.executable, "-m", "exam_core", "list"], cwd=folder, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_every_test_that_a_document_names_is_there():
    named = [
        (path.name, file, test)
        for path in sorted((ROOT / "docs").rglob("*.md"))
        for file, test in re.findall(r"(tests/[\w/]+\.py)(?:::(\w+))?", path.read_text(encoding="utf-8"))
    ]
    gone = [
        found
        for found in named
        if not (ROOT / found[1]).is_file() or f"def {found[2]}" not in (ROOT / found[1]).read_text(encoding="utf-8")
    ]
    assert (gone, len(named) > 20) == ([], True)


def test_what_operations_say_of_sessions_is_so():
    said = (ROOT / "docs" / "how-to" / "look-after-a-store.md").read_text(encoding="utf-8")
    assert (leaving.KEPT, leaving.MOST) == (120, 128)
    assert "goes on as they were for two minutes; at most 128 sessions wait so" in said


def test_the_figures_of_fuzzing_are_what_was_counted():
    measured = json.loads((ROOT / "benchmarks" / "fuzz.json").read_text(encoding="utf-8"))
    for part in ("files", "memory"):
        found = measured[part]
        commits = {run["commit"][:7] for run in found["runs"]}
        assert (found["findings"], len(commits)) == (0, 1)
        assert f"{found['inputs']:,}" in MEASURED
        assert f"at {commits.pop()}: " in MEASURED

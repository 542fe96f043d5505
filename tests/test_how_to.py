"""What the how-to guides say can be done: their commands have the options named, and run on the demo in their order."""

from __future__ import annotations

import csv
import gzip
import json
import re
import shlex
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from exam_core.cli.tree import app
from tests import newcomer
from tests.test_docs import ROOT
from tests.test_docs import folder as folder

PAGES = sorted((ROOT / "docs" / "how-to").glob("[!i]*.md"))
TEXTS = {page.stem: page.read_text(encoding="utf-8") for page in PAGES}
NOT_HERE = re.compile(
    r"--model|--base-url|flan-t5|/shared/store|\b(dl19|car|rag|JOB)\b|"
    r"^(open|serve|doctor|jobs --|gullible .*--kept|export story)"
)
"""Commands that need a model, a server, a job, or a collection that the demo does not bring."""
SLOW = ("review", "put-numbers-into-a-paper", "share-a-live-page")


def commands(text):
    """The commands of a guide in their order, without the program's name."""
    blocks = re.findall(r"^ *```bash\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)
    return [found for block in blocks for found in re.findall(r"^ *examboard (.+)$", block, re.MULTILINE)]


def named_options(command):
    """Read a command's arguments as the command line does; an option that is not there is an error."""
    arguments = shlex.split(re.sub(r"^--store \S+ ", "", command))
    found = typer.main.get_command(app)
    while arguments and arguments[0] in getattr(found, "commands", ()):
        found = found.commands[arguments.pop(0)]
    if not hasattr(found, "commands"):
        found.make_context("examboard", arguments)


@pytest.mark.parametrize("page", TEXTS)
def test_commands_of_a_guide_have_only_options_that_there_are(page):
    for command in commands(TEXTS[page]):
        named_options(command)


def test_guides_have_commands():
    assert len([command for text in TEXTS.values() for command in commands(text)]) > 90


def examboard(command):
    return CliRunner().invoke(app, shlex.split(command))


@pytest.fixture
def prepared(folder):
    """The folder where a guide's reader sits, with a folder of own files in it."""
    newcomer.write(folder / "mydata", 400)
    return folder


def make_ready(folder, command, text):
    """What a reader does before a command: has the file that it names, and fills it in."""
    if toml := re.search(r"--mode (\w+\.toml)|mode add (\w+\.toml)", command):
        lines = re.search(r"^ *```toml\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)
        assert lines
        (folder / (toml[1] or toml[2])).write_text(re.sub("^   ", "", lines[1], flags=re.MULTILINE))
    if given := re.match(r"import (\w+) (\S+\.\w+)", command):
        kind, file = given.groups()
        said = (nuggets() if file.startswith("nuggets") else examboard(f"template {kind}").stdout).encode()
        (folder / file).write_bytes(gzip.compress(said) if file.endswith(".gz") else said)
    if "mydata" in command and not examboard("list --format csv").stdout.count("mydata"):
        examboard("import mydata/")
    if command.startswith("review import demo queue.csv"):
        fill(folder / "queue.csv", "answer", "2")
    if command.startswith("bank edit demo edited.csv"):
        fill(folder / "edited.csv", "importance", "okay")


def nuggets():
    """AutoNuggetizer's bank of the nuggets that the sample of assignments is about."""
    rows = map(json.loads, examboard("template assignments").stdout.splitlines())
    kept = ({"text": one["text"], "importance": one["importance"]} for row in rows for one in row["nuggets"])
    return json.dumps({"qid": "q1", "query": "How does bread rise?", "nuggets": list(kept)})


def fill(path, column, answer):
    """Fill a column of a table in."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row | {column: answer} for row in csv.DictReader(file)]
    with path.open("w", encoding="utf-8", newline="") as file:
        written = csv.DictWriter(file, list(rows[0]))
        written.writeheader()
        written.writerows(rows)


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.thorough] if page in SLOW else [])
        for page, text in TEXTS.items()
        if any(not NOT_HERE.search(command) for command in commands(text))
    ],
)
def test_a_guide_can_be_followed_on_the_demo_from_its_first_command_to_its_last(prepared: Path, page: str) -> None:
    for command in commands(TEXTS[page]):
        if not NOT_HERE.search(command):
            make_ready(prepared, command, TEXTS[page])
            done = examboard(command)
            assert (command, done.exit_code) == (command, 0), done.output


def test_the_labelling_configuration_names_what_tasks_have(folder):
    examboard("review queue demo tasks.json --bank open --n 2")
    configuration = (ROOT / "docs" / "how-to" / "label-studio.xml").read_text(encoding="utf-8")
    named = set(re.findall(r'"\$(\w+)"', configuration))
    assert named == {"query_text", "passage_text"}
    assert all(f'"{name}":' in (folder / "tasks.json").read_text(encoding="utf-8") for name in named)

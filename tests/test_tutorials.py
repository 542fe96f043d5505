"""README's steps and the tutorials can be followed from the first command to the last, and print what they say."""

import re
import shlex
import subprocess

import pytest
from thoroughly import thoroughly
from typer.testing import CliRunner

from exam_core.cli.tree import app
from exam_core.request import Request
from exam_core.store import Store
from exam_core.view import View
from exam_core.wings.stage import stories
from tests import newcomer
from tests.test_docs import ROOT
from tests.test_docs import folder as folder
from tests.wings import rows_added

TUTORIALS = {path.stem: path for path in (ROOT / "docs" / "tutorials").glob("*.md")} | {"README": ROOT / "README.md"}
NOT_HERE = re.compile("examboard (open|demo|grade .*--model)|make |source ")
"""Lines that need a browser, a model or the network, or that the test has done."""


def blocks(text):
    """Blocks of a document that are typed (bash) or printed (text), in their order."""
    return re.findall(r"^```(bash|text)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.fixture
def files(folder, monkeypatch):
    """The folder with README's own files, and with a story, which a reader pins in the dashboard."""
    for make in rows_added("SMALLER"):
        make(monkeypatch)
    newcomer.write(folder / "mydata", 400)
    view = View("Agreement", ("lexical.pourpre-idf",), Request(bank="open@1", tau=3), title="Judges")
    stories.pin_view(Store(folder / "store"), "demo", "meeting", view)
    return folder


@pytest.fixture
def dl19(folder, shared_data):
    """The folder with the files that the first hour names."""
    named = ("EXAM-graded-data/*.gz", "dl19-questions/*.gz", "trec/topics.dl19-passage.txt.gz")
    for pattern in (*(f"appendix/{name}" for name in named), "data/dl19_labels/Sun.qrel.gz"):
        for path in shared_data.glob(pattern):
            # The topics are packed here only.
            (folder / path.name.replace(".txt.gz", ".txt")).symlink_to(path)
    (folder / "data").symlink_to(ROOT / "data")
    return folder


def follow(name):
    """Type what a document says, and look for what it says that is printed."""
    printed = []
    for kind, block in blocks(TUTORIALS[name].read_text(encoding="utf-8")):
        if kind == "text":
            assert [line for line in block.splitlines() if line.strip() not in printed] == []
        for line in filter(None, block.splitlines() if kind == "bash" else ()):
            if line.startswith("examboard ") and not NOT_HERE.match(line):
                done = CliRunner().invoke(app, shlex.split(line, comments=True)[1:])
                assert (line, done.exit_code) == (line, 0), done.output
                printed += [said.strip() for said in done.output.splitlines()]
            elif not NOT_HERE.match(line):
                subprocess.run(line, shell=True, check=True)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("name", ["README", *thoroughly("a-meeting"), "a-papers-table"])
def test_a_document_can_be_followed(name):
    follow(name)


@pytest.mark.usefixtures("folder")
def test_own_runs_can_be_brought_as_the_tutorial_says():
    follow("your-own-runs")


@pytest.mark.thorough
@pytest.mark.usefixtures("dl19")
def test_the_first_hour_can_be_followed():
    follow("first-hour")

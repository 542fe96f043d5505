"""The guide to the live page says what is so: its commands write what it says."""

import re
import shlex
from pathlib import Path

from typer.testing import CliRunner

from exam_core.cli.tree import app
from tests.wings.live.adds import few

GUIDE = (Path(__file__).parents[3] / "docs" / "how-to" / "share-a-live-page.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^examboard (export .+)$", GUIDE, re.MULTILINE)


def test_the_last_command_of_the_guide_runs_as_it_is_printed(demo_store, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    few(monkeypatch)
    done = CliRunner().invoke(app, ["--store", str(demo_store), *shlex.split(COMMANDS[-1])])
    assert done.exit_code == 0, done.output
    written = tmp_path / done.stdout.partition(":")[0]
    assert [path.name for path in tmp_path.iterdir()] == [written.name]

"""The core does without its wings: each is deleted in a copy, and all of them, and what is left works."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from thoroughly import thoroughly

from exam_core import wings
from pages.shared.wings import folders

ROOT = Path(__file__).parents[1]
SAMPLE = """
import importlib, pkgutil, sys
from pathlib import Path
from streamlit.testing.v1 import AppTest
import exam_core, pages.shared, pages.parts
from exam_core import wings
from exam_core.cli.main import application
from typer.testing import CliRunner

deleted = sys.argv[1:]
assert not set(deleted) & set(wings.names()), wings.names()
assert Path(exam_core.__file__).parents[1] == Path.cwd()
for package in (exam_core, pages.shared, pages.parts):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not module.name.startswith(("exam_core.grading.t5.", "exam_core.grading.crew", "exam_core.__main__")):
            importlib.import_module(module.name)
for line in (["--help"], ["export", "--help"], ["list"], ["check"], ["leaderboard", "demo", "--bank", "open"]):
    done = CliRunner().invoke(application(), line)
    assert done.exit_code == 0, (line, done.output, done.exception)
page = AppTest.from_file(str(Path("app.py").resolve()), default_timeout=60)
page.query_params["collection"] = "demo"
page.run().switch_page("pages/leaderboard/leaderboard.py").run()
assert not page.exception, page.exception
assert page.dataframe
"""


def folders_of(wing: str) -> list[str]:
    """The folders of pages that are of a wing: their files import it."""
    files = {one: (ROOT / "pages" / one).rglob("*.py") for one in folders()}
    texts = {one: "".join(path.read_text(encoding="utf-8") for path in paths) for one, paths in files.items()}
    return [folder for folder, text in texts.items() if f"exam_core.wings.{wing}" in text]


def without(copy: Path, deleted: list[str]) -> Path:
    """A copy of the source without some wings."""
    for name in ("exam_core", "pages", "tests", "data"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", "golden", "installed"))
    shutil.copy(ROOT / "app.py", copy)
    shutil.copy(ROOT / "pyproject.toml", copy)
    for wing in deleted:
        for folder in (f"exam_core/wings/{wing}", f"tests/wings/{wing}", *(f"pages/{one}" for one in folders_of(wing))):
            shutil.rmtree(copy / folder)
    return copy


@pytest.mark.parametrize(
    "deleted", [list(wings.names()), *thoroughly(*([name] for name in wings.names()))], ids=",".join
)
def test_the_core_works_without_a_wing(deleted: list[str], demo_store: Path, tmp_path: Path) -> None:
    copy = without(tmp_path, deleted)
    environment = os.environ | {"PYTHONPATH": f"{copy}:{copy / 'tests'}", "EXAMBOARD_STORE": str(demo_store)}
    calls = [["-c", SAMPLE, *deleted]]
    if len(deleted) == 1:
        calls.append(["-m", "pytest", "-p", "no:cacheprovider", "tests/test_layers.py", "-k", "below or wing"])
    for call in calls:
        done = subprocess.run(
            [sys.executable, *call], cwd=copy, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{done.stdout[-3000:]}{done.stderr[-3000:]}"

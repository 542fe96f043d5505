"""The core does without its wings: each is deleted in a copy, and all of them, and what is left works."""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from thoroughly import thoroughly

from exam_core import answers, wings
from exam_core.cli.commands import ANALYSES
from pages.shared.wings import folders

ROOT = Path(__file__).parents[1]
FIELDS = {"nuggets"}
"""Analyses that are called as fields of files are."""
SAMPLE = """
import importlib, pkgutil, sys
from pathlib import Path
from streamlit.testing.v1 import AppTest
import exam_core, pages.shared, pages.parts
from exam_core import answers, wings
from exam_core.cli.commands import ANALYSES
from exam_core.cli.main import application
from typer.testing import CliRunner

deleted = sys.argv[1:]
assert not set(deleted) & set(list(wings.WINGS)), list(wings.WINGS)
assert Path(exam_core.__file__).parents[1] == Path.cwd()
for package in (exam_core, pages.shared, pages.parts):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not module.name.startswith(("exam_core.grading.t5.", "exam_core.__main__")):
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


def folders_of(wing):
    """The folders of pages that are of a wing: their files import it."""
    files = {one: (ROOT / "pages" / one).rglob("*.py") for one in folders()}
    texts = {one: "".join(path.read_text(encoding="utf-8") for path in paths) for one, paths in files.items()}
    return [folder for folder, text in texts.items() if f"exam_core.wings.{wing}" in text]


def without_entry(text, wing):
    """The list of wings without one."""
    found = next(node for node in ast.parse(text).body if ast.unparse(node).startswith("WINGS = "))
    at = [key.value for key in found.value.keys].index(wing)
    lines = text.splitlines(keepends=True)
    return "".join(lines[: found.value.keys[at].lineno - 1] + lines[found.value.values[at].end_lineno :])


def without(copy, deleted):
    """A copy of the source without some wings."""
    for name in ("exam_core", "pages", "tests", "data", "benchmarks", "docs", ".streamlit", ".ci"):
        shutil.copytree(
            ROOT / name,
            copy / name,
            # What Python compiled of the house counts in its copy, too; tests are read by another path there.
            ignore=shutil.ignore_patterns(
                *("golden", "installed", "secrets.toml"), *(["__pycache__"] if name == "tests" else [])
            ),
        )
    for name in ("app.py", "pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, copy)
    for name in ("notebook/test_documents.py", "test_tutorials.py", "test_architecture.py"):
        (copy / "tests" / name).unlink()  # documents show the whole house
    listed = copy / "exam_core" / "wings" / "__init__.py"
    for wing in deleted:
        listed.write_text(without_entry(listed.read_text(encoding="utf-8"), wing), encoding="utf-8")
        for room in ("exam_core", "tests", "benchmarks"):
            shutil.rmtree(copy / room / "wings" / wing, ignore_errors=room == "benchmarks")
        for folder in folders_of(wing):
            shutil.rmtree(copy / "pages" / folder)
        (copy / "tests" / "browser" / f"test_{wing}_journey.py").unlink(missing_ok=True)
    return copy


def ran(copy, *call, **environment):
    """What Python prints in a copy, where it ends well."""
    known = os.environ | {"PYTHONPATH": f"{copy}:{copy / 'tests'}"} | environment
    done = subprocess.run([sys.executable, *call], cwd=copy, env=known, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done.stdout


@pytest.mark.parametrize(
    "deleted", [list(wings.WINGS), *thoroughly(*([name] for name in list(wings.WINGS)))], ids=",".join
)
def test_the_core_works_without_a_wing(deleted, demo_store, tmp_path):
    copy = without(tmp_path, deleted)
    ran(copy, "-c", SAMPLE, *deleted, EXAMBOARD_STORE=str(demo_store))
    if len(deleted) == 1:
        ran(copy, "-m", "pytest", "-p", "no:cacheprovider", "tests/test_layers.py", "-k", "below or wing")


@pytest.mark.thorough
def test_the_tests_of_the_core_are_found_without_any_wing(tmp_path):
    copy = without(tmp_path, list(wings.WINGS))
    said = ran(copy, "-m", "pytest", "-p", "no:cacheprovider", "--collect-only", "-q", "tests")
    assert "tests/cli/test_every_command.py: " in said


def wing_of(path):
    """The wing that a test or a benchmark is of; empty for the core's."""
    place = path.relative_to(ROOT).as_posix()
    found = re.match(r"(?:tests|benchmarks)/wings/(\w+)/|tests/browser/test_(\w+)_journey\.py", place)
    return next((name for name in found.groups() if name in wings.WINGS), "") if found else ""


def test_tests_of_the_core_ask_for_no_analysis_and_no_page_of_a_wing():
    places = answers.places()
    of_wings = {name for name in ANALYSES if ".wings." in places[ANALYSES[name]]} - FIELDS
    asked = re.compile(rf'"(?:{"|".join(of_wings)}) [a-z{{]|pages/(?:{"|".join(folders())})/')
    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py") if not wing_of(path)}
    found = {str(path.relative_to(ROOT)): asked.findall(text) for path, text in texts.items()}
    assert {path: said for path, said in found.items() if said} == {}


def test_tests_of_the_core_name_no_wing_and_those_of_a_wing_no_other():
    named = re.compile(rf"(?:exam_core|tests|benchmarks)\.wings\.({'|'.join(wings.WINGS)})\b")
    paths = [path for room in ("tests", "benchmarks") for path in (ROOT / room).rglob("*.py")]
    paths.remove(ROOT / "tests" / "test_tutorials.py")  # documents show the whole house
    found = {path: set(named.findall(path.read_text(encoding="utf-8"))) - {wing_of(path)} for path in paths}
    assert {str(path.relative_to(ROOT)): names for path, names in found.items() if names} == {}

"""Each public function of measures, numbers and notebooks has an example in its docstring, which runs as it stands."""

import doctest
import pkgutil
import shutil
from importlib import import_module
from pathlib import Path
from types import FunctionType

import pytest

import exam_core as eb
import exam_core.measures
import exam_core.numbers
from exam_core.actions.tagging import tag_runs
from exam_core.store import Store

ROOT = Path(__file__).parents[1]
TRUE_MEANS = ROOT / "exam_core" / "numbers" / "true_means"
NAMES = [
    *(found.name for found in pkgutil.walk_packages(exam_core.measures.__path__, "exam_core.measures.")),
    *(found.name for found in pkgutil.iter_modules(exam_core.numbers.__path__, "exam_core.numbers.")),
]
NAMES += [
    name
    for path in sorted((ROOT / "exam_core").rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8") and path.parent.name not in ("notebook", "answers")
    if (name := ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")) not in NAMES
]

NOTEBOOK = {
    f"{owner.__name__}.{name}": one
    for owner in (eb.Answer, eb.Collection, eb.OpenStore)
    for name, one in vars(owner).items()
    if isinstance(one, FunctionType) and name[0] != "_"
} | {"open": eb.open, "measure_table": eb.measure_table}


def public(module):
    """Functions of a module that others may call."""
    found = {name: getattr(one, "__wrapped__", one) for name, one in vars(module).items() if name[0] != "_"}
    return {
        name: one for name, one in found.items() if isinstance(one, FunctionType) and one.__module__ == module.__name__
    }


@pytest.mark.parametrize("name", NAMES)
def test_each_function_of_measures_and_numbers_has_an_example_that_runs(name):
    module = import_module(name)
    every = public(module) if name.split(".")[1] in ("measures", "numbers") else {}
    without = [name for name, one in every.items() if ">>> " not in (one.__doc__ or "")]
    assert without == [], "has no example in its docstring (>>>)"
    assert doctest.testmod(module).failed == 0


@pytest.fixture(scope="module")
def folder(demo_store, tmp_path_factory):
    """A folder with the demo as its store; a run has a tag, which `circularity` asks for."""
    folder = tmp_path_factory.mktemp("examples")
    shutil.copytree(demo_store, folder / "store")
    tag_runs(Store(folder / "store"), "demo", {"any-word": ["llm"]})
    return folder


@pytest.mark.parametrize("name", NOTEBOOK)
def test_each_function_of_a_notebook_has_an_example_that_runs(name, folder, monkeypatch):
    monkeypatch.chdir(folder)
    (test,) = doctest.DocTestFinder(exclude_empty=False).find(
        NOTEBOOK[name], name, globs={"eb": eb, "store": eb.open("store")}
    )
    assert test.examples, f"{name} has no example (>>>); that of an analysis is its command's on the demo"
    assert doctest.DocTestRunner().run(test).failed == 0


def test_examples_of_the_readme_run():
    found = doctest.testfile(str(TRUE_MEANS / "README.md"), module_relative=False)
    assert (found.failed, found.attempted) == (0, 9)

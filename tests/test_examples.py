"""Each public function of measures, numbers and notebooks has an example in its docstring, which runs as it stands."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

import exam_core.measures
import exam_core.notebook
import exam_core.numbers
from exam_core import wings

TRUE_MEANS = Path(__file__).parents[1] / "exam_core" / "numbers" / "true_means"
NAMES = [
    *(found.name for found in pkgutil.walk_packages(exam_core.measures.__path__, "exam_core.measures.")),
    *(found.name for found in pkgutil.iter_modules(exam_core.numbers.__path__, "exam_core.numbers.")),
    *(
        found.name
        for room in wings.rooms("measures")
        for found in pkgutil.walk_packages(import_module(room).__path__, f"{room}.")
    ),
]


def public(module: ModuleType) -> dict[str, FunctionType]:
    """Functions of a module that others may call."""
    found = {name: getattr(one, "__wrapped__", one) for name, one in vars(module).items() if name[0] != "_"}
    return {
        name: one for name, one in found.items() if isinstance(one, FunctionType) and one.__module__ == module.__name__
    }


def without_example(functions: dict[str, FunctionType]) -> list[str]:
    return [name for name, one in functions.items() if ">>> " not in (one.__doc__ or "")]


@pytest.mark.parametrize("name", NAMES)
def test_each_function_has_an_example_that_runs(name: str) -> None:
    module = import_module(name)
    assert without_example(public(module)) == [], "has no example in its docstring (>>>)"
    assert doctest.testmod(module).failed == 0


def test_examples_of_the_readme_run() -> None:
    found = doctest.testfile(str(TRUE_MEANS / "README.md"), module_relative=False)
    assert (found.failed, found.attempted) == (0, 9)

"""A function fits a screen and is called with a handful of things."""

import ast
from dataclasses import dataclass
from pathlib import Path

from tests.test_layers import SOURCE, tree

ROOT = Path(__file__).parents[1]
MOST_LINES, MOST_PARAMETERS = 60, 7
Definition = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Function:
    """A function: its file and dotted name, its lines from `def` to the end, and how many things it is called with."""

    name: str
    lines: int
    parameters: int
    is_public: bool


def functions(path):
    """All functions of a file, those inside others too; only what can be called from outside is public."""
    place = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else path.name
    yield from _functions(tree(path), f"{place} ", inside=False)


def _functions(node, before, *, inside):
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Definition):
            name = f"{before}{child.name}"
            lines = (child.end_lineno or child.lineno) - child.lineno + 1
            yield Function(name, lines, len(_parameters(child)), not inside and not child.name.startswith("_"))
            yield from _functions(child, f"{name}.", inside=True)
        else:
            prefix = f"{before}{child.name}." if isinstance(child, ast.ClassDef) else before
            yield from _functions(child, prefix, inside=inside)


def _parameters(function):
    given = function.args
    several = [one for one in (given.vararg, given.kwarg) if one]
    names = [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs, *several)]
    return [name for name in names if name not in ("self", "cls")]


def test_a_function_fits_a_screen_and_a_public_one_is_called_with_a_handful_of_things():
    every = [one for path in SOURCE for one in functions(path)]
    assert {one.name for one in every if one.lines > MOST_LINES} == set()
    assert {one.name for one in every if one.is_public and one.parameters > MOST_PARAMETERS} == set()


def test_functions_are_measured_as_they_are_written(tmp_path):
    path = tmp_path / "sample.py"
    path.write_text(
        "@decorated\n"
        "def open(a, /, b, *more, c=1, **rest):\n"
        "    def inner(x):\n"
        "        return x\n"
        "\n"
        "    return inner\n"
        "class Thing:\n"
        "    def method(self, a): ...\n"
        "    def _own(self): ...\n"
        "if True:\n"
        "    async def later(): ...\n",
        encoding="utf-8",
    )
    assert list(functions(path)) == [
        Function("sample.py open", 5, 5, is_public=True),
        Function("sample.py open.inner", 2, 1, is_public=False),
        Function("sample.py Thing.method", 1, 1, is_public=True),
        Function("sample.py Thing._own", 1, 0, is_public=False),
        Function("sample.py later", 1, 0, is_public=True),
    ]

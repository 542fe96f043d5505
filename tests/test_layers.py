"""Who may import whom: read from the source, so that an uphill import fails here and not in a reader's head."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import FunctionType

import pytest
import typer

import exam_core
import exam_core.notebook
from exam_core.cli.commands import COMMANDS, about, group
from exam_core.cli.main import application
from exam_core.command import GROUPS
from exam_core.store import Store

ROOT = Path(__file__).parents[1]
EVERYWHERE = {
    "asked",
    "progress",
    "defaults",
    "wording",
    "declared",
    "results",
    "view",
    "note",
    "people",
    "schema",
    "question",
    "hiding",
    "rights",
    "flushing",
    "installation",
    "engine",
    "secrecy",
    "addresses",
    "table_text",
}
ROOMS: dict[str, set[str]] = {
    "tables": set(),
    "errors": set(),
    "progress": set(),
    "texts": set(),
    "formats": {"tables", "errors"},
    "store": {"formats", "tables", "errors"},
    "readings": set(),
    "grading": {"formats", "store", "readings", "texts", "tables", "errors"},
    "numbers": set(),
    "measures": {"numbers", "texts", "tables", "errors"},
    "printed": {"tables"},
    "analysis": {*("store", "readings", "measures", "numbers", "printed", "charts", "texts", "tables", "errors")},
    "charts": {"tables"},
    "reports": {"measures", "numbers", "analysis", "charts", "texts", "tables", "errors"},
    "demo": {"formats", "store", "grading", "measures", "printed", "texts", "tables", "errors"},
    "jobs": {"store", "grading", "readings", "errors"},
    "doctor": {"store", "grading", "errors"},
    "actions": {
        "formats",
        "store",
        "grading",
        "readings",
        "jobs",
        "analysis",
        "demo",
        "printed",
        "texts",
        "tables",
        "errors",
    },
    "pages": {
        "answers",
        "slides",
        "store",
        "grading",
        "readings",
        "jobs",
        "measures",
        "numbers",
        "analysis",
        "charts",
        "reports",
        "demo",
        "actions",
        "texts",
        "errors",
    },
    "slides": {"answers", "measures", "numbers", "analysis", "charts", "reports", "store", "tables", "errors"},
    "answers": {"formats", "store", "measures", "analysis", "charts", "reports", "tables", "errors"},
    "notebook": {
        "answers",
        "formats",
        "store",
        "measures",
        "analysis",
        "charts",
        "reports",
        "actions",
        "tables",
        "errors",
    },
    "cli": {
        "slides",
        "answers",
        "formats",
        "store",
        "grading",
        "readings",
        "measures",
        "analysis",
        "reports",
        "jobs",
        "doctor",
        "actions",
        "tables",
        "errors",
    },
}
"""What each room may import of ours, besides itself. A wing's `cli.py` is as the house's room of that name."""
ROOMS["wing"] = set(ROOMS) - {"pages", "cli", "notebook"}
WINGS = sorted(path.parent.name for path in (ROOT / "exam_core" / "wings").glob("*/__init__.py"))
ALONE = {
    "duckdb": {"store"},
    "ir_measures": {"measures"},
    "plotly": {"charts", "analysis", "wing"},
    "matplotlib": {"charts", "wing"},
    "torch": {"grading", "wing"},
    "transformers": {"grading", "wing"},
    "ray": {"wing"},
    "requests": {"grading", "wing"},
    "streamlit": {"pages"},
}
"""Libraries that these rooms alone import."""
WRITING_MODULES = tuple(
    f"exam_core.store.{name}" for name in (*("catalogue", "commits", "files", "leases", "manifests", "sharing"),)
)
"""Modules of the store that change it."""
WRITING_METHODS = {
    *(
        "asides",
        "commit",
        "commit_together",
        "prepare",
        "locked",
        "add_grades",
        "describe_grader",
        "give_alias",
        "give_tags",
        "answers",
    ),
    "undo",
}
READING_METHODS = {
    "close",
    "collections",
    "damaged",
    "folder",
    "snapshot",
    "tags_before",
    "jobs",
    "refuse_another_grader",
    "refuse_file",
}
"""Methods of a store; a cache of answers is given to whoever asks a model, and so writes."""
OF_WINGS = {path.parent.name for path in (ROOT / "pages").glob("*/added.py")}
"""Folders of pages that are of wings."""
PAGE_FILES = [
    ROOT / "app.py",
    *sorted((ROOT / "pages").glob("*.py")),
    *(path for path in sorted((ROOT / "pages").glob("*/*.py")) if path.stem == path.parent.name),
]


SOURCE = [ROOT / "app.py", *sorted((ROOT / "exam_core").rglob("*.py")), *sorted((ROOT / "pages").rglob("*.py"))]


@cache
def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imported(path):
    """Dotted names that a file imports, anywhere in it."""
    names: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(names)


def _module_of(path):
    names = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(names[:-1] if names[-1] == "__init__" else names)


MODULES = {_module_of(path): path for path in SOURCE}


def _statements(node):
    """Everything below a node, those in functions too; what only type checkers see is left out."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        yield child
        yield from _statements(child)


@cache
def modules_used(module):
    """Our modules that a module imports, now or when one of its functions runs; not the packages around them."""
    found: set[str] = set()
    for node in _statements(tree(MODULES[module])):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            named = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= named if named <= set(MODULES) else named | {node.module}
    return frozenset(found & set(MODULES) - {module})


def circles():
    """Groups of modules each of which reaches the others by imports (strongly connected, of two or more)."""
    reached: dict[str, set[str]] = {}
    for module in MODULES:
        seen, ahead = set[str](), [module]
        while ahead:
            ahead += (new := modules_used(ahead.pop()) - seen)
            seen |= new
        reached[module] = seen
    groups = {tuple(sorted(other for other in seen if module in reached[other])) for module, seen in reached.items()}
    return sorted(map(list, groups - {()}))


def wing_of(name):
    """The wing that a module is of, by its dotted name; a folder of pages stands for itself. Empty for the core's."""
    first, second, *_ = (*name.split("."), "", "")
    if first == "pages" and second in OF_WINGS:
        return f"pages.{second}"
    return next((wing for wing in WINGS if f"{name}.".startswith(f"exam_core.wings.{wing}.")), "")


def is_plain_function(module, name):
    """Whether a name of a module is a function that is no verb."""
    found = getattr(importlib.import_module(module), name, None) if module in MODULES else None
    return isinstance(found, FunctionType) and not hasattr(found, "needs")


def libraries(path):
    return {name.split(".")[0] for name in imported(path)}


def room_of(path):
    first, second, *rest = (*_module_of(path).split("."), "exam_core")
    if second == "wings":
        return "cli" if rest[1:2] == ["cli"] else "wing" if rest[1:] else second
    return second if first == "exam_core" else "pages"


def broken(wrong):
    """What is wrong in which file; empty where the rule holds."""
    return {str(path.relative_to(ROOT)): what for path, what in wrong.items() if what}


def test_a_room_imports_only_rooms_below_it():
    def wrong(path):
        rooms = {name.split(".")[1] for name in imported(path) if name.startswith("exam_core.")} & set(ROOMS)
        return rooms - ROOMS[room_of(path)] - EVERYWHERE - {room_of(path)}

    of_rooms = [path for path in SOURCE if room_of(path) in ROOMS]
    assert broken({path: wrong(path) for path in of_rooms}) == {}


def test_no_modules_import_each_other_in_a_circle():
    assert circles() == []


def test_the_core_names_no_wing():
    names = [*(f"wings.{wing}" for wing in WINGS), *(f"pages.{folder}" for folder in OF_WINGS)]
    named = re.compile(rf"\b(?:{'|'.join(names)})\b")

    def wrong(path):
        said = {node.value for node in ast.walk(tree(path)) if isinstance(node, ast.Constant)}
        texts = imported(path) | {one for one in said if isinstance(one, str)}
        return {text for text in texts if named.search(text)}

    assert broken({path: wrong(path) for path in SOURCE if not wing_of(_module_of(path))}) == {}


def test_a_wing_imports_no_other_wing():
    used: dict[str, set[str]] = {}
    for path in SOURCE:
        if wing := wing_of(_module_of(path)):
            used.setdefault(wing, set()).update({wing_of(name) for name in imported(path)} - {"", wing})
    # A folder of pages is of one wing; another folder of the same wing it may import, too.
    of_folder = {folder: found & set(WINGS) for folder, found in used.items() if folder not in WINGS}
    assert {folder: found for folder, found in of_folder.items() if len(found) != 1} == {}
    mine = {name: min(of_folder.get(name, {name})) for name in used}
    assert {name: found for name, found in used.items() if {mine[one] for one in found} - {mine[name]}} == {}


def test_pages_commands_and_notebooks_change_things_through_the_door_of_actions_only():
    def wrong(path):
        called = {name.rpartition(".") for name in imported(path) if ".actions." in name}
        past_the_door = {f"{module}.{name}" for module, _, name in called if is_plain_function(module, name)}
        writers = {name for name in imported(path) if name.startswith(WRITING_MODULES)}
        named = {node.attr for node in ast.walk(tree(path)) if isinstance(node, ast.Attribute)}
        return past_the_door | writers | named & WRITING_METHODS

    outside = [path for path in SOURCE if room_of(path) in ("pages", "cli", "notebook")]
    assert broken({path: wrong(path) for path in outside}) == {}


def test_the_room_of_jobs_reads_and_writes_nothing():
    writes = WRITING_METHODS - {"answers"} | {"write_bytes", "write_text", "touch", "mkdir", "unlink"}
    wrong = {
        path: writes & {node.attr for node in ast.walk(tree(path)) if isinstance(node, ast.Attribute)}
        for path in SOURCE
        if room_of(path) == "jobs"
    }
    assert broken(wrong) == {}


def test_each_method_of_the_store_is_known_to_read_or_to_write():
    assert {name for name in vars(Store) if not name.startswith("_")} == READING_METHODS | WRITING_METHODS


def test_a_library_is_imported_in_its_own_room_only():
    wrong = {
        path: {name for name in libraries(path) & set(ALONE) if room_of(path) not in ALONE[name]} for path in SOURCE
    }
    assert broken(wrong) == {}


def test_numbers_import_numpy_and_scipy_alone():
    known = {*sys.stdlib_module_names, "numpy", "scipy"}

    def wrong(path):
        others = {name for name in imported(path) if name.split(".")[0] not in known}
        return {name for name in others if name[:17] != "exam_core.numbers"}

    assert broken({path: wrong(path) for path in SOURCE if room_of(path) == "numbers"}) == {}


def test_no_page_imports_a_library_of_numbers():
    numbers = {"pandas", "numpy", "scipy", "sklearn", "duckdb"}
    assert broken({path: libraries(path) & numbers for path in SOURCE if room_of(path) == "pages"}) == {}


def test_a_page_imports_neither_frames_nor_files():
    forbidden = {"pandas", "numpy", "pathlib", "os", "io", "json", "exam_core.store", "exam_core.formats"}
    assert broken({path: (imported(path) | libraries(path)) & forbidden for path in PAGE_FILES}) == {}


def test_a_page_does_no_arithmetic():
    lines = {path: [node.lineno for node in ast.walk(tree(path)) if isinstance(node, ast.BinOp)] for path in PAGE_FILES}
    assert broken(lines) == {}


def test_no_string_of_a_page_stands_alone_since_streamlit_would_write_it_on_the_screen():
    alone = {
        path: [ast.unparse(one) for one in tree(path).body[1:] if isinstance(one, ast.Expr)] for path in PAGE_FILES
    }
    assert broken(alone) == {}


def test_sql_stands_in_the_store_or_in_a_query_of_a_snapshot():
    others = [path for path in SOURCE if room_of(path) not in ("store", "analysis", "jobs", "actions", "wing")]
    assert broken({path: "SELECT " in path.read_text(encoding="utf-8") for path in others}) == {}


@pytest.mark.parametrize(
    "start", ["import exam_core.cli", "import runpy; runpy.run_path('app.py', run_name='__main__')"]
)
def test_neither_the_command_line_nor_the_app_loads_what_takes_long_before_it_is_needed(start):
    heavy = {"torch", "transformers", "ray", "openai", "scipy.stats", "sklearn", "matplotlib"}
    check = f"{start}\nimport sys\nprint(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", check], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.strip().splitlines()[-1] == "[]"


HELP = """
import contextlib, io, sys
from exam_core.cli.main import main
sys.argv = ["examboard", "--help"]
with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.suppress(SystemExit):
    main()
assert "leaderboard" in said.getvalue()
"""
HELP_OF_EVERY_COMMAND = """
import sys
import typer
from typer.testing import CliRunner
from exam_core.cli.tree import app

def paths(command, before=()):
    yield before
    for name, inner in getattr(command, "commands", {}).items():
        yield from paths(inner, (*before, name))

for path in paths(typer.main.get_command(app)):
    done = CliRunner().invoke(app, [*path, "--help"])
    assert (done.exit_code, "Usage:" in done.stdout) == (0, True), (path, done.output)
"""


def test_the_list_of_commands_says_what_each_says_itself():
    whole = typer.main.get_command(application()).commands
    first = {
        name: (" ".join((one.help or "").split("\n\n")[0].split()), one.rich_help_panel) for name, one in whole.items()
    }
    assert first == {name: (about(name), group(name)) for name in COMMANDS}


def test_commands_are_listed_by_heading_and_six_of_them_first():
    headings = [group(name) for name in COMMANDS]
    assert headings == sorted(headings, key=GROUPS.index)
    assert headings.count(GROUPS[0]) == 6


def test_a_command_alone_is_the_command_of_all():
    whole = typer.main.get_command(application()).commands
    for name in COMMANDS:
        alone = typer.main.get_command(application(name)).commands
        assert (list(alone), [str(one) for one in alone[name].params]) == (
            [name],
            [str(one) for one in whole[name].params],
        )


@pytest.mark.parametrize(
    "start",
    [pytest.param(HELP, id="the root"), pytest.param(HELP_OF_EVERY_COMMAND, id="all", marks=pytest.mark.thorough)],
)
def test_help_loads_no_library_of_numbers(start):
    heavy = {"pandas", "numpy", "scipy", "duckdb", "pyarrow", "torch", "plotly", "streamlit"}
    check = f"{start}\nprint(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", check], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


def test_the_package_alone_loads_no_library_and_has_the_names_of_a_notebook():
    check = """
import sys
import exam_core as eb
print(sorted({"pandas", "numpy", "duckdb", "pyarrow", "typer"} & set(sys.modules)))
print(set(eb.NOTEBOOK) <= set(dir(eb)), eb.open.__module__, eb.Collection.__name__, "pandas" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", check], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.stdout.splitlines(), done.stderr) == (["[]", "True exam_core.notebook.opened Collection True"], "")


def test_type_checkers_see_the_names_of_a_notebook():
    seen = {
        alias.name
        for node in ast.walk(tree(MODULES["exam_core"]))
        if isinstance(node, ast.ImportFrom) and node.module == "exam_core.notebook"
        for alias in node.names
    }
    assert seen == set(exam_core.NOTEBOOK) == set(exam_core.notebook.__all__)


def test_no_room_has_the_name_of_something_in_a_notebook():
    assert set(exam_core.NOTEBOOK) & {name.split(".")[1] for name in MODULES if name.startswith("exam_core.")} == set()


def test_list_loads_only_what_it_needs(tmp_path):
    check = f"""
import contextlib, sys
from exam_core.cli.main import main
sys.argv = ["examboard", "--store", {str(tmp_path)!r}, "list"]
with contextlib.suppress(SystemExit):
    main()
print(sorted({{"scipy", "sklearn", "plotly", "requests", "rich"}} & set(sys.modules)))
print(sorted(name for name in sys.modules if name.startswith(("exam_core.analysis", "exam_core.actions."))))
"""
    done = subprocess.run([sys.executable, "-c", check], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.stdout.splitlines()[-2:], done.stderr) == (["[]", "[]"], "")

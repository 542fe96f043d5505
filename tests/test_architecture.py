"""The walk through the house leads past files and names that are there, and can be read."""

import re
from pathlib import Path

from tests.test_layers import ROOMS

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
NAMED = sorted(
    set(re.findall(r"`((?:exam_core|pages|tests|data)/[\w./]*|app\.py|setup\.py|MANIFEST\.in)(?::(\w+))?`", PAGE))
)


def has(path, name):
    """Whether a file defines a name."""
    text = (ROOT / path).read_text(encoding="utf-8")
    return re.search(rf"(def|class) {name}\b|^ *{name}\b.*=", text, re.MULTILINE) is not None


def test_every_file_and_name_of_the_page_is_there():
    assert len(NAMED) > 150
    assert [(path, name) for path, name in NAMED if not (ROOT / path).exists() or (name and not has(path, name))] == []


def test_every_file_that_a_module_names_is_there():
    there = [path for room in ("exam_core", "pages", "tests") for path in (ROOT / room).rglob("*.py")]
    named = {(one, path.name) for path in there for one in re.findall(r"`([\w/]+\.py)`", path.read_text("utf-8"))}
    ends = [f"/{path.relative_to(ROOT).as_posix()}" for path in (*there, ROOT / "app.py")]
    assert sorted(one for one in named if not any(end.endswith(f"/{one[0]}") for end in ends)) == []


def test_the_picture_has_every_room_above_those_that_it_imports():
    rows = re.split(r"^    \+-+\+.*$", PAGE.partition("## A graded file")[0], flags=re.MULTILINE)
    places = {room: place for place, row in enumerate(rows) for room in re.findall(r"(?<= )(\w+)/", row)}
    wrong = [
        (room, used)
        for room, allowed in ROOMS.items()
        for used in allowed
        if room in places and used in places and places[room] >= places[used]
    ]
    assert wrong == []
    assert {path.name for path in (ROOT / "exam_core").iterdir() if (path / "__init__.py").is_file()} <= {*places}


def test_each_walk_has_ten_steps_at_most_with_files():
    walks = re.findall(r"^(1\. .*?)\n\n", PAGE, re.MULTILINE | re.DOTALL)
    assert [len(re.findall(r"^\d+\. ", walk, re.MULTILINE)) for walk in walks] == [7, 10, 10]


def test_no_cell_of_a_table_is_longer_than_two_hundred_characters():
    cells = [cell for line in PAGE.splitlines() if line.startswith("|") for cell in line.split(" | ")]
    assert [cell for cell in cells if len(cell) > 200] == []

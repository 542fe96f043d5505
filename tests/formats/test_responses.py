"""Generated responses: what is read, and what is refused with its line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from exam_core.errors import BadInput
from exam_core.formats.responses import Response, read_responses


def write(path: Path, *lines: object) -> Path:
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines), "utf-8")
    return path


def test_a_line_is_a_response(tmp_path: Path) -> None:
    file = write(tmp_path / "r.jsonl", {"query_id": 7, "run_id": "a", "text": "Schön.\nZwei", "more": [1]})
    assert read_responses(file) == [Response("a", "7", "Schön.\nZwei")]


def test_the_run_may_be_named_for_all_lines(tmp_path: Path) -> None:
    file = write(tmp_path / "r.jsonl", {"query_id": "q", "run_id": "a", "text": "one"})
    assert read_responses(file, run_id="b") == [Response("b", "q", "one")]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", r"r\.jsonl:2: not a response(.|\n)*Each line is an object such as"),
        ({"query_id": "q", "run_id": "a"}, r":2: not a response: text is missing"),
        ({"query_id": "q", "text": "x"}, r":2: no run_id(.|\n)*--run"),
        ({"query_id": "q", "run_id": "a", "text": " \n"}, r":2: an empty text"),
        ({"query_id": "q0", "run_id": "a", "text": "x"}, r":2: second response of run a to query q0.*line 1"),
    ],
    ids=["no JSON", "no text", "no run", "blank", "repeated"],
)
def test_what_is_no_response_is_refused_with_its_line(tmp_path: Path, line: object, message: str) -> None:
    file = write(tmp_path / "r.jsonl", {"query_id": "q0", "run_id": "a", "text": "first"}, line)
    with pytest.raises(BadInput, match=message):
        read_responses(file)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            f'{{"query_id": "q", "run_id": "a", "text": "x", "more": {"[" * 1000 + "]" * 1000}}}',
            ":2: .*nested too deep",
        ),
        ('{"query_id": "q", "run_id": "a", "text": "x", "more": 1e999}', ":2: .*out of range"),
        ({"query_id": "q\x1b", "run_id": "a", "text": "x"}, r":2: query_id holds the control character U\+001B"),
        ({"query_id": "q", "run_id": "\u00a0", "text": "x"}, r":2: run_id is blank"),
    ],
    ids=["deep", "infinite", "control", "blank"],
)
def test_what_can_not_be_kept_is_refused_with_its_line(tmp_path: Path, line: object, message: str) -> None:
    file = write(tmp_path / "r.jsonl", {"query_id": "q0", "run_id": "a", "text": "first"}, line)
    with pytest.raises(BadInput, match=message):
        read_responses(file)

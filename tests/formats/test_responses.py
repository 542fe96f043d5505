"""Generated responses: what is read, and what is refused with its line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from exam_core.errors import BadInput
from exam_core.formats.responses import Response, Sentence, read_responses, read_track_responses


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


def test_one_name_names_a_run_whatever_its_lines_say_and_never_those_of_two_systems(tmp_path: Path) -> None:
    lines = [{"query_id": "q0", "run_id": "a", "text": "x"}, {"query_id": "q1", "text": "y"}]
    found = read_responses(write(tmp_path / "r.jsonl", *lines), run_id="mine")
    assert [response.run_id for response in found] == ["mine", "mine"]
    lines.append({"query_id": "q2", "run_id": "b", "text": "z"})
    with pytest.raises(BadInput, match=r"r\.jsonl: holds 2 runs \(a, b\), and --run mine names one"):
        read_responses(write(tmp_path / "r.jsonl", *lines), run_id="mine")


def track(*sentences: tuple[str, list[object]], **more: object) -> dict[str, object]:
    answer = [{"text": text, "citations": citations} for text, citations in sentences]
    return {"topic_id": 7, "topic": "why", "run_id": "a", "references": ["d1", "d2"], "answer": answer} | more


def test_sentences_of_the_rag_track_name_the_passages_that_they_cite(tmp_path: Path) -> None:
    file = write(tmp_path / "r.jsonl", track(("One.", [1, 0, 1]), ("Two.", []), ("", []), ("Three.", ["d9"]), length=3))
    (found,) = read_track_responses(file)
    assert (found.run_id, found.query_id, found.query_text, found.text) == ("a", "7", "why", "One. Two. Three.")
    assert found.sentences == (Sentence("One.", ("d2", "d1")), Sentence("Two."), Sentence("Three.", ("d9",)))
    assert json.loads(found.extra or "") == {"references": ["d1", "d2"], "length": 3}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (track(("x", [2])), r":2: sentence 1: cites 2, and there are 2 references, from 0"),
        (track(("x", [-1])), r":2: sentence 1: cites -1"),
        (track(("x", ["a\x1b"])), r":2: sentence 1: the cited passage's id holds the control character"),
        (track(("x", [1.5])), r":2: answer 1, citations 1: expected a whole number or a text, got a number"),
        (track(answer="x"), r":2: answer: expected a list, got a text"),
        (track(), r":2: an empty text"),
        (track(("x", []), run_id=None), r":2: no run_id"),
        ('{"topic_id": "q", "answer": [{"text": "x"', r":2: not a response of the RAG track: no valid JSON"),
    ],
    ids=["beyond", "negative", "control", "half", "text", "nothing", "no run", "cut off"],
)
def test_what_is_no_response_of_the_track_is_refused_with_its_line(tmp_path: Path, line: object, message: str) -> None:
    file = write(tmp_path / "r.jsonl", track(("first", [])), line)
    with pytest.raises(BadInput, match=message):
        read_track_responses(file)


def test_ten_thousand_sentences_are_read(tmp_path: Path) -> None:
    (found,) = read_track_responses(write(tmp_path / "r.jsonl", track(*[("Rain falls.", [0])] * 10_000)))
    assert len(found.sentences) == 10_000

"""Generated responses: JSON lines with the text that a system wrote for a query."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from exam_core.errors import Problems, visible
from exam_core.formats.format import Format, Kind
from exam_core.formats.json_lines import BadLine, add_bad_line, decode_line
from exam_core.formats.lines import numbered_lines
from exam_core.formats.reading import fault_of_id
from exam_core.progress import Progress, no_progress


class _Line(msgspec.Struct):
    query_id: str | int
    text: str
    run_id: str | int | None = None


@dataclass(frozen=True)
class Response:
    """What a system wrote for a query."""

    run_id: str
    query_id: str
    text: str


def read_responses(path: Path, *, run_id: str | None = None, progress: Progress = no_progress) -> list[Response]:
    """Read responses, one JSON object a line: query_id, text and, where `run_id` names none, run_id.

    Raises
    ------
    BadInput : lines that are no such object, have no text or no run, or a second response to a query
    """
    problems = Problems(path)
    first: dict[tuple[str, str], int] = {}
    found: list[Response] = []
    typed, untyped = msgspec.json.Decoder(_Line), msgspec.json.Decoder()
    for number, line in numbered_lines(path, progress):
        try:
            one, _ = decode_line(line, typed, untyped)
        except BadLine as error:
            remedy = 'Each line is an object such as {"query_id": "q1", "run_id": "my-system", "text": "..."}.'
            add_bad_line(problems, number, line, error, "a response", remedy)
            continue
        run = run_id if run_id is not None else one.run_id
        if run is None:
            problems.add(number, "no run_id", remedy="Add run_id to the lines, or name the run with --run.")
        elif fault := _fault(run_id=str(run), query_id=str(one.query_id)):
            problems.add(number, *fault)
        elif not one.text.strip():
            problems.add(number, "an empty text", remedy="Leave the line out: a run without a response scores 0.")
        elif (key := (str(run), str(one.query_id))) in first:
            problems.add(
                number,
                f"second response of run {key[0]} to query {key[1]}; the first is in line {first[key]}",
                remedy="Keep one of them, or give the runs different names.",
            )
        else:
            first[key] = number
            found.append(Response(*key, one.text))
    problems.raise_if_any()
    return found


def _fault(**ids: str) -> tuple[str, str] | None:
    """What is wrong with the first id that nobody could type, and the id."""
    faults = (
        (f"{name} {fault}", visible(value, line_ends=False))
        for name, value in ids.items()
        if (fault := fault_of_id(value))
    )
    return next(faults, None)


RESPONSES = Kind(key="responses", noun="Generated responses", order=80, main="rankings", uploaded=False)
ROWS = (
    Format(
        kind=RESPONSES,
        written="JSON lines",
        looks="generated responses",
        order=40,
        fits=lambda opening: {"query_id", "text"} <= opening.fields,
        read=read_responses,
    ),
)

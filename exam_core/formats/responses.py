"""Generated responses: JSON lines with the text that a system wrote for a query; the RAG track's cite passages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from exam_core.errors import Problems, visible
from exam_core.formats.extra import TooDeep, encode_extra
from exam_core.formats.format import Format, Kind
from exam_core.formats.json_lines import BadLine, add_bad_line, decode_line
from exam_core.formats.lines import numbered_lines
from exam_core.formats.reading import fault_of_id, refuse_several_runs
from exam_core.progress import Progress, no_progress


class _Line(msgspec.Struct):
    query_id: str | int
    text: str
    run_id: str | int | None = None


class _Sentence(msgspec.Struct):
    text: str
    citations: list[int | str] = []


class _TrackLine(msgspec.Struct):
    topic_id: str | int
    answer: list[_Sentence]
    run_id: str | int | None = None
    topic: str | None = None
    references: list[str] = []


@dataclass(frozen=True)
class Sentence:
    """A sentence of a response, as its system parted them.

    Parameters
    ----------
    citations : doc_ids of the passages that it cites, in the order of the file
    """

    text: str
    citations: tuple[str, ...] = ()


@dataclass(frozen=True)
class Response:
    """What a system wrote for a query.

    Parameters
    ----------
    query_text : what was asked; None where the file doesn't say
    sentences : joined by blanks they are the text; none where the file doesn't part it
    extra : what the line says beyond these, as JSON; None where it says nothing
    """

    run_id: str
    query_id: str
    text: str
    query_text: str | None = None
    sentences: tuple[Sentence, ...] = ()
    extra: str | None = None


_REMEDY = 'Each line is an object such as {"query_id": "q1", "run_id": "my-system", "text": "..."}.'
_TRACK_REMEDY = (
    'Each line is an object such as {"topic_id": "q1", "run_id": "my-system", "references": ["d1"], '
    '"answer": [{"text": "...", "citations": [0]}]}; a citation is a place in references, from 0, or a passage\'s id.'
)


def read_responses(path: Path, *, run_id: str | None = None, progress: Progress = no_progress) -> list[Response]:
    """Read responses, one JSON object a line: query_id, text and, where `run_id` does not name the run, run_id.

    Raises
    ------
    BadInput : lines that are no such object, have no text or no run, or a second response to a query; or `run_id` is
        given to a file of several runs
    """
    problems, found = Problems(path), _Found(run_id)
    typed, untyped = msgspec.json.Decoder(_Line), msgspec.json.Decoder()
    for number, line in numbered_lines(path, progress):
        try:
            one, _ = decode_line(line, typed, untyped)
        except BadLine as error:
            add_bad_line(problems, number, line, error, "a response", _REMEDY)
            continue
        found.add(problems, number, one.run_id, Response("", str(one.query_id), one.text))
    found.refuse_several(path)
    problems.raise_if_any()
    return found.responses


def read_track_responses(path: Path, *, run_id: str | None = None, progress: Progress = no_progress) -> list[Response]:
    """Read responses of the TREC RAG track: topic_id, references and the sentences of the answer with their citations.

    A response's text is its sentences joined by blanks. A sentence without text is left out where it cites nothing.

    Raises
    ------
    BadInput : as `read_responses`, or a citation of a place that references do not have
    """
    problems, found = Problems(path), _Found(run_id)
    typed, untyped = msgspec.json.Decoder(_TrackLine), msgspec.json.Decoder()
    for number, line in numbered_lines(path, progress):
        try:
            one, raw = decode_line(line, typed, untyped)
            response = _of_track(one, raw)
        except BadLine as error:
            add_bad_line(problems, number, line, error, "a response of the RAG track", _TRACK_REMEDY)
            continue
        found.add(problems, number, one.run_id, response)
    found.refuse_several(path)
    problems.raise_if_any()
    return found.responses


def _of_track(line: _TrackLine, raw: dict[str, Any]) -> Response:
    """The response of a line, without its run.

    Raises
    ------
    BadLine : it cites what is not there, or an id that nobody could type
    """
    sentences = tuple(
        Sentence(sentence.text, tuple(_cited(line, place, sentence)))
        for place, sentence in enumerate(line.answer, 1)
        if sentence.text.strip() or sentence.citations
    )
    # References stay as a whole: a system may name passages that no sentence cites.
    known = ("topic_id", "topic", "run_id", "answer")
    try:
        extra = encode_extra({name: value for name, value in raw.items() if name not in known and value is not None})
    except TooDeep as error:
        raise BadLine(str(error)) from None
    text = " ".join(sentence.text for sentence in sentences)
    return Response("", str(line.topic_id), text, line.topic or None, sentences, extra)


def _cited(line: _TrackLine, place: int, sentence: _Sentence) -> Iterator[str]:
    """The passages that a sentence cites, each once."""
    for citation in dict.fromkeys(sentence.citations):
        if isinstance(citation, int) and not 0 <= citation < len(line.references):
            what = f"cites {citation}, and there are {len(line.references):,} references, from 0"
            raise BadLine(what, place=f"sentence {place}", cause="cites what is no reference")
        doc_id = line.references[citation] if isinstance(citation, int) else citation
        if fault := fault_of_id(doc_id):
            raise BadLine(f"the cited passage's id {fault}", place=f"sentence {place}", cause=f"a cited id {fault}")
        yield doc_id


class _Found:
    """Responses while a file is read; of a run and query there is one."""

    def __init__(self, run_id: str | None) -> None:
        self.responses: list[Response] = []
        self._run_id, self._said = run_id, set[str]()
        self._first: dict[tuple[str, str], int] = {}

    def refuse_several(self, path: Path) -> None:
        """Raise BadInput where one name was given for the runs of several systems."""
        if self._run_id is not None:
            refuse_several_runs(path, self._said, f"--run {self._run_id}")

    def add(self, problems: Problems, number: int, run_id: str | int | None, response: Response) -> None:
        """Take the response of a line, or say what is wrong with it."""
        if self._run_id is not None:
            self._said |= set() if run_id is None else {str(run_id)}
            run_id = self._run_id
        if run_id is None:
            problems.add(number, "no run_id", remedy="Add run_id to the lines, or name the run with --run.")
        elif fault := _fault(run_id=str(run_id), query_id=response.query_id):
            problems.add(number, *fault)
        elif not response.text.strip():
            problems.add(number, "an empty text", remedy="Leave the line out: a run without a response scores 0.")
        elif (key := (str(run_id), response.query_id)) in self._first:
            problems.add(
                number,
                f"second response of run {key[0]} to query {key[1]}; the first is in line {self._first[key]}",
                remedy="Keep one of them, or give the runs different names.",
            )
        else:
            self._first[key] = number
            self.responses.append(replace(response, run_id=key[0]))


def _fault(**ids: str) -> tuple[str, str] | None:
    """What is wrong with the first id that nobody could type, and the id."""
    faults = (
        (f"{name} {fault}", visible(value, line_ends=False))
        for name, value in ids.items()
        if (fault := fault_of_id(value))
    )
    return next(faults, None)


RESPONSES = Kind(key="responses", noun="Generated responses", order=80, main="rankings", replaces=True, uploaded=False)
ROWS = (
    Format(
        kind=RESPONSES,
        written="JSON lines",
        looks="generated responses",
        order=40,
        fits=lambda opening: {"query_id", "run_id", "text"} <= opening.fields,
        read=read_responses,
    ),
    Format(
        kind=RESPONSES,
        written="RAG track",
        looks="responses of the RAG track",
        order=35,
        fits=lambda opening: "topic_id" in opening.fields and bool(opening.fields & {"answer", "references"}),
        read=read_track_responses,
    ),
)

"""Generated answers: what systems wrote for queries, in JSON lines or CSV, several samples of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from exam_core.errors import Problems, visible
from exam_core.formats.delimited import QUERY_ID, QUERY_TEXT, has_columns, is_text, table_rows
from exam_core.formats.documents import objects
from exam_core.formats.extra import check_depth, encode_extra
from exam_core.formats.format import Format, Kind, Opening
from exam_core.formats.json_lines import decode_line, reporting
from exam_core.formats.numbers import as_whole_number
from exam_core.formats.reading import Reading, fault_of_id
from exam_core.formats.records import refuse_texts_for_ids
from exam_core.formats.workbench import text_hash
from exam_core.progress import Progress, no_progress
from exam_core.tables import PASSAGES, QUERIES, RANKINGS, answer_id, answers_run
from exam_core.wording import counted

NAMES = {
    "system": ("system", "model"),
    "prompt": ("prompt",),
    "query_id": ("query_id", "qid"),
    "sample": ("sample", "answer_number"),
    "answer": ("answer", "text", "response"),
    "query_text": ("query_text", "query"),
}
"""The fields of a line, each with the names that files have for it; those of the NRP paper's data are the second."""
_COLUMNS = {**NAMES, "query_id": QUERY_ID, "query_text": QUERY_TEXT}
NEEDED = ("system", "prompt", "query_id", "answer")
REMEDY = (
    'Each line is an object such as {"system": "my-model", "prompt": "short", "query_id": "q1", "sample": 1, '
    '"answer": "..."}.'
)


@dataclass(frozen=True)
class GeneratedAnswer:
    """One sample of what a system wrote for a query, asked by a prompt."""

    system: str
    prompt: str
    query_id: str
    sample: int
    text: str
    query_text: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def doc_id(self) -> str:
        """The passage that it is stored as."""
        return answer_id(self.system, self.query_id, self.prompt, self.sample)

    @property
    def run_id(self) -> str:
        """The run that it belongs to."""
        return answers_run(self.system, self.prompt)


def read_answers(path: Path, *, progress: Progress = no_progress) -> Reading:
    """Read answers, one JSON object a line or one row of a table; fields are named as `NAMES` says, others are kept.

    Raises BadInput where a line is no such object, a needed column is missing, or an answer occurs again with another
    text.
    """
    found, opening = _GeneratedAnswers(Problems(path)), Opening(path)
    if opening.is_json:
        for number, line in objects(path, found.problems, progress):
            with reporting(found.problems, number, line, "an answer", REMEDY):
                found.add(number, decode_line(line, _OBJECT, _OBJECT)[0])
        return found.reading()
    refuse_texts_for_ids(opening, _COLUMNS)
    for row in table_rows(path, _COLUMNS, found.problems, progress, needed=NEEDED):
        found.add(row.line, {name: cell for name, cell in row.cells.items() if cell or name == "answer"})
    return found.reading()


_OBJECT = msgspec.json.Decoder(dict[str, Any])


@dataclass
class _GeneratedAnswers:
    """Answers while their file is read: of each passage the first, with its line."""

    problems: Problems
    known: dict[str, tuple[int, GeneratedAnswer]] = field(default_factory=dict)
    pairs: dict[str, tuple[str, str]] = field(default_factory=dict)
    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    merged: int = 0
    unnumbered: int = 0

    def add(self, number: int, said: Mapping[str, Any]) -> None:
        """Take what a line says; samples without a number are counted."""
        try:
            answer = self._answer(said)
        except ValueError as error:
            self.problems.add(number, str(error), remedy=REMEDY)
            return
        refuse_one_name(number, (answer.system, answer.prompt), self.pairs, self.problems)
        line, other = self.known.setdefault(answer.doc_id, (number, answer))
        if other == answer and line != number:
            self.merged += 1
        elif other != answer:
            self.problems.add(
                number,
                f"second answer {answer.doc_id}; another is in line {line}",
                answer.text[:80],
                "Number the samples of a system, prompt and query differently, or keep one of them.",
            )

    def _answer(self, said: Mapping[str, Any]) -> GeneratedAnswer:
        found, used = _fields(said)
        system, prompt, query_id = (_name(found, name) for name in NEEDED[:3])
        text = found.get("answer")
        if not isinstance(text, str):
            raise ValueError("answer is missing" if text is None else "answer is not text")
        sample = _sample(found.get("sample"))
        extra = {name: value for name, value in said.items() if name not in used}
        check_depth(extra)
        self.counts[system, prompt, query_id] += 1
        if sample is None:
            self.unnumbered += 1
            sample = self.counts[system, prompt, query_id]
        query_text = found.get("query_text")
        told = query_text if isinstance(query_text, str) and query_text.strip() else None
        return GeneratedAnswer(system, prompt, query_id, sample, text, told, extra)

    def reading(self) -> Reading:
        """The answers as passages, ranked in the order of their samples."""
        self.problems.raise_if_any()
        answers = [answer for _, answer in self.known.values()]
        counts = {"runs": len({answer.run_id for answer in answers}), "answers": len(answers)}
        notes = [f"{self.merged:,} repeated answers were merged."] if self.merged else []
        if self.unnumbered:
            notes.append(
                f"{counted({'answers have': self.unnumbered})} "
                f"no sample number; they were numbered from 1 in the file's order."
            )
        return Reading(_frames(answers), counts=counts, notes=notes)


def _fields(said: Mapping[str, Any]) -> tuple[dict[str, Any], set[str]]:
    """The fields by our names, and those of the line that they are; a `query` that is no text is the id
    where none is beside it.
    """
    taken = {
        name: next((other for other in names if said.get(other) is not None), names[0]) for name, names in NAMES.items()
    }
    if said.get(taken["query_id"]) is None and not is_text(str(said.get("query"))):
        taken |= {"query_id": "query", "query_text": "query_text"}
    return {name: said.get(other) for name, other in taken.items()}, set(taken.values())


def _name(found: Mapping[str, Any], name: str) -> str:
    value = found[name]
    if value is None:
        raise ValueError(f"{name} is missing")
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise ValueError(f"{name} is not text")
    text = str(value).strip()
    if fault := fault_of_id(text):
        raise ValueError(f"{name} {fault}: {visible(text, line_ends=False)[:80]}")
    return text


def _sample(value: Any) -> int | None:
    if value is None:
        return None
    number = as_whole_number(str(value).strip()) if not isinstance(value, bool) else None
    if number is None or number < 0:
        raise ValueError(f"sample {value} is not a whole number from 0")
    return number


def refuse_one_name(line: int, pair: tuple[str, str], known: dict[str, tuple[str, str]], problems: Problems) -> None:
    """Report a system and prompt whose run has the name of another system's and prompt's: both have blanks in them."""
    run_id = answers_run(*pair)
    if known.setdefault(run_id, pair) != pair:
        what = f"system {pair[0]} with prompt {pair[1]} would be the run {run_id}, as system {known[run_id][0]} is"
        remedy = "Write one of the names without blanks."
        problems.add(line, what, remedy=remedy)


def _frames(answers: list[GeneratedAnswer]) -> dict[str, Any]:
    texts: dict[str, str | None] = {}
    for answer in answers:
        texts[answer.query_id] = texts.get(answer.query_id) or answer.query_text
    ordered = sorted(answers, key=lambda one: (one.run_id, one.query_id, one.sample))
    ranks: dict[tuple[str, str], int] = {}
    rows = []
    for one in ordered:
        place = ranks[one.run_id, one.query_id] = ranks.get((one.run_id, one.query_id), 0) + 1
        about = encode_extra({"system": one.system, "prompt": one.prompt, "sample": one.sample})
        rows.append((one.run_id, one.query_id, one.doc_id, place, place, -float(place), False, about))
    return {
        "queries": QUERIES.of(texts.items()),
        "passages": PASSAGES.of(
            (one.doc_id, one.text, text_hash(one.text), encode_extra(dict(one.extra))) for one in answers
        ),
        "rankings": RANKINGS.of(rows),
    }


def _is_json(opening: Opening) -> bool:
    asked = ("system", "prompt", "answer")
    return opening.is_json and all(opening.objects & set(NAMES[name]) for name in asked)


ANSWERS = Kind(
    key="answers",
    noun="Generated answers",
    order=82,
    main="passages",
    replaces=True,
    template="""\
{"system": "model-a", "prompt": "short", "query_id": "q1", "sample": 1, "answer": "Yeast makes gas."}
{"system": "model-a", "prompt": "short", "query_id": "q2", "sample": 1, "answer": "The green fades."}
{"system": "model-b", "prompt": "short", "query_id": "q1", "sample": 1, "answer": "It is warm."}
""",
    ending="jsonl",
    columns={"query": ("query_id",), **{one: (one,) for one in NAMES if one != "query_id"}},
)
ROWS = (
    Format(
        kind=ANSWERS,
        written="JSON lines",
        looks="generated answers",
        # Before banks, which name a query by qid too, and responses, which have a text; neither has a prompt.
        order=5,
        fits=_is_json,
        read=read_answers,
    ),
    Format(
        kind=ANSWERS,
        written="CSV",
        looks="generated answers (CSV)",
        # Before leaderboards: a table with a system and, say, a rank.
        order=31,
        fits=lambda opening: has_columns(opening, _COLUMNS, "system", "prompt", "answer"),
        read=read_answers,
        explains=("table", "text"),
    ),
)

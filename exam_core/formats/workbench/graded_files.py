"""Reading graded files."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd

from exam_core.errors import BadInput, Problems
from exam_core.formats.extra import TooDeep, encode_extra
from exam_core.formats.json_lines import BadLine, add_bad_line, bad_line, excerpt
from exam_core.formats.lines import numbered_lines
from exam_core.formats.reading import MakeSpill, Reading, Rows
from exam_core.formats.workbench.graded_lines import TOP, GradedRows, Line, make_plain
from exam_core.progress import Progress, no_progress
from exam_core.tables import QUESTIONS
from exam_core.wording import counted


def read_workbench(
    path: Path,
    *,
    bank_id: str | None = None,
    grader_id: str | None = None,
    make_spill: MakeSpill | None = None,
    progress: Progress = no_progress,
) -> Reading:
    """Read a graded (or ungraded) workbench file: plain, gzip or xz.

    Parameters
    ----------
    bank_id : name of the bank that the graded questions belong to; by default `tqa` for NDQ_ ids,
        `nuggets` for nuggets and `questions` for others
    grader_id : name for the file's only grading pass; by default `<model>.<prompt_class>`
    make_spill : where very many rows go

    Raises BadInput that names every line that is not as described.
    """
    problems = Problems(path)
    reader = GradedRows(problems, bank_id, grader_id, make_spill)
    typed, untyped = msgspec.json.Decoder(Line), msgspec.json.Decoder()
    for number, line in numbered_lines(path, progress):
        try:
            (query, passages), raws = _decoded(line, typed, untyped)
            reader.add_query(number, query)
            for passage, raw in zip(passages, raws[1], strict=True):
                reader.add(number, query, passage, raw)
        except BadLine as error:
            add_bad_line(problems, number, line, error, "a line of a graded file", _LINE_REMEDY)
        except TooDeep as error:
            problems.add(number, str(error), excerpt(line), "Leave that field out.")
    passes = max(len(reader.graders), len(reader.models))
    if grader_id and passes > 1:
        raise BadInput(
            f"{path}: holds {passes} grading passes, so --grader can't name them all.\n"
            "Leave --grader out: each is then called by its model and prompt. Nothing was stored."
        )
    return _reading(reader)


_LINE_REMEDY = (
    "A line is [query_id, [passage, ...]] with paragraph_id, text and paragraph_data (judgments, rankings)\n"
    "for each passage. A last line that breaks off means that the file was not copied whole."
)


def _decoded(line: bytes, typed: msgspec.json.Decoder[Line], untyped: msgspec.json.Decoder[Any]) -> tuple[Line, Any]:
    """As `decode_line`; a line that has numbers for texts, or the other way round, is read as the workbench does."""
    try:
        return typed.decode(line), untyped.decode(line)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        if not isinstance(error, msgspec.ValidationError):
            raise bad_line(error, line) from None
    try:
        plain = untyped.decode(line)
        make_plain(plain)
        return msgspec.convert(plain, Line), untyped.decode(line)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise bad_line(error, line) from None


def _reading(reader: GradedRows) -> Reading:
    problems, notes = reader.problems, list[str]()
    if not reader.listed and not problems.problems:
        problems.add(0, "no passages in the file", remedy=_LINE_REMEDY)
    if again := reader.listed - len(reader.places):
        notes.append(f"{again:,} passages occur more than once under their query.")
    parts = {name: rows.decide(problems, what) for name, (rows, what) in reader.tables.items()}
    notes += [
        f"{rows.merged:,} repeated {name} were merged." for name, (rows, _) in reader.tables.items() if rows.merged
    ]
    questions = _questions(reader)
    notes += _name_own_questions(reader)
    problems.raise_if_any()
    reading = Reading({}, reader.graders, notes=notes)
    for name, frames in parts.items():
        reading.take(name, map(partial(reader.look_at, name), frames), reader.make_spill)
    reading.frames["questions"], reading.ranks = questions, reader.rankings.ranks
    for name, beyond in reader.beyond.items():
        if beyond:
            scale = reader.graders[name]["scale"]
            notes.append(
                f"{counted({'grades are': beyond})} above {scale}, where the scale of {name} ends; they are kept."
            )
    reading.counts = {
        "queries": reading.rows("queries"),
        "passages": reading.rows("pool"),
        "distinct passages": reading.rows("passages"),
        "questions": len(questions),
        "grades": reading.rows("grades"),
        "runs": len(reader.runs),
        "judgments": reading.rows("judgments"),
        **reader.counted,
    }
    slots = len(reader.runs) * len(reader.ranked) * TOP
    if missing := slots - reader.at_top:
        notes.append(
            f"{missing:,} of {slots:,} top-{TOP} slots missing: the file leaves out passages that were not graded."
        )
    return reading


def _name_own_questions(reader: GradedRows) -> list[str]:
    """Where passes ask different questions of one bank, each grader names its own; returns a note on each.

    Cover of a pass is the share of the questions that the pass asks, as in the authors' evaluation.
    """
    in_bank: dict[tuple[str, str], set[str]] = {}
    for item, question_id, query_id in reader.questions:
        in_bank.setdefault((_bank_of(reader, item, question_id), query_id), set()).add(question_id)
    notes = []
    for name, questions in reader.asked.items():
        item = reader.graders[name]["item"]
        own = {
            query_id: list(ids)
            for query_id, ids in questions.items()
            if in_bank[_bank_of(reader, item, next(iter(ids))), query_id] - set(ids)
        }
        if own:
            reader.graders[name]["asks"] = own
            ids = list(dict.fromkeys(question_id for listed in own.values() for question_id in listed))
            listed = ", ".join(ids[:5]) + (f" and {len(ids) - 5:,} more" if len(ids) > 5 else "")
            notes.append(f"{name} graded {listed}: its Cover counts only these questions, not all of the bank.")
    return notes


def _bank_of(reader: GradedRows, item: str, question_id: str) -> str:
    """The bank that a graded question belongs to."""
    default = "nuggets" if item == "nugget" else "tqa" if question_id.startswith("NDQ_") else "questions"
    if reader.bank_id and item == "nugget" and "question" in reader.items:
        return f"{reader.bank_id}.nuggets"
    return reader.bank_id or default


def _questions(reader: GradedRows) -> pd.DataFrame:
    """The ids that were graded, as a bank without texts."""
    rows = Rows(QUESTIONS)
    for (item, question_id, query_id), line in reader.questions.items():
        name = _bank_of(reader, item, question_id)
        extra = encode_extra({"item": "nugget"} if item == "nugget" else None)
        rows.add(line, name, 1, question_id, query_id, None, None, None, None, 1.0, True, None, extra)
    return rows.frame(reader.problems, "question")[0]

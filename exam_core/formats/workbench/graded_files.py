"""Reading and writing graded files."""

from __future__ import annotations

from collections.abc import Container, Iterator
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd

from exam_core.errors import BadInput, Problems
from exam_core.formats.extra import TooDeep, decode_extra, encode_extra
from exam_core.formats.json_lines import BadLine, add_bad_line, decode_line, excerpt
from exam_core.formats.lines import numbered_lines
from exam_core.formats.reading import MakeSpill, Reading, Rows
from exam_core.formats.workbench import graded_lines
from exam_core.formats.writing import write_lines
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
    reader = graded_lines.GradedRows(problems, bank_id, grader_id, make_spill)
    typed, untyped = msgspec.json.Decoder(graded_lines.Line), msgspec.json.Decoder()
    for number, line in numbered_lines(path, progress):
        try:
            (query, passages), raws = decode_line(line, typed, untyped)
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


def _reading(reader: graded_lines.GradedRows) -> Reading:
    problems, notes = reader.problems, list[str]()
    if not reader.listed and not problems.problems:
        problems.add(0, "no passages in the file", remedy=_LINE_REMEDY)
    if again := reader.listed - len(reader.places):
        notes.append(f"{again:,} passages occur more than once under their query.")
    parts = {name: rows.decide(problems, what) for name, (rows, what) in reader.tables.items()}
    notes += [
        f"{rows.merged:,} repeated {name} were merged." for name, (rows, _) in reader.tables.items() if rows.merged
    ]
    bank = Rows(QUESTIONS)  # the ids that were graded, without texts
    for (item, question_id, query_id), line in reader.questions.items():
        extra = encode_extra({"item": "nugget"} if item == "nugget" else None)
        name = _bank_of(reader, item, question_id)
        bank.add(line, name, 1, question_id, query_id, None, None, None, None, 1.0, True, None, extra)
    questions = bank.frame(problems, "question")[0]
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
    slots = len(reader.runs) * len(reader.ranked) * graded_lines.TOP
    if missing := slots - reader.at_top:
        notes.append(
            f"{missing:,} of {slots:,} top-{graded_lines.TOP} slots missing: the file leaves out passages that were "
            "not graded."
        )
    return reading


def _name_own_questions(reader: graded_lines.GradedRows) -> list[str]:
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


def _bank_of(reader: graded_lines.GradedRows, item: str, question_id: str) -> str:
    default = "nuggets" if item == "nugget" else "tqa" if question_id.startswith("NDQ_") else "questions"
    if reader.bank_id and item == "nugget" and "question" in reader.items:
        return f"{reader.bank_id}.nuggets"
    return reader.bank_id or default


def write_workbench(frames: dict[str, pd.DataFrame], graders: dict[str, dict[str, Any]], path: Path) -> None:
    """Write a collection as a workbench file, one line for each query.

    `frames`: the tables pool, passages, judgments, rankings and grades of one collection. `graders`: what is known of
    each grader in the grades.
    """
    write_lines(path, _lines(frames, graders))


def _lines(frames: dict[str, pd.DataFrame], graders: dict[str, dict[str, Any]]) -> Iterator[bytes]:
    texts = dict(zip(frames["passages"]["doc_id"], _objects(frames["passages"]["passage_text"]), strict=True))
    listed = set(zip(frames["pool"]["query_id"], frames["pool"]["doc_id"], strict=True))
    judgments = _by_pair(frames["judgments"], listed, ("relevance", "extra"))
    rankings = _by_pair(frames["rankings"], listed, ("run_id", "source_rank", "score", "extra"))
    grades = _by_pair(frames["grades"], listed, ("grader_id", "question_id", "grade", "answer", "correct", "decimal"))
    pool = frames["pool"].sort_values("position", kind="stable")
    rows = zip(pool["query_id"], pool["doc_id"], _objects(pool["extra"]), strict=True)
    # A query's passages need not stand together in the source; they do in the export.
    first = {query_id: place for place, query_id in enumerate(dict.fromkeys(pool["query_id"]))}
    ordered = sorted(rows, key=lambda row: first[row[0]])
    for query_id, group in groupby(ordered, key=itemgetter(0)):
        passages = []
        for _, doc_id, extra in group:
            pair = (query_id, doc_id)
            passages.append(
                _passage(
                    query_id,
                    doc_id,
                    texts.get(doc_id),
                    judgments.get(pair, []),
                    rankings.get(pair, []),
                    [row[1:] for row in grades.get(pair, [])],
                    decode_extra(extra),
                    graders,
                )
            )
        yield msgspec.json.encode([query_id, passages])


def _objects(series: pd.Series) -> list[Any]:
    return list(series.astype(object).where(series.notna(), None))


def _by_pair(
    frame: pd.DataFrame, listed: set[tuple[str, str]], columns: tuple[str, ...]
) -> dict[tuple[str, str], list[tuple[Any, ...]]]:
    """Rows (with the query_id that they name) by the listed query and passage, in the frame's order.

    What names a facet belongs to the passage that is listed under the facet's page.
    """
    pairs: dict[tuple[str, str], list[tuple[Any, ...]]] = {}
    names = ("query_id", "doc_id", *columns)
    for unit, doc_id, *values in zip(*(_objects(frame[name]) for name in names), strict=True):
        page = page_of(unit, doc_id, values[-1] if columns[-1] == "extra" else None, listed)
        pairs.setdefault((page, doc_id), []).append((unit, *values))
    return pairs


def page_of(unit: str, doc_id: str, extra: Any, listed: Container[tuple[str, str]]) -> str:
    """The query under which a passage is listed that an entry names with a query or one of its facets.

    Parameters
    ----------
    extra : what the entry says beyond its columns, for instance that it stood under another query
    listed : (query_id, doc_id) pairs; a page that is not among them is no page of the passage
    """
    page = str(decode_extra(extra).get("@", unit))
    while (page, doc_id) not in listed and "/" in page:
        page = page.rpartition("/")[0]
    return page


def _passage(
    query_id: str,
    doc_id: str,
    text: str | None,
    judgments: list[tuple[Any, ...]],
    rankings: list[tuple[Any, ...]],
    grades: list[tuple[Any, ...]],
    extra: dict[str, Any],
    graders: dict[str, dict[str, Any]],
) -> dict[str, Any]:
    data = {
        "judgments": [
            graded_lines.with_difference(
                graded_lines.judgment_entry(unit, doc_id, relevance, query_id), decode_extra(beyond)
            )
            for unit, relevance, beyond in judgments
        ],
        "rankings": [
            graded_lines.with_difference(graded_lines.ranking_entry(unit, doc_id, *place), decode_extra(beyond))
            for unit, *place, beyond in rankings
        ],
        **extra.pop("paragraph_data", {}),
    }
    passage: dict[str, Any] = {"paragraph_id": doc_id, "text": text, "paragraph_data": data}
    by_grader: dict[str, list[tuple[Any, ...]]] = {}
    for grader_id, *row in grades:
        by_grader.setdefault(grader_id, []).append(tuple(row))
    passes = extra.pop(graded_lines.PASSES, [])
    differences = {item["grader"]: item["difference"] for item in passes if "grader" in item}
    for grader_id in [*differences, *(name for name in by_grader if name not in differences)]:
        difference = differences.get(grader_id, {})
        grader = graders.get(grader_id, {})
        rows = by_grader.get(grader_id, [])
        slot = grader.get("slot") or ("grades" if rows and rows[0][0] is None else "exam_grades")
        passage.setdefault(slot, []).append(
            graded_lines.with_difference(_entry(slot, rows, grader_id, grader), difference)
        )
    for item in passes:
        if "empty" in item:
            passage[item["empty"]] = item["value"]
    return passage | extra


def _entry(slot: str, rows: list[tuple[Any, ...]], grader_id: str, grader: dict[str, Any]) -> dict[str, Any]:
    """A grading pass; a grader that did not come from a workbench file gets the fields it must have."""
    if "slot" in grader:
        return graded_lines.direct_entry(rows, grader) if slot == "grades" else graded_lines.exam_entry(rows, grader)
    about = {"llm": "labels", "llm_options": {}, "prompt_info": {"prompt_class": grader_id}}
    known = about | {"item": "question", "rated": True} | grader
    if slot == "exam_grades":
        return graded_lines.exam_entry(rows, known)
    # The format asks for a verdict and an answer; labels from a qrels file have neither.
    label, grade, answer, correct, decimal = rows[0]
    verdict = bool(grade and grade > 0) if correct is None else correct
    return graded_lines.direct_entry([(label, grade, answer or "", verdict, decimal)], known)

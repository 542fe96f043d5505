"""Writing graded files."""

from __future__ import annotations

from collections.abc import Container, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd

from exam_core.formats.extra import decode_extra
from exam_core.formats.workbench.graded_lines import (
    PASSES,
    direct_entry,
    exam_entry,
    judgment_entry,
    ranking_entry,
    with_difference,
)
from exam_core.formats.writing import write_lines


def write_workbench(frames: dict[str, pd.DataFrame], graders: dict[str, dict[str, Any]], path: Path) -> None:
    """Write a collection as a workbench file, one line for each query.

    Parameters
    ----------
    frames : the tables pool, passages, judgments, rankings and grades of one collection
    graders : what is known of each grader in the grades
    """
    write_lines(path, _lines(frames, graders))


def _lines(frames: dict[str, pd.DataFrame], graders: dict[str, dict[str, Any]]) -> Iterator[bytes]:
    texts = dict(zip(frames["passages"]["doc_id"], _objects(frames["passages"]["passage_text"]), strict=True))
    listed = set(zip(frames["pool"]["query_id"], frames["pool"]["doc_id"], strict=True))
    judgments = _by_pair(frames["judgments"], listed, ("relevance", "extra"))
    rankings = _by_pair(frames["rankings"], listed, ("run_id", "source_rank", "score", "extra"))
    grades = _by_pair(frames["grades"], listed, ("grader_id", "question_id", "grade", "answer", "correct"))
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
            with_difference(judgment_entry(unit, doc_id, relevance, query_id), decode_extra(beyond))
            for unit, relevance, beyond in judgments
        ],
        "rankings": [
            with_difference(ranking_entry(unit, doc_id, *place), decode_extra(beyond))
            for unit, *place, beyond in rankings
        ],
        **extra.pop("paragraph_data", {}),
    }
    passage: dict[str, Any] = {"paragraph_id": doc_id, "text": text, "paragraph_data": data}
    by_grader: dict[str, list[tuple[Any, ...]]] = {}
    for grader_id, *row in grades:
        by_grader.setdefault(grader_id, []).append(tuple(row))
    passes = extra.pop(PASSES, [])
    differences = {item["grader"]: item["difference"] for item in passes if "grader" in item}
    for grader_id in [*differences, *(name for name in by_grader if name not in differences)]:
        difference = differences.get(grader_id, {})
        grader = graders.get(grader_id, {})
        rows = by_grader.get(grader_id, [])
        slot = grader.get("slot") or ("grades" if rows and rows[0][0] is None else "exam_grades")
        passage.setdefault(slot, []).append(with_difference(_entry(slot, rows, grader_id, grader), difference))
    for item in passes:
        if "empty" in item:
            passage[item["empty"]] = item["value"]
    return passage | extra


def _entry(slot: str, rows: list[tuple[Any, ...]], grader_id: str, grader: dict[str, Any]) -> dict[str, Any]:
    """A grading pass; a grader that did not come from a workbench file gets the fields it must have."""
    if "slot" in grader:
        return direct_entry(rows, grader) if slot == "grades" else exam_entry(rows, grader)
    about = {"llm": "labels", "llm_options": {}, "prompt_info": {"prompt_class": grader_id}}
    known = about | {"item": "question", "rated": True} | grader
    if slot == "exam_grades":
        return exam_entry(rows, known)
    # The format asks for a verdict and an answer; labels from a qrels file have neither.
    label, grade, answer, correct = rows[0]
    verdict = bool(grade and grade > 0) if correct is None else correct
    return direct_entry([(label, grade, answer or "", verdict)], known)

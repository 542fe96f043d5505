"""Label files: any qrels file, taken as the labels that a grading mode gave to passages."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from exam_core.errors import visible
from exam_core.formats.reading import Reading
from exam_core.formats.trec import read_qrels
from exam_core.progress import Progress, no_progress
from exam_core.tables import GRADES

SCALES = {
    "FagB": 1,
    "FagB_few": 1,
    "HELM": 1,
    "Sun": 1,
    "Sun_few": 1,
    "Thomas": 2,
}
"""Largest label of the direct grading prompts (EXAM++, appendix A)."""


def read_labels(path: Path, *, grader_id: str, progress: Progress = no_progress) -> Reading:
    """Read labels as grades without a question.

    A value beyond the grader's scale is kept, with a note: the released Thomas labels have some.

    Raises
    ------
    BadInput : as `read_qrels`
    """
    reading = read_qrels(path, qrels_id=grader_id, progress=progress)
    judgments = reading.frames["judgments"]
    label = judgments["relevance"]
    largest = SCALES.get(grader_id, _scale(label))
    beyond = int((label > largest).sum())
    notes = list(reading.notes)
    if beyond:
        notes.append(f"{beyond:,} labels are above {largest}, the scale of {grader_id}; they are kept as they are.")
    grades = GRADES.frame(
        {
            "grader_id": [grader_id] * len(judgments),
            "query_id": judgments["query_id"],
            "doc_id": judgments["doc_id"],
            "grade": label,
        }
    )
    grader = {"kind": "labels", "scale": largest, "source": visible(path.name, line_ends=False)}
    counts = {"queries": grades["query_id"].nunique(), "labels": len(grades)}
    return Reading({"grades": grades}, {grader_id: grader}, counts, notes)


def _scale(label: pd.Series) -> int:
    largest = int(label.max()) if len(label) else 1
    return next((top for top in (1, 2, 5) if largest <= top), largest)

"""Label files: any qrels file, taken as the labels that a grading mode gave to passages."""

from __future__ import annotations

from pathlib import Path

from exam_core.errors import visible
from exam_core.formats.format import Format, Kind, Opening
from exam_core.formats.reading import Reading
from exam_core.formats.trec import are_qrels, read_qrels
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

SELF_RATED = {
    "NuggetSelfRatedPrompt": 5,
    "QuestionSelfRatedUnanswerablePromptWithChoices": 5,
}
"""Largest label of the self-rating prompts (EXAM++, table 1), whose label is a passage's best rating."""


def known_scale(grader_id: str) -> int | None:
    """The largest label that a known prompt asks for; None where the prompt is not known."""
    return SCALES.get(grader_id, SELF_RATED.get(grader_id))


def read_labels(path: Path, *, grader_id: str, progress: Progress = no_progress) -> Reading:
    """Read labels as grades without a question.

    The scale ends where the prompt's does, or at the largest label (at least 1) where the prompt is not known. A value
    beyond the scale is kept, with a note: the released Thomas labels have some.

    Raises
    ------
    BadInput : as `read_qrels`
    """
    reading = read_qrels(path, qrels_id=grader_id, progress=progress)
    judgments = reading.frames["judgments"]
    label = judgments["relevance"]
    largest = known_scale(grader_id) or max(1, int(label.max()) if len(label) else 1)
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


def _fits(opening: Opening) -> bool:
    """Qrels that are named after a known prompt, or speak of labels: judgments and labels are written alike."""
    name = opening.path.name
    stem = name.split(".")[0]
    return are_qrels(opening) and (stem in SCALES or "label" in name.lower() or stem.endswith("Prompt"))


LABELS = Kind(
    key="labels",
    noun="Labels of a grading mode",
    order=30,
    main="grades",
    option="grader",
    name="Name of the grading mode",
    needed=True,
    arguments=" --grader NAME",
)
ROWS = (
    Format(
        kind=LABELS,
        written="qrels format",
        looks="labels of a grading mode (qrels format)",
        order=70,
        fits=_fits,
        read=read_labels,
        alike=("qrels",),
    ),
)

"""Label files: any qrels file, taken as the labels that a grading mode gave to passages."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from exam_core.errors import UsageError, visible
from exam_core.formats.format import Format, Kind, Opening
from exam_core.formats.reading import MakeSpill, Reading
from exam_core.formats.records import first_records
from exam_core.formats.trec import judgments_of, kind_of
from exam_core.formats.trec_tables import JUDGED_COLUMNS
from exam_core.tables import GRADES, LARGEST_GRADE
from exam_core.wording import counted

_OF_MODELS = re.compile("label|umbrela|llm", re.IGNORECASE)
_GIVEN_BY_MODELS = re.compile(
    "^(reason|reasoning|rationale|explanation|judge|prompt|prediction|model)$|gpt|llm|llama|umbrela|claude|gemini|qwen",
    re.IGNORECASE,
)
"""Columns that a table of labels has, and one of human judgments has not."""
DECLARED: Literal["declared"] = "declared"
"""What `scale_from` of a grader says where somebody declared its scale."""
SCALES = {"FagB": 1, "FagB_few": 1, "HELM": 1, "Sun": 1, "Sun_few": 1, "Thomas": 2}
"""Largest label of the direct grading prompts (EXAM++, appendix A)."""

SELF_RATED = {
    "NuggetAssignmentPrompt": 2,
    "NuggetSelfRatedPrompt": 5,
    "QuestionSelfRatedUnanswerablePromptWithChoices": 5,
}
"""Largest label of prompts about questions or nuggets (EXAM++, table 1; ours): a passage's label is its best rating."""


def known_scale(grader_id: str) -> int | None:
    """The largest label that a known prompt asks for; None where the prompt is not known."""
    return SCALES.get(grader_id, SELF_RATED.get(grader_id))


def parse_scale(text: str | None) -> int | None:
    """The largest label of a scale that is written 0-3; None where nothing is declared.

    Raises UsageError where it is written otherwise.
    """
    if text is None or not text.strip():
        return None
    match = re.fullmatch(r"\s*0\s*-\s*([0-9]{1,3})\s*", text)
    if not match or not 1 <= int(match[1]) <= LARGEST_GRADE:
        raise UsageError(
            f"Scale {visible(text, line_ends=False)[:80]}: write it from 0 to the largest label, which is "
            f"{LARGEST_GRADE} at most, for instance 0-3."
        )
    return int(match[1])


def read_labels(
    path: Path, *, grader_id: str, scale: int | None = None, make_spill: MakeSpill | None = None, **options: Any
) -> Reading:
    """Read labels as grades without a question: see `as_labels`. Options and errors as of `judgments_of`."""
    reading, judgments = judgments_of(path, qrels_id=grader_id, failed=True, make_spill=make_spill, **options)
    return as_labels(reading, judgments, scale, visible(path.name, line_ends=False), make_spill)


def as_labels(
    reading: Reading,
    judgments: Iterable[pd.DataFrame],
    scale: int | None,
    source: str,
    make_spill: MakeSpill | None = None,
) -> Reading:
    """Judgments taken as the labels of graders; those beyond a scale, as the released Thomas labels have, are kept.

    `reading` has what is to be said of the judgments. `scale` is the largest label, where somebody declares it: None
    takes the prompt's where that is known, else the largest that there is, from which `store.scales` concludes nothing.
    """
    most, decimals, beyond = 1, 0, Counter[str]()

    def grades() -> Iterator[pd.DataFrame]:
        nonlocal most, decimals
        for batch in judgments:
            label = batch["relevance"]
            decimal = batch["decimal"] if "decimal" in batch else pd.Series(np.nan, batch.index)
            exact = decimal.fillna(label.astype("Float64").astype("float64"))
            most = max(most, math.ceil(exact.max()) if exact.notna().any() else 1)
            for grader_id, own in exact.groupby(batch["qrels_id"], sort=False):
                largest = scale or known_scale(str(grader_id))
                beyond[str(grader_id)] += int((own > largest).sum()) if largest else 0
            decimals += int(decimal.notna().sum())
            columns = {"grader_id": batch["qrels_id"], "query_id": batch["query_id"], "doc_id": batch["doc_id"]}
            yield GRADES.frame({**columns, "grade": label, "decimal": decimal})

    labels = Reading()
    labels.take("grades", grades(), make_spill)
    labels.counts, labels.notes = reading.counts | {"labels": labels.rows("grades")}, list(reading.notes)
    if decimals:
        labels.notes.append(about_decimals({"labels": decimals}))
    for grader_id in reading.judges:
        largest = scale or known_scale(grader_id) or most
        if count := beyond[grader_id]:
            labels.notes.append(
                f"{counted({'labels are': count})} above {largest}, where the scale of {grader_id} ends; they are kept."
            )
        declared = {"scale_from": DECLARED} if scale else {}
        labels.graders[grader_id] = {"kind": "labels", "scale": largest, "source": source, **declared}
    return labels


def about_decimals(count: dict[str, int]) -> str:
    """A note on grades that are no whole numbers: how many there are of what."""
    verb = "has" if set(count.values()) == {1} else "have"
    return (
        f"{counted(count)} {verb} decimals, which are kept: a tau such as 2.5 cuts them. Where whole grades are shown "
        "or counted, each is the largest whole number that is not above it."
    )


def _fits(opening: Opening) -> bool:
    """Qrels that are named after a prompt, or speak of labels or a model: judgments and labels are written alike."""
    name, fields = opening.path.name, first_records(opening, {})[0]
    stem = name.split(".")[0]
    is_named = stem in SCALES or stem.endswith("Prompt") or _OF_MODELS.search(name) is not None
    return kind_of(opening) == "judgments" and (is_named or any(map(_GIVEN_BY_MODELS.search, fields)))


LABELS = Kind(
    key="labels",
    noun="Labels of a grading mode",
    order=30,
    main="grades",
    template="""\
q1 0 d1 2
q1 0 d2 1
q2 0 d3 2
q2 0 d4 0
""",
    ending="txt",
    option="grader",
    name="Name of the grading mode",
    needed=True,
    arguments=" --grader NAME",
    replaces=True,
    scaled=True,
    columned=True,
    columns=JUDGED_COLUMNS,
)
ROWS = (
    Format(
        kind=LABELS,
        written="qrels format, CSV, JSON",
        looks="labels of a grading mode (qrels format)",
        order=70,
        fits=_fits,
        read=read_labels,
        explains=("JSON", "table", "text"),
        alike=("qrels",),
    ),
)

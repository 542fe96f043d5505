"""What tags the runs of a collection have."""

from __future__ import annotations

import pandas as pd

from exam_core.results import ResultTable, text, texts
from exam_core.store import Snapshot
from exam_core.store.summary import run_ids

_TAGS = "A property of the run for which a grader may favour it."
LISTED = ResultTable(
    "tags: rows",
    "A row for each run and tag; saved as CSV, it can be imported again",
    text("run_id", "Run", pinned=True),
    text("tag", "Tag", _TAGS),
)
RUNS = ResultTable(
    "tags: runs",
    "Every run with its tags",
    text("run_id", "Run", pinned=True),
    texts("tags", "Tags", _TAGS, width="large"),
)


def listed_tags(snapshot: Snapshot) -> pd.DataFrame:
    """`LISTED`, by run and tag."""
    return LISTED.of([(run, tag) for run, own in snapshot.tags for tag in own])


def tags_of_runs(snapshot: Snapshot) -> pd.DataFrame:
    """`RUNS`, by run; runs without a tag have an empty list."""
    tags = dict(snapshot.tags)
    return RUNS.of([(run, list(tags.get(run, ()))) for run in run_ids(snapshot)])

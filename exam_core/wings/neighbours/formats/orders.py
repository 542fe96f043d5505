"""Orders of answers by an expert and by a ranker, for the same tasks: CSV, as the NRP paper's data have them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from exam_core.errors import Problems
from exam_core.formats.delimited import Row, has_columns, table_rows
from exam_core.formats.extra import encode_extra
from exam_core.formats.format import Format, Kind
from exam_core.formats.reading import Reading, fault_of_id
from exam_core.progress import Progress, no_progress
from exam_core.tables import SCORES
from exam_core.wings.neighbours.expert_orders import METHOD, SIDES, Orders

NAMES = {
    "task": ("task_id", "query_id", "qid", "topic_id"),
    "ranker": ("system_ranking_best_first", "ranker_order"),
    "expert": ("expert_ranking_best_first", "expert_order"),
    "query_text": ("query",),
}


def read_orders(path: Path, *, progress: Progress = no_progress) -> list[Orders]:
    """Read orders, a task a line: its id, perhaps its query's text, and two orders whose items are parted by blanks.

    Raises BadInput where a column is missing; an order names an item twice, or what the other doesn't; a task occurs
    twice.
    """
    problems, found = Problems(path), dict[str, tuple[int, Orders]]()
    for row in table_rows(path, NAMES, problems, progress, needed=("task", *SIDES)):
        try:
            one = _orders(row)
        except ValueError as error:
            problems.add(row.line, str(error), remedy="Order the same items on both sides, each once.")
            continue
        line, _ = found.setdefault(one.task, (row.line, one))
        if line != row.line:
            problems.add(
                row.line, f"second orders of task {one.task}; the first are in line {line}", remedy="Keep one."
            )
    problems.raise_if_any()
    return [one for _, one in found.values()]


def read_orders_as_scores(path: Path, *, progress: Progress = no_progress) -> Reading:
    """Orders as rows of `scores`, two for each task; errors as `read_orders`."""
    found = read_orders(path, progress=progress)
    frame = orders_frame(found)
    return Reading({"scores": frame}, counts={"tasks": len(found), "orders": len(frame)})


def orders_frame(found: Iterable[Orders]) -> pd.DataFrame:
    """Orders as rows of `scores`, two for each task."""
    rows = [
        (METHOD, side, one.task, None, encode_extra({"items": list(getattr(one, side)), "query": one.query}))
        for one in found
        for side in SIDES
    ]
    return SCORES.of(rows)


def _orders(row: Row) -> Orders:
    task = row.of("task")
    if fault := fault_of_id(task):
        raise ValueError(f"the task {fault}")
    ranker, expert = (tuple(row.of(side).split()) for side in SIDES)
    for items, side in ((ranker, "ranker"), (expert, "expert")):
        if len(set(items)) < len(items):
            raise ValueError(f"the {side}'s order names an item twice")
        if not items:
            raise ValueError(f"the {side}'s order is empty")
    if set(ranker) != set(expert):
        alone = sorted(set(ranker) ^ set(expert))
        raise ValueError(f"only one of the orders has {', '.join(alone)}")
    return Orders(task, row.of("query_text") or None, ranker, expert)


ORDERS = Kind(
    key="orders",
    noun="Orders of an expert",
    order=86,
    main="scores",
    template="""\
task_id,query,system_ranking_best_first,expert_ranking_best_first
q1,what makes bread dough rise,a b c,a c b
q2,why do leaves change colour,c a b,c a b
""",
    columns={one: (one,) for one in NAMES},
)
ROWS = (
    Format(
        kind=ORDERS,
        written="CSV",
        looks="orders of answers by an expert",
        order=33,
        fits=lambda opening: has_columns(opening, NAMES, *SIDES),
        read=read_orders_as_scores,
        explains=("table", "text"),
    ),
)

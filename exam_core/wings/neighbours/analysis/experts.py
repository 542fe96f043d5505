"""Does the ranker order answers as an expert does? Agreement task by task, and who stands at which place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec
import numpy as np
import pandas as pd

from exam_core.errors import UsageError
from exam_core.numbers.rank_correlations import rank_correlation
from exam_core.results import ResultTable, count, number, text
from exam_core.store import Snapshot
from exam_core.wings.neighbours.analysis.ranked import known_answers
from exam_core.wings.neighbours.expert_orders import METHOD, SIDES, Orders
from exam_core.wording import counted

DOCUMENT = "Document"
"""What an item is called that no system wrote."""
NO_ORDERS = "{} has no orders of an expert. Import them (import orders FILE)."
TASK = text("task", "Task", pinned=True)
TASKS = ResultTable(
    "nrp-expert: rows",
    "Agreement of the ranker's order with the expert's, task by task",
    TASK,
    text("query_text", "Query", width="large"),
    count("n", "Items", unit="items"),
    number(
        "rbo",
        "RBO, p = 1",
        "Rank-biased overlap at p = 1: the overlap of the first d items, averaged over every depth d (Webber et al. "
        "2010; Heineking et al. 2024, section 3).",
        form="%.3f",
    ),
    number("kendall", "Kendall", "Kendall's tau of the two orders, which have no ties.", form="%.3f"),
)
PLACES = ResultTable(
    "nrp-expert: places",
    "Items of each kind at each rank, for the ranker and the expert",
    text("side", "Order of", pinned=True),
    number("place", "Place", "Rank of the item, from 1.", "place"),
    text("kind", "Written by", "The system that wrote the answer, or Document."),
    count("items", "Items", unit="items"),
)
FLOWS = ResultTable(
    "nrp-expert: flows",
    "Transitions: pairs of kinds at successive ranks, for the ranker and the expert",
    text("side", "Order of", pinned=True),
    number("place", "Place", "Rank of the first of the two, from 1.", "place"),
    text("kind", "Written by"),
    text("next_kind", "Followed by"),
    count("items", "Tasks", unit="tasks"),
)


@dataclass(frozen=True)
class ExpertAgreement:
    """Agreement of a ranker with an expert.

    Attributes
    ----------
    rbo, kendall : means over the tasks
    rows, places, flows : `TASKS`, `PLACES` and `FLOWS`
    """

    collection: str
    n_tasks: int
    rbo: float
    kendall: float
    rows: pd.DataFrame
    places: pd.DataFrame
    flows: pd.DataFrame
    notes: list[str] = field(default_factory=list)


class _TaskParts(msgspec.Struct):
    items: list[str]
    query: str | None = None


def stored_orders(snapshot: Snapshot) -> list[Orders]:
    """The orders that the collection holds; empty if none."""
    rows = snapshot.query("SELECT run_id, query_id, parts FROM scores WHERE method = ?", [METHOD])
    found: dict[str, dict[str, _TaskParts]] = {}
    for row in rows.itertuples():
        found.setdefault(row.query_id, {})[row.run_id] = msgspec.json.decode(row.parts, type=_TaskParts)
    return [
        Orders(task, sides["expert"].query, tuple(sides["ranker"].items), tuple(sides["expert"].items))
        for task, sides in found.items()
        if set(sides) == set(SIDES)
    ]


def expert_agreement(snapshot: Snapshot, orders: Sequence[Orders] | None = None) -> ExpertAgreement:
    """How well the ranker's orders agree with the expert's. Raises UsageError where there are no orders.

    Parameters
    ----------
    orders : by default those of the collection

    Returns
    -------
    RBO with p = 1 (average overlap) and Kendall's tau for each task, and their means; NaN for a task of one item

    Source: Heineking et al. 2024, sections 3 and 4 and figure 3.
    """
    orders = stored_orders(snapshot) if orders is None else orders
    if not orders:
        raise UsageError(NO_ORDERS.format(snapshot.collection))
    rows = TASKS.of([_agreement(one) for one in orders])
    systems = known_answers(snapshot)
    kinds = [{item: systems.get(item, DOCUMENT) for item in one.ranker} for one in orders]
    tasks = counted({"tasks": len(orders)})
    notes = [f"Means over {tasks}. An item that is not a known answer of the collection is a {DOCUMENT}."]
    if single := int(rows["kendall"].isna().sum()):
        notes.append(f"{counted({'tasks': single})} of one item: Kendall's mean is over the others.")
    if len(kinds) and all(kind == DOCUMENT for of_task in kinds for kind in of_task.values()):
        notes.append(f"{snapshot.collection} knows none of the ordered answers: import their ranks or texts.")
    return ExpertAgreement(
        snapshot.collection,
        len(orders),
        float(rows["rbo"].mean()),
        float(rows["kendall"].mean()),
        rows,
        PLACES.of([(*place, items) for place, items in _counted(orders, kinds, 1)]),
        FLOWS.of([(*place, items) for place, items in _counted(orders, kinds, 2)]),
        notes,
    )


def _agreement(one: Orders) -> tuple[object, ...]:
    place = {item: -float(number) for number, item in enumerate(one.expert)}
    expert = np.array([place[item] for item in one.ranker])
    kendall = rank_correlation(-np.arange(len(expert), dtype=float), expert).kendall
    return one.task, one.query, len(one.ranker), _average_overlap(one.ranker, one.expert), kendall


def _average_overlap(one: Sequence[str], other: Sequence[str]) -> float:
    """Rank-biased overlap at p = 1 of two orders of the same items: their first d have in common, averaged over d.

    Source: Webber, Moffat & Zobel 2010 (A Similarity Measure for Indefinite Rankings), section 3.
    """
    depths = range(1, len(one) + 1)
    return float(np.mean([len({*one[:depth]} & {*other[:depth]}) / depth for depth in depths]))


def _counted(
    orders: Sequence[Orders], kinds: Sequence[dict[str, str]], width: int
) -> list[tuple[tuple[object, ...], int]]:
    """How often kinds stand at so many successive places, by side and first place."""
    found: Counter[tuple[object, ...]] = Counter()
    for one, kind in zip(orders, kinds, strict=True):
        for side in SIDES:
            items = [kind[item] for item in getattr(one, side)]
            for place in range(len(items) - width + 1):
                found[(side, place + 1, *items[place : place + width])] += 1
    order = {side: number for number, side in enumerate(SIDES)}
    return sorted(found.items(), key=lambda pair: (order[str(pair[0][0])], pair[0][1], -pair[1], pair[0][2:]))

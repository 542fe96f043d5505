"""Rankers beside an expert."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from exam_core.answers.analysis import Subject, analysis
from exam_core.answers.answer import Answer, described
from exam_core.declared import Field
from exam_core.results import attributes


@dataclass(frozen=True, kw_only=True)
class NrpExpertOptions:
    """Which orders are compared."""

    orders: Annotated[Path | None, Field("File of orders; by default those of the collection.", argument=True)] = None


@analysis("nrp-expert")
def answer(subject: Subject, options: NrpExpertOptions) -> Answer:
    """How well a ranker orders answers as an expert does: RBO with p = 1 and Kendall's tau, task by task.

    Example: examboard nrp-expert demo-answers
    """
    from exam_core.reports.tables import written
    from exam_core.wings.neighbours.analysis.experts import TASKS, expert_agreement
    from exam_core.wings.neighbours.formats.orders import read_orders

    given = None if options.orders is None else read_orders(options.orders)
    found = expert_agreement(subject.snapshot, given)
    means = f"Means: RBO {found.rbo:.4f}, Kendall {written(found.kendall, '.4f')}."
    told = attributes(found, "collection", "n_tasks", "rbo", "kendall", "rows", "places", "flows", "notes")
    title = f"{subject.snapshot.collection}: rankers beside an expert"
    return Answer(title, described(found.rows, TASKS), [means, *found.notes], told=told)

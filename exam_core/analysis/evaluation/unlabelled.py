"""Values of measures that look at no grades: at what runs wrote, or at values that the store holds."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.sides import about_sides, sides
from exam_core.analysis.evaluation.stored import stored_values
from exam_core.errors import UsageError
from exam_core.measures import MEASURES
from exam_core.measures.gradebook import Bools, Floats
from exam_core.store import Snapshot
from exam_core.store.summary import banks, graders, qrels_ids, run_ids

KEPT = 24


@dataclass(frozen=True)
class Unlabelled:
    """What a measure that looks at no grades is worth.

    Parameters
    ----------
    values : (R, Q); 0 where a run returned nothing, NaN where a query has nothing to be compared with
    returned : (R, Q) whether the run returned anything for the query
    """

    run_ids: list[str]
    query_ids: list[str]
    values: Floats
    returned: Bools
    notes: tuple[str, ...] = field(default=())


def unlabelled_values(snapshot: Snapshot, choice: Evaluation) -> Unlabelled:
    """The choice's values, by the rules of its averaging.

    Raises
    ------
    UsageError : there are no texts of runs, no nuggets, or no stored values
    UndefinedMeasure : the measure's options leave a query without a value
    """
    found = _kept(snapshot, replace(choice, tau=0, rounded="none", missing="zero", reference=None))
    if choice.missing == "zero":
        return found
    return replace(found, values=np.where(found.returned, found.values, np.nan))

"""A measure query by query, as one reads it outside: a row for each run and query."""

from __future__ import annotations

import numpy as np
import pandas as pd

from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.values import counted_values
from exam_core.analysis.shared_columns import QUERY, RUN
from exam_core.results import ResultTable, decimal
from exam_core.store import Snapshot

BY_QUERY = ResultTable(
    "evaluate: rows",
    "A measure's value for every run and query; NaN where the query does not count for the run",
    RUN,
    QUERY,
    decimal("value", "Value", "The run's value on the query; the mean over the queries is the run's score.", "score"),
)


def by_query(snapshot: Snapshot, choice: Evaluation) -> pd.DataFrame:
    """The values that a leaderboard's means are taken over: `BY_QUERY`, run by run.

    Raises
    ------
    UsageError, UndefinedMeasure : as those of a leaderboard
    """
    found = counted_values(snapshot, choice)
    runs, queries = found.values.shape
    return BY_QUERY.of(
        {
            "run_id": np.repeat(np.array(found.run_ids, object), queries),
            "query_id": np.tile(np.array(found.query_ids, object), runs),
            "value": found.values.ravel(),
        }
    )

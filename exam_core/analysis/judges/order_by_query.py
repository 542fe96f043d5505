"""Whether grader and judges order the runs alike, query by query."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from exam_core.analysis.evaluation.choosing import choose, choose_labelling
from exam_core.analysis.evaluation.references import has_values, judged_by, needed_reference, paired
from exam_core.analysis.judges.label_agreement import Agreement, with_shrunk
from exam_core.analysis.uncertainty.redraws import values_of_runs
from exam_core.asked import DEPTH, Asked
from exam_core.errors import UndefinedMeasure, UsageError
from exam_core.measures import Measure
from exam_core.numbers.rank_correlations import correlations
from exam_core.numbers.shrinkage import shrunk_kendall
from exam_core.store import Snapshot
from exam_core.store.summary import leaderboard_ids, run_ids
from exam_core.tables import OFFICIAL

COEFFICIENTS = ("kendall", "spearman")


@dataclass(frozen=True)
class QueryCorrelations:
    """Coefficients over the runs of each query: query_id, kendall, spearman; over how many runs, what beside what."""

    rows: pd.DataFrame
    runs: int
    measure: str
    reference: str
    notes: list[str] = field(default_factory=list)


def correlations_of(snapshot: Snapshot, asked: Asked, judgments: str = OFFICIAL) -> QueryCorrelations:
    """Correlation of the runs' values on each query, by labels and by judgments, or by a leaderboard's own values.

    Parameters
    ----------
    asked : with a leaderboard as its reference that was imported with values by query, this one is compared with
        whose measure is taken; of a grader of whole passages, precision of the same depth stands for a measure of
        questions

    Returns
    -------
    no rows where there are no runs, or no measure of them; NaN on a query where all runs have one value

    Source: Kendall 1945 (tau-b).
    """
    named = asked.reference if asked.reference in leaderboard_ids(snapshot) else None
    if named and not has_values(snapshot, named):
        named = None
    reference = named or judged_by(asked, judgments)
    nothing = QueryCorrelations(pd.DataFrame(columns=["query_id", *COEFFICIENTS]), 0, asked.measure, reference)
    if not run_ids(snapshot):
        return replace(nothing, notes=["There are no runs: no correlation of runs by query."])
    measure = Measure.parse(asked.measure)
    if measure.info.of == "questions" and choose_labelling(snapshot, asked).grading.is_direct:
        asked = asked.but(measure=f"P@{measure.depth or DEPTH}")
        reference = named or judged_by(asked, judgments)
    try:
        choice = choose(snapshot, asked.but(reference=None))
        both = paired(values_of_runs(snapshot, choice), needed_reference(snapshot, reference, choice))
    except (UndefinedMeasure, UsageError) as error:
        return replace(nothing, notes=[f"There is no correlation of runs by query: {error}"])
    if both.reference_values is None:
        return replace(nothing, notes=[f"There is no correlation of runs by query: {reference} has other queries."])
    found = correlations(both.values.T, both.reference_values.T, COEFFICIENTS)
    rows = pd.DataFrame({"query_id": both.query_ids, **{name: getattr(found, name) for name in COEFFICIENTS}})
    notes = (
        [f"Kendall and Spearman of each query compare the runs with {named}, and not with judgments."] if named else []
    )
    return QueryCorrelations(rows, len(both.run_ids), str(choice.measure), reference, notes)


def with_runs(found: Agreement, beside: QueryCorrelations) -> Agreement:
    """The same, each query with the correlation of its runs, as it is and shrunk."""
    of = beside.rows.set_index("query_id").reindex(found.per_query["query_id"])
    columns = {name: of[name].to_numpy(float) for name in COEFFICIENTS}
    found = replace(found, per_query=found.per_query.assign(**columns), notes=[*found.notes, *beside.notes])
    return with_shrunk(found, "kendall", shrunk_kendall(np.asarray(columns["kendall"], float), beside.runs))

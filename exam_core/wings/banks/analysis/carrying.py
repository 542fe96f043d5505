"""Which displaced runs owe their place to a single question."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from exam_core.analysis.bank.question_texts import with_words
from exam_core.analysis.displacement.outliers import outliers
from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.references import find_reference, no_reference, paired
from exam_core.analysis.shared_columns import FLAGGED, QUESTION, QUESTION_TEXT, REFERENCE_RANK, RUN
from exam_core.analysis.uncertainty.boards_without import boards_without, questions_of
from exam_core.analysis.uncertainty.redraws import redrawing, values_of_runs
from exam_core.numbers.arrays import Floats
from exam_core.numbers.displacement import displacements
from exam_core.numbers.rank_correlations import DIGITS, mean_rank
from exam_core.progress import Progress, no_progress
from exam_core.results import ResultTable, flag, rank
from exam_core.store import Snapshot

CARRIED = 0.25
"""A question carries a run where at least this share of its displacement goes without it, and at least a place."""
LEAST_PLACES = 3
"""A run that is displaced by less is not looked at: any question may move it so far."""
ROWS = ResultTable(
    "bank health: displaced",
    f"Runs displaced by at least {LEAST_PLACES} ranks, and the question whose removal reduces that most; the largest "
    "displacement first",
    RUN,
    REFERENCE_RANK,
    rank("displacement", "Displacement", "Rank in the reference minus own rank: promoted runs are positive.", "ranks"),
    replace(FLAGGED, help="Significantly displaced, as in `outliers`."),
    QUESTION_TEXT,
    rank("without", "Displacement without", "The displacement without the question.", "ranks"),
    rank("fall", "Fall", "How much smaller the displacement would be; 0 where no single question matters.", "ranks"),
    flag(
        "carried",
        "Carried",
        f"Yes if this question alone explains at least one rank and {CARRIED:.0%} of the displacement, and no other "
        "question as much.",
    ),
    QUESTION,
)


@dataclass(frozen=True)
class Carried:
    """The displaced runs with the question that each owes most to.

    Parameters
    ----------
    reference : its name; None where there is none, and no run is displaced
    rows : `ROWS`; without a question where several make the same difference, or none makes one
    """

    reference: str | None
    rows: pd.DataFrame
    notes: list[str] = field(default_factory=list)


def carried(snapshot: Snapshot, choice: Evaluation, *, progress: Progress = no_progress) -> Carried:
    """Leave out each question in turn, and see which displaced run comes nearest to where the reference has it.

    A question that is asked under several queries is left out of all of them.

    Raises
    ------
    UsageError : no such reference, no runs, or nothing to evaluate
    UndefinedMeasure : there are no questions
    """
    values = values_of_runs(snapshot, choice)
    other = find_reference(snapshot, choice.reference, choice)
    if other is None:
        return Carried(None, ROWS.of(), [no_reference(snapshot)])
    again = redrawing(snapshot, choice)
    both = paired(values, other)
    mine = [values.run_ids.index(name) for name in both.run_ids]
    mean, means = boards_without(again, progress)
    moved = displacements(mean[mine], -both.ranks)
    without = displacements(means[:, mine], -both.ranks)
    asked = questions_of(again.book)
    rows = _rows(both.run_ids, moved, without, list(asked)).assign(
        reference_rank=mean_rank(-both.ranks), flagged=_flagged(snapshot, choice, both.run_ids)
    )
    rows = rows[rows["displacement"].abs() >= LEAST_PLACES]
    first = [again.book.query_ids[asked[name][0][0]] if name else "" for name in rows["question_id"]]
    rows = rows.assign(query_id=pd.Series(first, rows.index, dtype=object))
    rows = with_words(snapshot, choice.grading, rows)
    size = rows["displacement"].abs()
    rows = rows.assign(_size=size).sort_values(["_size", "run_id"], ascending=[False, True], ignore_index=True)
    return Carried(other.name, ROWS.of(rows))


def _rows(run_ids: list[str], moved: Floats, without: Floats, questions: list[str]) -> pd.DataFrame:
    """Each run's displacement, and the one question without which it is least.

    Parameters
    ----------
    moved : (n,) displacements with all questions
    without : (questions, n) without each
    """
    fall = np.round(np.nan_to_num(np.abs(moved) - np.abs(without), nan=-np.inf), DIGITS)
    most, which = fall.max(axis=0), fall.argmax(axis=0)
    alone = (most > 0) & ((fall == most).sum(axis=0) == 1)
    at = np.arange(len(run_ids))
    return pd.DataFrame(
        {
            "run_id": run_ids,
            "displacement": moved,
            "question_id": pd.Series(
                [questions[place] if one else None for place, one in zip(which, alone, strict=True)], dtype=object
            ),
            "without": np.where(alone, without[which, at], moved),
            "fall": np.where(alone, most, 0.0),
            "carried": alone & (most >= np.maximum(1, CARRIED * np.abs(moved))),
        }
    )


def _flagged(snapshot: Snapshot, choice: Evaluation, run_ids: list[str]) -> list[bool]:
    """Whether each run's displacement is more than chance in the queries does."""
    tested = outliers(snapshot, [choice]).rows
    known = dict(zip(tested["run_id"], tested["flagged"].fillna(False), strict=True))
    return [bool(known.get(name, False)) for name in run_ids]

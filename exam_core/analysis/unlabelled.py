"""Values of measures that look at no grades: at what runs wrote, or at values that the store holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from exam_core import wings
from exam_core.analysis.choice import Evaluation
from exam_core.errors import UndefinedMeasure
from exam_core.measures import MEASURES, Measure
from exam_core.measures.info import Of
from exam_core.numbers.arrays import Bools, Floats
from exam_core.numbers.means import answered
from exam_core.request import JUDGED_MEASURE
from exam_core.store import Snapshot
from exam_core.store.snapshot import kept
from exam_core.store.summary import graders, qrels_ids, run_ids

KEPT = 24


@dataclass(frozen=True)
class Unlabelled:
    """What a measure that looks at no grades is worth, for R runs and Q queries.

    Parameters
    ----------
    returned : (R, Q) whether the run returned anything for the query
    by_query : (R, Q) values; 0 where a run returned nothing, NaN where a query has nothing to be compared with. None
        where the options ask for what is no mean over queries
    pooled : (R,) what it is then; otherwise None
    notes : what must be known of them
    """

    run_ids: list[str]
    query_ids: list[str]
    returned: Bools
    by_query: Floats | None
    pooled: Floats | None = None
    notes: tuple[str, ...] = ()

    @property
    def counted(self) -> Bools:
        """(Q,) which queries have a value, or a share in it."""
        if self.by_query is None:
            return np.ones(len(self.query_ids), bool)
        return np.asarray(~np.isnan(self.by_query).all(axis=0))


@dataclass(frozen=True)
class MeasureSource:
    """What measures look at that look at no grades; a file `analysis/unlabelled.py` of a wing has its own in `SOURCES`.

    Attributes
    ----------
    of : what its measures look at, as their rows say
    held : whether a collection has it
    values : what such a measure is worth
    choices : by option of such measures, the values that a collection has for it
    """

    of: Of
    available: Callable[[Snapshot], bool]
    values: Callable[[Snapshot, Evaluation], Unlabelled]
    choices: Callable[[Snapshot], Mapping[str, Sequence[str]]] = lambda _: {}


def _sources() -> dict[Of, MeasureSource]:
    return {source.of: source for source in wings.declared("unlabelled")}


def choices_of(snapshot: Snapshot, measure: str) -> Mapping[str, Sequence[str]]:
    """By option of a measure, the values that a collection has for it; empty for options of other values."""
    source = _sources().get(MEASURES[measure].of)
    return source.choices(snapshot) if source else {}


def unlabelled(snapshot: Snapshot, choice: Evaluation) -> Unlabelled:
    """What a choice's measure is worth that looks at no grades, whatever the rules of its averaging.

    Raises UsageError where there are no texts of runs, no nuggets, or no stored values.
    """
    return _kept(snapshot, replace(choice, tau=0, rounded="none", missing="zero", reference=None))


def unlabelled_values(snapshot: Snapshot, choice: Evaluation) -> Floats:
    """(R, Q) values of `unlabelled`; NaN where a query does not count for a run, by the rules of the averaging.

    Raises
    ------
    UsageError : as there
    UndefinedMeasure : the options ask for what has no value for a query
    """
    result = unlabelled(snapshot, choice)
    if result.by_query is None:
        raise UndefinedMeasure(f"{choice.measure} is not a mean over queries, so it has no values to resample or test.")
    return np.where(answered(result.returned, skips=choice.missing == "skip"), result.by_query, np.nan)


@kept(64)
def measures_of(snapshot: Snapshot) -> list[str]:
    """The measures that a collection has what it takes for; all of grades where it has nothing at all.

    Where there are judgments and no grades, these are those of labels, the usual one first. Any of them can be asked
    for by name: those of nuggets of a bank, too, that says nothing of their importance.
    """
    rated = not snapshot.query("SELECT 1 FROM questions WHERE importance IS NOT NULL LIMIT 1").empty
    sources = {name: source.available(snapshot) for name, source in _sources().items()}
    modes, scores = bool(graders(snapshot)), sources.get("scores", False)
    judged = bool(run_ids(snapshot)) and not modes and not scores and bool(qrels_ids(snapshot))
    contents = {"questions": modes or not (judged or scores), "labels": modes or not scores, **sources}
    names = [name for name, info in MEASURES.items() if contents[info.of] and (rated or not info.of_nuggets)]
    usual = Measure.parse(JUDGED_MEASURE).name
    return sorted(names, key=lambda name: name != usual) if judged else names


@kept(KEPT)
def _kept(snapshot: Snapshot, choice: Evaluation) -> Unlabelled:
    unlabelled = _sources()[choice.measure.info.of].values(snapshot, choice)
    if unlabelled.by_query is not None:
        unlabelled.by_query.flags.writeable = False
    return unlabelled

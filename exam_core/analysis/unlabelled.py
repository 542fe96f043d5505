"""Values of measures that look at no grades: at runs' texts, or at stored values."""

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
from exam_core.numbers.means import counted_mask
from exam_core.request import JUDGED_MEASURE
from exam_core.store import Snapshot
from exam_core.store.snapshot import cached_by_snapshot
from exam_core.store.summary import graders, qrels_ids, run_ids

KEPT = 24


@dataclass(frozen=True)
class Unlabelled:
    """Values of a measure that looks at no grades, for R runs and Q queries.

    Parameters
    ----------
    returned : (R, Q) whether the run returned anything for the query
    by_query : (R, Q) values; 0 where a run returned nothing, NaN where a query has nothing to be compared with. None
        where, by the options, the value is no mean over queries
    pooled : (R,) values that are no mean over queries, or else None
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
    """The source of measures that look at no grades; wings declare theirs.

    Attributes
    ----------
    of : the source, as rows of measures name it
    available : whether a collection has it
    values : of such a measure
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
    """The values of a choice's measure, which looks at no grades, whatever the rules of averaging.

    Raises UsageError where there are no texts of runs, no nuggets, or no stored values.
    """
    return _kept(snapshot, replace(choice, tau=0, rounded="none", missing="zero", reference=None))


def unlabelled_values(snapshot: Snapshot, choice: Evaluation) -> Floats:
    """(R, Q) values of `unlabelled`; NaN where a query does not count for a run, by the rules of the averaging.

    Raises UsageError as `unlabelled`; UndefinedMeasure where, by the options, the value is no mean over queries.
    """
    result = unlabelled(snapshot, choice)
    if result.by_query is None:
        raise UndefinedMeasure(f"{choice.measure} is not a mean over queries, so it has no values to resample or test.")
    return np.where(counted_mask(result.returned, skips=choice.missing == "skip"), result.by_query, np.nan)


@cached_by_snapshot(64)
def measures_of(snapshot: Snapshot) -> list[str]:
    """The measures to offer for the contents of a collection; all measures of grades where it has no contents.

    Where there are judgments and no grades, these are those of labels, the usual one first. Others can be named, too:
    those of nuggets, for instance, where a bank does not say which questions are important.
    """
    rated = not snapshot.query("SELECT 1 FROM questions WHERE importance IS NOT NULL LIMIT 1").empty
    sources = {name: source.available(snapshot) for name, source in _sources().items()}
    modes, scores = bool(graders(snapshot)), sources.get("scores", False)
    judged = bool(run_ids(snapshot)) and not modes and not scores and bool(qrels_ids(snapshot))
    contents = {"questions": modes or not (judged or scores), "labels": modes or not scores, **sources}
    names = [name for name, info in MEASURES.items() if contents[info.of] and (rated or not info.of_nuggets)]
    usual = Measure.parse(JUDGED_MEASURE).name
    return sorted(names, key=lambda name: name != usual) if judged else names


@cached_by_snapshot(KEPT)
def _kept(snapshot: Snapshot, choice: Evaluation) -> Unlabelled:
    unlabelled = _sources()[choice.measure.info.of].values(snapshot, choice)
    if unlabelled.by_query is not None:
        unlabelled.by_query.flags.writeable = False
    return unlabelled

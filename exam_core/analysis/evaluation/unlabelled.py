"""Values of measures that look at no grades: at what runs wrote, or at values that the store holds."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.sides import AboutSides, about_sides, sides
from exam_core.analysis.generated.ranked import choose_ranker, ranked_answers, rankers_of
from exam_core.asked import JUDGED_MEASURE
from exam_core.errors import UndefinedMeasure, UsageError
from exam_core.measures import MEASURES, Measure
from exam_core.measures.texts.sides import Sides
from exam_core.numbers.arrays import Bools, Floats
from exam_core.numbers.means import answered
from exam_core.store import Snapshot
from exam_core.store.keeping import kept
from exam_core.store.summary import banks, graders, qrels_ids, run_ids

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


def unlabelled(snapshot: Snapshot, choice: Evaluation) -> Unlabelled:
    """What a choice's measure is worth that looks at no grades, whatever the rules of its averaging.

    Raises
    ------
    UsageError : there are no texts of runs, no nuggets, or no stored values
    """
    return _kept(snapshot, replace(choice, tau=0, rounded="none", missing="zero", reference=None))


def unlabelled_values(snapshot: Snapshot, choice: Evaluation) -> Floats:
    """(R, Q) values of `unlabelled`; NaN where a query does not count for a run, by the rules of the averaging.

    Raises
    ------
    UsageError : as there
    UndefinedMeasure : the options ask for what has no value for a query
    """
    found = unlabelled(snapshot, choice)
    if found.by_query is None:
        raise UndefinedMeasure(
            f"{choice.measure} is no mean over queries: it has no values by query to resample or test."
        )
    return np.where(answered(found.returned, skips=choice.missing == "skip"), found.by_query, np.nan)


@kept(64)
def measures_of(snapshot: Snapshot) -> list[str]:
    """The measures that a collection has what it takes for; all of grades where it has nothing at all.

    Where there are judgments and no grades, these are those of labels, the usual one first. Any of them can be asked
    for by name: those of nuggets of a bank, too, that says nothing of their importance.
    """
    rated = not snapshot.query("SELECT 1 FROM questions WHERE importance IS NOT NULL LIMIT 1").empty
    runs, modes, scores = bool(run_ids(snapshot)), bool(graders(snapshot)), bool(rankers_of(snapshot))
    judged = runs and not modes and not scores and bool(qrels_ids(snapshot))
    held = {
        "questions": modes or not (judged or scores),
        "labels": modes or not scores,
        "texts": runs and bool(banks(snapshot)),
        "scores": scores,
    }
    found = [name for name, info in MEASURES.items() if held[info.of] and (rated or not info.of_nuggets)]
    usual = Measure.parse(JUDGED_MEASURE).name
    return sorted(found, key=lambda name: name != usual) if judged else found


@kept(KEPT)
def _kept(snapshot: Snapshot, choice: Evaluation) -> Unlabelled:
    found = _of_texts(snapshot, choice) if choice.measure.info.of == "texts" else _of_scores(snapshot, choice)
    if found.by_query is not None:
        found.by_query.flags.writeable = False
    return found


def _of_texts(snapshot: Snapshot, choice: Evaluation) -> Unlabelled:
    both, about = sides_of(snapshot, choice)
    info, options = choice.measure.info, choice.measure.options
    pooled = info.pooled(both, options) if info.pooled else None
    values = info.compute(both, options) if pooled is None else None
    notes = (*about.notes, *(info.notes(both, options) if info.notes else ()))
    return Unlabelled(list(both.run_ids), list(both.query_ids), about.returned, values, pooled, notes)


def sides_of(snapshot: Snapshot, choice: Evaluation) -> tuple[Sides, AboutSides]:
    """What runs wrote down to the measure's depth, beside the bank's nuggets.

    Raises
    ------
    UsageError : there are no runs, or no nugget with a text
    """
    labelling = choice.labelling
    assert labelling.grading.bank is not None, "a measure of texts is of a bank"
    place = labelling.grading.bank, choice.measure.depth or labelling.depth, labelling.order
    both = sides(snapshot, *place)
    if not both.run_ids or not both.query_ids:
        what = "no runs" if not both.run_ids else f"no nugget with a text in bank {labelling.grading.bank}"
        raise UsageError(f"{snapshot.collection} has {what}: {choice.measure} compares what runs wrote with nuggets.")
    return both, about_sides(snapshot, *place)


def _of_scores(snapshot: Snapshot, choice: Evaluation) -> Unlabelled:
    options = choice.measure.options
    answers = ranked_answers(snapshot, choose_ranker(snapshot, options.ranker or None, "NRP(ranker={})"))
    places, shape = (answers.run, answers.query), (len(answers.runs), len(answers.queries))
    values = choice.measure.info.compute(answers.rank, answers.size, places, shape, options)
    stays = [place for place, run in enumerate(answers.run_ids) if run not in snapshot.left_out]
    returned = np.zeros(shape, bool)
    returned[places] = True
    kept = [answers.run_ids[place] for place in stays]
    # As everywhere, a query without results counts 0, unless it is asked to be left out; answers that no document was
    # ranked with have no value where documents are counted.
    return Unlabelled(kept, list(answers.queries), returned[stays], np.where(returned, values, 0.0)[stays])

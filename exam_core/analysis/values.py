"""Values by run and query of an evaluation, from gradebooks that hold the grades once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from exam_core.analysis.choice import AS_BANKED, Evaluation, Grading, LabelRule, QuestionChoice
from exam_core.analysis.gradebook_files import load_or_build
from exam_core.analysis.groups import mean_of_runs, systems_of
from exam_core.analysis.shared_columns import QUERY, RUN
from exam_core.analysis.unlabelled import Unlabelled, unlabelled, unlabelled_values
from exam_core.errors import UsageError
from exam_core.measures import Measure
from exam_core.measures.gradebook import Gradebook, Labels
from exam_core.measures.marks import mapped
from exam_core.measures.places import Gaps, gaps_of, undefined
from exam_core.measures.sweep import HELD, by_runs, places_read
from exam_core.numbers.arrays import Bools, Floats
from exam_core.numbers.means import counted_mask
from exam_core.request import Order
from exam_core.results import ResultTable, decimal
from exam_core.store import Snapshot, cells
from exam_core.store.derived_files import on_disk
from exam_core.store.scales import decimals
from exam_core.store.snapshot import cached_by_snapshot
from exam_core.store.summary import run_ids
from exam_core.wording import quoted

KEPT_BOOKS, ROOM = 12, 256 * 2**20
NO_GRADES = (
    "This measure uses texts or stored values, not grades, so it has no labels, questions or taus. Choose a measure "
    "of grades, such as Cover@20 or P@20."
)


def gradebook(snapshot: Snapshot, labelling: LabelRule) -> Gradebook:
    """The gradebook of a labelling, the same for every label rank and label map.

    Raises UsageError where there are no grades on the selected questions.
    """
    grading = labelling.grading
    if grading.grader is None and grading.judgments is None:
        raise UsageError(NO_GRADES)
    if grading.judgments:
        grading = Grading(judgments=grading.judgments)
    elif (grading.raised or grading.exact) and not decimals(snapshot).get(grading.grader or ""):
        grading = replace(grading, raised=0.0, exact=False)
    return _asked(snapshot, grading, labelling.depth, labelling.order, labelling.asking)


@cached_by_snapshot(KEPT_BOOKS, ROOM)
def _asked(snapshot: Snapshot, grading: Grading, depth: int | None, order: Order, asking: QuestionChoice) -> Gradebook:
    book = _read(snapshot, grading, depth, order)
    if asking == AS_BANKED:
        return book
    unknown = asking.drop - {name for names in book.question_ids for name in names}
    if unknown:
        raise UsageError(f"Not among the graded questions: {', '.join(sorted(unknown)[:5])}.")
    book = book.without(asking.drop) if asking.drop else book
    book = book.counting(asking.counting) if asking.counting else book
    return book.asking_more(asking.added) if asking.added else book


@cached_by_snapshot(KEPT_BOOKS, ROOM)
def _read(snapshot: Snapshot, grading: Grading, depth: int | None, order: Order) -> Gradebook:
    if grading.exact:
        book = _read(snapshot, replace(grading, exact=False), depth, order)
        return replace(book, decimals=cells.decimal_grades(snapshot, _source(grading, depth, order)))
    asked_for = (grading, depth, order)
    book = load_or_build(snapshot, asked_for, partial(_from_store, snapshot, grading, depth, order))
    # A pass that came with others asks some of their bank's questions; EXAM is the share of its own.
    request = snapshot.graders.get(grading.grader or "", {}).get("asks")
    return book.asked_only(request) if request and book.has_questions else book


def _source(grading: Grading, depth: int | None, order: Order) -> cells.CellSource:
    bank = (grading.bank.name, grading.bank.version or 0) if grading.bank else None
    return cells.CellSource(bank, grading.grader, grading.judgments, depth, order, grading.raised)


def _from_store(
    snapshot: Snapshot, grading: Grading, depth: int | None, order: Order, *, in_parts: bool
) -> Iterator[Gradebook]:
    source = _source(grading, depth, order)
    parts = cells.cells_in_parts(snapshot, source) if in_parts else [cells.read_cells(snapshot, source)]
    has_queries = False
    for part in parts:
        has_queries = has_queries or bool(part.query_ids)
        yield Gradebook(**vars(part), depth=depth)
    if has_queries:
        return
    if grading.bank:
        raise UsageError(
            f"{grading.grader} has no grades on version {grading.bank.version} of bank {grading.bank.name}."
        )
    raise UsageError(
        f"The questions that {grading.grader} graded are in no bank. Add it with: "
        f"examboard import bank FILE --bank NAME --collection {quoted(snapshot.collection)}"
    )


@cached_by_snapshot(KEPT_BOOKS, ROOM)
def gaps(snapshot: Snapshot, labelling: LabelRule) -> Gaps:
    """The parts of rankings that the grades of a labelling don't cover. Raises UsageError as `gradebook`."""
    # Each step of what-if asks other questions: it leaves no file.
    return (_filed_gaps if labelling.asking == AS_BANKED else _gaps)(snapshot, labelling)


def _gaps(snapshot: Snapshot, labelling: LabelRule) -> Gaps:
    return gaps_of(gradebook(snapshot, labelling).without_strangers())


_filed_gaps = on_disk(_gaps)


def clear_gradebooks() -> None:
    """Drop all gradebooks, so that the next use reads them again; for measuring how long that takes."""
    gaps.clear()
    _asked.clear()
    _read.clear()
    cells.forget()


def pair_labels(snapshot: Snapshot, labelling: LabelRule) -> Labels:
    """(P,) label of each pair of the gradebook, by label rank and label map. Raises UsageError as `gradebook`."""
    return mapped(gradebook(snapshot, labelling).labels(labelling.label_rank), labelling.mapping)


def no_runs(snapshot: Snapshot) -> str:
    """The message that there are no runs, or none that fits, with a remedy."""
    if runs := run_ids(snapshot):
        return f"None of the {len(runs):,} runs of {snapshot.collection} returned anything for the graded queries."
    return (
        f"{snapshot.collection} has no runs. Add them with: "
        f"examboard import run FILE --collection {quoted(snapshot.collection)}"
    )


KEPT = 6


@dataclass(frozen=True)
class Values:
    """A measure's (R, Q) values by run and query; NaN where a query does not count for a run."""

    run_ids: list[str]
    query_ids: list[str]
    values: Floats

    @property
    def averaged(self) -> int:
        """How many runs have a mean."""
        return int((~np.isnan(self.values)).any(axis=1).sum())


def all_values(snapshot: Snapshot, choice: Evaluation, measures: Sequence[Measure] = ()) -> Floats:
    """(M, T, R, Q) values of several measures (the choice's own by default) at every tau of the choice.

    NaN where a query does not count: no grade of it counts, nothing that the value rests on can be read, or the
    choice skips queries for which a run returned nothing. A run that returned nothing for any of the queries has no
    values: its queries are other ones, or are named otherwise.
    """
    measures = tuple(measures) or (choice.measure,)
    any_tau = choice.tau - math.ceil(choice.tau)
    if len(measures) > 1 and (any_tau or any(measure.of_decimals for measure in measures)):
        # Each reads its own: whole grades, raised ones, or decimals.
        each = [all_values(snapshot, replace(choice, measure=measure), [measure]) for measure in measures]
        return np.concatenate(each)
    return _kept(snapshot, replace(choice, tau=any_tau, measure=measures[0], rounded="none", reference=None), measures)


def values_by_runs(
    snapshot: Snapshot, choice: Evaluation, measures: Sequence[Measure]
) -> Iterator[tuple[slice, Floats]]:
    """`all_values` at whole taus part by part, where all are too many to be kept: slices of the runs with their values.

    The values of a part are overwritten by the next one.
    """
    return _computed(snapshot, replace(choice, tau=0), measures, HELD)


def values_at_taus(snapshot: Snapshot, choice: Evaluation, n_taus: int) -> tuple[Values, Floats]:
    """The choice's values at the first tau, and (T, R, Q) at the first taus.

    Queries without an enabled question are left out; which queries count does not depend on tau.
    """
    book = gradebook(snapshot, choice.labelling)
    boards = all_values(snapshot, choice)[0, :n_taus]
    defined = np.flatnonzero(~np.isnan(boards).all(axis=(0, 1)))
    boards = boards[:, :, defined]
    return Values(book.run_ids, [book.query_ids[query] for query in defined], boards[0]), boards


def query_values(snapshot: Snapshot, choice: Evaluation) -> Floats:
    """(R, Q) values of the choice's measure; NaN where a query has no grade that counts, or none that can be read."""
    if not choice.of_grades:
        return unlabelled_values(snapshot, choice)
    return all_values(snapshot, choice)[0, choice.taus.index(choice.level)]


def counted_values(snapshot: Snapshot, choice: Evaluation) -> Values:
    """The choice's values without the queries that are undefined for all runs: no grade that counts, no nugget, ...

    Where the choice has groups, rows are systems. Raises UsageError as `systems_of`.
    """
    axes: Gradebook | Unlabelled = (
        gradebook(snapshot, choice.labelling) if choice.of_grades else unlabelled(snapshot, choice)
    )
    values = query_values(snapshot, choice)
    defined = np.flatnonzero(~np.isnan(values).all(axis=0))
    by_run = Values(list(axes.run_ids), [axes.query_ids[query] for query in defined], values[:, defined])
    return grouped(snapshot, by_run) if choice.groups else by_run


def grouped(snapshot: Snapshot, values: Values) -> Values:
    """Values by system and query: means over the runs of each system, query by query. Raises as `systems_of`."""
    systems = systems_of(snapshot, values.run_ids)
    return Values(list(systems), values.query_ids, mean_of_runs(values.values, systems))


def row_of(values: Values, run_id: str) -> int:
    """The row of a run. Raises UsageError where there is no such run."""
    if run_id not in values.run_ids:
        raise UsageError(f"There is no run {run_id} among the {len(values.run_ids)} that are evaluated.")
    return values.run_ids.index(run_id)


@cached_by_snapshot(KEPT, ROOM)
def _kept(snapshot: Snapshot, choice: Evaluation, measures: tuple[Measure, ...]) -> Floats:
    ((_, values),) = _computed(snapshot, choice, measures, math.inf)
    values.flags.writeable = False
    return values


def _computed(
    snapshot: Snapshot, choice: Evaluation, measures: Sequence[Measure], most: float
) -> Iterator[tuple[slice, Floats]]:
    """Slices of the runs with their values: of all runs at once where these take at most so many bytes."""
    if (choice.labelling.order, choice.pool) == ("score", "graded"):
        yield from _swept(gradebook(snapshot, choice.labelling), choice, measures, most)
    else:
        # The authors' rules do not read the same for every measure.
        evaluations = [replace(choice, measure=measure).as_read for measure in measures]
        each = [_swept(book_as_read(snapshot, own), own, [own.measure], most) for own in evaluations]
        for parts in zip(*each, strict=True):
            yield parts[0][0], np.concatenate([values for _, values in parts])


def book_as_read(snapshot: Snapshot, choice: Evaluation) -> Gradebook:
    """The gradebook of a choice `as_read`, for its measure.

    A pool of ranked passages changes the answerable questions, not the labels.
    """
    book = gradebook(snapshot, choice.labelling)
    return book.ranked_only() if choice.pool == "ranked" and choice.measure.info.of == "questions" else book


def unreadable_values(snapshot: Snapshot, choice: Evaluation) -> Bools:
    """(R, Q) whether a value of the choice is undefined because all answers on which it rests are unreadable."""
    choice = choice.as_read
    book = book_as_read(snapshot, choice)
    mask = undefined(book, places_read(book, choice.measure))
    return mask if choice.measure.info.needs_grades else np.zeros_like(mask)


def _swept(
    book: Gradebook, choice: Evaluation, measures: Sequence[Measure], most: float
) -> Iterator[tuple[slice, Floats]]:
    rules = choice.labelling
    counted = counted_mask(book.answering, skips=choice.missing == "skip")
    parts = by_runs(book, measures, taus=choice.taus, label_rank=rules.label_rank, label_map=rules.label_map, most=most)
    for runs, values in parts:
        yield runs, values if counted[runs].all() else np.where(counted[runs], values, np.nan)


BY_QUERY = ResultTable(
    "evaluate: rows",
    "A measure's value for every run and query; NaN where the query does not count for the run",
    RUN,
    QUERY,
    decimal("value", "Value", "The run's value on the query; the mean over the queries is the run's score.", "score"),
)


def by_query(snapshot: Snapshot, choice: Evaluation) -> pd.DataFrame:
    """`BY_QUERY`, run by run: the values of which a leaderboard takes the means. Raises as `leaderboard` does."""
    counted = counted_values(snapshot, choice)
    runs, queries = counted.values.shape
    return BY_QUERY.of(
        {
            "run_id": np.repeat(np.array(counted.run_ids, object), queries),
            "query_id": np.tile(np.array(counted.query_ids, object), runs),
            "value": counted.values.ravel(),
        }
    )

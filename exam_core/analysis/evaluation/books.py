"""Gradebooks of a collection: read from the store once, then kept while they are in use."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from exam_core.analysis.evaluation.choice import AS_BANKED, Grading, LabelRule, QuestionChoice
from exam_core.analysis.evaluation.kept_books import filed
from exam_core.asked import Order
from exam_core.errors import UsageError
from exam_core.measures.gradebook import Gradebook, Labels
from exam_core.measures.marks import mapped
from exam_core.measures.places import Gaps, gaps_of
from exam_core.store import Snapshot, cells
from exam_core.store.derived_files import on_disk
from exam_core.store.snapshot_cache import kept
from exam_core.store.summary import run_ids
from exam_core.wording import quoted

KEPT, ROOM = 12, 256 * 2**20
NO_GRADES = (
    "This measure uses texts or stored values, not grades, so it has no labels, questions or taus. Choose a measure "
    "of grades, such as Cover@20 or P@20."
)


def gradebook(snapshot: Snapshot, labelling: LabelRule) -> Gradebook:
    """The gradebook of a labelling; label rank and label map don't need another one.

    Raises UsageError where there are no grades on the chosen questions: nothing to evaluate.
    """
    grading = labelling.grading
    if grading.grader is None and grading.judgments is None:
        raise UsageError(NO_GRADES)
    if grading.judgments:
        grading = Grading(judgments=grading.judgments)
    return _asked(snapshot, grading, labelling.depth, labelling.order, labelling.asking)


@kept(KEPT, ROOM)
def _asked(snapshot: Snapshot, grading: Grading, depth: int | None, order: Order, asking: QuestionChoice) -> Gradebook:
    book = _read(snapshot, grading, depth, order)
    if asking == AS_BANKED:
        return book
    named = {*asking.drop, *(asking.only or ()), *dict(asking.weights)}
    unknown = named - {name for names in book.question_ids for name in names}
    if unknown:
        raise UsageError(f"Not among the graded questions: {', '.join(sorted(unknown)[:5])}.")
    book = book.without(asking.drop) if asking.drop else book
    book = book if asking.only is None else book.only(asking.only)
    book = book.counting(asking.counting) if asking.counting else book
    book = book.asking_more(asking.added) if asking.added else book
    return book.weighing(dict(asking.weights)) if asking.weights else book


@kept(KEPT, ROOM)
def _read(snapshot: Snapshot, grading: Grading, depth: int | None, order: Order) -> Gradebook:
    asked_for = (grading, depth, order)
    book = filed(snapshot, asked_for, partial(_from_store, snapshot, grading, depth, order))
    # A pass that came with others asks some of their bank's questions; EXAM is the share of its own.
    asked = snapshot.graders.get(grading.grader or "", {}).get("asks")
    return book.asked_only(asked) if asked and book.has_questions else book


def _from_store(
    snapshot: Snapshot, grading: Grading, depth: int | None, order: Order, *, in_parts: bool
) -> Iterator[Gradebook]:
    bank = (grading.bank.name, grading.bank.version or 0) if grading.bank else None
    source = cells.CellSource(bank, grading.grader, grading.judgments, depth, order)
    found = cells.cells_in_parts(snapshot, source) if in_parts else [cells.read_cells(snapshot, source)]
    some = False
    for part in found:
        some = some or bool(part.query_ids)
        yield Gradebook(**vars(part), depth=depth)
    if not some:
        raise UsageError(_no_grades(snapshot, grading))


@kept(KEPT, ROOM)
def gaps(snapshot: Snapshot, labelling: LabelRule) -> Gaps:
    """What the grades of a labelling don't cover of its rankings. Raises UsageError as `gradebook`."""
    # Each move of what-if asks other questions: it leaves no file.
    return (_filed_gaps if labelling.asking == AS_BANKED else _gaps)(snapshot, labelling)


def _gaps(snapshot: Snapshot, labelling: LabelRule) -> Gaps:
    return gaps_of(gradebook(snapshot, labelling).without_strangers())


_filed_gaps = on_disk(_gaps)


def forget() -> None:
    """Read the gradebooks anew when they are next asked for; for measuring how long that takes."""
    gaps.clear()
    _asked.clear()
    _read.clear()
    cells.forget()


def pair_labels(snapshot: Snapshot, labelling: LabelRule) -> Labels:
    """Label of each pair of the gradebook: its grade of the label rank, as the label map has it.

    Raises UsageError as `gradebook`.
    """
    labels = gradebook(snapshot, labelling).labels(labelling.label_rank)
    return mapped(labels, labelling.mapping)


def no_runs(snapshot: Snapshot) -> str:
    """That there are no runs, or none that fits, and what to do."""
    if runs := run_ids(snapshot):
        return f"None of the {len(runs):,} runs of {snapshot.collection} returned anything for the graded queries."
    return (
        f"{snapshot.collection} has no runs. Add them with: "
        f"examboard import run FILE --collection {quoted(snapshot.collection)}"
    )


def _no_grades(snapshot: Snapshot, grading: Grading) -> str:
    """Why a grader that has grades has none to evaluate."""
    if grading.bank:
        return f"{grading.grader} has no grades on version {grading.bank.version} of bank {grading.bank.name}."
    return (
        f"The questions that {grading.grader} graded are in no bank. Add it with: "
        f"examboard import bank FILE --bank NAME --collection {quoted(snapshot.collection)}"
    )

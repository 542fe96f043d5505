"""Every measure again, slowly and obviously: lists, sets and dictionaries for one run, one query and one tau."""

import math
import pkgutil
from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib import import_module

from exam_core.measures import Measure
from exam_core.measures.gradebook import NOTHING, Gradebook
from exam_core.tables import UNGRADED, UNREADABLE
from tests.wings import added_to

from . import twins
from .twin import Case, Twin

TWINS: dict[str, Twin] = {}
"""By the name of the measure."""
for _found in pkgutil.iter_modules(twins.__path__):
    TWINS |= import_module(f"{twins.__name__}.{_found.name}").TWINS
TWINS = added_to(TWINS, "TWINS")
DEFINED = ("Judged", "Nugget")
"""How the names of measures begin that have a value where nothing can be read: what can't be read is not answered."""
LabelMap = Iterable[tuple[int, int]] | None


def nth_label(grades: Iterable[int], label_rank: int, label_map: LabelMap = None) -> int | None:
    """The N-th best of readable grades, mapped; None if there are fewer."""
    best = sorted(grades, reverse=True)
    if len(best) < label_rank:
        return None
    label = best[label_rank - 1]
    return label if label_map is None or label < 0 else dict(label_map).get(label, 0)


def slow_values(
    book: Gradebook,
    measures: Sequence[Measure],
    *,
    taus: Sequence[int],
    label_rank: int = 1,
    label_map: LabelMap = None,
) -> list[list[list[list[float]]]]:
    """(M, T, R, Q) what `sweep` gives; NaN where a query has no grade that counts, or nothing read can be read."""
    cases = [
        [
            [case_of(book, run, query, tau, label_rank, label_map) for query in range(len(book.query_ids))]
            for run in range(len(book.run_ids))
        ]
        for tau in taus
    ]
    return [[[values_of_run(measure, row) for row in rows] for rows in cases] for measure in measures]


def values_of_run(measure: Measure, cases: Sequence[Case]) -> list[float]:
    """A measure's value of one run on every query."""
    read = [case.ranking[: None if measure.judged_only else measure.depth] for case in cases]
    graded = [any(case.grades.get(one) for one in own) for case, own in zip(cases, read, strict=True)]
    unread = [any(case.unreadable.get(one) for one in own) for case, own in zip(cases, read, strict=True)]
    actual = []
    for case, has_graded, has_unread in zip(cases, graded, unread, strict=True):
        alone = has_unread and not has_graded
        nothing_of_query = any(case.unreadable.values()) and not any(case.grades.values())
        nothing_of_run = any(unread) and not any(graded)
        undefined = not measure.name.startswith(DEFINED) and (alone or nothing_of_query or nothing_of_run)
        actual.append(math.nan if undefined or not case.questions else slow_value(measure, case))
    return actual


def slow_value(measure: Measure, case: Case) -> float:
    """A measure's value of one run on one query, by its options."""
    if measure.rel:
        case = replace(case, tau=measure.rel)
    if measure.judged_only:
        known = {one for one, grades in case.grades.items() if any(grade >= 0 for grade in grades.values())}
        judged = known if measure.info.of == "questions" else case.judged
        case = replace(case, ranking=[one for one in case.ranking if one in judged])
    options = {} if measure.options is None else vars(measure.options)
    own = {name: value for name, value in options.items() if name not in ("rel", "judged_only")}
    return TWINS[measure.name].slow(case, measure.depth, **own)


def case_of(book: Gradebook, run: int, query: int, tau: int, label_rank: int = 1, label_map: LabelMap = None) -> Case:
    """One run on one query of a gradebook; passages and questions are named by their numbers."""
    enabled = {question for question, on in enumerate(book.enabled[query]) if on}
    mine = [pair for pair, its in enumerate(book.pair_query) if its == query]
    counts = any(book.grades[pair, question] != UNGRADED for pair in mine for question in enabled)
    grades = {
        pair: {
            question: int(book.grades[pair, question])
            for question in enabled
            if book.grades[pair, question] > UNREADABLE
        }
        for pair in range(len(book.grades))
        if book.pair_query[pair] == query
    }
    labels = {pair: nth_label(own.values(), label_rank, label_map) for pair, own in grades.items()}
    every = [int(label) for label in book.labels(label_rank)]
    top = max([dict(label_map).get(label, 0) if label_map and label >= 0 else label for label in every], default=0)
    return Case(
        ranking=[int(slot) for slot in book.slots[:, run, query] if slot != NOTHING],
        grades=grades,
        labels={pair: label for pair, label in labels.items() if label is not None},
        questions=enabled if counts else set(),
        tau=tau,
        top=max(top, 5 if book.has_questions else 4),
        weights=dict(enumerate(book.weights[query].tolist())),
        importance={} if book.importance is None else dict(enumerate(book.importance[query].tolist())),
        unreadable={pair: {one for one in enabled if book.grades[pair, one] == UNREADABLE} for pair in grades},
        avoided={}
        if book.avoided is None
        else {
            pair: {int(one): int(book.grades[pair, one]) for one in book.avoided[query].nonzero()[0]} for pair in grades
        },
    )

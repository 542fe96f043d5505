"""Nugget scores: the share of a query's nuggets that a run's first passages support, as AutoNuggetizer counts it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from exam_core.measures.gradebook import Gradebook
from exam_core.measures.info import MeasureInfo
from exam_core.measures.marks import Marks, require_questions
from exam_core.numbers.arrays import Bools, Floats, Ints
from exam_core.tables import OKAY, OTHER, VITAL

SUPPORT, PARTIAL = 2, 1
"""The grades of a nugget that is supported, and of one that is supported in part."""
WORTH: dict[str, Mapping[int, float]] = {
    "Vital": {VITAL: 1.0},
    "Weighted": {VITAL: 1.0, OKAY: 0.5},
    "All": {VITAL: 1.0, OKAY: 1.0, OTHER: 1.0},
}
"""What a nugget of an importance counts. One that is neither vital nor okay counts where all do, as in AutoNuggetizer;
one to avoid counts nowhere."""
Reached = Callable[[int, Bools], Ints]
"""(..., Q) how many of some (Q, S) questions reach a grade."""
Counted = Callable[[Bools], Ints]
"""(..., Q) how many of some (Q, S) questions count."""


def nugget_score(marks: Marks, depth: int | None = None, *, of: str, strict: bool) -> Floats:
    """Share of each query's nuggets that a run's first passages support: NuggetAll@k and its kin.

    A nugget has its best grade among the first `depth` passages. It counts whole from grade 2 (support) on; grade 1
    (partial support) counts half, or nothing where the score is strict. Nuggets are those that were looked for in the
    run: one on which none of its passages that are read, whatever `depth`, has a grade is left out. One whose grades
    can't be read counts as not found and stays in the divisor, also where no grade of the answer can be read, as in
    AutoNuggetizer's scores. Where none was looked for, the run has found none.

    Raises UndefinedMeasure where the grader labels passages and has no questions.

    Parameters
    ----------
    of : "Vital", "Weighted" (an okay nugget weighs a half) or "All"

    Returns
    -------
    (1, R, Q) shares in [0, 1]; 0 where the run returned nothing, NaN where no nugget of the query counts, for instance
    because none is vital (AutoNuggetizer's own code counts 0 there)

    Source: Pradeep et al. 2024, Initial nugget evaluation results for the TREC 2024 RAG track; the scores of the
    AutoNuggetizer's released code.

    >>> from exam_core.measures.example import marks
    >>> nugget_score(marks(), of="Vital", strict=False)[0, :, 0].tolist()  # (1 + 1/2) / 2 and (0 + 1/2) / 2
    [0.75, 0.25]
    """
    return _score(marks.book, partial(marks.reaching, depth), marks.asked, WORTH[of], strict)[None]


def overall_nugget_score(book: Gradebook, *, tau: int, of: str, strict: bool) -> Floats:
    """(Q,) `nugget_score` of everything graded for a query, ranked or not; tau does not matter.

    >>> from exam_core.measures.example import book
    >>> overall_nugget_score(book(), tau=4, of="Vital", strict=True).tolist()  # one of two is supported in full
    [0.5]
    """
    del tau
    require_questions(book)

    def reaching(grade: int, wanted: Bools) -> Ints:
        return book.words.count(book.answerable, grade, book.words.columns(wanted)).astype(np.int64)

    def asked(wanted: Bools) -> Ints:
        words = book.asked_words
        return words.count(book.together(words), 1, words.columns(wanted)).astype(np.int64)

    return _score(book, reaching, asked, WORTH[of], strict)


def _score(book: Gradebook, reaching: Reached, asked: Counted, worth: Mapping[int, float], strict: bool) -> Floats:
    """Supported nuggets over those that were looked for, or over all where none was, each with its worth."""
    gained: Floats | float = 0.0
    sought: Floats | float = 0.0
    total: Floats | float = 0.0
    for importance, weight in worth.items():
        wanted = book.important(importance)
        found = reaching(SUPPORT, wanted)
        halves = found if strict else reaching(PARTIAL, wanted)
        gained = gained + weight * (found + halves) / 2
        sought = sought + weight * asked(wanted).astype(np.float64)
        total = total + weight * wanted.sum(axis=1)
    divisor = np.where(sought > 0, sought, total)
    return np.where(divisor > 0, gained / np.where(divisor > 0, divisor, 1), np.nan)


_MEANING = {
    "Vital": "vital nuggets",
    "Weighted": "nuggets, vital ones counting 1 and okay ones a half,",
    "All": "nuggets, vital or not,",
}
_FORMULA = {"Vital": "vital nuggets", "Weighted": "nuggets, okay ones weighing 1/2", "All": "nuggets"}


def _row(place: int, of: str, strict: bool) -> MeasureInfo:
    support = "grade 2 or more" if strict else "grade 2 or more + half of those with grade 1"
    return MeasureInfo(
        name=f"Nugget{of}{'Strict' if strict else ''}",
        order=200 + place,
        of="questions",
        of_nuggets=True,
        cut="possible",
        tau_applies=False,
        needs_grades=False,
        meaning=f"share of a query's {_MEANING[of]} that the first k passages support"
        + ("" if strict else "; partial support counts half"),
        formula=f"{_FORMULA[of]} with {support} in the first k / {_FORMULA[of]} with any grade in the run",
        source="Pradeep et al. 2024; AutoNuggetizer " + ("strict_" if strict else "") + f"{of.lower()}_score",
        compute=partial(nugget_score, of=of, strict=strict),
        overall=partial(overall_nugget_score, of=of, strict=strict),
    )


ROWS = tuple(
    _row(place, of, strict) for place, (of, strict) in enumerate((of, s) for of in WORTH for s in (True, False))
)

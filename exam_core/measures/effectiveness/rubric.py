"""Rubric score: criteria with signed weights, where what is to be avoided takes away."""

from __future__ import annotations

import math

import numpy as np

from exam_core.measures.effectiveness.cover import weight_of_all, weight_reached
from exam_core.measures.info import MeasureInfo
from exam_core.measures.marks import Marks, require_questions
from exam_core.measures.measure_options import ReadingOptions
from exam_core.numbers.arrays import Floats


def rubric_score(marks: Marks, depth: int | None = None) -> Floats:
    """Weights of the criteria that a run's first passages meet, those to avoid taken away, over all others' weights.

    A criterion is met when one of the first `depth` passages has a grade of at least tau. Criteria to avoid count where
    they are switched on. Raises UndefinedMeasure where the grader labels passages and has no questions. Returns (T, R,
    Q) values of at most 1, below 0 where what is to be avoided weighs more; 0 where the run returned nothing, or
    nothing but criteria to avoid weighs anything and none is met. Without criteria to avoid it is wCover.

    Source: ResearchRubrics (Sharma et al. 2025), the compliance score of its code; HealthBench (Arora et al. 2025),
    whose mean over all queries is cut to [0, 1] there.

    >>> from exam_core.measures.example import book
    >>> from exam_core.measures.gradebook import Counting
    >>> from exam_core.measures.marks import Labelling
    >>> from exam_core.tables import AVOID
    >>> avoiding = book().counting([Counting("q", "q/2", True, 1.0, AVOID)])
    >>> rubric_score(Marks(Labelling(avoiding, (4,))))[0, :, 0].round(3).tolist()  # (2 - 1) / 3 and (0 - 1) / 3
    [0.333, -0.333]
    """
    require_questions(marks.book)
    book = marks.book
    weights = np.where(book.enabled, book.weights, 0.0)
    score = weight_reached(marks, depth, weights)
    if book.avoided is not None:
        score = score - weight_reached(marks, depth, np.where(book.avoided, book.weights, 0.0))
    return score / weight_of_all(weights)


NAME = "Rubric"
ROWS = (
    MeasureInfo(
        name=NAME,
        order=35,
        of="questions",
        of_nuggets=True,
        cut="possible",
        meaning="wCover, less the weights of questions to avoid that the first k passages answer; it can be below 0",
        formula="(sum of the weights of questions answered in the first k - sum of the weights of questions to avoid "
        "that are answered there) / sum of the weights of the query's questions",
        source="Sharma et al. 2025 (ResearchRubrics); Arora et al. 2025 (HealthBench)",
        options=ReadingOptions,
        compute=rubric_score,
        bounds=(-math.inf, 1.0),
    ),
)

"""Displaced runs as they are asked for: every method, and one run explained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from exam_core.analysis.displacement.explanation import Explanation, explain
from exam_core.analysis.displacement.outliers import ALPHA, Outliers, without_explanation
from exam_core.analysis.evaluation.choosing import MOST_DRAWS, check_draws, check_range
from exam_core.analysis.figures import Figures
from exam_core.analysis.figures.graded_figures import question_of
from exam_core.asked import Asked
from exam_core.defaults import Sampling
from exam_core.progress import Progress, no_progress
from exam_core.results import attributes


@dataclass(frozen=True)
class Displacing:
    """By which measures and grading modes runs are displaced, and which run is explained.

    Parameters
    ----------
    top : of so many queries an explanation lists questions and passages
    """

    measures: Sequence[str]
    graders: Sequence[str]
    sampling: Sampling
    run: str | None
    top: int


@dataclass(frozen=True)
class Displaced:
    """Displacements, the run that is explained, and both as the object of the command line."""

    found: Outliers
    explained: Explanation | None
    answer: dict[str, Any]


def displaced(figures: Figures, asked: Asked, wanted: Displacing, progress: Progress = no_progress) -> Displaced:
    """How far each run is displaced; where one is named, why.

    Raises
    ------
    UsageError : draws, seed or top out of range, no such run, mode or measure, or nothing to compare with
    """
    check_draws(wanted.sampling.draws, wanted.sampling.seed)
    check_range("--top", wanted.top, 1, MOST_DRAWS)
    found, methods = figures.outliers(asked, wanted.measures, wanted.graders, wanted.sampling, progress)
    explained, collection = None, figures.snapshot.collection
    question: dict[str, Any] = {"collection": collection}
    if methods:
        first, *others = methods.values()
        question = question_of(figures.snapshot, first)
        if others:
            question |= {"bank": asked.bank, "grader": None, "measure": None, "tau": None}
        if wanted.run is not None:
            mine = found.rows.loc[found.rows["run_id"] == wanted.run, "method"]
            # the method that displaces it most; a run that isn't there is refused by name
            choice = methods[mine.iloc[0]] if len(mine) else first
            explained = explain(figures.snapshot, choice, wanted.run, top=wanted.top)
    elif wanted.run is not None:
        without_explanation(found, wanted.run, collection)
    answer = question | {**attributes(found, "reference", "draws", "seed"), "alpha": ALPHA}
    answer |= attributes(found, "methods", "rows", "combined", "notes")
    if explained is not None:
        answer |= {"explained": attributes(explained, "run_id", "method", "rank_displacement", "neighbours")}
        answer |= attributes(explained, "queries", "questions", "passages")
        answer |= {"notes": [*found.notes, *explained.notes]}
    elif wanted.run is not None:
        answer |= {"queries": [], "questions": [], "passages": []}
    return Displaced(found, explained, answer)

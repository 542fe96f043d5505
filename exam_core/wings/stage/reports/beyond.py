"""What a report shows beside leaderboards, correlations and agreement: standing, taus and displacements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from exam_core.analysis.displacement.outliers import Outliers
from exam_core.analysis.figures import Figures
from exam_core.analysis.uncertainty.cutoffs import Cutoffs
from exam_core.asked import Asked
from exam_core.defaults import Sampling
from exam_core.errors import ExamboardError
from exam_core.reports.part import Asking, Part
from exam_core.wings.stage.reports.parts import parts

Ask = Callable[..., Any]
"""Calls an analysis with its arguments; a dashboard's keeps the answers."""


@dataclass(frozen=True)
class Beyond:
    """Figures of single pages.

    Attributes
    ----------
    standing : by series, what says how much each rank is worth
    cutoffs : by series, every tau
    outliers : displacements; None where there is nothing to compare with
    parts : sections of the other pages
    missing : why something of it is not there, in sentences
    """

    standing: dict[str, pd.DataFrame] = field(default_factory=dict)
    cutoffs: dict[str, Cutoffs] = field(default_factory=dict)
    outliers: Outliers | None = None
    missing: list[str] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)


def _call(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    return function(*arguments, **options)


def beyond(figures: Figures, series: Sequence[str], asked: Asked, ask: Ask = _call) -> Beyond:
    """Everything beside the comparison that a report shows of these series; what can't be had is said.

    Parameters
    ----------
    series : those that have a leaderboard
    asked : as the comparison's
    ask : how the analyses are called
    """
    found = Beyond()
    of_grades = figures.of_grades(asked)
    for name in series:
        with_reason = _Trying(found, f"{name}: ")
        found.standing.update(with_reason(name, ask, figures.standing, name, asked))
        if of_grades:
            at_all = asked.but(grader=name, tau=None)
            found.cutoffs.update(with_reason(name, ask, figures.cutoffs, at_all, Sampling()))
    graders = tuple(series) if of_grades else ()
    displaced = _Trying(found, "")("", ask, figures.outliers, asked, (asked.measure,), graders, Sampling())
    outliers = displaced[""][0] if displaced else None
    others, problems = parts(Asking(figures, series, asked, ask)) if series else ([], [])
    missing = list(dict.fromkeys([*found.missing, *problems]))
    return Beyond(found.standing, found.cutoffs, outliers, missing, others)


@dataclass(frozen=True)
class _Trying:
    """Calls an analysis; why it has no answer is noted."""

    found: Beyond
    before: str

    def __call__(self, name: str, ask: Ask, *arguments: Any) -> dict[str, Any]:
        try:
            return {name: ask(*arguments)}
        except ExamboardError as error:
            self.found.missing.append(f"{self.before}{error}")
            return {}

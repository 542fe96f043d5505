"""What a report shows beside leaderboards, correlations and agreement: standing, displacements and parts of pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from exam_core.analysis.contents.display_names import names_of
from exam_core.analysis.displacement.outliers import Outliers
from exam_core.analysis.figures import Figures
from exam_core.asked import Asked
from exam_core.errors import ExamboardError
from exam_core.reports.displacements import called
from exam_core.reports.part import Ask, Asking, Part, ask_now
from exam_core.wings.stage.reports.parts import parts


@dataclass(frozen=True)
class Beyond:
    """Figures of single pages.

    Attributes
    ----------
    standing : by series, what says how much each rank is worth
    outliers : displacements, methods by their graders' names; None where there is nothing to compare with
    parts : sections of the other pages
    missing : why something of it is not there, in sentences
    """

    standing: dict[str, pd.DataFrame] = field(default_factory=dict)
    outliers: Outliers | None = None
    missing: list[str] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)


def beyond(figures: Figures, series: Sequence[str], asked: Asked, ask: Ask = ask_now) -> Beyond:
    """Everything beside the comparison that a report shows of these series; what can't be had is said.

    Parameters
    ----------
    series : those that have a leaderboard
    asked : as the comparison's
    ask : how the analyses are called
    """
    missing: list[str] = []

    def had(before: str, function: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return ask(function, *arguments)
        except ExamboardError as error:
            missing.append(f"{before}{error}")

    standing = {}
    for name in series:
        standing[name] = had(f"{name}: ", figures.standing, name, asked)
    displaced = had("", figures.displaced, tuple(series), asked, figures.further_measures(asked))
    others, problems = parts(Asking(figures, series, asked, ask)) if series else ([], [])
    ranks = {name: one for name, one in standing.items() if one is not None}
    outliers = displaced and called(displaced[0], names_of(figures.snapshot))
    return Beyond(ranks, outliers, list(dict.fromkeys([*missing, *problems])), others)

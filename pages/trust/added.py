"""What trust adds to the pages; what draws it loads when it is looked at."""

from __future__ import annotations

from exam_core.analysis.choice import Evaluation
from exam_core.analysis.outliers import Outliers
from exam_core.wording import RELIABILITY
from pages.shared.selection import Selection
from pages.shared.wings import Tab


def draw_pairs(mode: str, selection: Selection) -> None:
    """Pairs of runs that differ significantly by the grades or by the judgments."""
    from pages.trust import trust_views

    trust_views.draw_pairs(mode, selection)


def draw_votes(selection: Selection) -> None:
    """What the grading modes are worth together."""
    from pages.trust import trust_views

    trust_views.draw_votes(selection)


def draw_taste(selection: Selection) -> None:
    """Whether length or place sways a grader, or its own family."""
    from pages.trust import trust_views

    trust_views.draw_taste(selection)


def draw_outliers(selection: Selection, choices: dict[str, Evaluation], outliers: Outliers) -> None:
    """Bias towards tagged runs."""
    from pages.trust import trust_views

    trust_views.draw_bias(selection, choices, outliers)


def draw_gullibility(watched: bool, selection: Selection) -> None:
    """How gullible graders are, and the form to probe one."""
    from pages.parts.job_state import follow
    from pages.trust import probing

    follow(watched, probing.draw_results, selection)
    probing.draw(selection)


TABS = (
    Tab(RELIABILITY, "Pairs by grades and judgments", draw_pairs),
    Tab("Agreement", "How independent are the graders?", draw_votes, before="Counts as tables"),
    Tab("Agreement", "Length", draw_taste),
    Tab("Grading", "Gullibility", draw_gullibility),
)

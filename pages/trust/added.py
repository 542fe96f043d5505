"""What trust adds to the pages; what draws it loads when it is looked at."""

from __future__ import annotations

from exam_core.analysis.choice import Evaluation
from exam_core.analysis.outliers import Outliers
from exam_core.wording import RELIABILITY
from pages.shared.selection import Selection
from pages.shared.wings import Tab


def draw_fidelity(mode: str, selection: Selection) -> None:
    """Pairs of runs that either side finds different."""
    from pages.trust import pairs_by_judgments

    pairs_by_judgments.view(mode, selection)


def draw_votes(selection: Selection) -> None:
    """What the grading modes are worth together."""
    from pages.trust import independent_graders

    independent_graders.view(selection)


def draw_outliers(selection: Selection, choices: dict[str, Evaluation], outliers: Outliers) -> None:
    """Bias towards tagged runs."""
    from pages.trust import bias_of_tags

    bias_of_tags.view(selection, choices, outliers)


def draw_gullibility(watched: bool, selection: Selection) -> None:
    """How gullible graders are, and the form to probe one."""
    from pages.parts.job_state import follow
    from pages.trust import grade_changes, probe_form

    follow(watched, grade_changes.draw, selection)
    probe_form.draw(selection)


TABS = (
    Tab(RELIABILITY, "Pairs by grades and judgments", draw_fidelity),
    Tab("Agreement", "How independent are the graders?", draw_votes, before="Counts as tables"),
    Tab("Grading", "Gullibility", draw_gullibility),
)

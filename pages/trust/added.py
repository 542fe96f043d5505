"""What trust adds to the pages; what draws it loads when it is looked at."""

from __future__ import annotations

from exam_core.analysis.choice import Evaluation
from exam_core.analysis.outliers import Outliers
from exam_core.wording import RELIABILITY
from pages.shared.selection import Selection
from pages.shared.wings import Tab


def draw_fidelity(mode: str, chosen: Selection) -> None:
    """Pairs of runs that either side finds different."""
    from pages.trust import pairs_by_judgments

    pairs_by_judgments.view(mode, chosen)


def draw_votes(chosen: Selection) -> None:
    """What the grading modes are worth together."""
    from pages.trust import independent_graders

    independent_graders.view(chosen)


def draw_outliers(chosen: Selection, choices: dict[str, Evaluation], found: Outliers) -> None:
    """Bias towards tagged runs."""
    from pages.trust import bias_of_tags

    bias_of_tags.view(chosen, choices, found)


def draw_gullibility(watched: bool, chosen: Selection) -> None:
    """How gullible graders are, and the form to probe one."""
    from pages.parts.job_state import follow
    from pages.trust import grade_changes, probe_form

    follow(watched, grade_changes.draw, chosen)
    probe_form.draw(chosen)


TABS = (
    Tab(RELIABILITY, "Pairs by grades and judgments", draw_fidelity),
    Tab("Agreement", "How independent are the graders?", draw_votes, before="Counts as tables"),
    Tab("Grading", "Gullibility", draw_gullibility),
)

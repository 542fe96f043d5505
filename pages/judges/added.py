"""What judges add to the pages: one across collections, and a part of Reliability."""

from __future__ import annotations

from exam_core.wording import ACROSS, RELIABILITY
from pages.shared.selection import Selection
from pages.shared.wings import Page, Tab, ranked

PAGES = (
    Page(
        "pages/judges/across.py",
        ACROSS,
        ":material/compare_arrows:",
        "Reliability",
        ranked,
        "bank series measure reference without depth label_rank relevant_from",
        "measure",
        of_store=True,
    ),
)


def draw_repeats(_mode: str, selection: Selection) -> None:
    """Whether a grader agrees with itself."""
    from pages.judges import on_trial

    on_trial.repeated(selection)


def draw_alike(selection: Selection) -> None:
    """How alike grading modes grade."""
    from pages.judges import on_trial

    on_trial.side_by_side(selection)


TABS = (Tab(RELIABILITY, "Repetitions", draw_repeats), Tab("Agreement", "Between modes", draw_alike))

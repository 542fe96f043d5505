"""What reviews add to the pages."""

from __future__ import annotations

from exam_core.analysis.comparison import Comparison
from exam_core.store.summary import graders
from pages.shared.selection import Selection
from pages.shared.wings import BOARDS, Page

LOADED_LATER = ("exam_core.wings.reviews.corrected",)


PAGES = (
    Page(
        "pages/reviews/reviews.py",
        "Reviews",
        ":material/rate_review:",
        "Inspect",
        lambda snapshot: bool(graders(snapshot)),
        of_grades=f"{BOARDS} relevant_from",
    ),
)


def draw_board(comparison: Comparison, selection: Selection) -> bool:
    """The corrected leaderboard, where somebody asks for it."""
    from pages.reviews import review_results

    reviews = review_results.switched_on(selection)
    if reviews:
        review_results.board(comparison, selection, reviews)
    return bool(reviews)

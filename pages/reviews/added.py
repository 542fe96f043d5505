"""What reviews add to the pages."""

from __future__ import annotations

from exam_core.store.summary import graders
from pages.shared.wings import BOARDS, Page

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

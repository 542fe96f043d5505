"""Reviews: people check the grader, one item at a time; queues to review, and how far reviewers are."""

from __future__ import annotations

from collections.abc import Callable

from exam_core.wings.reviews.records import reviews_of
from pages.reviews import review_queues, review_results, review_work
from pages.shared import boxes, data, frame, help_texts, show, steps, visiting
from pages.shared.selection import Selection

READING: dict[str, Callable[[Selection], None]] = {
    "Agreement": review_results.draw_agreement,
    "Corrected leaderboard": review_results.view,
}
VIEWS = {"Review": review_work.draw, "Queues": review_queues.draw, **READING}
VIEW = (
    "Draw a queue and review it; see reviewers' progress, their agreement with the grader, and the corrected "
    "leaderboard."
)


def draw(selection: Selection) -> None:
    """The view that is chosen."""
    if steps.unprinted(selection, "passages to review"):
        return
    views = VIEWS
    if data.store().is_file:
        show.text(help_texts.single_file("review"))
        views = READING
    elif selection.by_judgments and not reviews_of(data.store(), selection.snapshot):
        steps.missing(selection, "People review grades on this page.", steps.OF_GRADES)
        return
    elif not visiting.allowed("review"):
        views = {name: draw_view for name, draw_view in VIEWS.items() if name != "Review"}
    views[boxes.one_of("View", views, key=review_queues.VIEW, help=VIEW)](selection)


with frame.page("Reviews", series=False) as selection:
    draw(selection)

"""Reviews: people check the grader, one item at a time; queues to review, and how far reviewers are."""

from pages.reviews import review_views
from pages.shared import frame

with frame.page("Reviews", series=False) as selection:
    review_views.draw(selection)

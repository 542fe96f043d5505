"""Reviews: people check the grader, one item at a time; queues to review, and how far reviewers are."""

from pages.parts import reviews
from pages.shared import frame

with frame.page("Reviews", series=False) as chosen:
    reviews.draw(chosen)

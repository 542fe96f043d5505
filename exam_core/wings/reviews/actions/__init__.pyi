"""Verbs of reviews."""

from exam_core.wings.reviews.actions.review_files import export_queue as export_queue
from exam_core.wings.reviews.actions.review_files import export_reviews as export_reviews
from exam_core.wings.reviews.actions.review_files import import_reviews as import_reviews
from exam_core.wings.reviews.actions.review_files import queue_text as queue_text
from exam_core.wings.reviews.actions.review_files import reviews_text as reviews_text
from exam_core.wings.reviews.actions.reviewing import Recorded as Recorded
from exam_core.wings.reviews.actions.reviewing import draw_queue as draw_queue
from exam_core.wings.reviews.actions.reviewing import record_answers as record_answers
from exam_core.wings.reviews.actions.reviewing import record_reviews as record_reviews

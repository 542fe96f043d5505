"""What the table of collections says of reviews."""

from __future__ import annotations

from exam_core.results import count

COUNTED = (count("reviews", "Reviews", "People's answers about the grader's work.", "reviews"),)

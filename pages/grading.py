"""Grading: what is graded, a new job, the jobs and how far they are, and what came out."""

from pages.parts import grading
from pages.shared import frame

with frame.page("Grading", series=False) as chosen:
    grading.draw(chosen)

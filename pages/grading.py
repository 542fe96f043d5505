"""Grading: what is graded, a new job, the jobs and how far they are, and what came out."""

from pages.parts import grading as parts
from pages.parts import job_form
from pages.shared import frame

with frame.page("Grading", series=False) as chosen:
    watched = parts.watched()
    if chosen.printed:
        parts.nothing_to_grade(chosen)
    else:
        parts.follow(watched, parts.graders, chosen)
        if not chosen.present:
            job_form.draw(chosen)
    parts.follow(watched, parts.jobs, chosen, watched)
    if not chosen.printed:
        parts.follow(watched, parts.results, chosen)

"""Grading: what is graded, a new job, the jobs and how far they are, and what came out."""

from functools import partial

from exam_core.analysis.contents import has_texts
from pages.grading import grades, job_list
from pages.parts import job_form, next_steps
from pages.parts.job_state import follow
from pages.shared import data, frame, show, steps, wings

with frame.page("Grading", series=False) as selection:
    running = job_form.runs()
    printed = steps.unprinted(selection, "passages to grade")
    if not printed:
        next_steps.draw(selection)
    # Without grades and texts there is nothing to grade, nor to look at.
    full = not printed and (
        selection.about["graders"] or data.ask(has_texts, data.snapshot(selection.snapshot.collection))
    )
    if full:
        follow(running, grades.so_far, selection)
        job_form.draw(selection)
    follow(running, job_list.draw, selection.snapshot.collection, running=job_form.runs)
    if full:
        grades.draw_names(selection)
        outcomes = {"Outcomes": partial(follow, running, grades.results, selection)}
        show.tabs(wings.with_tabs("Grading", outcomes, running, selection), key="grading_tabs")

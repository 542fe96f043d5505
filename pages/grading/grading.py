"""Grading: what is graded, a new job, the jobs and how far they are, and what came out."""

from functools import partial

from exam_core.analysis.contents import has_texts
from pages.grading import grader_names, grades, job_list
from pages.parts import job_form, next_steps
from pages.parts.job_state import follow
from pages.shared import data, frame, show, steps, wings

with frame.page("Grading", series=False) as chosen:
    running = job_form.runs()
    printed = steps.unprinted(chosen, "passages to grade")
    if not printed:
        next_steps.draw(chosen)
    # Without grades and texts there is nothing to grade, nor to look at.
    full = not printed and (chosen.about["graders"] or data.ask(has_texts, data.snapshot(chosen.snapshot.collection)))
    if full:
        follow(running, grades.so_far, chosen)
        job_form.draw(chosen)
    follow(running, job_list.draw, chosen.snapshot.collection, running=job_form.runs)
    if full:
        grader_names.draw(chosen)
        outcomes = {"Outcomes": partial(follow, running, grades.results, chosen)}
        show.tabs(wings.with_tabs("Grading", outcomes, running, chosen), key="grading_tabs")

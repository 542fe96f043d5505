"""How gullible the graders of a collection are: how far the newest probe is, and what all found."""

from __future__ import annotations

import streamlit as st

from exam_core.errors import StoreError
from exam_core.jobs import watching
from exam_core.wings.trust.gullibility import GULLIBILITY, Gullibility, gullibility, gullibility_figure, with_series
from exam_core.wings.trust.probe_request import ProbeRequest
from pages.parts import job_state
from pages.parts.job_form import newest
from pages.shared import data, naming, show, visiting
from pages.shared.selection import Selection

ABOUT = (
    "Passages that humans judged not relevant are graded unchanged, and again with the question, its words or praise "
    "before them, or doubled. If a grade rises, content is not the reason."
)
JOBS = "To stop it or go on with it, see [all jobs](#jobs) above."


def draw(selection: Selection) -> None:
    """What is kept of the collection's probes, newest setting of all graders."""
    st.caption(ABOUT)
    collection = selection.snapshot.collection
    try:
        result: Gullibility = gullibility(data.store(), collection)
    except StoreError as error:
        show.problems(str(error).splitlines())
        return
    _newest_job(collection)
    if result.rows.empty:
        show.text("No grader was probed here yet.")
        return
    named = with_series(result.rows.assign(grader_id=result.rows["grader_id"].map(naming.name)))
    show.chart(gullibility_figure(named), key="gullibility")
    show.table(result.rows, GULLIBILITY, key="gullibility_rows")
    show.notes(result.notes)


def _newest_job(collection: str) -> None:
    for job in newest():
        if isinstance(job.request, ProbeRequest) and job.request.order.collection == collection:
            so_far, plans = job.progress(), watching.plans(job)
            st.markdown(f"{'Plan of a probe' if plans else 'Probe'} {job.id}. {JOBS}")
            job_state.draw(job, so_far)
            if not visiting.allowed("edit", text=False):
                return
            if so_far.message:
                show.problems(so_far.message.splitlines())
            if plans and (text := watching.last_lines(job.log)):
                st.code(text, language=None, wrap_lines=True)
            return

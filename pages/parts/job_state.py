"""How far a job is, in a sentence and a bar."""

from __future__ import annotations

import streamlit as st

from exam_core.jobs import watching
from exam_core.jobs.progress import RUNNING, JobProgress, progress_sentence
from exam_core.jobs.records import Job
from pages.shared import show


def draw(job: Job, so_far: JobProgress) -> None:
    """How far it is."""
    word = watching.STATES[so_far.state]
    sentence = f"{word} · {progress_sentence(so_far)}" if so_far.total else word
    if so_far.state == "starting":
        sentence = f"{word}: a large model takes a minute to load."
    if watching.stopping(job):
        sentence += " · stops as soon as its answers are kept"
    if so_far.state in RUNNING and so_far.total:
        st.progress(min(so_far.done / so_far.total, 1.0))
    show.text(sentence)

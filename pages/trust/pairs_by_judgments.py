"""Which pairs of runs differ significantly by the grades, beside those by the judgments."""

from __future__ import annotations

import streamlit as st

from exam_core.analysis.references import reference_by_query
from exam_core.wings.trust import fidelity as charts
from exam_core.wings.trust.fidelity import PAIRS, ROWS, fidelity
from exam_core.wings.trust.slides import WORDS, fidelity_lines
from pages.shared import data, naming, show, steps
from pages.shared.selection import Selection

ABOUT = (
    "Paired t-tests of all pairs of runs over the queries, by the judgments and by the grader, each after Holm's "
    "adjustment (Holm 1979; Moffat, Scholer & Thomas 2012)."
)
JUDGED = "qrels:nDCG@10"
"""What can be computed where there are official judgments."""


def view(mode: str, selection: Selection) -> None:
    """The pairs that differ significantly by either side."""
    reference = reference_by_query(
        selection.snapshot, selection.request, judged=JUDGED in selection.about["references"]
    )
    if reference is None:
        show.text("This needs human judgments, or a reference with values by query.")
        steps.brings("judgments", selection, "fidelity")
        return
    result = data.ask(fidelity, selection.snapshot, selection.of(mode, reference=reference))
    st.caption(ABOUT)
    for line in fidelity_lines(result):
        show.text(naming.sentence(line))
    show.chart(charts.fidelity_figure(result.rows, WORDS), key="fidelity_chart")
    show.table(result.rows, ROWS, key="fidelity")
    st.markdown("**Pairs of runs, disagreements first**")
    show.table(
        result.pairs.assign(verdict=result.pairs["verdict"].map(WORDS)),
        PAIRS,
        key="fidelity_pairs",
        export=result.pairs,
    )
    show.notes(result.notes)

"""Which pairs of runs the grader tells apart, beside the judgments: the last part of the page Correlation."""

from __future__ import annotations

import streamlit as st

from exam_core.analysis.chance.fidelity import PAIRS, ROWS, Fidelity, fidelity
from exam_core.analysis.evaluation.references import reference_by_query
from exam_core.charts import fidelity as charts
from exam_core.reports.fidelity import WORDS, fidelity_lines
from pages.shared import data, naming, show
from pages.shared.chosen import Chosen

ABOUT = (
    "A paired t-test of every pair of runs over the queries, by the judgments and by the grader, each adjusted for all "
    "pairs (Holm 1979). A pair that both tell apart is in the same order, or in opposite ones (after Moffat, Scholer & "
    "Thomas 2012)."
)
MODE = "Whose board is tested. Its measure and tau are those of the bar."
JUDGED = "qrels:nDCG@10"
"""What can be computed where there are official judgments."""


def view(chosen: Chosen) -> None:
    """What both sides tell apart; nothing where there is nothing to test."""
    if chosen.basis == "print" or not chosen.series:
        return
    st.subheader("Runs that are told apart")
    reference = reference_by_query(chosen.snapshot, chosen.asked, judged=JUDGED in chosen.about["references"])
    if reference is None:
        show.text(
            "This takes human judgments, or a reference with values by query. Add judgments with: python -m exam_core "
            f"import qrels FILE --collection {chosen.snapshot.collection}"
        )
        return
    mode = chosen.series[0]
    if len(chosen.series) > 1:
        mode = naming.box(st.selectbox, "Board of", chosen.series, key="fidelity_mode", help=MODE) or mode
    found: Fidelity = data.ask(fidelity, chosen.snapshot, chosen.of(mode, reference=reference))
    st.caption(ABOUT)
    for line in fidelity_lines(found):
        show.text(naming.sentence(line))
    show.chart(
        charts.fidelity_figure(found.rows, WORDS),
        key="fidelity_chart",
        alt=charts.fidelity_alternative(found.rows, WORDS),
    )
    show.table(found.rows, ROWS, key="fidelity", alt="Pairs of runs that are told apart by what")
    st.markdown("**Pairs of runs, disagreements first**")
    show.table(
        found.pairs.assign(verdict=found.pairs["verdict"].map(WORDS)),
        PAIRS,
        key="fidelity_pairs",
        alt="Every pair of runs with what tells it apart",
        export=found.pairs,
    )
    show.notes(found.notes)

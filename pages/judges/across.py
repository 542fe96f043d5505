"""Across collections: how grading modes agree with the reference of every collection, and whether a tau holds."""

from __future__ import annotations

import streamlit as st

from exam_core.defaults import DRAWS, SEED
from exam_core.wings.judges.across import (
    EVERY_TAU,
    NAMES,
    POOLED,
    ROWS,
    TRANSFER,
    USUAL_TAU,
    AcrossRequest,
    across,
    across_figure,
    across_sentences,
    comparable,
)
from exam_core.wording import ACROSS
from pages.shared import boxes, data, frame, naming, show
from pages.shared.selection import Selection

ALONE = (
    "No other collection has grades or printed figures together with a reference. Import one on the page Collections, "
    "or build the demo there: it has three."
)
OTHERS_HELP = (
    "All that can be compared where none is chosen. Grading modes are the same where prompt and model, or their names, "
    "are. Printed figures have no interval."
)


def draw(selection: Selection) -> None:
    """The answer in sentences, the chart, and the tables behind it."""
    mine, collections = selection.snapshot, data.collections()
    others = (selection.restricted(data.snapshot(name)) for name in collections if name != mine.collection)
    able = {other.collection: other for other in comparable(others)}
    if not able:
        st.info(ALONE)
        return
    with st.container(horizontal=True):
        picked = st.multiselect("Other collections", list(able), key="across_with", help=OTHERS_HELP)
        by_name = {name: coefficient for coefficient, name in NAMES.items()}
        coefficient = by_name[boxes.one_of("Coefficient", by_name, key="across_by")]
        taus = boxes.one_of("tau", (USUAL_TAU, EVERY_TAU), key="across_tau")
    result = data.ask_slowly(
        "Comparing collections",
        across,
        mine,
        tuple(able[name] for name in picked or able),
        AcrossRequest.of(
            selection.request, selection.series, in_print=bool(selection.in_print), every_tau=taus == EVERY_TAU
        ),
        draws=DRAWS,
        seed=SEED,
    )
    for sentence in across_sentences(result, coefficient):
        show.text(naming.sentence(sentence))
    if result.rows[coefficient].notna().any():
        show.chart(across_figure(result, coefficient), key="across_chart")
    show.table(result.rows, ROWS, key="across_rows")
    if len(result.transfer):
        st.header("A tau of another collection")
        show.table(result.transfer, TRANSFER, key="across_transfer")
    if len(result.pooled):
        st.header("Collections pooled")
        st.caption(POOLED.meaning + ".")
        show.table(result.pooled, POOLED, key="across_pooled")
    show.notes(result.notes)


with frame.page(ACROSS, series=False) as selection:
    draw(selection)

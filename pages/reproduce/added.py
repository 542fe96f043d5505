"""The part of the page Reliability that sets printed figures beside ours."""

from __future__ import annotations

import streamlit as st

from exam_core.wings.reproduction.reproduction import is_reproduced
from pages.shared import boxes, data
from pages.shared.moved import PART, REPRODUCED
from pages.shared.selection import Selection

RUNS = "Order of the runs"
HELP = "How sure the order of the runs is, or which of the papers' printed figures this collection reproduces."


def draw_reliability(selection: Selection) -> bool:
    """The box of parts where the papers print figures of the collection, and this part; whether it is the open one."""
    if st.query_params.get(PART) != REPRODUCED and not data.ask(is_reproduced, selection.snapshot):
        return False
    parts = (RUNS, REPRODUCED)
    if boxes.one_of("Part", parts, key=PART, help=HELP, label_visibility="collapsed") != REPRODUCED:
        return False
    from pages.reproduce import reproduce

    reproduce.draw(selection)
    return True

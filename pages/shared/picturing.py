"""The chart of the chosen leaderboards, on its page and in what is saved of it."""

from __future__ import annotations

import streamlit as st

from exam_core.analysis.comparison import Comparison
from exam_core.reports.part import BoardView, Picture, picture_of
from pages.shared import data
from pages.shared.selection import Selection

WHOLE = "whole_axis"


def whole_axis() -> bool:
    """Whether the axis is to hold every run; its switch may be drawn later, or on another page."""
    return bool(st.session_state.get(WHOLE, st.query_params.get(WHOLE) == "true"))


def picture(selection: Selection, comparison: Comparison | None = None) -> Picture:
    """What is drawn of the chosen comparison, which may be there already; kept as answers are."""
    whole = whole_axis()
    look = BoardView(selection.view, whole, selection.own_order, selection.hidden)
    return data.once(
        lambda: picture_of(selection.figures, comparison or data.compare(selection), selection.request, look, data.ask),
        *(selection, "picture", whole),
    )

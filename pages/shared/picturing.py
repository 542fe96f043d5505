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


def picture(chosen: Selection, found: Comparison | None = None) -> Picture:
    """What is drawn of the chosen comparison, which may be there already; kept as answers are."""
    whole = whole_axis()
    look = BoardView(chosen.view, whole, chosen.own_order, chosen.hidden)
    return data.once(
        lambda: picture_of(chosen.figures, found or data.compare(chosen), chosen.asked, look, data.ask),
        *(chosen, "picture", whole),
    )

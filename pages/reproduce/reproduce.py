"""The part *Reproduce* of the page Reliability: every printed figure beside ours, and the known reasons."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from exam_core.wings.reproduction.reproduction import (
    EQUAL,
    GRADES,
    NEAR,
    RANKS,
    ROWS,
    RULES,
    SUMMARY,
    VERDICTS,
    Reproduction,
    reproduction,
)
from exam_core.wings.reproduction.slides import (
    NO_REASON,
    REASONS,
    SIGNS,
    reasons_table,
    reproduction_figure,
    scores_of,
    share_drawn,
)
from pages.shared import boxes, data, naming, show
from pages.shared.selection import Selection

TITLES = {
    "car_y3": "TREC CAR Y3",
    "dl19": "TREC DL 2019",
    "dl20": "TREC DL 2020",
    "clef21": "CLEF eHealth 2021 (NRP)",
    "pourpre": "a collection with nuggets",
}
SHOWN = (
    *("figure", "printed", "ours", "difference", "verdict", "setting"),
    *("by_stated_rule", "reason", "source", "paper", "printed_in"),
)
FROM_GRADES = (
    "recognised by the names of its runs. Ours is computed from the loaded grades, each figure with its printed tau "
    "and label rank; the bar on the left has no effect."
)
FROM_PRINT = (
    "as printed. There are no grades to compute scores from, so coefficients and kappas are recomputed from the "
    "printed columns and counts."
)
FROM_RULES = (
    "the subject of the POURPRE paper. Its runs are not public: our figures follow from its definition and its "
    "printed numbers."
)
FROM_RANKS = (
    "recognised by the systems whose answers are ranked. Ours is computed from the loaded ranks and orders; the bar "
    "on the left has no effect."
)


def _reasons(reproduction: Reproduction) -> None:
    """Why figures differ."""
    if len(known := reasons_table(reproduction)):
        rows = min(len(known), show.ROWS)
        show.table(known, REASONS, key="reproduce_reasons", look=show.TableLook(show.height_of(rows)))


def _figures(rows: Any) -> None:
    """The figures, one a row; a row that is clicked shows its reason in full."""
    if rows.empty:
        st.caption("Choose above which figures to show.")
        return
    shown = rows.assign(verdict=rows["verdict"].map(SIGNS))[list(SHOWN)]
    look = show.TableLook(460 if len(rows) > show.ROWS else None)
    picked = show.table(shown, ROWS, key="reproduce", look=look, select=True, export=rows)
    if picked is None:
        st.caption("Click a row to read its reason in full.")
    else:
        _in_full(rows.iloc[picked].to_dict())


def _in_full(row: dict[str, Any]) -> None:
    with st.container(border=True):
        show.text(
            f"{naming.sentence(row['figure'])} ({row['paper']}, {row['printed_in']}): printed {row['printed']}, ours "
            f"{show.fraction(row['ours'])} with {row['setting']}; {row['verdict']}."
        )
        if row["reason"]:
            show.text(f"Why: {row['reason']}")
            show.text(f"Source: {row['source']}")
        elif row["verdict"] != EQUAL:
            show.text(NO_REASON)


def draw(selection: Selection) -> None:
    """Which collection of the papers it is, and each figure that they print beside ours."""
    snapshot = data.snapshot(selection.snapshot.collection)
    result = data.ask_slowly("Computing the papers' figures", reproduction, snapshot)
    show.text(result.sentence)
    if len(result.rows):
        basis = {GRADES: FROM_GRADES, RANKS: FROM_RANKS, RULES: FROM_RULES}.get(result.basis, FROM_PRINT)
        show.text(f"{result.collection} is {TITLES[result.known_as or '']}, {basis}")
        signs, about = list(SIGNS.values()), ROWS["verdict"].help
        wanted = boxes.some_of("Verdicts", signs, key="reproduce_verdicts", help=about, default=signs)
        rows = result.rows[result.rows["verdict"].map(SIGNS).isin(wanted)]
        if len(scores_of(rows)) and result.basis != RULES:  # what follows from a paper's rules has no scores to draw
            show.chart(reproduction_figure(naming.named(rows), VERDICTS, NEAR), key="reproduce_chart")
            st.caption(share_drawn(rows))
        tabs: dict[str, Callable[[], object]] = {
            "Figure by figure": partial(_figures, rows),
            "By table": partial(show.table, result.summary, SUMMARY, key="reproduce_summary"),
            "Why figures differ": partial(_reasons, result),
        }
        show.tabs(tabs, key="reproduce_part")
    show.notes(result.notes)

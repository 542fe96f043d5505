"""Blocks of the part *Reproduce* of the page Reliability."""

from __future__ import annotations

from typing import Any

import streamlit as st

from exam_core.wings.reproduction.reproduction import EQUAL, GRADES, NEAR, RANKS, ROWS, RULES, VERDICTS, Reproduction
from exam_core.wings.reproduction.slides import (
    NO_REASON,
    REASONS,
    SIGNS,
    counts_in_words,
    reasons_table,
    reproduction_figure,
    scores_of,
    share_drawn,
)
from pages.shared import boxes, naming, show

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


def about(reproduction: Reproduction) -> None:
    """Which collection of the papers it is, and what ours is computed from."""
    basis = {GRADES: FROM_GRADES, RANKS: FROM_RANKS, RULES: FROM_RULES}.get(reproduction.basis, FROM_PRINT)
    show.text(f"{reproduction.collection} is {TITLES[reproduction.known_as or '']}, {basis}")


def counts(reproduction: Reproduction) -> None:
    """The counts in words, and why figures differ."""
    with st.container(border=True):
        for sentence in counts_in_words(reproduction):
            show.text(sentence)
    if len(known := reasons_table(reproduction)):
        rows = min(len(known), show.ROWS)
        show.table(known, REASONS, key="reproduce_reasons", look=show.TableLook(show.height_of(rows)))


def filtered(reproduction: Reproduction) -> Any:
    """The rows with the verdicts that are asked for."""
    signs = list(SIGNS.values())
    about = ROWS["verdict"].help
    wanted = boxes.some_of("Verdicts", signs, key="reproduce_verdicts", help=about, default=signs)
    return reproduction.rows[reproduction.rows["verdict"].map(SIGNS).isin(wanted)]


def figures(rows: Any) -> None:
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


def chart(rows: Any, reproduction: Reproduction) -> None:
    """Printed against ours; what follows from a paper's own rules has no scores to draw."""
    if len(scores_of(rows)) and reproduction.basis != RULES:
        show.chart(reproduction_figure(naming.named(rows), VERDICTS, NEAR), key="reproduce_chart")
        st.caption(share_drawn(rows))

"""Every widget of the dashboard. A choice is plain text in the URL: each widget is bound to a parameter."""

from __future__ import annotations

from typing import Any

import streamlit as st

from exam_core.measures import MEASURES
from exam_core.store import Snapshot
from pages.shared import data, words
from pages.shared.chosen import Chosen

SCORES = ("re-normalised", "raw")
FIRST_MODES = 1


def draw() -> Chosen | None:
    """Draw the control bar and return the choice; None where there is nothing to choose from."""
    names = data.collections()
    if not names:
        return None
    collection = _select("Collection", names, "collection", words.COLLECTION) or names[0]
    snapshot = data.snapshot(collection)
    about = data.about(snapshot)
    return _printed(snapshot, about) if about["printed"] else _graded(snapshot, about)


def _printed(snapshot: Snapshot, about: dict[str, Any]) -> Chosen:
    columns = about["columns"]
    series = st.multiselect("Printed columns", columns, columns, key="columns", help=words.PRINTED, bind="query-params")
    tau, relevant_from = _tau(), _relevant_from()
    reference = _reference(about)
    return Chosen(snapshot, about, series, None, "", 20, tau, 1, relevant_from, reference, _raw())


def _graded(snapshot: Snapshot, about: dict[str, Any]) -> Chosen:
    bank = _select("Question bank", about["banks"], "bank", words.BANK) if about["banks"] else None
    modes = [name for name, banks in about["graded_banks"].items() if bank in banks or None in banks]
    modes = [name for name in about["graders"] if name in modes]
    series = st.multiselect(
        "Grading modes", modes, modes[:FIRST_MODES], key="modes", help=words.MODES, bind="query-params"
    )
    measures = list(MEASURES)
    measure = _select("Measure", measures, "measure", _measure_help()) or measures[0]
    tau = _tau()
    depth = st.number_input("Depth k", 1, 1000, 20, key="depth", help=words.DEPTH, bind="query-params")
    label_rank = st.number_input("Label rank", 1, 20, 1, key="label_rank", help=words.LABEL_RANK, bind="query-params")
    relevant_from = _relevant_from()
    reference = _reference(about)
    return Chosen(
        snapshot,
        about,
        series,
        bank,
        str(MEASURES[measure].at(depth)),
        depth,
        tau,
        label_rank,
        relevant_from,
        reference,
        _raw(),
    )


def _tau() -> int:
    return int(st.slider("Grade cutoff tau", 1, 5, 4, key="tau", help=words.TAU, bind="query-params"))


def _relevant_from() -> int:
    return int(
        st.number_input(
            "Judged relevant from",
            1,
            3,
            2,
            key="relevant_from",
            help=words.RELEVANT_FROM,
            bind="query-params",
        )
    )


def _reference(about: dict[str, Any]) -> str | None:
    if not about["leaderboards"]:
        return None
    return _select("Reference", about["leaderboards"], "reference", words.REFERENCE)


def _raw() -> bool:
    shown = st.segmented_control(
        "Scores",
        SCORES,
        default=SCORES[0],
        required=True,
        key="scores",
        help=words.SCORES,
        bind="query-params",
    )
    return shown == SCORES[1]


def _select(label: str, options: list[str], key: str, text: str) -> str | None:
    return st.selectbox(label, options, key=key, help=text, bind="query-params")


def _measure_help() -> str:
    return "\n\n".join(f"{info.name}: {info.meaning} ({info.source})." for info in MEASURES.values())

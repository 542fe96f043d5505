"""Every widget of the dashboard. A choice is plain text in the URL: each widget is bound to a parameter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from exam_core.analysis.evaluation.unlabelled import measures_of
from exam_core.analysis.figures import figures_of
from exam_core.analysis.figures.protocol import Basis
from exam_core.analysis.generated.ranked import rankers_of
from exam_core.asked import DEPTH, Asked
from exam_core.declared import declared
from exam_core.measures import MEASURES, Measure
from exam_core.store import Snapshot
from exam_core.store.banks import BankRef
from exam_core.store.summary import bank_version
from pages.shared import data, fields, missing, words
from pages.shared.chosen import ORDERS, SCORES, Chosen

FIRST_MODES = 1
PRESENTING = "presenting"


def draw() -> Chosen | None:
    """Draw the control bar and return the choice; None where there is nothing to choose from."""
    names = data.collections()
    if not names:
        return None
    collection = _select("Collection", names, "collection", words.COLLECTION) or names[0]
    missing.of(collection)
    snapshot = data.snapshot(collection)
    about = data.about(snapshot)
    return BARS[figures_of(snapshot).basis](snapshot, about)


def _printed(snapshot: Snapshot, about: dict[str, Any]) -> Chosen:
    columns = figures_of(snapshot).series()
    series = _several("Printed columns", columns, columns, "columns", words.PRINTED)
    asked = Asked("", tau=_tau(), relevant_from=_relevant_from())
    return _shown(_without(snapshot, about), about, series, asked)


def _graded(snapshot: Snapshot, about: dict[str, Any]) -> Chosen:
    bank = _select("Question bank", _banks(snapshot, about), "bank", words.BANK) if about["banks"] else None
    named = BankRef.parse(bank).name if bank else None
    modes = [name for name, banks in about["graded_banks"].items() if named in banks or None in banks]
    modes = [name for name in about["graders"] if name in modes]
    series = _several("Grading modes", modes, modes[:FIRST_MODES], "modes", words.MODES)
    measures = measures_of(snapshot)
    measure = _select("Measure", measures, "measure", _measure_help(measures)) or measures[0]
    options = _options(MEASURES[measure].options, snapshot)
    tau = _tau()
    depth = st.number_input("Depth k", 1, 1000, DEPTH, key="depth", help=words.DEPTH, bind="query-params")
    label_rank = st.number_input("Label rank", 1, 20, 1, key="label_rank", help=words.LABEL_RANK, bind="query-params")
    wanted = Measure.at(measure, depth, options)
    series = series if wanted.info.of_grades else [str(wanted)]
    asked = Asked(
        str(wanted),
        bank,
        tau=tau,
        depth=depth,
        label_rank=label_rank,
        relevant_from=_relevant_from(),
    )
    return _shown(_without(snapshot, about), about, series, asked)


def _without(snapshot: Snapshot, about: dict[str, Any]) -> Snapshot:
    """The collection without the runs that are to be left out; all where that would be every run."""
    runs = about["systems"]
    left_out = _several("Leave out runs", runs, [], "without", words.WITHOUT) if runs else []
    if runs and len(left_out) == len(runs):
        st.caption("Every run is left out, which would leave no board: all are shown. Keep some of them.")
        return snapshot
    return snapshot.without(left_out)


def _banks(snapshot: Snapshot, about: dict[str, Any]) -> list[str]:
    """The banks in their newest versions, and the version that a link names, such as genq@1."""
    asked = BankRef.parse(str(st.session_state.get("bank") or st.query_params.get("bank", "")))
    known = asked.version and asked.name in about["banks"] and asked.version <= bank_version(snapshot, asked.name)
    return [*about["banks"], str(asked)] if known else list(about["banks"])


def _shown(snapshot: Snapshot, about: dict[str, Any], series: list[str], asked: Asked) -> Chosen:
    """With what is shown of it, and how."""
    asked = asked.but(reference=_reference(about))
    raw = _one_of("Scores", SCORES, "scores", words.SCORES) == SCORES[1]
    own_order = _one_of("Order of the runs", ORDERS, "order", words.ORDER) == ORDERS[1]
    return Chosen(snapshot, about, tuple(series), asked, raw, own_order, present())


def present() -> bool:
    """The switch of the presentation mode; `?present=1` turns it on."""
    address = st.query_params
    st.session_state.setdefault(PRESENTING, address.get("present") == "1")
    on = st.toggle("Presentation mode", key=PRESENTING, help=words.PRESENT)
    if on and address.get("present") != "1":
        address["present"] = "1"
    elif not on and "present" in address:
        del address["present"]
    return on


def leave_presentation() -> None:
    """Turn the presentation mode off; for a button's callback."""
    st.session_state[PRESENTING] = False


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
    if not about["references"]:
        return None
    return _select("Reference", about["references"], "reference", words.REFERENCE)


def _one_of(label: str, options: tuple[str, ...], key: str, text: str) -> str:
    shown = st.segmented_control(
        label, options, default=options[0], required=True, key=key, help=text, bind="query-params"
    )
    return str(shown)


def _select(label: str, options: list[str], key: str, text: str) -> str | None:
    asked = missing.asked(key, options)
    shown = st.selectbox(label, options, key=key, help=text, bind="query-params")
    missing.note(key, label, asked, shown)
    return shown


def _several(label: str, options: list[str], first: list[str], key: str, text: str) -> list[str]:
    """A choice of several; where other options have come up of which none is chosen, the first ones are."""
    asked = missing.asked(key, options)
    before = f"{key} there were"
    chosen = st.session_state.get(key, first)
    if st.session_state.get(before, options) != options and not set(chosen) & set(options):
        st.session_state[key] = first
    st.session_state[before] = options
    shown = st.multiselect(label, options, first, key=key, help=text, bind="query-params")
    missing.note(key, label, asked, "; ".join(shown))
    return shown


def _measure_help(names: list[str]) -> str:
    known = [MEASURES[name] for name in names]
    return "\n\n".join(f"{info.name}: {info.meaning} ({info.source})." for info in known)


def _options(owner: type | None, snapshot: Snapshot) -> Any:
    """The measure's own options; None where it has none."""
    if owner is None:
        return None
    # Of a ranker the collection knows which there are; empty is its only one.
    known = {"ranker": ("", *rankers_of(snapshot))}
    with st.expander("Options of the measure", icon=":material/tune:"):
        return owner(
            **{
                name: fields.ask(
                    st, owner, name, key=f"option_{name}", choices=known.get(name, ()), bind="query-params"
                )
                for name in declared(owner)
            }
        )


BARS: dict[Basis, Callable[[Snapshot, dict[str, Any]], Chosen]] = {"grades": _graded, "print": _printed}

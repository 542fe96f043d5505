"""Every widget of the dashboard. A choice is plain text in the URL: each widget is bound to a parameter."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from exam_core.analysis.choice import TAUS
from exam_core.analysis.choosing import by_judgments, grader_id, own_taus
from exam_core.analysis.figures import figures_of
from exam_core.analysis.grade_scales import scale_of
from exam_core.analysis.groups import has_groups
from exam_core.analysis.unlabelled import choices_of, measures_of
from exam_core.charts.chart_layout import View
from exam_core.declared import declared
from exam_core.errors import UsageError
from exam_core.hiding import hidden_runs
from exam_core.measures import MEASURES, Measure
from exam_core.request import DEPTH, JUDGED_MEASURE, Groups, Request
from exam_core.store import Snapshot
from exam_core.store.names import BankRef
from exam_core.store.scales import decimals
from exam_core.store.summary import bank_version
from pages.shared import boxes, data, help_texts, missing, naming
from pages.shared.selection import ORDERS, OWN_DOCUMENTS, SCORES, Selection

FIRST_MODES = 1
OLD_RANKS = "rank_intervals"
USUAL = "what boxes of the bar have where nobody chooses"
USUAL_MEASURES = ("Cover", "P", "nDCG", "AP", "nCover", "RR")
NEXT_COLLECTION = "collection that is chosen when the bar is drawn next"
NAMING = ("modes", "reference")
"""Boxes that can name grading modes which are made of others."""
GROUPS: tuple[Groups, ...] = ("no", "yes")
JUDGED_DEPTH = Measure.parse(JUDGED_MEASURE).depth or DEPTH
MORE = ("depth", "label_rank", "relevant_from", "scores", "order", "groups")
"""What stands under More."""
VIEWS: dict[View, str] = {"raw": "Scores", "re-normalised": "Re-normalised", "ranks": "Ranks with intervals"}
OF_GRADES = ("series", "tau", "label_rank", "relevant_from")
"""What means nothing under a measure that looks at no grades."""
OWN_TAU = "tau_"
"""What stands before a grading mode's name in the key of its own tau."""
CHIPS = 10
"""Grading modes up to which each is a chip; a box that opens has more of them."""
KEYS = {
    "series": ("modes", "columns"),
    "measure": ("measure", "measure_options"),
    "tau": ("tau", "own_taus"),
    "without": ("without", "own_document"),
    **{name: (name,) for name in ("bank", "reference", "runs", *MORE)},
}
"""What a page may use of the bar, and the widgets that choose it."""


def draw(used: Callable[[Snapshot], Collection[str]]) -> Selection | None:
    """Draw the control bar and return the selection; None where the store is empty.

    Every widget is drawn for every page, and what the page does not use is not displayed: a widget that is not there
    loses its part of the address.

    Parameters
    ----------
    used : gives the names in `KEYS` that the page uses of a collection
    """
    names = data.collections()
    if not names:
        return None
    if (new := st.session_state.pop(NEXT_COLLECTION, None)) in names:
        st.session_state["collection"] = new
    st.session_state[USUAL] = {}
    collection = _select("Collection", names, "collection", help_texts.COLLECTION) or names[0]
    st.session_state[USUAL].clear()  # the collection stays
    missing.of(collection)
    snapshot = _with_ensembles(data.snapshot(collection))
    about = data.about(snapshot)
    naming.use(snapshot)
    uses = used(snapshot)
    selection = (_printed if figures_of(snapshot).in_print else _graded)(snapshot, about, uses)
    _display(uses, selection)
    return selection


def _with_ensembles(snapshot: Snapshot) -> Snapshot:
    """The collection with the ensembles that the address or a box names; an ensemble that can't be made is missing.

    Short names of grading modes in the address become their ids, before a box reads them.
    """
    for key in NAMING:
        named = [] if key in st.session_state else st.query_params.get_all(key)
        if named != (meant := [grader_id(snapshot, text) for text in named]):
            st.query_params[key] = meant
    known = {key: st.session_state.get(key) or st.query_params.get_all(key) for key in NAMING}
    for name in [name for names in known.values() for name in ([names] if isinstance(names, str) else names)]:
        with suppress(UsageError):
            snapshot = figures_of(snapshot, name).snapshot
    return snapshot


def _display(uses: Collection[str], selection: Selection) -> None:
    """Display what the page uses, and how much of it under More is not at its default."""
    # What a chart shows is switched above it.
    shown = [name for name in uses if name != "scores" and (selection.of_grades or name not in OF_GRADES)]
    if not selection.figures.series():
        shown = [name for name in shown if name not in OF_GRADES]
    if selection.by_judgments:
        # Where a page uses tau, judgments have a cut of their own.
        cut = ["relevant_from"] if "tau" in shown else []
        shown = [name for name in shown if name not in ("tau", "label_rank", *cut)] + cut
    usual = st.session_state[USUAL]
    under_more = [name for name in MORE if name in shown and name in usual]
    keys = [key for name, keys in KEYS.items() if name not in shown for key in keys]
    if selection.series and set(selection.series) <= {mode for mode, _ in selection.request.own_taus}:
        keys.append("tau")  # each mode has one of its own
    # A box that shows names, and not ids, has a key of its own.
    hidden = [f".st-key-{text}" for key in keys for text in (key, naming.key_by_name(key))]
    hidden += [] if under_more else [".st-key-more"]
    hidden += [] if {"without", "runs"} & set(shown) else [".st-key-some_runs"]
    rules = [f"{', '.join(hidden)} {{ display: none; }}"] if hidden else []
    if changed := sum(st.session_state.get(name, usual[name]) != usual[name] for name in under_more):
        rules.append(_after_label("more", f"{changed} changed"))
    left_out, filtered = selection.snapshot.left_out, st.session_state.get("runs")
    of_runs = [f"{len(left_out)} left out"] if left_out and "without" in shown else []
    of_runs += [] if selection.snapshot.own_documents or "without" not in shown else ["no own documents"]
    if of_runs := [*of_runs, *(["filtered"] if filtered and "runs" in shown else [])]:
        rules.append(_after_label("some_runs", ", ".join(of_runs)))
    if rules:
        st.html(f"<style>{' '.join(rules)}</style>")
    away = {key: value for key, value in usual.items() if st.session_state.get(key, value) != value}
    if away:
        look: Any = {"icon": ":material/restart_alt:", "key": "reset", "help": help_texts.RESET}
        st.button("Reset", on_click=st.session_state.update, args=(away,), **look)


def _after_label(box: str, text: str) -> str:
    """The CSS rule that writes behind a box's label what is chosen in it."""
    return f'.st-key-{box} summary p::after {{ content: " ({text})"; }}'


def _printed(snapshot: Snapshot, about: dict[str, Any], uses: Collection[str]) -> Selection:
    columns = figures_of(snapshot).series()
    series = _several(help_texts.PUBLISHED, columns, columns, "columns", help_texts.PRINTED)
    request = Request("", tau=_tau(), reference=_reference(about))
    snapshot, hidden = _some_runs(snapshot, about, uses)
    with _more():
        request = request.but(relevant_from=_relevant_from())
        return replace(_shown(snapshot, about, series, request, uses, raw=False), hidden=hidden)


def _graded(snapshot: Snapshot, about: dict[str, Any], uses: Collection[str]) -> Selection:
    about_bank = help_texts.BANK
    banks = _banks(snapshot, about)
    bank = _select(about_bank.label, banks, "bank", about_bank.explained) if about["banks"] else None
    above = st.container(key="taus")
    modes = figures_of(snapshot).series(bank)
    judged = by_judgments(snapshot, modes)
    label, text = (help_texts.JUDGMENTS, help_texts.JUDGED) if judged else (help_texts.GRADERS, help_texts.MODES)
    series = _several(label, modes, modes[:FIRST_MODES], "modes", text)
    known = measures_of(snapshot)
    # What most people take comes first, after the measure that is taken where nobody chooses.
    measures = sorted(known, key=lambda name: (name != known[0], name not in USUAL_MEASURES))
    measure = _select("Measure", measures, "measure", _measure_help(measures)) or measures[0]
    options = _options(measure, snapshot)
    if "measure" not in uses and not MEASURES[measure].of_grades:
        # Such a page is about grades, whatever measure other pages show.
        measure, options = next((name for name in measures if MEASURES[name].of_grades), measure), None
    with above:
        request = Request("", bank, tau=_tau(), own_taus=_own_taus(snapshot, series))
    request = request.but(reference=_reference(about))
    snapshot, hidden = _some_runs(snapshot, about, uses)
    with _more():
        usual = JUDGED_DEPTH if judged else DEPTH
        _follow("depth", float(usual))
        deep, rank = help_texts.DEPTH, help_texts.LABEL_RANK
        depth = _whole(deep.label, 1, 1000, usual, key="depth", text=deep.explained)
        label_rank = _whole(rank.label, 1, 20, 1, key="label_rank", text=rank.explained)
        wanted = Measure.at(measure, depth, options)
        request = request.but(measure=str(wanted), depth=depth, label_rank=label_rank, relevant_from=_relevant_from())
        request = request.but(groups=_groups(snapshot, uses))
        series = series if wanted.info.of_grades else [str(wanted)]
        return replace(_shown(snapshot, about, series, request, uses, raw=judged), hidden=hidden)


def _more() -> Any:
    """The box of what is seldom chosen. An expander, because a closed popover has no widgets for the address."""
    return st.expander("More", icon=":material/tune:", key="more")


def _some_runs(snapshot: Snapshot, about: dict[str, Any], uses: Collection[str]) -> tuple[Snapshot, tuple[str, ...]]:
    """The collection without the runs that are left out, and the runs that the page hides; never every run."""
    runs = about["systems"]
    with st.expander("Runs", icon=":material/filter_list:", key="some_runs"):
        left_out = _several("Leave out", runs, [], "without", help_texts.WITHOUT) if runs else []
        if runs and len(left_out) == len(runs):
            st.caption("All runs are left out, so all are shown. Keep some of them.")
        else:
            snapshot = snapshot.without(left_out)
        own = help_texts.OWN_DOCUMENT
        if "rankings" in snapshot.tables and _one_of(own.label, OWN_DOCUMENTS, "own_document", own.explained) == "no":
            snapshot = snapshot.without_own_documents()
        runs = [run for run in runs if run not in snapshot.left_out]
        if not runs:
            return snapshot, ()
        st.session_state[USUAL]["runs"] = ""
        words = boxes.text("Show", key="runs", help=help_texts.FILTER, placeholder="all runs, or: idst* -prf")
        hidden = hidden_runs(words, runs)
        if words and not hidden and "runs" in uses:
            st.caption("The filter hides no run: it matches all of them, or none.")
        return snapshot, hidden if "runs" in uses else ()


def _banks(snapshot: Snapshot, about: dict[str, Any]) -> list[str]:
    """The banks in their newest versions, and the version that a link names, such as genq@1."""
    bank = BankRef.parse(str(st.session_state.get("bank") or st.query_params.get("bank", "")))
    known = bank.version and bank.name in about["banks"] and bank.version <= bank_version(snapshot, bank.name)
    return [*about["banks"], str(bank)] if known else list(about["banks"])


def _shown(
    snapshot: Snapshot, about: dict[str, Any], series: list[str], request: Request, uses: Collection[str], *, raw: bool
) -> Selection:
    """The selection with what charts show of it; `raw` says whether scores are usually shown as they are."""
    if st.query_params.get(OLD_RANKS) == "true":
        # Links of before have a switch of its own for ranks.
        del st.query_params[OLD_RANKS]
        st.session_state["scores"] = SCORES[2]
    views = sorted(SCORES, key=lambda view: view != "raw") if raw else list(SCORES)
    _follow("scores", views[0])
    shown = _one_of("Scores", tuple(views), "scores", help_texts.SCORES)
    view = next(name for name in SCORES if name == shown)
    own_order = _one_of("Order of the runs", ORDERS, "order", help_texts.ORDER) == ORDERS[1]
    return Selection(snapshot, about, tuple(series), request, view, own_order, uses)


def _tau() -> int:
    return _whole(help_texts.tau_label(), 1, 5, 4, key="tau", text=help_texts.TAU, draw=st.slider)


def tau_key(selection: Selection, mode: str) -> str:
    """The key of the widget that sets a grading mode's tau: the slider, or one of its own."""
    return f"{OWN_TAU}{mode}" if mode in dict(selection.request.own_taus) else "tau"


def set_taus(taus: Mapping[str, float]) -> None:
    """Set taus by the keys of their widgets, before the next run draws these."""
    for key, tau in taus.items():
        st.session_state[key] = float(tau) if key.startswith(OWN_TAU) else tau


def _own_taus(snapshot: Snapshot, series: Sequence[str]) -> tuple[tuple[str, float], ...]:
    """The tau of each chosen grading mode whose scale ends below the slider's, or that gives decimals, by a stepper."""
    taus = []
    with st.container(key="own_taus", gap="xsmall"):
        for mode, usual in own_taus(snapshot, series):
            end, key = min(scale_of(snapshot, mode), TAUS[-1]), f"{OWN_TAU}{mode}"
            label = f"tau of {boxes.escaped(naming.name(mode))} (grades 0-{end})"
            choose = _halves if mode in decimals(snapshot) else _whole
            taus.append((mode, choose(label, 1, end, int(usual), key=key, text=help_texts.TAU)))
    return tuple(taus)


def _halves(label: str, least: int, most: int, usual: int, *, key: str, text: str) -> float:
    """A number within bounds, whole or not, by steps of a half; one of the address that is none of them is missing."""
    bounds = least / 10, float(most), float(usual)
    names = missing.impossible(key, *bounds[:2], whole=False)
    st.session_state[USUAL][key] = float(usual)
    shown = boxes.number(st, label, *bounds, key=key, help=text, bind="query-params", step=0.5, format="%g")
    missing.note(key, label, names, f"{shown:g}")
    return int(shown) if shown == int(shown) else round(shown, 6)


def draw_view(selection: Selection, views: Sequence[View]) -> None:
    """What a chart shows of the runs. The bar keeps it, but displays it on no page: charts of two pages have it."""
    key = f"view_{len(views)}"
    now = selection.view if selection.view in views else SCORES[0]
    st.segmented_control(
        "Shown in the chart",
        views,
        required=True,
        format_func=VIEWS.__getitem__,
        key=key,
        label_visibility="collapsed",
        on_change=_take_view,
        args=(key,),
        **boxes.begin(key, now, default=now),
    )


def _take_view(key: str) -> None:
    st.session_state["scores"] = st.session_state[key]


def _whole(label: str, *bounds: int, key: str, text: str, draw: Callable[..., float] | None = None) -> int:
    """A whole number within bounds (least, most, usual); a number of the address that is none of them is missing."""
    names = missing.impossible(key, *bounds[:2])
    st.session_state[USUAL][key] = bounds[2] if draw else float(bounds[2])
    box = draw or partial(boxes.number, st)
    shown = int(box(label, *bounds, key=key, help=text, bind="query-params"))
    missing.note(key, label, names, str(shown))
    return shown


def _follow(key: str, usual: Any) -> None:
    """A box at its usual value changes with that, where another collection is chosen or one is graded.

    The address leaves out what is usual, and shall open what is shown.
    """
    memory = f"usual {key}"
    before = st.session_state.get(memory, usual)
    if before != usual and st.session_state.get(key) == before:
        st.session_state[key] = usual
    st.session_state[memory] = usual


def _relevant_from() -> int:
    about = help_texts.RELEVANT_FROM
    return _whole(about.label, 1, 3, 2, key="relevant_from", text=about.explained)


def _groups(snapshot: Snapshot, uses: Collection[str]) -> Groups:
    """Whether a page that can show groups of runs as systems does."""
    if not has_groups(snapshot):
        return "no"
    choice = _one_of(help_texts.GROUPS.label, GROUPS, "groups", help_texts.GROUPS.explained)
    return "yes" if choice == "yes" and "groups" in uses else "no"


def _reference(about: dict[str, Any]) -> str | None:
    if not about["references"]:
        return None
    wanted = st.query_params.get("reference")
    if wanted and "reference" not in st.session_state:  # earlier versions left the usual tau unsaid
        for full in (name for name in about["references"] if name.startswith(f"{wanted}:tau=")):
            st.session_state["reference"] = full
    naming.also({name: naming.sentence(name) for name in about["references"]})
    by_name = partial(naming.box, st.selectbox)
    return _select("Reference", about["references"], "reference", help_texts.REFERENCE, by_name)


def _one_of(label: str, options: tuple[str, ...], key: str, text: str) -> str:
    st.session_state[USUAL][key] = options[0]
    return boxes.one_of(label, options, key=key, help=text)


def _select(label: str, options: list[str], key: str, text: str, draw: Callable[..., Any] | None = None) -> str | None:
    names = missing.asked(key, options)
    st.session_state[USUAL][key] = options[0]
    if key != "collection":  # which one is looked at stays, whichever there are
        _follow(key, options[0])
    box = draw or partial(st.selectbox, bind="query-params")
    shown: str | None = box(label, options, key=key, help=text)
    missing.note(key, label, names, shown)
    return shown


def _several(label: str, options: list[str], first: list[str], key: str, text: str) -> list[str]:
    """A choice of several; where the options have changed and none of them is chosen, `first` is."""
    names = missing.asked(key, options)
    st.session_state[USUAL][key] = first
    before = f"{key} there were"
    choice = st.session_state.get(key, first)
    if st.session_state.get(before, options) != options and not set(choice) & set(options):
        st.session_state[key] = first
    st.session_state[before] = options
    by_name = key in ("modes", "columns")
    chips = partial(st.pills, selection_mode="multi") if len(options) <= CHIPS else st.multiselect
    box = partial(naming.box, chips) if by_name else partial(st.multiselect, bind="query-params")
    shown: list[str] = box(label, options, key=key, help=text, default=first)
    missing.note(key, label, names, "; ".join(map(naming.name, shown) if by_name else shown))
    return shown


def _measure_help(names: Sequence[str]) -> str:
    sentences = [f"{name}: {MEASURES[name].meaning}." for name in names if name in USUAL_MEASURES]
    return "\n\n".join([*sentences, *([help_texts.MORE_MEASURES] if len(sentences) < len(names) else [])])


def _options(measure: str, snapshot: Snapshot) -> Any:
    """The measure's own options; None where it has none."""
    owner, known = MEASURES[measure].options, choices_of(snapshot, measure)
    if owner is None:
        return None
    with st.expander("Options of the measure", icon=":material/tune:", key="measure_options"):
        # tau has a slider
        return owner(**{name: _option(owner, name, known.get(name, ())) for name in declared(owner) if name != "rel"})


def _option(owner: type, name: str, choices: Sequence[str]) -> Any:
    """An option of a measure; a number of the address that it can't be is missing."""
    key, field = f"option_{name}", declared(owner)[name]
    is_number = field.type in (int, float) and not (choices or field.choices)
    whole = {"whole": field.type is int}
    names = missing.impossible(key, field.about.least, field.about.most, **whole) if is_number else []
    st.session_state[USUAL][key] = field.default if field.default is None or not is_number else float(field.default)
    shown = boxes.ask_field(st, owner, name, key=key, choices=choices, bind="query-params")
    missing.note(key, field.about.label or name, names, None if shown is None else str(shown))
    return shown

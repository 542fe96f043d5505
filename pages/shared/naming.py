"""Graders by the names that people read; addresses, CSV and commands have their ids."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import streamlit as st

from exam_core.aliases import in_words, with_aliases
from exam_core.analysis.choice import Evaluation
from exam_core.analysis.outliers import readable_titles
from exam_core.grading.modes.papers import mode_of
from exam_core.store import Snapshot
from exam_core.store.summary import names_of
from exam_core.table_text import Frame
from exam_core.wording import method_in_words, plain_names, reference_in_words, with_options
from pages.shared import boxes
from pages.shared.boxes import escaped

STYLE = '<style>div:has(> [class*="st-key-ids_of_"]) { display: none; }</style>'
"""For the boxes that only keep ids in the address."""
TITLES = ("series", "method", "leaderboard", "column")
"""Columns of titles such as `genq Cover@20 tau=4`."""
_NAMES, _GRADERS = "names of graders", "names of graders alone"
_HINT = re.compile(r" \([^()]*(--[a-z-]+)[^()]*\)")
"""In brackets, an option of the command line that may help."""


def use(snapshot: Snapshot) -> None:
    """Take names from this collection from now on."""
    st.session_state[_NAMES] = st.session_state[_GRADERS] = names_of(snapshot)


def also(more: Mapping[str, str]) -> None:
    """Add names for texts that are made of ids, such as a method's title; for this run of the page."""
    st.session_state[_NAMES] = {**names(), **more}


def titles(*choices: Evaluation) -> None:
    """Call methods by their grading modes for this run of the page (commands name the bank instead)."""
    also(readable_titles(choices, st.session_state.get(_GRADERS, {})))


def names() -> Mapping[str, str]:
    """Names of the collection's graders by their ids."""
    return st.session_state.get(_NAMES, {})


def name(grader: str) -> str:
    """The name of a grader; any other text stays as it is."""
    return names().get(grader, grader)


def reference(text: str | None) -> str:
    """A reference in words, with the name of its grader; `the reference` where there is none."""
    return reference_in_words(text, names()) if text else "the reference"


def named(frame: Frame) -> Frame:
    """The frame with names for the ids of graders, and taus in words in titles."""
    known = [column for column in TITLES if column in frame]
    titled = {column: frame[column].map(method_in_words, na_action="ignore") for column in known}
    return with_aliases(frame.assign(**titled) if titled else frame, names())


def sentence(text: str) -> str:
    """A sentence of an analysis for a page: names for ids and references, labels for options of the command line."""
    named = in_words(plain_names(text, names()), names())
    message = _HINT.sub(lambda hint: hint[0] if boxes.is_labelled(hint[1]) else "", named)
    return with_options(message, boxes.label_of)


def ids(graders: Sequence[str]) -> str:
    """Names with their ids and what the papers' modes ask, for a tooltip; graders with nothing to add are left out."""
    lines = []
    for grader in graders:
        more = ". ".join(filter(None, ["" if name(grader) == grader else grader, asks(grader)]))
        if more:
            lines.append(f"**{escaped(name(grader))}**: {escaped(more)}")
    return "\n\n".join(lines)


def asks(grader: str) -> str:
    """What a mode of the papers asks the model, as a sentence; empty for other graders."""
    mode = mode_of(grader)
    return mode.about if mode else ""


def box(
    draw: Callable[..., Any],
    label: str,
    options: Sequence[str],
    *,
    key: str,
    help: str,
    called: Mapping[str, str] | None = None,
    **more: Any,
) -> Any:
    """A box to choose by name: people see names, the address has ids, so that a link survives another name.

    Streamlit writes into the address what it shows. So one box, which nobody sees, is bound to the address, and another
    one shows its value by name.

    Parameters
    ----------
    draw : st.selectbox or st.multiselect
    called : names of the options; without it, of graders, which the tooltip explains by their ids
    """
    if called is None:
        known = names()
    else:  # with the id where several have the same name
        often = Counter(called.values())
        known = {option: f"{name} ({option})" if often[name] > 1 else name for option, name in called.items()}
    shown = seen(key, options, known)
    if shown == key:
        return draw(label, options, key=key, help=help, **({"bind": "query-params"} | more))
    with st.container(key=f"ids_of_{key}"):
        value = draw(
            f"{label} (ids)", options, key=key, label_visibility="collapsed", **({"bind": "query-params"} | more)
        )
    back = {known.get(option, option): option for option in options}
    by_name: Any = _each(value, lambda option: known.get(option, option))
    before = f"{shown} there were"
    if st.session_state.get(before, list(back)) != list(back):
        st.session_state[shown] = by_name  # the browser still shows one of the options of before
    st.session_state[before] = list(back)
    text = "\n\n".join(filter(None, (help, ids(options) if called is None else "")))
    look: dict[str, Any] = {option: more[option] for option in ("placeholder", "index") if option in more}
    if isinstance(by_name, list):
        look |= boxes.begin(shown, by_name, default=by_name)
    elif look.get("index", 0) is not None:
        look |= boxes.begin(shown, by_name, index=list(back).index(by_name))
    elif st.session_state.get(shown) != by_name:  # a box that can be emptied, which another default would forbid
        st.session_state[shown] = by_name
    draw(label, list(back), key=shown, help=text, on_change=_take, args=(key, shown, back), **look)
    return value


def seen(key: str, options: Sequence[str], called: Mapping[str, str] | None = None) -> str:
    """The key of the box that people see: another than the address's where options have names."""
    known = names() if called is None else called
    return key if all(known.get(option, option) == option for option in options) else key_by_name(key)


def key_by_name(key: str) -> str:
    """The key of a box that shows names, beside the one that keeps ids in the address."""
    return f"{key}_by_name"


def _take(key: str, shown: str, back: Mapping[str, str]) -> None:
    """Keep the ids of what was chosen by name; what a browser sends of options that are gone is no choice."""
    with suppress(KeyError):
        st.session_state[key] = _each(st.session_state[shown], back.__getitem__)


def _each(value: str | list[str] | None, called: Callable[[str], str]) -> str | list[str] | None:
    # The value of a box is one name, several, or None.
    if isinstance(value, list):
        return [called(name) for name in value]
    return value and called(value)

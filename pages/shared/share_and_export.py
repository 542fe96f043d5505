"""What is taken away from a page: its link, its citation, and what is made of its choice."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import date
from functools import partial
from urllib.parse import urlencode

import streamlit as st

from exam_core import __version__
from exam_core.actions.exporting import labels_text, leaderboard_text, without_labels
from exam_core.analysis.choice import Evaluation
from exam_core.analysis.leaderboard import leaderboard
from exam_core.asked import BoardForm
from exam_core.errors import ExamboardError
from exam_core.reports.methods_paragraph import methods
from exam_core.wording import plain_number
from pages.shared import data, help_texts, missing, naming, visiting, wings
from pages.shared.chosen import Chosen
from pages.shared.escaping import escaped

LINK_VERSION = "1"
"""Version of the names in the address, as its parameter v."""
PICTURES = ("SVG", "PNG")
BOARDS: dict[BoardForm, str] = {"run-measure-topic-value": "board.txt", "trec_eval": "treceval", "csv": "board.csv"}
"""Forms of leaderboards with what the names of their files end in; ir_measures' has one run alone."""
STEM = "what names of files begin with"
PRINT = "print"
"""The parameter of a page that is printed, which is no choice."""


def check_address(chosen: Chosen | None) -> None:
    """Say so where a link asks for what is not there, or was made by a newer version or from other data.

    The version stands in the links that are shared. It is not put into the address of every page: that would make
    an entry of its own in the browser's history, and Back would lead nowhere.
    """
    if is_newer(st.query_params.get("v", LINK_VERSION)):
        st.warning(help_texts.NEWER_LINK)
    if absent := missing.sentences():
        st.warning("\n\n".join(escaped(sentence) for sentence in absent))
    if chosen and chosen.snapshot.unread:
        st.warning("\n\n".join(escaped(sentence) for sentence in chosen.snapshot.unread))
    if chosen and (made_from := st.query_params.get("data")):
        # The collection that the link opened: of another one that is chosen later, it says nothing.
        opened = st.session_state.setdefault("collection of the link", chosen.snapshot.collection)
        if chosen.snapshot.collection == opened and chosen.snapshot.fingerprint != made_from:
            st.info(help_texts.OTHER_DATA)


def is_newer(version: str) -> bool:
    """Whether a link names a later version than this one's; what is no number names none."""
    found = plain_number(version)
    return found is not None and found > int(LINK_VERSION)


def picture() -> str:
    """The format of the pictures that charts are saved as."""
    return str(st.session_state.get("pictures", PICTURES[0])).lower()


def draw(chosen: Chosen) -> None:
    """What is taken away, folded away: it is made when it is opened."""
    box = st.popover("Share", icon=":material/ios_share:", key="share", on_change="rerun")
    if not box.open:
        return
    address = permalink(chosen)
    with box:
        for tab, draw_tab in zip(st.tabs(list(TABS)), TABS.values(), strict=True):
            with tab:
                draw_tab(chosen, address)


def _link(chosen: Chosen, address: str) -> None:
    del chosen
    st.caption("Link to this page", help=help_texts.PERMALINK)
    st.code(address, language=None, wrap_lines=True)


def _files(chosen: Chosen, address: str) -> None:
    st.caption(help_texts.OF_THE_PAGE)
    st.segmented_control(
        "Format of the picture button above each chart",
        PICTURES,
        default=PICTURES[0],
        required=True,
        key="pictures",
        help=help_texts.PICTURE,
        persist_state="session",
    )
    if chosen.in_print:
        st.caption("Printed figures: there are no labels and no values by query to save.")
    _labels(chosen)
    _boards(chosen)
    wings.draw("draw_shared", chosen, address)


def files_of(chosen: Chosen) -> None:
    """From now on, files that are saved are named after what is chosen."""
    st.session_state[STEM] = chosen.file_stem


def file_named(name: str, stem: str = "") -> str:
    """The name of a file with what is chosen in front, or with another stem."""
    stem = stem or st.session_state.get(STEM, "")
    return f"{stem}-{name}" if stem else name


def save(label: str, content_of: Callable[[], str | bytes] | str, file_name: str, mime: str, stem: str = "") -> None:
    """A button that saves a text; it may be made when it is clicked."""
    if callable(content_of):
        content_of = visiting.carried(content_of)
    st.download_button(
        escaped(label),
        content_of,
        file_named(file_name, stem),
        mime,
        key=f"save_{stem}_{file_name}" if stem else f"save_{file_name}",
        on_click="ignore",
        type="tertiary",
    )


def _paper(chosen: Chosen, address: str) -> None:
    """The citation; and where there is a leaderboard the methods in words, for LaTeX, and the papers as BibTeX."""
    st.caption("Citation", help=help_texts.CITATION)
    st.code(citation(chosen, address), language=None, wrap_lines=True)
    with suppress(ExamboardError):
        found = data.ask(methods, chosen.figures, chosen.series, chosen.asked)
        st.caption("Methods paragraph", help=help_texts.METHODS)
        st.code(found.words, language=None, wrap_lines=True)
        save("Save the methods (LaTeX)", f"{found.latex}\n", "methods.tex", "application/x-tex")
        wings.draw("draw_figures", chosen)
        save("Save the papers (BibTeX)", f"{found.bibtex}\n", "papers.bib", "application/x-bibtex")


TABS: dict[str, Callable[[Chosen, str], None]] = {"Link": _link, "Files": _files, "Paper": _paper}


def _labels(chosen: Chosen) -> None:
    """A button for each grading mode that saves its labels; a sentence where it has none."""
    for mode in chosen.series:
        with suppress(ExamboardError):
            choice = chosen.computed(mode)
            if choice is None:
                continue
            if why := data.ask(without_labels, chosen.snapshot, choice.labelling):
                st.caption(escaped(why))
                continue
            what = f"Save labels as qrels: {naming.name(mode)}" if len(chosen.series) > 1 else "Save labels as qrels"
            labels = partial(labels_text, chosen.snapshot, choice.labelling)
            save(what, labels, "labels.qrels", "text/plain", chosen.stem_of(mode))


def _boards(chosen: Chosen) -> None:
    """A button for each grading mode that saves its leaderboard in a form of other tools; why there is none of one."""
    modes: dict[str, Evaluation] = {}
    for mode in chosen.series:
        try:
            if choice := chosen.computed(mode):
                data.ask(leaderboard, chosen.snapshot, choice)
                modes[mode] = choice
        except ExamboardError as error:
            st.caption(escaped(f"{naming.name(mode)}: {error}"))
    if not modes:
        return
    shown = {"run-measure-topic-value": "Run, measure, topic, value", "csv": "CSV"}
    form = st.selectbox(
        "Leaderboard for other tools",
        BOARDS,
        key="board_form",
        help=help_texts.BOARD_FORM,
        format_func=lambda one: shown.get(one, one),
    )
    for mode, choice in modes.items():
        what = f"Save the leaderboard: {naming.name(mode)}" if len(modes) > 1 else "Save the leaderboard"
        board = partial(leaderboard_text, chosen.snapshot, choice, form)
        save(what, board, BOARDS[form], "text/plain", chosen.stem_of(mode))


def permalink(chosen: Chosen) -> str:
    """The address of this page with every choice in it, those that are at their default too."""
    return link(parameters(chosen))


def parameters(chosen: Chosen) -> dict[str, list[str]]:
    """The same as parameters, each with its values."""
    found: dict[str, list[str]] = {"v": [LINK_VERSION]}
    no_choices = {PRINT, *wings.no_choices()}
    found |= {name: st.query_params.get_all(name) for name in st.query_params if name not in no_choices}
    found |= {name: values for name, values in chosen.parameters().items() if values}
    return found | {"data": [chosen.snapshot.fingerprint]}


def link(asked: dict[str, list[str]]) -> str:
    """An address of this page."""
    base = (st.context.url or "").split("?")[0].rstrip("/")
    return f"{base}?{urlencode(sorted(asked.items()), doseq=True)}"


def citation(chosen: Chosen, address: str) -> str:
    """The configuration in words, with the versions and the fingerprint of the data."""
    return cited(chosen.in_words(), chosen.snapshot.fingerprint, address)


def cited(what: str, fingerprint: str, address: str) -> str:
    """What somebody quotes of what is shown, with the version of Examboard and of the data."""
    return f"Examboard {__version__}: {what}. Data {fingerprint}. {address} ({date.today().isoformat()})"

"""What is taken away from a page: its link, its citation, and what is made of its choice."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import date
from functools import partial
from urllib.parse import urlencode

import streamlit as st

from exam_core import __version__
from exam_core.actions.exporting import labels_text, without_labels
from exam_core.errors import ExamboardError
from exam_core.reports.methods_paragraph import methods
from exam_core.wording import plain_number
from pages.shared import data, help_texts, missing, naming, visiting, wings
from pages.shared.boxes import escaped
from pages.shared.selection import Selection

LINK_VERSION = "1"
"""Version of the names in the address, as its parameter v."""
PICTURES = ("SVG", "PNG")
STEM = "what names of files begin with"
PRINT = "print"
"""The parameter of a page that is printed, which is no choice."""


def check_address(selection: Selection | None) -> None:
    """Say so where a link asks for what is not there, or was made by a newer version or from other data.

    The version stands in the links that are shared. It is not put into the address of every page: that would make
    an entry of its own in the browser's history, and Back would lead nowhere.
    """
    if is_newer(st.query_params.get("v", LINK_VERSION)):
        st.warning(help_texts.NEWER_LINK)
    if absent := missing.sentences():
        st.warning("\n\n".join(escaped(sentence) for sentence in absent))
    if selection and selection.snapshot.unread:
        st.warning("\n\n".join(escaped(sentence) for sentence in selection.snapshot.unread))
    if selection and (made_from := st.query_params.get("data")):
        # The collection that the link opened: of another one that is chosen later, it says nothing.
        opened = st.session_state.setdefault("collection of the link", selection.snapshot.collection)
        if selection.snapshot.collection == opened and selection.snapshot.fingerprint != made_from:
            st.info(help_texts.OTHER_DATA)


def is_newer(version: str) -> bool:
    """Whether a link names a later version than this one's; what is no number names none."""
    count = plain_number(version)
    return count is not None and count > int(LINK_VERSION)


def picture() -> str:
    """The format of the pictures that charts are saved as."""
    return str(st.session_state.get("pictures", PICTURES[0])).lower()


def draw(selection: Selection) -> None:
    """What is taken away, folded away: it is made when it is opened."""
    box = st.popover("Share", icon=":material/ios_share:", key="share", on_change="rerun")
    if not box.open:
        return
    address = link(parameters(selection))
    with box:
        for tab, draw_tab in zip(st.tabs(list(TABS)), TABS.values(), strict=True):
            with tab:
                draw_tab(selection, address)


def _link(selection: Selection, address: str) -> None:
    del selection
    st.caption("Link to this page", help=help_texts.PERMALINK)
    st.code(address, language=None, wrap_lines=True)


def _files(selection: Selection, address: str) -> None:
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
    if selection.in_print:
        st.caption("Printed figures: there are no labels and no values by query to save.")
    _labels(selection)
    wings.draw("draw_shared", selection, address)


def files_of(selection: Selection) -> None:
    """Name files that are saved after what is chosen, from now on."""
    st.session_state[STEM] = selection.file_stem


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


def _paper(selection: Selection, address: str) -> None:
    """The citation; and where there is a leaderboard the methods in words, for LaTeX, and the papers as BibTeX."""
    st.caption("Citation", help=help_texts.CITATION)
    st.code(citation(selection, address), language=None, wrap_lines=True)
    with suppress(ExamboardError):
        result = data.ask(methods, selection.figures, selection.series, selection.request)
        st.caption("Methods paragraph", help=help_texts.METHODS)
        st.code(result.words, language=None, wrap_lines=True)
        save("Save the methods (LaTeX)", f"{result.latex}\n", "methods.tex", "application/x-tex")
        wings.draw("draw_figures", selection)
        save("Save the papers (BibTeX)", f"{result.bibtex}\n", "papers.bib", "application/x-bibtex")


TABS: dict[str, Callable[[Selection, str], None]] = {"Link": _link, "Files": _files, "Paper": _paper}


def _labels(selection: Selection) -> None:
    """A button for each grading mode that saves its labels; a sentence where it has none."""
    for mode in selection.series:
        with suppress(ExamboardError):
            choice = selection.computed(mode)
            if choice is None:
                continue
            if why := data.ask(without_labels, selection.snapshot, choice.labelling):
                st.caption(escaped(why))
                continue
            what = f"Save labels as qrels: {naming.name(mode)}" if len(selection.series) > 1 else "Save labels as qrels"
            labels = partial(labels_text, selection.snapshot, choice.labelling)
            save(what, labels, "labels.qrels", "text/plain", selection.stem_of(mode))


def parameters(selection: Selection) -> dict[str, list[str]]:
    """Query parameters of the permalink, each with its values: every choice, also at its default."""
    groups: dict[str, list[str]] = {"v": [LINK_VERSION]}
    no_choices = {PRINT, *wings.no_choices()}
    groups |= {name: st.query_params.get_all(name) for name in st.query_params if name not in no_choices}
    groups |= {name: values for name, values in selection.parameters().items() if values}
    return groups | {"data": [selection.snapshot.fingerprint]}


def link(groups: dict[str, list[str]]) -> str:
    """An address of this page."""
    base = (st.context.url or "").split("?")[0].rstrip("/")
    return f"{base}?{urlencode(sorted(groups.items()), doseq=True)}"


def citation(selection: Selection, address: str) -> str:
    """The configuration in words, with the versions and the fingerprint of the data."""
    return cited(selection.in_words(), selection.snapshot.fingerprint, address)


def cited(what: str, fingerprint: str, address: str) -> str:
    """A citation of what is shown, with the versions of Examboard and of the data."""
    return f"Examboard {__version__}: {what}. Data {fingerprint}. {address} ({date.today().isoformat()})"

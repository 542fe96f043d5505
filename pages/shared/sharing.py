"""What is taken away from a page: its link, its citation, and the report."""

from __future__ import annotations

from datetime import date
from urllib.parse import urlencode

import streamlit as st

from exam_core import __version__
from pages.shared import words
from pages.shared.chosen import Chosen

LINK_VERSION = "1"
"""Version of the names in the address, as its parameter v."""
PICTURES = ("SVG", "PNG")


def mark_address() -> None:
    """Put the version of its names into the address, and say so where a link is of a newer one."""
    found = st.query_params.get("v")
    if found is None:
        st.query_params["v"] = LINK_VERSION
    elif found.isdigit() and int(found) > int(LINK_VERSION):
        st.warning(words.NEWER_LINK)


def picture() -> str:
    """The format of the pictures that charts are saved as."""
    return str(st.session_state.get("pictures", PICTURES[0])).lower()


def draw(chosen: Chosen | None) -> None:
    """The link, the citation and the format of pictures, folded away."""
    with st.popover("Share and export", icon=":material/ios_share:", width="stretch"):
        st.segmented_control(
            "Pictures", PICTURES, default=PICTURES[0], required=True, key="pictures", help=words.PICTURE
        )
        if chosen is None:
            return
        address = permalink(chosen)
        st.caption("Link to this page", help=words.PERMALINK)
        st.code(address, language=None, wrap_lines=True)
        st.caption("Citation", help=words.CITATION)
        st.code(citation(chosen, address), language=None, wrap_lines=True)


def permalink(chosen: Chosen) -> str:
    """The address of this page with every choice in it, those that are at their default too."""
    parameters: dict[str, list[str]] = {"v": [LINK_VERSION]}
    parameters |= {name: st.query_params.get_all(name) for name in st.query_params}
    parameters |= {name: values for name, values in chosen.parameters().items() if values}
    base = (st.context.url or "").rstrip("/")
    return f"{base}?{urlencode(sorted(parameters.items()), doseq=True)}"


def citation(chosen: Chosen, address: str) -> str:
    """The configuration in words, with the versions and the fingerprint of the data."""
    return (
        f"Examboard {__version__}: {chosen.in_words()}. Data {chosen.snapshot.fingerprint}. {address} "
        f"({date.today().isoformat()})"
    )

"""Who reviews: a name for the session, which the browser remembers and no link has."""

from __future__ import annotations

from typing import Any

import streamlit as st

from exam_core.errors import UsageError
from exam_core.people import LONGEST_NAME, reviewer_name
from exam_core.rights import visitor
from pages.shared import show
from pages.shared.components import component

REVIEWER, _OFFER, _NAMED = "review_reviewer", "review_who", "reviews: somebody was named"
HELP = "Kept with each review; links never contain it."
_who = component(
    "who",
    __file__,
    html='<button type="button" class="examboard-who" hidden></button>',
    css="""
    .examboard-who[hidden] { display: none; }
    .examboard-who {
      font: inherit; color: inherit; background: transparent; border: 1px solid rgba(128, 128, 128, 0.7);
      border-radius: 0.5rem; padding: 0.35rem 0.7rem; cursor: pointer;
    }
    """,
)


def ask(place: Any) -> str | None:
    """The reviewer's name, of who signed in their own; None where it is still to be said, or is none.

    Parameters
    ----------
    place : where the field stands
    """
    if (who := visitor()) is not None:
        return who.name
    typed = place.text_input(
        "Your name", key=REVIEWER, max_chars=LONGEST_NAME, help=HELP, persist_state="session", autocomplete="off"
    )
    name = None
    try:
        name = reviewer_name(typed or "")
    except UsageError as error:
        if (typed or "").strip():
            show.problems([str(error)])
        else:
            show.text("Say who reviews, and press Enter: then the first item comes.")
    fresh = _NAMED not in st.session_state
    if name:
        st.session_state[_NAMED] = True
    _who(key=_OFFER, data={"name": name, "fresh": fresh}, on_name_change=_taken)
    return name


def _taken() -> None:
    """The name that the browser remembered; it is looked at like one that was typed."""
    name = st.session_state[_OFFER].name
    if isinstance(name, str):
        st.session_state[REVIEWER] = name[:LONGEST_NAME]

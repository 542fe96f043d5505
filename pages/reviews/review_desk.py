"""What a reviewer works on, and who reviews.

The desk is a component that holds items ahead, so that the next one needs no server. What is answered is in the
browser's own memory until the server says that it is on disk. All that is not is sent each time, in order, so that
quick answers can't overwrite each other, and a server that was gone gets everything.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from exam_core.errors import UsageError
from exam_core.people import LONGEST_NAME, reviewer_name
from exam_core.rights import visitor
from pages.shared import show
from pages.shared.components import beside, component

_SENT = "told"
_KEYS = (
    ("0 to {most}", "answer"),
    ("s", "skip, with a reason"),
    ("n", "note, which goes with the answer"),
    ("u or Ctrl+Z", "take the last answer back"),
    ("?", "show or hide these keys"),
)
_HTML = """
<div class="examboard-review" role="region" aria-label="Review" tabindex="-1">
  <div class="progress"><progress aria-label="Answered or skipped"></progress><span class="pace"></span>
    <span class="kept" role="status"></span></div>
  <p class="instruction" dir="auto" hidden></p>
  <div class="item" hidden>
    <p class="names"></p>
    <p class="query" dir="auto"></p>
    <p class="question" dir="auto"></p>
    <p class="model"></p>
    <div class="passage" role="region" aria-label="Passage" tabindex="0" dir="auto"></div>
    <p class="asked"></p>
    <div class="answers" role="group"></div>
    <form class="writing" hidden><label><span></span><input type="text" autocomplete="off"></label>
      <button type="submit">Done</button><button type="button" class="cancel">Cancel</button></form>
    <p class="note" hidden></p>
    <div class="tools">
      <button type="button" data-does="skip" aria-keyshortcuts="s">Skip <kbd>s</kbd></button>
      <button type="button" data-does="note" aria-keyshortcuts="n">Note <kbd>n</kbd></button>
      <button type="button" data-does="undo" aria-keyshortcuts="u Control+Z">Undo <kbd>u</kbd></button>
      <button type="button" data-does="keys" aria-keyshortcuts="?" aria-expanded="false">Keys <kbd>?</kbd></button>
    </div>
    <dl class="keys" hidden></dl>
  </div>
  <div class="nothing" hidden><p></p>
    <button type="button" data-does="look">Look again</button>
    <button type="button" data-does="undo">Undo</button></div>
  <p class="said" role="status" dir="auto"></p>
  <p class="refused" role="alert" hidden></p>
</div>
"""
_desk = component("review", __file__, html=_HTML, css=beside(__file__, ".css"))


def key_of(*parts: str) -> str:
    """The key of a desk, here and in the browser's memory, of its store, collection, queue and reviewer."""
    return "review_" + hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]


def sent(key: str) -> list[Any]:
    """What the browser has told and does not know to be on disk; it may be anything."""
    state = st.session_state.get(key)
    text = state.get(_SENT) if isinstance(state, Mapping) else None
    answers = text.get("answers") if isinstance(text, Mapping) else None
    return list(answers) if isinstance(answers, list | tuple) else []


def draw_desk(key: str, fields: Mapping[str, Any]) -> None:
    """The desk, with what `review_work` gives it."""
    most = fields["scale"][-1]["value"]
    keys = [[pressed.format(most=most), does] for pressed, does in _KEYS]
    _desk(key=key, data={"key": key, "keys": keys, **fields}, on_told_change=_noted)


def _noted() -> None:
    """Streamlit wants to be told of what a component may send; it is read when the desk is drawn."""


REVIEWER, _OFFER, _NAMED = "review_reviewer", "review_who", "reviews: somebody was named"
WHO_HELP = "Kept with each review; links never contain it."
_who = component(
    "who",
    Path(__file__).with_name("review_who.js"),
    html='<button type="button" class="examboard-who" hidden></button>',
    css="""
    .examboard-who[hidden] { display: none; }
    .examboard-who {
      font: inherit; color: inherit; background: transparent; border: 1px solid rgba(128, 128, 128, 0.7);
      border-radius: 0.5rem; padding: 0.35rem 0.7rem; cursor: pointer;
    }
    """,
)


def ask_reviewer(place: Any) -> str | None:
    """The reviewer's name, of who signed in their own; None where it is still to be typed, or is no name."""
    if (who := visitor()) is not None:
        return who.name
    typed = place.text_input(
        "Your name", key=REVIEWER, max_chars=LONGEST_NAME, help=WHO_HELP, persist_state="session", autocomplete="off"
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

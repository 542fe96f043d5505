"""Views that are pinned: a page with its choices, a title and a note, put in order and told as a story."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from functools import partial
from typing import Any

import streamlit as st

from exam_core import actions
from exam_core.analysis.figures import figures_of
from exam_core.errors import ExamboardError
from exam_core.reports.links import LOCAL, leads_elsewhere
from exam_core.reports.page import Origin
from exam_core.reports.slides.making import PAGES, of_tab
from exam_core.reports.slides.story_page import story_html
from exam_core.story import LONGEST_NOTE, LONGEST_TITLE, Story, View
from exam_core.wording import counted
from pages.shared import controls, data, sharing, visiting, words
from pages.shared.chosen import Chosen
from pages.shared.escaping import escaped

STORY, TITLE, NOTE, SAID = "pinned_story", "pinned_title", "pinned_note", "what became of a pinned view"
FIRST = "meeting"


def draw(chosen: Chosen, page: str) -> None:
    """The button that opens what is pinned, and pins the page of that title."""
    if st.button("Pinned views", icon=":material/push_pin:", key="pinned"):
        _box(chosen, page)


@st.dialog("Pinned views", width="large")
def _box(chosen: Chosen, page: str) -> None:
    """A story: what is in it, and what can be done with it. A click in here runs nothing of the page."""
    name = _name(chosen)
    if said := st.session_state.pop(SAID, None):
        st.warning(escaped(said))
    for sentence in actions.damaged_stories(data.store(), chosen.snapshot.collection):
        st.warning(escaped(sentence))
    if may := visiting.allowed("edit"):
        _pin(chosen, page, name)
    try:
        story = actions.open_story(data.store(), chosen.snapshot.collection, name)
    except ExamboardError as error:
        st.warning(escaped(str(error)))
        return
    for place, view in enumerate(story.views):
        _view(chosen.snapshot.collection, story, place, view, may=may)
    if story.removed and may:
        st.button(
            f"Undo: bring back {escaped(story.removed[-1].view.heading)}",
            icon=":material/undo:",
            key="pinned_undo",
            on_click=_doing,
            args=(actions.restore_view, chosen.snapshot.collection, name),
        )
    if story.views:
        _take_along(chosen, story)


def _name(chosen: Chosen) -> str:
    """The story that is worked on."""
    known = [story.name for story in actions.stories_of(data.store(), chosen.snapshot.collection)]
    shown = st.selectbox(
        "Story",
        list(dict.fromkeys([*known, st.session_state.get(STORY) or FIRST])),
        key=STORY,
        accept_new_options=True,
        help=words.STORY,
    )
    return str(shown or FIRST)


def _pin(chosen: Chosen, page: str, name: str) -> None:
    """The form that pins the page as it is."""
    if page not in PAGES:
        st.caption(f"{page} has no chart to pin. Pages that have one: {', '.join(PAGES)}.")
        return
    st.text_input("Title", key=TITLE, placeholder=page, max_chars=LONGEST_TITLE, help=words.PIN)
    st.text_area("Note", key=NOTE, height=80, max_chars=LONGEST_NOTE)
    st.button(
        "Pin this view",
        icon=":material/push_pin:",
        key="pin",
        on_click=_pinned,
        args=(chosen, page, name),
        disabled=not chosen.series,
    )


def _pinned(chosen: Chosen, page: str, name: str) -> None:
    title, note = (str(st.session_state.get(key) or "").strip() for key in (TITLE, NOTE))
    view = view_of(chosen, of_tab(page, sharing.parameters(chosen)), title=title, note=note)
    _doing(actions.pin_view, chosen.snapshot.collection, name, view)
    if SAID not in st.session_state:
        st.session_state[TITLE] = st.session_state[NOTE] = ""


def view_of(chosen: Chosen, page: str, **said: str) -> View:
    """A page as it is chosen, with what is said of it."""
    bank = chosen.bank_with_version if chosen.asked.bank else chosen.asked.bank
    return View(
        page,
        chosen.series,
        chosen.asked.but(bank=bank, tau=chosen.tau),
        chosen.snapshot.left_out,
        chosen.raw,
        chosen.own_order,
        sharing.parameters(chosen),
        chosen.snapshot.fingerprint,
        **said,
    )


def _doing(verb: Callable[..., Any], *arguments: Any) -> None:
    """Change a story; where that fails, the box says why."""
    try:
        verb(data.store(), *arguments)
    except ExamboardError as error:
        st.session_state[SAID] = str(error)


def _view(collection: str, story: Story, place: int, view: View, *, may: bool) -> None:
    """A pinned view with what can be done to it."""
    this = (collection, story.name, view.view_id)
    with st.container(border=True, key=f"pinned_{view.view_id}"):
        st.markdown(f"**{place + 1}. {escaped(view.heading)}**")
        if not may:
            return
        with st.container(horizontal=True, gap="small"):
            for word, icon, verb, arguments, off in (
                ("Up", "arrow_upward", actions.move_view, (-1,), place == 0),
                ("Down", "arrow_downward", actions.move_view, (1,), place + 1 == len(story.views)),
                ("Remove", "delete", actions.remove_view, (), False),
            ):
                st.button(
                    word,
                    icon=f":material/{icon}:",
                    key=f"pinned_{word}_{view.view_id}",
                    help=f"{word}: {escaped(view.heading)}",
                    disabled=off,
                    on_click=_doing,
                    args=(verb, *this, *arguments),
                )
        with st.expander("Title and note"):
            keys = [f"pinned_{what}_{view.view_id}" for what in ("title", "note")]
            st.text_input("Title", view.title, key=keys[0], max_chars=LONGEST_TITLE)
            st.text_area("Note", view.note, key=keys[1], height=80, max_chars=LONGEST_NOTE)
            st.button("Save", key=f"pinned_save_{view.view_id}", on_click=_reworded, args=(this, *keys))


def _reworded(this: tuple[str, str, str], title: str, note: str) -> None:
    _doing(actions.reword_view, *this, (str(st.session_state[title]), str(st.session_state[note])))


def _take_along(chosen: Chosen, story: Story) -> None:
    """Present the story, share its link, take it home as a file."""
    link = sharing.story_link(chosen, story.name)
    if st.button(
        "Present the story", icon=":material/slideshow:", key="pinned_present", on_click=_present, args=(story,)
    ):
        st.rerun()
    st.caption("Link that presents it", help=None if leads_elsewhere(link) else LOCAL)
    st.code(link, language=None, wrap_lines=True)
    name = f"{chosen.snapshot.collection}-{story.name}.html"
    sharing.save("Save the story (HTML)", partial(_bundle, chosen, story, link), name, "text/html")


def _present(story: Story) -> None:
    st.query_params["story"] = story.name
    st.query_params.pop("slide", None)
    st.session_state[controls.PRESENTING] = True


def _bundle(chosen: Chosen, story: Story, link: str) -> str:
    """All views of a story as one HTML page."""
    snapshot = data.snapshot(chosen.snapshot.collection)
    said = f"story {story.name}, {counted({'views': len(story.views)})}"
    origin = Origin(snapshot.collection, snapshot.fingerprint, said, date.today().isoformat(), link)
    return story_html(story, figures_of(snapshot), origin, data.ask)

"""Views that are pinned: a page with its choices, a title and a note, put in order, told as a story and presented."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any

import streamlit as st

from exam_core.analysis.figures import Figures, figures_of
from exam_core.errors import ExamboardError
from exam_core.view import View
from exam_core.wings.stage import stories
from exam_core.wings.stage.report_page import LOCAL, ReportOrigin, leads_elsewhere
from exam_core.wings.stage.slides import of_tab, pages, story_html
from exam_core.wings.stage.story import LONGEST_NOTE, LONGEST_SENTENCE, LONGEST_TITLE, Story
from exam_core.wording import counted
from pages.shared import data, share_and_export, show, visiting
from pages.shared.boxes import escaped
from pages.shared.doing import button
from pages.shared.selection import Selection

PRESENTING = "presenting"
PRESENTING_HELP = (
    "One chart a screen. Page Down and Space turn the slides, up and down move tau, ? shows all keys, Escape leaves."
)


def is_presented() -> bool:
    """Whether the page is presented; `?present=1` does so."""
    address = st.query_params
    on = bool(st.session_state.setdefault(PRESENTING, address.get("present") == "1"))
    if on and address.get("present") != "1":
        address["present"] = "1"
    elif not on and "present" in address:
        del address["present"]
    return on


NO_CHOICES = ("story", "story_of", "slide", "table")
"""Parameters of a presentation, which are no choices of a page."""


def story_link(collection: str, name: str) -> str:
    """The address that presents a story, by the collection in which it is kept."""
    return share_and_export.link({"collection": [collection], "story": [name], "present": ["1"]})


def story_citation(collections: Sequence[str], name: str, address: str) -> str:
    """Which story of which collections, with the versions and the fingerprints of the data."""
    fingerprints = [data.snapshot(collection).fingerprint for collection in collections]
    return share_and_export.cited(f"story {name} of {', '.join(collections)}", ", ".join(fingerprints), address)


STORY, NEW, SAID = "pinned_story", "pinned", "what became of a pinned view"
FIRST, MENU = "meeting", "present"
PRESENT, PIN_THIS = "Present this view", "Pin this view"
PRESENT_PINNED, PINS = "Present the pinned views", "Pinned views"
"""What the menu has."""
HELP = (
    "Pinned views in order, of one or several collections, shared by all users of this store. Names consist of "
    "letters, digits, - and _."
)
PIN = "Pins this page with its choices. If the title is empty, the page's is used."
SENTENCE = "The sentence above the slide's chart. If empty: the computed one."


def draw_menu(selection: Selection, page: str) -> None:
    """The button whose menu presents the page of that title, pins it, or leads to what is pinned."""
    options = (PRESENT, PIN_THIS, PRESENT_PINNED, PINS) if visiting.allowed("edit") else (PRESENT, PRESENT_PINNED, PINS)
    look: dict[str, Any] = {"icon": ":material/slideshow:", "help": PRESENTING_HELP, "on_click": _begin}
    action = st.menu_button("Present", options, key=MENU, **look)
    if action == PRESENT_PINNED and (known := _stories(selection)):
        home, name = known.get(st.session_state.get(STORY) or FIRST) or next(iter(known.values()))
        with suppress(ExamboardError):  # the box says what is wrong with it
            if (story := stories.open_story(data.store(), home, name)).views:
                _present(home, story)
                st.rerun()
    if action:
        _box(selection, page if action == PIN_THIS else "")


def _begin() -> None:
    if st.session_state[MENU] == PRESENT:
        st.session_state[PRESENTING] = True


@st.dialog("Pinned views", width="large")
def _box(selection: Selection, page: str) -> None:
    """A story: its views, and what can be done with it. A click in here runs nothing of the page.

    Parameters
    ----------
    page : the title of a page that is to be pinned; empty for none
    """
    home, name = _story(selection)
    if text := st.session_state.pop(SAID, None):
        st.warning(escaped(text))
    for sentence in stories.damaged_stories(data.store(), selection.snapshot.collection):
        st.warning(escaped(sentence))
    if (may := visiting.allowed("edit")) and page:
        _pin(selection, page, (home, name))
    try:
        story = stories.open_story(data.store(), home, name)
    except ExamboardError as error:
        show.problems([str(error)])
        return
    if not story.views:
        st.caption("Nothing is pinned yet.")
    for place, view in enumerate(story.views):
        _pinned_view(home, story, place, view, may=may)
    if story.removed and may:
        last = f"Undo: bring back {escaped(story.removed[-1].view.heading)}"
        button(last, _change, stories.restore_view, home, name, key="pinned_undo", icon="undo")
    if story.views:
        _take_along(home, story)


def _stories(selection: Selection) -> dict[str, tuple[str, str]]:
    """The collection and the name of each story by what it is called here; those of the open collection come first."""
    here = selection.snapshot.collection
    return {
        story.name if collection == here else f"{story.name} ({collection})": (collection, story.name)
        for collection in sorted(data.collections(), key=lambda name: name != here)
        for story in stories.stories_of(data.store(), collection)
    }


def _story(selection: Selection) -> tuple[str, str]:
    """The story that is worked on, and the collection in which it is kept: the one that is open, or another one."""
    here, known = selection.snapshot.collection, _stories(selection)
    shown = st.selectbox(
        "Story",
        list(dict.fromkeys([*known, st.session_state.get(STORY) or FIRST])),
        key=STORY,
        accept_new_options=True,
        help=HELP,
    )
    name = str(shown or FIRST)
    return known.get(name, (here, name))


def _pin(selection: Selection, page: str, story: tuple[str, str]) -> None:
    if page not in pages():
        st.caption(f"{page} has no chart to pin. Pages that have one: {', '.join(pages())}.")
        return
    _words(NEW, View(page, selection.series, selection.request))
    off = not selection.series
    button("Pin this view", _pinned, selection, page, story, key="pin", icon="push_pin", disabled=off)


def _words(key: str, view: View) -> None:
    """Boxes for a view's title, sentence and note; `_typed` reads them."""
    st.text_input("Title", view.title, key=f"{key}_title", placeholder=view.page, max_chars=LONGEST_TITLE, help=PIN)
    st.text_input(
        "Sentence",
        view.sentence or "",
        key=f"{key}_sentence",
        placeholder="as computed",
        max_chars=LONGEST_SENTENCE,
        help=SENTENCE,
        disabled=bool(st.session_state.get(f"{key}_silent", view.sentence == "")),
    )
    st.checkbox("No sentence", view.sentence == "", key=f"{key}_silent")
    st.text_area("Note", view.note, key=f"{key}_note", height=80, max_chars=LONGEST_NOTE)


def _typed(key: str) -> tuple[str, str, str | None]:
    """Title, note and sentence as they were typed."""
    title, note, sentence = (
        str(st.session_state.get(f"{key}_{what}") or "").strip() for what in ("title", "note", "sentence")
    )
    return title, note, "" if st.session_state.get(f"{key}_silent") else sentence or None


def _pinned(selection: Selection, page: str, story: tuple[str, str]) -> None:
    title, note, sentence = _typed(NEW)
    home, here = story[0], selection.snapshot.collection
    own = of_tab(page, share_and_export.parameters(selection))
    view = view_of(selection, own, title=title, note=note, collection="" if here == home else here)
    _change(stories.pin_view, *story, replace(view, sentence=sentence))
    if SAID not in st.session_state:
        for what in ("title", "note", "sentence"):
            st.session_state[f"{NEW}_{what}"] = ""
        st.session_state[f"{NEW}_silent"] = False


def view_of(selection: Selection, page: str, **names: str) -> View:
    """A page as it is chosen, with what is said of it."""
    bank = selection.bank_with_version if selection.request.bank else selection.request.bank
    return View(
        page,
        selection.series,
        selection.request.but(bank=bank, tau=selection.tau),
        selection.snapshot.left_out,
        selection.raw,
        selection.own_order,
        share_and_export.parameters(selection),
        selection.snapshot.fingerprint,
        **names,
    )


def _change(verb: Callable[..., Any], *arguments: Any) -> None:
    """Change a story; where that fails, the box says why."""
    try:
        verb(data.store(), *arguments)
    except ExamboardError as error:
        st.session_state[SAID] = str(error)


def _pinned_view(collection: str, story: Story, place: int, view: View, *, may: bool) -> None:
    this = (collection, story.name, view.view_id)
    with st.container(border=True, key=f"pinned_{view.view_id}"):
        of = f" ({escaped(view.collection)})" if view.collection else ""
        st.markdown(f"**{place + 1}. {escaped(view.heading)}**{of}")
        if not may:
            return
        with st.container(horizontal=True, gap="small"):
            for word, icon, verb, arguments, off in (
                ("Up", "arrow_upward", stories.move_view, (-1,), place == 0),
                ("Down", "arrow_downward", stories.move_view, (1,), place + 1 == len(story.views)),
                ("Remove", "delete", stories.remove_view, (), False),
            ):
                look: dict[str, Any] = {"key": f"pinned_{word}_{view.view_id}", "icon": icon, "disabled": off}
                button(word, _change, verb, *this, *arguments, help=f"{word}: {escaped(view.heading)}", **look)
        with st.expander("Title, sentence and note", key=f"pinned_words_{view.view_id}"):
            _words(f"pinned_{view.view_id}", view)
            button("Save", _reworded, *this, key=f"pinned_save_{view.view_id}")


def _reworded(collection: str, name: str, view_id: str) -> None:
    _change(stories.reword_view, collection, name, view_id, _typed(f"pinned_{view_id}"))


def _take_along(home: str, story: Story) -> None:
    """Present the story, share its link, take it home as a file."""
    link = story_link(home, story.name)
    if button("Present the story", _present, home, story, key="pinned_present", icon="slideshow"):
        st.rerun()
    st.caption("Link that presents it", help=None if leads_elsewhere(link) else LOCAL)
    st.code(link, language=None, wrap_lines=True)
    name, made = f"{story.name}.html", partial(_bundle, home, story, link)
    share_and_export.save("Save the story (HTML)", made, name, "text/html", stem=home)


def _present(home: str, story: Story) -> None:
    st.query_params["story"], st.query_params["story_of"] = story.name, home
    st.query_params.pop("slide", None)
    st.session_state[PRESENTING] = True


def _bundle(home: str, story: Story, link: str) -> str:
    snapshot = data.snapshot(home)
    text = f"story {story.name}, {counted({'views': len(story.views)})}"
    origin = ReportOrigin(snapshot.collection, snapshot.fingerprint, text, date.today().isoformat(), link)

    def figures_in(collection: str) -> Figures:
        return figures_of(data.snapshot(collection))

    return story_html(story, figures_in, origin, data.ask, collections=data.collections())

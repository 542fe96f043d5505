"""The stage: one chart a screen with what it says, and keys that turn the slides and move tau.

A presentation shows the slide of each page, with the choices of the bar, or the views of a story. It stays on the
page where it began: a slide is a parameter of the address, so that nothing is built anew when it turns.
"""

from __future__ import annotations

import html
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial

import streamlit as st

from exam_core.analysis.choice import TAUS
from exam_core.analysis.figures import Figures, figures_of
from exam_core.analysis.grade_scales import scale_of
from exam_core.errors import ExamboardError
from exam_core.slides.slide import Slide
from exam_core.store.summary import names_of
from exam_core.view import View
from exam_core.wings.stage import stories
from exam_core.wings.stage.report_page import LOCAL, leads_elsewhere, qr_code
from exam_core.wings.stage.slides import choice_of, declared, of_tab, slide_of, titles
from exam_core.wings.stage.story import collections_of
from exam_core.wording import without_commands
from pages.shared import controls, data, share_and_export, show
from pages.shared.components import beside, component
from pages.shared.selection import Selection
from pages.shared.show import static
from pages.stage import pinning
from pages.stage.pinning import view_of

LAST, PANEL, TABLE, TURNED = "last", "stage_panel", "figures on the stage", "slide that was turned to"
CLOSING = "Take it along"
STYLE = f"<style>{beside(__file__, '.css')}</style>"
"""Not the component's own: the browser has that later than the title, and shows the bar until then."""
_stage = component("stage", __file__, html='<div class="stage-panel"></div>')


@dataclass(frozen=True)
class Deck:
    """What is presented.

    Attributes
    ----------
    views : by the name of the slide in the address
    collection : that they are about, unless they say another one
    link : opens this presentation
    problem : why there is nothing to show
    """

    views: dict[str, View]
    collection: str
    link: str
    story: str = ""
    problem: str = ""

    @property
    def collections(self) -> list[str]:
        """All collections that it is about."""
        known = data.collections()
        return [name for name in collections_of(self.views.values(), self.collection) if name in known]

    def figures_of(self, view: View) -> Figures:
        """The figures of a view's collection; UsageError where that is gone."""
        return figures_of(data.snapshot(view.collection or self.collection))

    @property
    def slides(self) -> list[str]:
        """The names of the slides in order; the last one says where all came from."""
        return [*self.views, LAST]


def draw(selection: Selection, page: str) -> None:
    """Draw the slide that the address names, in place of the page.

    Parameters
    ----------
    page : title of the page that the presentation is on, and goes back to when it is left
    """
    deck = _story(selection, name) if (name := st.query_params.get("story")) else _pages(selection)
    named = st.query_params.get("slide") or _name(of_tab(page, share_and_export.parameters(selection)))
    named = _former_names().get(named, named)
    at = named if named in deck.slides else deck.slides[0]
    view = deck.views.get(at)
    if view and (tau := st.session_state.get(f"tau of {view.view_id}")):
        view = replace(view, asked=view.asked.at(view.series[0], tau))
    st.html(STYLE)
    with st.container(key="stage"):
        if view:
            _slide(view, deck, at)
        else:
            _closing(selection, deck)
    if st.session_state.get(TURNED) != (deck.story, at):
        st.session_state[TURNED] = deck.story, at
        # The slide that is most likely turned to is computed while somebody speaks to this one.
        for name in deck.slides[deck.slides.index(at) + 1 :][:1]:
            if coming := deck.views.get(name):
                with suppress(ExamboardError):
                    _computed(deck.figures_of(coming), coming)


def _name(title: str) -> str:
    return re.sub(r"\W+", "-", title.lower()).strip("-")


@cache
def _former_names() -> dict[str, str]:
    return {_name(former): _name(title) for title, row in declared().items() for former in row.former}


def _pages(selection: Selection) -> Deck:
    """A slide for each page that has one, of what the bar says."""
    figures = figures_of(data.snapshot(selection.snapshot.collection))
    known = data.ask(titles, figures, selection.series, collections=len(data.collections()))
    views = {_name(title): view_of(selection, title, view_id="") for title in known}
    address = share_and_export.link(share_and_export.parameters(selection) | {"present": ["1"]})
    return Deck(views, selection.snapshot.collection, address)


def _story(selection: Selection, name: str) -> Deck:
    """The views of a story, as they were pinned."""
    home = st.query_params.get("story_of") or selection.snapshot.collection
    link = pinning.story_link(home, name)
    try:
        pinned = stories.story_of(data.store(), home, name).views
    except ExamboardError as error:
        return Deck({}, home, link, name, str(error))
    return Deck({str(place): view for place, view in enumerate(pinned, 1)}, home, link, name)


def _computed(figures: Figures, view: View) -> Slide:
    names = (name for name in data.collections() if name != figures.snapshot.collection)
    return slide_of(figures, view, data.ask, lambda: map(data.snapshot, names))


def _slide(view: View, deck: Deck, at: str) -> None:
    """Title, takeaway and chart, and the figures where somebody asks for them."""
    slide: Slide | None = None
    figures: Figures | None = None
    try:
        with st.spinner("Computing the slide ..."):
            figures = deck.figures_of(view)
            slide = _computed(figures, view)
            choice = choice_of(figures, view, slide)
    except ExamboardError as error:
        text, choice = without_commands(str(error)), view.page
    else:
        text = view.said(slide.takeaway)
    _head(view.heading, text)
    with st.container(key="stage_row", horizontal=True):
        with st.container(key="stage_chart"):
            if slide:
                show.chart(slide.figure, key=f"stage_{at}_{view.page}", fills=True)
            if slide and st.session_state.get(TABLE):
                table = static(slide.table, slide.of, view.heading, titled=False)
                notes = "".join(f"<p>{html.escape(note)}</p>" for note in slide.notes)
                st.html(f'<div class="stage-table">{table}{notes}</div>')
        moves = figures is not None and not figures.in_print and not (slide and slide.settings)
        _panel(deck, at, slide, view, moves=moves)
    changed = view.about_data(figures.snapshot.fingerprint) if figures else []
    sentences = [*changed, *view.note.splitlines(), slide.left_out if slide else "", choice]
    foot = "".join(f"<p>{html.escape(sentence)}</p>" for sentence in sentences if sentence.strip())
    st.html(f'<div class="stage-foot">{foot}</div>')


def _head(title: str, text: str) -> None:
    sentence = f'<p class="stage-said">{html.escape(text)}</p>' if text else ""
    st.html(f'<h1 class="stage-title">{html.escape(title)}</h1>{sentence}')


def _panel(deck: Deck, at: str, slide: Slide | None = None, view: View | None = None, *, moves: bool = False) -> None:
    """The coefficients beside the chart, and the buttons and keys; `moves` says whether the slide depends on tau."""
    ticks = slide.ticks if slide else {}
    first = view.series[0] if view and view.series else ""
    tau = view.asked.of(first).tau if view and moves else None
    taus = {view.asked.of(text).tau for text in view.series} if view else set()
    whose = f" of {names_of(deck.figures_of(view).snapshot).get(first, first)}" if view and len(taus) > 1 else ""
    own = first in dict(view.asked.own_taus) if view else False
    most = scale_of(deck.figures_of(view).snapshot, first) if view and own else TAUS[-1]
    key = f"tau of {view.view_id}" if view and deck.story else f"{controls.OWN_TAU}{first}" if own else "tau"
    _stage(
        key=PANEL,
        data={
            "slides": deck.slides,
            "at": at,
            "ticks": [{"name": name, "value": None if value != value else value} for name, value in ticks.items()],
            "of": slide.ticks_of if slide else "",
            "tau": tau,
            "tauName": f"tau{whose}",
            "taus": sorted({*(count for count in TAUS if count <= most), *([tau] if tau else [])}),
            "figures": slide is not None,
            "table": bool(slide and st.session_state.get(TABLE)),
        },
        on_asked_change=partial(_take, key, tuple(deck.slides)),
    )


def _take(tau: str, slides: tuple[str, ...]) -> None:
    """Do what a key or a button asks for; it comes from the browser, so that it may be anything."""
    request = st.session_state[PANEL].asked
    if not isinstance(request, dict):
        return
    if request.get("leave"):
        st.session_state[pinning.PRESENTING] = st.session_state[TABLE] = False
        for name in (*pinning.NO_CHOICES, share_and_export.PRINT):
            st.query_params.pop(name, None)
        return
    if request.get("slide") in slides:
        st.query_params["slide"] = request["slide"]
    if request.get("tau") in TAUS:
        controls.set_taus({tau: request["tau"]})
    if isinstance(request.get("table"), bool):
        st.session_state[TABLE] = request["table"]


def _closing(selection: Selection, deck: Deck) -> None:
    """What was computed from what, and the link as a QR code."""
    made_of = [f"{collection}, data {data.snapshot(collection).fingerprint}" for collection in deck.collections]
    _head("No such story" if deck.problem else CLOSING, deck.problem or "; ".join(made_of))
    with st.container(key="stage_row", horizontal=True):
        with st.container(key="stage_chart"):
            if not deck.problem:
                text = share_and_export.citation(selection, deck.link)
                if deck.story:
                    text = pinning.story_citation(deck.collections, deck.story, deck.link)
                local = "" if leads_elsewhere(deck.link) else f"<p>{LOCAL}</p>"
                st.html(
                    f'<div class="stage-origin"><img alt="QR code of the link" src="{html.escape(qr_code(deck.link))}">'
                    f"<div><p>{html.escape(text)}</p>{local}</div></div>"
                )
        _panel(deck, LAST)

"""What the page Nuggets shows: scores, odd labels, and one answer with the nuggets that were found in it."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from exam_core.analysis.caveats import unreadable_first
from exam_core.analysis.choice import LabelRule
from exam_core.analysis.values import counted_values
from exam_core.measures import Measure
from exam_core.table_text import plain
from exam_core.texts.marking import mark
from exam_core.wings.neighbours.citations import MATCHES, matches_of
from exam_core.wings.neighbours.nuggets import BY_IMPORTANCE as VARIED
from exam_core.wings.neighbours.nuggets import (
    DIRTY,
    FOUND,
    NO_NUGGETS,
    RUN_SCORES,
    TAUS,
    Found,
    Nuggets,
    are_nuggets,
    importance_effect,
    nuggets,
    nuggets_of,
)
from exam_core.wings.neighbours.slides import ODD_LABELS, most_vital, scores_figure, taus_figure
from pages.shared import data, naming, passage_texts, show
from pages.shared.chosen import Chosen
from pages.shared.help_texts import ROW

WHERE = "Nuggets in one answer"
RUN = "The run whose answer and nuggets are shown below."
QUERY = "The information need (topic) that was answered."
IMPORT = (
    "examboard import assignments assignments.jsonl --collection mine",
    "examboard import bank nuggets.jsonl --bank nuggets --collection mine",
)
READ = (
    "Grade 2 or more: support. Grade 1: partial support, which counts half, or 0 in strict scores. Weighted scores "
    "count an okay nugget as half a vital one (Pradeep et al. 2024)."
)
MARKED = "Marked words share a stem with a word of the nugget; the assigner may have used other words."
COUNTS = ("support", "partial_support", "not_support", "unread", "unassigned", "contradicted", "avoid")


def nothing(why: str) -> None:
    """That there are no nuggets here, and how to get some."""
    show.text(
        f"{why} Choose a collection with nuggets, such as demo-nuggets, or load assignments or a bank of nuggets:"
    )
    for line in IMPORT:
        show.command(line)


def draw(chosen: Chosen) -> None:
    """The scores, the labels, one answer, and what the order of runs owes to importance; or what a measure finds."""
    if chosen.in_print:
        nothing(f"{chosen.snapshot.collection} holds printed figures: the papers print no nuggets.")
        return
    if not chosen.of_grades:
        matched(chosen)
        return
    mode = show.mode(chosen)
    labelling = chosen.of(mode).labelling
    if not data.ask(are_nuggets, chosen.snapshot, labelling):
        nothing(NO_NUGGETS.format(naming.name(mode)))
        return
    found = data.ask(nuggets, chosen.snapshot, labelling)
    scores(found)
    drawn = {
        WHERE: partial(answer, chosen, labelling, found),
        "Labels of each run": partial(labels, found),
        "If other nuggets were vital": partial(importance, chosen, labelling),
    }
    show.tabs(drawn, key="nuggets_tab")
    show.notes(unreadable_first(found.notes)[1], expanded=False)


def scores(found: Nuggets) -> None:
    """The run with the most vital nuggets, how many labels can't be read, and the six scores of every run."""
    show.text(most_vital(found.rows))
    for note in unreadable_first(found.notes)[0]:
        show.text(naming.sentence(note))
    show.chart(scores_figure(found.rows), key="nuggets_scores")
    st.caption(READ)
    columns = [name for name in RUN_SCORES.names if name not in COUNTS]
    show.table(found.rows[columns], RUN_SCORES, key="nuggets", export=found.rows)


def labels(found: Nuggets) -> None:
    """Labels of each run's nuggets, odd labels too."""
    show.table(found.rows[["run_id", *COUNTS]], RUN_SCORES, key="nuggets_labels", alt="Labels of each run's nuggets")
    if len(found.dirty):
        st.caption(ODD_LABELS)
        show.table(found.dirty, DIRTY, key="nuggets_dirty")


def answer(chosen: Chosen, labelling: LabelRule, found: Nuggets) -> None:
    """Nuggets in one answer, in one run's answer to a query."""
    run, query = _pick(found.rows["run_id"].tolist(), list(dict.fromkeys(found.queries["query_id"])))
    if run is None or query is None:
        return
    said = data.ask(nuggets_of, chosen.snapshot, labelling, run, query)
    if said.query_text:
        show.text(said.query_text)
    picked = show.table(said.nuggets, FOUND, key="nuggets_found", select=True)
    rows: list[dict[str, Any]] = plain(said.nuggets)
    _texts(said, rows[picked or 0] if rows else None)


def _pick(runs: list[str], queries: list[str]) -> tuple[str | None, str | None]:
    by_run, by_query = st.columns(2)
    run = by_run.selectbox("Run", runs, key="nuggets_run", help=RUN, bind="query-params")
    return run, by_query.selectbox("Query", queries, key="nuggets_query", help=QUERY, bind="query-params")


def matched(chosen: Chosen) -> None:
    """What POURPRE finds of each nugget in one run's answer, by which words."""
    measure = Measure.parse(chosen.asked.measure)
    if measure.name != "POURPRE":
        show.text(f"{measure} compares whole texts. Choose POURPRE to see which nuggets are found, and where.")
        return
    choice = chosen.of("")
    st.header(WHERE)
    values = data.ask(counted_values, chosen.snapshot, choice)
    run, query = _pick(values.run_ids, values.query_ids)
    if run is None or query is None:
        return
    said = data.ask(matches_of, chosen.snapshot, choice, run, query)
    if said.query_text:
        show.text(said.query_text)
    picked = show.table(said.rows, MATCHES, key="nuggets_matches", select=True)
    if not said.strings:
        show.text("The run has no answer to this query.")
        return
    nugget = picked or 0
    st.caption(f"{ROW} The answer then marks its terms.")
    show.text(f"Marked for: {said.rows['question_text'].iloc[nugget]}")
    for number, string in enumerate(said.strings):
        places = [(start, end) for place, start, end in said.places[nugget] if place == number]
        passage_texts.body(string, places, name=f"String {number + 1}")


def _texts(said: Found, nugget: dict[str, Any] | None) -> None:
    """The answer, with the words of the chosen nugget marked."""
    if said.passages.empty:
        show.text("The run has no answer to this query.")
        return
    wanted = (nugget or {}).get("question_text")
    if wanted:
        st.caption(f"{ROW} The answer then marks its words.")
        show.text(f"Marked for: {wanted}")
    for passage in plain(said.passages):
        if passage["text"] is None:
            show.text(f"{passage['doc_id']}: the text is not known, only the id.")
            continue
        found = mark(passage["text"], wanted) if wanted else None
        passage_texts.body(passage["text"], found.places if found else [], name=f"Passage {passage['rank']}")
    if wanted:
        st.caption(MARKED)


def importance(chosen: Chosen, labelling: LabelRule) -> None:
    """What the order of the runs owes to which nuggets are called vital."""
    found = data.ask(importance_effect, chosen.snapshot, labelling)
    if found.notes:
        for note in found.notes:
            show.text(note)
        return
    taus = dict(zip(found.variants["labels"], found.variants["kendall"], strict=True))
    fixed = {name: taus[name] for name in list(taus)[:2]}
    show.chart(taus_figure(found.kendall, fixed), key="nuggets_taus")
    st.caption(
        f"Runs ranked by vital recall (partial support counts half) after {found.draws:,} random permutations of vital "
        "and okay among each query's nuggets (Lin & Demner-Fushman 2005, section 7)."
    )
    show.table(found.variants, TAUS, key="nuggets_variants")
    show.table(found.rows, VARIED, key="nuggets_varied")

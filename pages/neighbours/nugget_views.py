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
from exam_core.wings.neighbours.nuggets import BY_IMPORTANCE as VARIED
from exam_core.wings.neighbours.nuggets import (
    DIRTY,
    FOUND,
    NO_NUGGETS,
    RUN_SCORES,
    TAUS,
    NuggetAnswer,
    Nuggets,
    are_nuggets,
    importance_effect,
    nuggets,
    nuggets_of,
)
from exam_core.wings.neighbours.slides import ODD_LABELS, most_vital, scores_figure, taus_figure
from exam_core.wings.neighbours.texts import MATCHES, matches_of
from pages.shared import data, naming, passage_texts, show
from pages.shared.help_texts import ROW
from pages.shared.selection import Selection

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


def draw(selection: Selection) -> None:
    """The scores, the labels, one answer, and what the order of runs owes to importance; or what a measure finds."""
    if selection.in_print:
        nothing(f"{selection.snapshot.collection} holds printed figures: the papers print no nuggets.")
        return
    if not selection.of_grades:
        matched(selection)
        return
    mode = show.mode(selection)
    labelling = selection.of(mode).labelling
    if not data.ask(are_nuggets, selection.snapshot, labelling):
        nothing(NO_NUGGETS.format(naming.name(mode)))
        return
    result = data.ask(nuggets, selection.snapshot, labelling)
    scores(result)
    drawn = {
        WHERE: partial(answer, selection, labelling, result),
        "Labels of each run": partial(labels, result),
        "If other nuggets were vital": partial(importance, selection, labelling),
    }
    show.tabs(drawn, key="nuggets_tab")
    show.notes(unreadable_first(result.notes)[1], expanded=False)


def scores(result: Nuggets) -> None:
    """The run with the most vital nuggets, how many labels can't be read, and the six scores of every run."""
    show.text(most_vital(result.rows))
    for note in unreadable_first(result.notes)[0]:
        show.text(naming.sentence(note))
    show.chart(scores_figure(result.rows), key="nuggets_scores")
    st.caption(READ)
    columns = [name for name in RUN_SCORES.names if name not in COUNTS]
    show.table(result.rows[columns], RUN_SCORES, key="nuggets", export=result.rows)


def labels(result: Nuggets) -> None:
    """Labels of each run's nuggets, odd labels too."""
    show.table(result.rows[["run_id", *COUNTS]], RUN_SCORES, key="nuggets_labels", alt="Labels of each run's nuggets")
    if len(result.dirty):
        st.caption(ODD_LABELS)
        show.table(result.dirty, DIRTY, key="nuggets_dirty")


def answer(selection: Selection, labelling: LabelRule, result: Nuggets) -> None:
    """Nuggets in one answer, in one run's answer to a query."""
    run, query = _pick(result.rows["run_id"].tolist(), list(dict.fromkeys(result.queries["query_id"])))
    if run is None or query is None:
        return
    recognised = data.ask(nuggets_of, selection.snapshot, labelling, run, query)
    if recognised.query_text:
        show.text(recognised.query_text)
    picked = show.table(recognised.nuggets, FOUND, key="nuggets_found", select=True)
    rows: list[dict[str, Any]] = plain(recognised.nuggets)
    _texts(recognised, rows[picked or 0] if rows else None)


def _pick(runs: list[str], queries: list[str]) -> tuple[str | None, str | None]:
    by_run, by_query = st.columns(2)
    run = by_run.selectbox("Run", runs, key="nuggets_run", help=RUN, bind="query-params")
    return run, by_query.selectbox("Query", queries, key="nuggets_query", help=QUERY, bind="query-params")


def matched(selection: Selection) -> None:
    """What POURPRE finds of each nugget in one run's answer, by which words."""
    measure = Measure.parse(selection.request.measure)
    if measure.name != "POURPRE":
        show.text(f"{measure} compares whole texts. Choose POURPRE to see which nuggets are found, and where.")
        return
    choice = selection.of("")
    st.header(WHERE)
    values = data.ask(counted_values, selection.snapshot, choice)
    run, query = _pick(values.run_ids, values.query_ids)
    if run is None or query is None:
        return
    match = data.ask(matches_of, selection.snapshot, choice, run, query)
    if match.query_text:
        show.text(match.query_text)
    picked = show.table(match.rows, MATCHES, key="nuggets_matches", select=True)
    if not match.strings:
        show.text("The run has no answer to this query.")
        return
    nugget = picked or 0
    st.caption(f"{ROW} The answer then marks its terms.")
    show.text(f"Marked for: {match.rows['question_text'].iloc[nugget]}")
    for number, string in enumerate(match.strings):
        places = [(start, end) for place, start, end in match.places[nugget] if place == number]
        passage_texts.body(string, places, name=f"String {number + 1}")


def _texts(recognised: NuggetAnswer, nugget: dict[str, Any] | None) -> None:
    """The answer, with the words of the chosen nugget marked."""
    if recognised.passages.empty:
        show.text("The run has no answer to this query.")
        return
    wanted = (nugget or {}).get("question_text")
    if wanted:
        st.caption(f"{ROW} The answer then marks its words.")
        show.text(f"Marked for: {wanted}")
    for passage in plain(recognised.passages):
        if passage["text"] is None:
            show.text(f"{passage['doc_id']}: the text is not known, only the id.")
            continue
        marking = mark(passage["text"], wanted) if wanted else None
        passage_texts.body(passage["text"], marking.places if marking else [], name=f"Passage {passage['rank']}")
    if wanted:
        st.caption(MARKED)


def importance(selection: Selection, labelling: LabelRule) -> None:
    """What the order of the runs owes to which nuggets are called vital."""
    result = data.ask(importance_effect, selection.snapshot, labelling)
    if result.notes:
        for note in result.notes:
            show.text(note)
        return
    taus = dict(zip(result.variants["labels"], result.variants["kendall"], strict=True))
    fixed = {name: taus[name] for name in list(taus)[:2]}
    show.chart(taus_figure(result.kendall, fixed), key="nuggets_taus")
    st.caption(
        f"Runs ranked by vital recall (partial support counts half) after {result.draws:,} random permutations "
        "of vital and okay among each query's nuggets (Lin & Demner-Fushman 2005, section 7)."
    )
    show.table(result.variants, TAUS, key="nuggets_variants")
    show.table(result.rows, VARIED, key="nuggets_varied")

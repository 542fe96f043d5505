"""Why a run is here: two rankings side by side, and questions switched off live."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import streamlit as st

from exam_core.analysis.choice import Evaluation
from exam_core.analysis.other_labels import RELABELLED
from exam_core.table_text import Frame, plain
from exam_core.texts.marking import MARKED, mark
from exam_core.wings.explanations import explanation as analysis
from exam_core.wings.explanations.query_rankings import MOVERS, QUESTIONS, Movers, TwoRankings, movers, two_rankings
from exam_core.wording import counted, labels_change
from pages.shared import boxes, data, naming, passage_texts, picking, show
from pages.shared.selection import Selection

BESIDE = (
    "The run to compare with: first one that ranks other passages, then runs of similar rank in the reference, then "
    "all by rank."
)
QUERY = (
    "Queries by how much leaving one out changes the run's rank. If the run ranks above its reference rank, queries "
    "that lift it come first; if it ranks below, queries that lower it."
)
EVIDENCE = f"{MARKED} Questions that one of the two runs answers, and the other does not, come first."
OFF = (
    "Recomputes the leaderboard and every label without these questions, on this page alone. A question of several "
    "queries is off in all of them."
)
NO_QUESTIONS = "This grading mode labels whole passages: it has no questions to mark or switch off."
SHOWN, EXCERPT = 20, 260
"""Passages of a ranking, and characters of each, that are shown before it is opened."""
_AS_THEY_ARE: Mapping[str, str] = MappingProxyType({})
_BOX = 'tabindex="0" role="region" style="max-height: 28rem; overflow-y: auto"'
_ITEM = '<li style="margin: 0 0 0.6rem; padding: 0 0 0 0.6rem; border-left: {}">'
_TEXT = 'dir="auto" style="margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate'


def draw_rankings(selection: Selection, choice: Evaluation, run: str, *, stands: str | None = None) -> None:
    """Choices, sentences, what changes, and both rankings.

    Parameters
    ----------
    stands : the sentence of the run's rank, empty where the page has it already; None has one made
    """
    report = f"{stands} " if stands else ""
    if not choice.of_grades:
        show.text(
            f"{report}{choice.measure} uses no grades, so passages and questions don't explain the rank of {run}."
        )
        return
    result = data.ask(movers, selection.snapshot, choice, run)
    if result.other is None:
        show.text(f"{report}{run} is the only run: there is no other to compare it with.")
        return
    left, right = st.columns(2)
    with left:
        others = [result.other, *(name for name in result.others if name != result.other)]
        other = _pick("Beside run", others, "why_beside", BESIDE, value=run)
    if other != result.other:
        result = data.ask(movers, selection.snapshot, choice, run, other)
    queries = result.rows["query_id"].tolist()
    with right:
        query = _pick("For query", queries, "why_query", QUERY, value=run, first=result.query_id)
    query_text = result.rows.set_index("query_id").loc[query, "query_text"]
    message = " ".join(analysis.mover_sentences(result, run, stands=stands))
    show.text(message, headline=f"{query}: {query_text}" if query_text else f"Query {query}")
    if result.query_id is None:
        return
    runs = (run, other)
    both = data.ask(two_rankings, selection.snapshot, choice, runs, query)
    if both.is_alike and not result.rows.set_index("query_id").loc[query, "difference"]:
        show.text(analysis.alike_sentence(both, runs, query))
        return
    question, off = _questions(both.questions, query)
    both = data.ask(two_rankings, selection.snapshot, choice, runs, query, question_id=question, off=frozenset(off))
    if off:
        _changes(both, query)
    evidence = next((row for row in plain(both.questions) if row["question_id"] == question), None)
    for area, name, ranked in zip(st.columns(2, gap="medium"), runs, both.passages, strict=True):
        with area:
            _ranking(name, query, ranked, evidence, switched=bool(off))
    _tables(result, both)


def _pick(
    label: str,
    options: Sequence[str],
    key: str,
    text: str,
    *,
    value: str,
    first: str | None = None,
    called: Mapping[str, str] = _AS_THEY_ARE,
) -> str:
    """An option; where nobody chose one, the first, or the one that is given as such."""
    first = first or options[0]
    picking.follow(key, first, value=value)
    place = options.index(first)
    return str(naming.box(st.selectbox, label, options, index=place, key=key, help=text, called=called) or first)


def _questions(questions: Frame, query: str) -> tuple[str | None, list[str]]:
    """The question whose evidence is marked, and the questions that are switched off."""
    if questions.empty:
        show.text(NO_QUESTIONS)
        return None, []
    rows = plain(questions)
    texts = {row["question_id"]: row["question_text"] or row["question_id"] for row in rows}
    left, right = st.columns(2)
    with left:
        question = _pick("Mark evidence for", list(texts), "why_question", EVIDENCE, value=query, called=texts)
    with right:
        picking.follow("why_off", [], value=query)
        off: list[str] = naming.box(
            st.multiselect, "Switch questions off", list(texts), key="why_off", help=OFF, called=texts
        )
    row = next(row for row in rows if row["question_id"] == question)
    pairs = ((row[f"grade_{side}"], "answered" if row[f"answered_{side}"] else "below tau") for side in "ab")
    best = ["none" if grade is None else f"{grade:g} ({answered})" for grade, answered in pairs]
    show.text(f"Best grade on this question: {best[0]} in the left ranking, {best[1]} in the right one.")
    return question, off


def _changes(both: TwoRankings, query: str) -> None:
    crossing = both.flipped[both.flipped["crosses_tau"]]
    here = int((crossing["query_id"] == query).sum())
    with st.container(horizontal=True):
        for row in plain(both.board):
            before, after = row["mean_before"], row["mean_after"]
            st.metric(
                f"Rank of {show.escaped(row['run_id'])}",
                f"{row['rank_after']:g}",
                f"{row['rank_change']:+g} places" if row["rank_change"] else None,
                help=f"Rank {row['rank_before']:g} before; score {before:.3f} before, {after:.3f} now.",
                width="content",
            )
        st.metric(
            "Labels that flip",
            f"{here:,}",
            help=f"Graded passages of query {show.escaped(query)} whose label crosses tau, whether a run ranks them or "
            f"not. Over all queries: {len(crossing):,}.",
            width="content",
        )
    show.text(
        labels_change(len(both.flipped), len(crossing))
        if len(both.flipped)
        else "No label changes: each passage has another question with an equally good grade."
    )


def _ranking(run: str, query: str, ranked: Frame, evidence: dict[str, Any] | None, *, switched: bool) -> None:
    """One ranking; what the other run lacks, what flips and the evidence are marked, not by colour alone."""
    only = int(ranked["other_rank"].isna().sum())
    st.markdown(f"## {show.escaped(run)}")
    if ranked.empty:
        show.text("The run returned nothing for this query.")
        return
    alone = "only in this ranking" if only == len(ranked) == 1 else f"{only:,} of them only in this ranking"
    show.text(f"{counted({'passages': len(ranked)})}, {alone}.")
    items = "".join(_item(row, evidence, switched=switched) for row in plain(ranked.head(SHOWN)))
    name = f'aria-label="{html.escape(f"Ranking of {run}")}"'
    st.html(f'<div {_BOX} {name}><ol style="list-style: none; margin: 0; padding: 0">{items}</ol></div>')
    if len(ranked) > SHOWN:
        show.text(f"The first {SHOWN} of {len(ranked):,}.")
    passage_texts.link(
        f"All that {show.escaped(run)} ranked for {show.escaped(query)}", icon=passage_texts.OPEN, run=run, query=query
    )


def _item(row: dict[str, Any], evidence: dict[str, Any] | None, *, switched: bool) -> str:
    text = row["text"] or "The text is not known, only the id."
    places = []
    if row["text"] and evidence and evidence["question_text"]:
        places = mark(text, evidence["question_text"], evidence["gold_answers"] or ()).places
    only = row["other_rank"] is None
    border = "5px solid currentColor" if only else "5px solid rgba(128, 128, 128, 0.35)"
    head = f"<strong>{row['rank']:g}</strong> <bdi>{html.escape(row['doc_id'])}</bdi>"
    (short, at), cut = passage_texts.excerpt(text, places, EXCERPT)
    body = f'<p {_TEXT}">{passage_texts.marked(short, at)}</p>'
    if cut:
        whole = f'<p {_TEXT}">{passage_texts.marked(text, places)}</p>'
        body += f"<details><summary>The whole passage</summary>{whole}</details>"
    known = passage_texts.facts(_facts(row, switched=switched))
    return f'{_ITEM.format(border)}<p style="margin: 0">{head}</p>{known}{body}</li>'


def _facts(row: dict[str, Any], *, switched: bool) -> list[str]:
    """What is known of a passage in short; what differs comes first."""
    label, then = ("none" if row[name] is None else f"{row[name]:g}" for name in ("label", "label_after"))
    names = ["only here" if row["other_rank"] is None else f"also at {row['other_rank']:g}"]
    if switched and row["flips"]:
        names.append(f"label {label} flips to {then}")
    else:
        names.append(f"label {label}" + (f", now {then}" if then != label else ""))
    if row["grade"] is not None:
        names.append(f"grade {row['grade']:g} on the question")
    if row["first_answered"]:
        names.append(counted({"new answers": int(row["first_answered"])}))
    return [*names, "not judged" if row["relevance"] is None else f"judged {row['relevance']:g}"]


def _tables(result: Movers, both: TwoRankings) -> None:
    with boxes.folded("All queries, questions and label changes", key="why_tables", icon=":material/table:") as opened:
        if not opened:
            return
        show.table(result.rows, MOVERS, key="why_queries")
        if len(both.questions):
            show.table(both.questions, QUESTIONS, key="why_questions")
        if len(both.flipped):
            show.table(both.flipped, RELABELLED, key="why_labels")

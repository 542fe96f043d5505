"""Health of a bank: questions that separate runs, that are alike, and halves of the bank."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from exam_core.analysis.choice import Evaluation
from exam_core.analysis.contents import What
from exam_core.charts.chart_layout import beginning
from exam_core.texts.marking import mark_words
from exam_core.wings.banks import health as analysis
from exam_core.wings.banks.effect import HIDDEN, hidden
from exam_core.wings.banks.health import (
    PAIRS,
    Health,
    health,
    health_lines,
    health_of_words,
    hidden_lines,
    ungraded_bank,
)
from exam_core.wings.banks.slides import difficulty_figure
from exam_core.wording import counted, without_commands
from pages.shared import boxes, data, help_texts, passage_texts, picking, show, steps
from pages.shared.selection import Selection
from pages.shared.show import static

ALL_KINDS = f"{'; '.join(map(': '.join, analysis.KINDS.items()))}. If none is chosen, all are shown."
PICK = f"{help_texts.ROW} {help_texts.POINT} The box lists the first 300 questions of the table."
LISTED_QUESTIONS, SHOWN = 300, 3
"""Questions in the box, and in full beside the chart."""
KEY = "difficulty_question"
Id = tuple[str, str]
"""query_id and question_id."""


def _summary(difficulty: analysis.Difficulty) -> None:
    depth = f"first {difficulty.depth}" if difficulty.depth else "ranked"
    show.text(
        f"Bank {difficulty.grading.bank_id}, {counted({'runs': difficulty.n_runs})}: "
        f"{analysis.kinds_in_words(difficulty.rows)}. "
        f"A run answers a question when one of its {depth} passages has a grade of at least {difficulty.tau}."
    )


def _queries(difficulty: analysis.Difficulty) -> None:
    """The hardest and the easiest query in a sentence, and all of them."""
    known = difficulty.queries.dropna(subset=["runs_share"])
    ends = [
        f"{what} query: {row.query_id} {beginning(row.query_text)} (on average {row.runs_share:.0%} of the runs answer "
        "a question)."
        for what, rows in (("Hardest", known.head(1)), ("Easiest", known.tail(1)))
        for row in rows.itertuples()
    ]
    if ends:
        show.text(" ".join(ends))
    show.table(show.worded(difficulty.queries), analysis.QUERIES, key="difficulty_queries")


def _chart(rows: Any, difficulty: analysis.Difficulty) -> Id | None:
    """Difficulty by discrimination; the question whose point was clicked."""
    clicked = show.chart(difficulty_figure(rows, difficulty.told_from_zero), key="difficulty_chart", select=True)
    st.caption(
        f"Between the dotted lines (±{show.fraction(difficulty.told_from_zero)}) a correlation over "
        f"{counted({'runs': difficulty.n_runs})} "
        "does not differ significantly from 0 (t-test, p < 0.05). Questions that all or no runs answer have no point."
    )
    return (clicked[0], clicked[1]) if clicked else None


def _table(rows: Any) -> Id | None:
    """Every question, worst first; the one whose row was clicked."""
    names = ("query_id", "question_text", "kind", "runs", "runs_share", "passages", "graded", "item_rest", "kendall")
    st.caption("Questions that favour worse runs come first, then those without a discrimination, then the others.")
    place = show.table(show.worded(rows, *names, "facet", "question_id"), analysis.ROWS, key="difficulty", select=True)
    return None if place is None else (rows["query_id"].iloc[place], rows["question_id"].iloc[place])


def _pick(rows: Any, *clicked: Id | None) -> Any | None:
    """The row of the question to look at; None where there is none to pick."""
    st.header("Who answers it?")
    if rows.empty:
        st.caption("No question is of the chosen kinds.")
        return None
    wanted = st.session_state.get(KEY) or st.query_params.get(KEY) or ""
    first = rows.head(LISTED_QUESTIONS)
    shown = {*zip(first["query_id"], first["question_id"], strict=True), *clicked}
    queries = {pair[0] for pair in shown if pair}
    queries |= {query for query in rows["query_id"].unique() if wanted.startswith(f"{query}: ")}
    every: dict[str, Any] = {}
    for row in rows[rows["query_id"].isin(queries)].itertuples():
        name = label(row.query_id, _text(row))
        every[f"{row.query_id}: {row.question_id}" if name in every else name] = row  # by id where two read the same
    labels = {name: row for name, row in every.items() if name == wanted or (row.query_id, row.question_id) in shown}
    label_of = {(row.query_id, row.question_id): name for name, row in labels.items()}
    taken = [label_of.get(pair) if pair else None for pair in clicked]
    picked = picking.pick("Question", list(labels), key=KEY, clicked=taken, help=PICK)
    return labels.get(picked) if picked else None


def label(query_id: str, text: str) -> str:
    """What a question is called in the box and in the address."""
    return f"{query_id}: {beginning(text)}"


def _question(row: Any | None, difficulty: analysis.Difficulty, selection: Selection, mode: str) -> None:
    """One question: its words, and which runs answer it with which passage."""
    if row is None:
        return
    show.text(_text(row))
    facet = f" Facet: {row.facet}." if isinstance(row.facet, str) else ""
    answering = ""
    if row.kind != analysis.UNREAD:
        runs = f"{row.runs} of {counted({'runs': difficulty.n_runs})}"
        answering = f" {runs} and {row.passages:,} of {row.graded:,} graded passages answer it."
    show.text(f"{row.kind}: {analysis.KINDS[row.kind]}.{answering}{facet}")
    choice = selection.of(mode)
    answers = data.ask(analysis.runs_of_question, selection.snapshot, choice, row.query_id, row.question_id)
    show.table(answers, analysis.RUNS, key="difficulty_runs", look=show.TableLook(show.height_of(6)))


def _text(row: Any) -> str:
    """What a question asks, or its id where the bank has no words."""
    return row.question_text if isinstance(row.question_text, str) else str(row.question_id)


def _extremes(rows: Any) -> None:
    """The questions that separate the runs best, and those that worse runs answer, in their own words."""
    for heading, kind, ends in (
        ("Questions that best separate good runs from bad", analysis.DISCRIMINATING, rows.iloc[::-1]),
        ("Questions that worse runs answer", analysis.NEGATIVE, rows),
    ):
        first = analysis.questions_of_kinds(ends, (kind,)).head(SHOWN)
        if len(first):
            words = first.assign(question_text=[_text(row) for row in first.itertuples()])
            st.html(static(words[["question_text"]], analysis.ROWS, heading))


def _graded(selection: Selection) -> None:
    """The questions, which runs answer one of them, the queries, and what is looked at less often."""
    place = st.container()
    mode = show.mode(selection, of_one=False)
    choice = selection.of(mode)
    difficulty = data.ask(analysis.difficulty, selection.snapshot, choice)
    with place:
        _summary(difficulty)
    counts = analysis.counts_of_kinds(difficulty.rows)
    kinds = boxes.some_of("Show only", counts, key="difficulty_kind", help=ALL_KINDS)
    rows = analysis.questions_of_kinds(difficulty.rows, tuple(kinds))
    left, right = st.columns([5, 3])
    with left:
        clicked = _chart(rows, difficulty)
    with right:
        _extremes(rows)
    in_table: list[Id | None] = []
    drawn: dict[str, Callable[[], object]] = {
        "All questions, worst first": lambda: in_table.append(_table(rows)),
        "All queries, hardest first": partial(_queries, difficulty),
        "Near duplicates": partial(_pairs, partial(data.ask, health, selection.snapshot, choice)),
        "Half of the bank hidden": partial(_hidden, choice, selection),
    }
    show.tabs(drawn, key="difficulty_tab")
    _question(_pick(rows, clicked, *in_table), difficulty, selection, mode)
    show.notes(difficulty.notes, expanded=False)


ALIKE = "Questions of one query whose words are at least this similar count as near duplicates."
SAW = "Runs that may have been tuned on the bank; their gain on random halves is compared with that of the other runs."
OF_BANK: tuple[What, ...] = ("questions",)
NO_BANK = "Exam questions are uploaded, written under *Edit*, or written by a model under *Generate*."
BY_GRADES = "Grades tell which questions separate good runs from bad."
LISTED_PAIRS = 300
_PAIR = ("query_id", "alike", "question_text", "other_text")


def draw(selection: Selection) -> None:
    """Which questions separate good runs from bad; of a bank that nobody graded, what its words tell."""
    bank = data.ask(ungraded_bank, selection.snapshot, selection.request)
    if OF_BANK[0] in {lack.what for lack in steps.lacks(selection)}:
        steps.missing(selection, NO_BANK, OF_BANK)
    elif bank is not None:
        _pairs(partial(data.ask, health_of_words, selection.snapshot, bank))
        steps.missing(selection, BY_GRADES, steps.OF_GRADES)
    elif selection.by_judgments or not selection.figures.series():
        steps.missing(selection, BY_GRADES, steps.OF_GRADES)
    else:
        _graded(selection)


def _pairs(health_from: Callable[..., Health]) -> None:
    alike = st.slider("Similarity from", 0.5, 1.0, 0.9, 0.05, key="health_alike", help=ALIKE, bind="query-params")
    result = health_from(alike=alike)
    for sentence in health_lines(result, commands=False)[1:]:
        show.text(without_commands(sentence))
    if result.pairs.empty:
        st.caption(f"No two questions of a query are {result.alike:.0%} similar or more.")
        return
    place = show.table(show.worded(result.pairs, *_PAIR), PAIRS, key="health_pairs", select=True, export=result.pairs)
    labels: dict[str, dict[str, Any]] = {}
    for row in result.pairs.head(LISTED_PAIRS).to_dict("records"):
        texts = (row["question_text"], row["other_text"])
        called = " / ".join(beginning(text, 60) for text in texts if isinstance(text, str))
        label = f"{row['query_id']}: {called}"
        by_id = f"{row['query_id']}: {row['question_id']} / {row['other_id']}"
        labels[by_id if not called or label in labels else label] = row
    clicked = [picking.in_row(labels, place)]
    picked = picking.pick("Pair", labels, key="health_pair", clicked=clicked, help=help_texts.ROW)
    if picked:
        pair = labels[picked]
        sides = ("question_text", "only_one"), ("other_text", "only_other")
        for column, (text, only) in zip(st.columns(2), sides, strict=True):
            with column, st.container(border=True):
                _side(pair[text], pair[only])


def _side(text: Any, only: Any) -> None:
    """One question of a pair, with the words marked that the other hasn't."""
    known = text if isinstance(text, str) else "Its words are not known, only its id."
    places = mark_words(known, only.split()) if isinstance(only, str) else []
    # a word inside another one is none: the "an" of "France"
    whole = [
        (start, end)
        for start, end in places
        if not any(letter.isalnum() for letter in known[max(0, start - 1) : start] + known[end : end + 1])
    ]
    st.html(f"<p dir='auto' style='overflow-wrap: anywhere'>{passage_texts.marked(known, whole)}</p>")


def _hidden(choice: Evaluation, selection: Selection) -> None:
    if not st.toggle("Draw random halves of each query's questions", key="health_hidden", bind="query-params"):
        return
    runs = selection.about["systems"]
    saw = st.multiselect("Runs that saw the bank", runs, key="health_saw", help=SAW, bind="query-params")
    hidden_runs = data.ask_slowly("Drawing halves", hidden, selection.snapshot, choice, saw=tuple(saw))
    for sentence in hidden_lines(hidden_runs):
        show.text(sentence)
    names = [name for name in HIDDEN.names if name != "p" and (saw or name != "saw")]
    show.table(hidden_runs.rows[names], HIDDEN, key="health_halves")

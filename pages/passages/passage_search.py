"""What the page Passages is made of: the search, its results, one passage, the papers' worked example."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from exam_core.analysis import passage_evidence
from exam_core.analysis.agreement_matrices import NAMES
from exam_core.analysis.choice import Evaluation, LabelRule
from exam_core.analysis.passage_evidence import FINDS, PassageEvidence, ResultPage
from exam_core.demo.worked_example import QUESTIONS, example_queries, worked_example
from exam_core.store.evidence import NONE, ORDERS, PassageSearch
from exam_core.table_text import plain
from exam_core.texts.marking import MARKED, mark, mark_words
from exam_core.wording import counted
from pages.shared import boxes, data, doing, missing, passage_texts, picking, scrolling, show, steps
from pages.shared.help_texts import ROW, of_group
from pages.shared.selection import Selection

WITHOUT = "none"
TEXT = "All words must occur in the passage, upper or lower case. Words in quotes are searched as a phrase."
FILTERS = of_group(
    (
        "Grader and judge",
        "Only predicted: label at least tau, judged not relevant. Only judged: label below tau, judged relevant. All: "
        "also passages without a label or a judgment.",
    ),
    ("Query", "The information need (topic) that the passage was graded, judged or ranked for."),
    ("Run", "Passages that the run ranks within depth k, by rank (trec_eval's order: score, then passage id)."),
    ("Label", "The passage's N-th best grade over the questions (EXAM, eq. 3), or the mode's label of it as a whole."),
    ("Order", "disagreement: the largest distance between label and judgment first."),
)
PASSAGE = "Shows one passage: a passage id, or a query id and a passage id with a blank between."
NOTHING = (
    "Printed figures come without passages. Choose a collection with passages, for instance the demo, or add a "
    "graded file on the page Collections."
)
OF_GRADES = [
    "grade",
    "decimal",
    "question_text",
    "question_id",
    "answered",
    "answer",
    "correct",
    "gold_answers",
    "grader_id",
]
"""Columns of the grades in the order in which they are shown."""
OPTIONAL = ("decimal", "question_text", "answer", "correct", "gold_answers")
"""Columns of the grades that are left out where they are empty."""
EXAMPLE = "The papers' worked example"
NARROW = "Filter by grader and judge, query, run, label or judgment; order"
NARROWED = ("find", "query", "run", "labels", "relevances", "order")
_PAGE = "evidence_page"
_MARKED = "evidence_marked"


def draw(selection: Selection) -> None:
    """The search, and what it finds."""
    if steps.unprinted(selection, NOTHING, message="{}: {}"):
        return
    mode, words, named = st.columns([3, 4, 3])
    with mode:
        choice = passage_texts.graded(selection) if selection.series else None  # None: nothing is graded
    labelling = choice.labelling if choice else None
    answer(selection, labelling, ask(selection, choice, words, named))


def ask(selection: Selection, choice: Evaluation | None, words: Any, named: Any) -> PassageSearch:
    """The search's widgets; `words` and `named` are the places of the first two."""
    known = data.ask(passage_evidence.offered, selection.snapshot, choice.labelling if choice else None)
    with words:
        look: Any = {"key": "evidence_text", "help": TEXT, "type": "search", "on_change": _from_the_start}
        text = boxes.text("Words of the passage", **look)
    with named:
        passage = boxes.text("Passage id", key="evidence_passage", help=PASSAGE)
    narrowed = any(f"evidence_{name}" in st.query_params for name in NARROWED)
    with boxes.options(NARROW, icon=":material/tune:", key="evidence_narrow", opened=narrowed and not passage):
        anew: Any = {"on_change": _from_the_start}
        find = boxes.one_of("Grader and judge", list(FINDS), key="evidence_find", help=FILTERS, **anew)
        by_query, by_run = st.columns(2)
        with by_query:
            query = boxes.select("Query", list(known.queries), None, key="evidence_query", **anew)
            if query and known.queries[query]:
                show.text(known.queries[query])
        with by_run:
            run = boxes.select("Run", known.runs, None, key="evidence_run", **anew)
        with st.container(horizontal=True, gap="medium"):
            labels = _values("Label", known.labels if choice else [], "evidence_labels")
            relevances = _values("Judged", known.relevances, "evidence_relevances")
            order = boxes.one_of("Order", list(ORDERS), key="evidence_order", **anew)
    return PassageSearch(
        text=text,
        passage=passage or None,
        query_id=query,
        run_id=run,
        depth=selection.request.depth,
        labels=labels,
        relevances=relevances,
        cells=FINDS[find],
        tau=choice.tau if choice else selection.tau,
        relevant_from=selection.request.relevant_from,
        order=order,
    )


def _values(label: str, known: list[int], key: str) -> tuple[int, ...]:
    picked = boxes.some_of(label, [*map(str, known), WITHOUT], key=key, on_change=_from_the_start)
    return tuple(NONE if value == WITHOUT else int(value) for value in picked)


def _from_the_start() -> None:
    # What is searched has changed.
    st.session_state[_PAGE] = 1


def answer(selection: Selection, labelling: LabelRule | None, wanted: PassageSearch) -> None:
    """The passages that match, or the one that is named."""
    if wanted.passage:
        # What was searched before does not hide the passage that is asked for by its name.
        named = PassageSearch(passage=wanted.passage, tau=wanted.tau, relevant_from=wanted.relevant_from)
        _passage(selection, data.ask(passage_evidence.search, selection.snapshot, named, labelling), wanted)
        return
    if wanted.of_all and passage_texts.is_large(selection):
        first = next(iter(data.ask(passage_evidence.offered, selection.snapshot, labelling).queries))
        show.text(f"The passages of the first query, {first}. Type words above, or choose a query below them.")
        wanted = replace(wanted, query_id=first)
    request = selection, wanted, labelling
    total = passage_texts.search(*request).total
    if not total:
        st.info("No passage matches. Remove some words or choices.")
        return
    show.text(f"{total:,} query-passage pairs" if total > 1 else "One passage")
    passage_texts.listed(*request, _PAGE, export="evidence", words=wanted.words)


def _passage(selection: Selection, result_page: ResultPage, wanted: PassageSearch) -> None:
    passage_texts.back()
    if not result_page.total:
        show.text(f"{selection.snapshot.collection} has no passage {missing.echoed(str(wanted.passage))}.")
        return
    rows = plain(result_page.rows)
    names = [row["query_id"] for row in rows]
    under = boxes.select("Under query", names, key="evidence_under") if len(names) > 1 else names[0]
    row = next(row for row in rows if row["query_id"] == under)
    pair = row["query_id"], row["doc_id"]
    cut: Any = {"bank": selection.bank_name, "tau": wanted.tau}
    about = data.ask(passage_evidence.passage, selection.snapshot, *pair, **cut)
    show.text(f"Passage {about.doc_id} for query {about.query_id}{': ' if about.query_text else ''}{about.query_text}")
    cell = [] if row["cell"] is None else [f"grader and judge: {NAMES[row['cell']]}"]
    st.html(passage_texts.facts([*passage_texts.facts_of(row), *cell]))
    text = st.container(key=_MARKED)
    question = _grades(about)
    with text:
        _text(about, question, wanted.words)
    _judged(about)
    show.notes(about.notes)


def _grades(about: PassageEvidence) -> dict[str, Any] | None:
    """The grades by question; returns the question that is selected, or the best graded."""
    st.header("Grades by question")
    if about.grades.empty:
        show.text("No question of this bank was graded on this passage.")
        return None
    shown = about.grades[OF_GRADES]
    shown = shown.drop(columns=[name for name in OPTIONAL if shown[name].isna().all()])
    picked = show.table(shown, passage_evidence.GRADES, key="evidence_grades", select=True, export=about.grades)
    st.caption(f"{ROW} The passage then marks the question's words.")
    rows: list[dict[str, Any]] = plain(about.grades)
    if picking.is_new("evidence_grades", None if picked is None else rows[picked]["question_id"]):
        scrolling.to(_MARKED)
    return rows[picked or 0]


def _text(about: PassageEvidence, question: dict[str, Any] | None, words: list[str]) -> None:
    """The passage with the words marked that speak to a question, or else those that were searched."""
    st.header("Passage")
    if about.text is None:
        return
    if question is None or not question["question_text"]:
        passage_texts.body(about.text, mark_words(about.text, words), name="Passage")
        return
    marking = mark(about.text, question["question_text"], question["gold_answers"] or ())
    show.text(f"Marked for: {question['question_text']}")
    passage_texts.body(about.text, marking.places, name="Passage")
    missing = f" Not in the passage: {', '.join(marking.missing)}." if marking.missing else ""
    show.text(f"Stems in the passage: {', '.join(marking.matched) or 'none'}.{missing}")
    st.caption(MARKED)


def _judged(about: PassageEvidence) -> None:
    left, right = st.columns(2, gap="medium")
    with left:
        st.header("Judgments and labels")
        if about.judgments.empty and about.labels.empty:
            show.text("Nobody judged this passage, and no grader labelled it as a whole.")
        if len(about.judgments):
            show.table(about.judgments, passage_evidence.JUDGMENTS, key="evidence_judgments")
        if len(about.labels):
            show.table(about.labels, passage_evidence.LABELS, key="evidence_labels_of")
    with right:
        st.header("Runs that retrieved it")
        show.text(f"{len(about.runs):,} of {counted({'runs': about.n_runs})}.")
        if len(about.runs):
            look = show.TableLook(320 if len(about.runs) > passage_texts.SIZE else None)
            show.table(about.runs, passage_evidence.RUNS, key="evidence_runs", look=look)


def example(selection: Selection) -> None:
    """The worked example as the papers print it, and where this collection asks the same."""
    printed = worked_example()
    opens = bool(selection.in_print)
    with st.expander(EXAMPLE, icon=":material/school:", key=f"evidence_example_{opens}", expanded=opens):
        show.text(
            f"EXAM (section 4.5) and EXAM++ (section 5.6): query {printed.title} / {printed.subtopic}. The passage was "
            f"retrieved by {printed.run_id} at rank {printed.rank} and judged {printed.relevance}, "
            f"{printed.meaning}."
        )
        rows: list[dict[str, Any]] = plain(printed.questions)
        first = mark(printed.text, rows[0]["question_text"], [rows[0]["answer"]])
        passage_texts.body(printed.text, first.places, name="Passage of the worked example")
        show.table(printed.questions, QUESTIONS, key="evidence_example")
        st.caption("Empty: the papers print no value. Marked: the answer to the first question.")
        for query in data.ask(example_queries, selection.snapshot):
            show.text(
                f"{selection.snapshot.collection} has the same query, {query}, with passages and grades of its own."
            )
            wanted = {"evidence_passage": "", "evidence_text": "", "evidence_query": query, "evidence_order": "label"}
            doing.choose(f"See them: {show.escaped(query)}", key=f"evidence_example_{query}", **wanted)

"""What reviews say: how far people agree with the grader, and the corrected leaderboard."""

from __future__ import annotations

from typing import Any

import streamlit as st

from exam_core.analysis import agreement_matrices as charts
from exam_core.errors import ExamboardError
from exam_core.wings.reviews import agreement as analysis
from exam_core.wings.reviews.agreement import NAMES, NOTHING, ReviewAgreement
from exam_core.wings.reviews.answers import corrected_sentence
from exam_core.wings.reviews.compared_reviews import EPSILON, REPLACING, TESTS
from exam_core.wings.reviews.corrected import ROWS, corrected, corrected_figure
from exam_core.wings.reviews.records import Reviews, reviews_of
from exam_core.wording import counted
from pages.shared import boxes, data, passage_texts, show, steps
from pages.shared.selection import Selection

TASK, AGAINST, MEASURE = "agreement_of", "agreement_epsilon", "agreement_measure"
TASKS = {"relevance": "Relevance of passages", "grade": "Grades on questions", "question": "Good questions"}
COEFFICIENT_HELP = {
    "agreement": "Items on which people and grader both say yes, or both no. Wilson's interval.",
    "kappa": "(p_o - p_e) / (1 - p_e): agreement beyond what chance alone would give (Cohen 1960). 1 is perfect, 0 is "
    "chance. The interval joins Fieller's and a score interval.",
    "alpha": "1 - observed / expected disagreement (Krippendorff 2011). Unlike kappa, it takes any number of reviewers "
    "and missing answers. Jackknife interval.",
}
WEIGHED = " Items are weighted by inverse sampling probability."
EPSILONS = {f"{name} (epsilon {value:g})": value for name, value in EPSILON.items()}
EPSILON_HELP = (
    "Advantage given to the grader, because people cost more: 0.2 against experts, 0.15 against skilled people, 0.1 "
    "against crowds (Calderon, Reichart & Dror 2025)."
)
REPLACE = (
    "Leaves out one reviewer at a time: does the grader agree with the others as well as that reviewer does? From a "
    "winning rate of 0.5 it may replace a reviewer. Needs 2 reviewers, better 3, with 30 shared items each."
)


def draw_agreement(selection: Selection) -> None:
    """How far reviewers agree with the grader, with each other and with the judges."""
    reviews = reviews_of(data.store(), selection.snapshot)
    if not len(reviews):
        show.text(NOTHING)
        return
    review_agreement = _agreement(selection, reviews)
    tasks = list(dict.fromkeys(review_agreement.rows["task"]))
    if not tasks:
        show.notes(review_agreement.notes)
        return
    names = {TASKS[task]: task for task in tasks}
    task = names[boxes.one_of("Task", names, key=TASK)]
    people = f"{len(review_agreement.reviewers):,} {'person' if len(review_agreement.reviewers) == 1 else 'people'}"
    show.text(f"{counted({'reviews': review_agreement.n})} by {people} count, over all tasks.")
    _coefficients(review_agreement, task)
    show.notes(review_agreement.notes)
    _confusion(review_agreement, task)
    _replacing(review_agreement, task)
    _rows(review_agreement, task)
    _by_query(review_agreement, task)
    _by_question(review_agreement, task)


def _agreement(selection: Selection, reviews: Reviews) -> ReviewAgreement:
    """The agreement with one grading mode; with none where the measure looks at no grades."""
    of: dict[str, Any] = {"tau": selection.tau, "relevant_from": selection.request.relevant_from}
    labelling = None
    if selection.series and selection.of_grades:
        choice = passage_texts.graded(selection)
        labelling, of["tau"] = choice.labelling, choice.tau
    picked = st.selectbox("Reviewers are", list(EPSILONS), key=AGAINST, help=EPSILON_HELP, bind="query-params")
    return data.ask(
        analysis.review_agreement,
        selection.snapshot,
        reviews,
        labelling,
        **of,
        judgments=analysis.usual_judgments(selection.snapshot),
        epsilon=EPSILONS[picked or next(iter(EPSILONS))],
    )


def _coefficients(review_agreement: ReviewAgreement, task: str) -> None:
    """Agreement, kappa and alpha of everybody with the grader; alpha among reviewers; kappa with the judges."""
    wanted = [(measure, "grader", NAMES[measure]) for measure in ("agreement", "kappa", "alpha")]
    wanted += [("alpha", "reviewers", "Alpha of reviewers"), ("kappa", "judgments", "Kappa with judges")]
    wanted += [("good", "nobody", NAMES["good"])]
    with st.container(horizontal=True, gap="medium"):
        for measure, compared, label in wanted:
            row = review_agreement.estimate(task, measure, compared)
            if row is not None:
                about = COEFFICIENT_HELP.get(measure, "Share of the questions that people call good.") + WEIGHED
                interval = show.ends((row.low, row.high) if row.low == row.low else None)
                below = f"{interval}, n = {row.n:,} items"
                show.headline(show.Headline(label, row.estimate, below, about))


def _confusion(review_agreement: ReviewAgreement, task: str) -> None:
    cells = analysis.cells_of(review_agreement, task)
    if not len(cells):
        return
    st.header("Grader and people")
    show.chart(
        charts.counts_figure(cells, cuts=analysis.above(review_agreement, task, cells), judged="people's answers"),
        key="review_confusion",
    )
    st.caption(
        "Rows are labels, columns people's answers; numbers count reviews. Colour: estimated share of the label's "
        "items, weighted by inverse probability. Lines separate yes from no."
    )
    with st.expander("As a table", key="reviewers_as_table"):
        rows = review_agreement.confusion[review_agreement.confusion["task"] == task]
        show.table(rows, analysis.CONFUSION, key="review_confusion_rows")


def _replacing(review_agreement: ReviewAgreement, task: str) -> None:
    tests = review_agreement.tests
    test = next(tests[tests["task"] == task].itertuples(index=False), None)
    if test is None:
        return
    st.header("May the grader replace a reviewer?")
    st.caption(REPLACE)
    if test.reviewers:
        verdict = "passes: it may replace a reviewer" if test.passed else "does not pass"
        show.text(f"At epsilon {test.epsilon:g} the grader {verdict} ({test.reviewers:,} reviewers tested).")
        with st.container(horizontal=True, gap="medium"):
            for name in ("winning_rate", "advantage"):
                column = TESTS[name]
                st.metric(column.label, show.fraction(getattr(test, name)), help=column.explained, width="content")
    else:
        show.text("No reviewer shares 30 items with another one yet: nobody can be tested.")
    rows = review_agreement.replacing[review_agreement.replacing["task"] == task]
    show.table(rows, REPLACING, key="review_replacing")


def _rows(review_agreement: ReviewAgreement, task: str) -> None:
    """One coefficient of everybody, of each reviewer and of each pair of them."""
    st.header("By reviewer")
    rows = review_agreement.rows[review_agreement.rows["task"] == task]
    names = {NAMES[name]: name for name in NAMES if name in set(rows["measure"])}
    start = next((name for name, measure in names.items() if measure == "kappa"), next(iter(names)))
    picked = st.selectbox("Coefficient", list(names), list(names).index(start), key=MEASURE, bind="query-params")
    shown = rows[rows["measure"] == names[picked or start]].drop(columns=["task", "measure"])
    alt = f"{picked or start} of everybody, of each reviewer and of pairs of reviewers"
    show.table(shown, analysis.ROWS, key="review_agreement", alt=alt, export=rows)


def _by_query(review_agreement: ReviewAgreement, task: str) -> None:
    rows = review_agreement.per_query[review_agreement.per_query["task"] == task].drop(columns="task")
    if not len(rows):
        return
    st.header("By query")
    together = review_agreement.estimate(task, "kappa")
    value, ends = (together.estimate, (together.low, together.high)) if together else (float("nan"), None)
    figure = charts.per_query_figure(rows, value, ends if ends and ends[0] == ends[0] else None)
    show.chart(figure, key="review_queries")
    show.table(rows, analysis.PER_QUERY, key="review_per_query")


def _by_question(review_agreement: ReviewAgreement, task: str) -> None:
    every = review_agreement.per_question
    rows = show.filled(every[every["task"] == task].drop(columns="task"))
    if len(rows):
        st.header("By question")
        show.table(rows, analysis.PER_QUESTION, key="review_per_question")


def view(selection: Selection) -> None:
    """The corrected leaderboard as a view of the page Reviews, also where nobody has reviewed yet."""
    if not selection.series:
        show.text("Choose a grading mode on the left: reviews correct its leaderboard.")
        return
    choice = selection.computed(selection.series[0])
    if choice is None:
        return
    reviews = reviews_of(data.store(), selection.snapshot)
    try:
        result = data.ask(corrected, selection.snapshot, choice, reviews, selection.request.relevant_from)
    except ExamboardError as error:
        show.problems(str(error).splitlines())
        if choice.measure.info.adds is None:
            steps.switch_measure(selection)
        return
    show.text(corrected_sentence(result))
    heading, rows = selection.measure_heading, selection.shown(result.rows)
    show.chart(corrected_figure(rows, heading), key="corrected_chart")
    st.caption(
        "Prediction-powered inference (Angelopoulos et al. 2023; Särndal, Swensson & Wretman 1992). Intervals cover "
        "passages that were not reviewed, not other queries. Those of the chart hold for one run each, the wider ones "
        "of the table for all runs together."
    )
    show.table(rows, ROWS, key="corrected")
    show.notes(list(result.notes))

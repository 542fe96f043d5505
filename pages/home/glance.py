"""Blocks of the page Home."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

import streamlit as st

from exam_core import actions
from exam_core.analysis.comparisons.comparison import Comparison
from exam_core.analysis.evaluation.choice import TAUS, Evaluation
from exam_core.analysis.evaluation.grade_scales import scale_of
from exam_core.analysis.judges.illustration import Illustration, illustration
from exam_core.charts.top import top_figure
from exam_core.errors import ExamboardError
from exam_core.reports.displacements import verdict
from exam_core.texts.marking import mark
from exam_core.wording import counted, cut_in_words, ordinal, reference_in_words
from pages.outliers import outlying
from pages.parts import upload
from pages.shared import data, doing, fields, help_texts, menu, passage_texts, show, steps, visiting, wings
from pages.shared.chosen import Chosen

TOP = 8
"""Runs of the small board."""
PASSAGE = 240
"""Characters of the example's passage, from a little before its evidence; its link shows all of it."""
OWN_TAU = "home_tau"
LEADERBOARD = "pages/leaderboard/leaderboard.py"
DEMO, CAR = "demo", "car-y3-published"
BUILD, ANSWERS = "Build the demo", "Generated answers"
OWN_CARDS = 6
"""Collections of the user's own that have a card; the box in the bar has all."""
ABOUT = {
    DEMO: "small, written for Examboard",
    "demo-answers": "generated answers",
    "demo-nuggets": "nuggets of answers",
}
PRINTED = "as printed in the papers"
"""What a collection is that comes along."""
NO_EXAMPLE = "has no passage with a readable grade on a question whose text is known, so no example is shown here."
NOT_PRINTED = "Printed figures come without passages. The demo shows how grades become ranks."


def places() -> tuple[Any, Sequence[Any]]:
    """Where the example goes, and left and right of it the board and what is known."""
    strip, (left, right) = st.container(), st.columns([3, 2], gap="medium")
    return strip, (left, right)


def tau(chosen: Chosen) -> None:
    """The bar's slider again, beside what it moves."""
    if not chosen.has_taus or not chosen.series:
        return
    begins = fields.begin(OWN_TAU, chosen.tau, value=chosen.tau)
    st.slider("Grade cutoff tau", TAUS[0], TAUS[-1], key=OWN_TAU, help=help_texts.TAU, on_change=_take_tau, **begins)


def _take_tau() -> None:
    st.session_state["tau"] = st.session_state[OWN_TAU]


def example(found: Comparison, chosen: Chosen) -> None:
    """How a rank comes about, by one passage of the collection."""
    if steps.unprinted(chosen, "", said=NOT_PRINTED):
        return
    for series in list(found.boards)[:1]:
        choice = chosen.computed(series)
        if choice is not None and choice.grading.judgments:
            return
        if choice is None or not choice.of_grades:
            show.text(_without_grades(chosen))
            return
        shown = data.ask(illustration, chosen.snapshot, choice.grading)
        if shown is None:
            show.text(f"{chosen.snapshot.collection} {NO_EXAMPLE}")
            return
        st.html(_strip(shown, choice, found, series, scale_of(chosen.snapshot, choice.grading.grader)))
        passage_texts.link(
            f"All grades of {show.escaped(shown.doc_id)}",
            icon=passage_texts.OPEN,
            passage=f"{shown.query_id} {shown.doc_id}",
        )


def _without_grades(chosen: Chosen) -> str:
    """What can be seen of runs that are ranked without grades, and where."""
    answers = ", and Generated answers what they wrote" if ANSWERS in menu.filled(chosen.snapshot) else ""
    return (
        f"{chosen.measure_heading} ranks runs without exam questions. Leaderboard shows the ranks{answers}. "
        "Collections with grades, such as demo, show here how a grade becomes a rank."
    )


def _strip(shown: Illustration, choice: Evaluation, found: Comparison, series: str, largest: int) -> str:
    """Passage, question, grade of a scale that ends there, tau and rank, in HTML."""
    board = found.boards[series]
    run = shown.best_of_runs(board.rows)
    places = mark(shown.passage_text, shown.question_text, shown.gold_answers).places
    part, _ = passage_texts.excerpt(shown.passage_text, places, PASSAGE)
    answered = shown.is_answered(choice.tau)
    ranks = board.rows["rank"].dropna()
    rank = f"{ordinal(run['rank'], ranks)} of {len(ranks)}" if run["rank"] == run["rank"] else "no rank"
    runs = "the run that ranks" if len(shown.runs) == 1 else f"the best of {len(shown.runs)} runs that rank"
    steps = {
        "Passage": f'<div dir="auto">{passage_texts.marked(*part)}</div>',
        "Question": html.escape(shown.question_text),
        "Grade": f"{_figure(f'{shown.grade} of {largest}')}by {html.escape(found.names.get(series, series))}",
        f"At tau = {choice.tau}": f"{_figure('covered' if answered else 'not covered')}{shown.grade} is "
        f"{'at least' if answered else 'below'} {choice.tau}: the passage "
        f"{'answers' if answered else 'does not answer'} the question",
        "Rank": f"{_figure(rank)}<bdi>{html.escape(run['run_id'])}</bdi>, {runs} the passage first: "
        f"{html.escape(board.heading)} {_mean(run)}",
    }
    asked = html.escape(shown.query_text or shown.query_id)
    items = "".join(
        f'<li class="{title.split()[0].lower()}"><strong>{title}</strong>{text}</li>' for title, text in steps.items()
    )
    about = f'<p style="margin: 0 0 0.4rem">One example, for the query “<bdi>{asked}</bdi>”:</p>'
    return f'{about}<ol class="strip">{items}</ol>'


def _figure(value: object) -> str:
    return f'<span class="figure">{value}</span>'


def _mean(row: Any) -> str:
    known = row["stderr"] == row["stderr"]
    return show.fraction(row["mean"]) + (f" ± {show.fraction(row['stderr'])}" if known else "")


def board(found: Comparison, chosen: Chosen) -> None:
    """The first runs of the first series, with their errors."""
    if not found.boards:
        show.problems(found.missing)
        return
    series, first = next(iter(found.boards.items()))
    rows = first.rows[first.rows["mean"].notna()].head(TOP)
    if rows.empty:
        show.text(f"No run has a mean of {first.heading}.")
        return
    named = [found.names.get(series, series)] if chosen.of_grades else []
    show.chart(top_figure(rows, first.heading, first.bounds), key="home_board")
    st.caption(show.escaped(", ".join([f"The first {len(rows)} of {len(first.rows)} runs", *named])))


def known(found: Comparison, chosen: Chosen) -> Any:
    """The collection at a glance, a line each, each a link to its page; returns where more lines go."""
    st.header(f"{show.escaped(chosen.snapshot.collection)} at a glance")
    lines = st.container(key="known", gap="xsmall")
    with lines:
        for series, first in list(found.boards.items())[:1]:
            best = first.rows.iloc[0]
            known = best["mean"] == best["mean"]
            named = f"{best['run_id']}, {first.heading} {_mean(best)}" if known else f"none has a {first.heading}"
            _line(LEADERBOARD, ":material/leaderboard:", first.all_zero or f"Best run: {named}")
            agrees = _kendall(found, series, chosen)
            if not wings.draw("draw_kendall", agrees):
                _line(LEADERBOARD, ":material/tune:", agrees)
            _line("pages/agreement/agreement.py", ":material/grid_on:", _kappa(found, series, chosen))
    return lines


def _line(path: str, icon: str, sentence: str) -> None:
    show.link(path, show.escaped(sentence), icon)


def _kendall(found: Comparison, series: str, chosen: Chosen) -> str:
    rows = found.correlations
    for row in rows[rows["series"] == series].itertuples():
        reference = reference_in_words(str(chosen.asked.reference))
        return f"Kendall's tau-b with {reference}: {show.fraction(row.kendall)} over {row.n} runs"
    return "Kendall's tau-b: there is no leaderboard to compare with"


def _kappa(found: Comparison, series: str, chosen: Chosen) -> str:
    rows = found.agreements
    if chosen.by_judgments:
        return "Cohen's kappa with the judges: nothing is graded yet"
    for row in rows[rows["series"] == series].itertuples():
        cut = cut_in_words(row.tau, row.relevant_from)
        return (
            f"Cohen's kappa with the judges: {show.fraction(row.kappa)} over "
            f"{counted({'passages': row.n})} (relevant: {cut})"
        )
    return f"Cohen's kappa with the judges: {chosen.words.no_kappa}"


def flagged(chosen: Chosen) -> None:
    """Which runs stand out; last, because queries are drawn."""
    if not chosen.series:
        return
    try:
        found = outlying.at_first(chosen)
    except ExamboardError as error:
        show.problems([str(error)])
        return
    _line("pages/outliers/outliers.py", ":material/person_search:", verdict(found)[0])


def cards() -> None:
    """A card for each collection, which opens its leaderboard; the demo and the papers' CAR-Y3 are built on demand."""
    there = data.collections()
    along = [*ABOUT, *(name for name in there if name.endswith("-published"))]
    own = [name for name in there if name not in along]
    along = [name for name in dict.fromkeys([*along, CAR]) if name in (DEMO, CAR, *there)]
    with st.container(key="cards"):
        for name in [*own[:OWN_CARDS], *along]:
            said = f"**{show.escaped(name)}**  \n{show.escaped(_about(name, there))}"
            wanted = {"collection": name}
            if doing.button(said, st.session_state.update, wanted, key=f"door_{name}", width="stretch"):
                if name not in there:
                    _build()
                st.switch_page(LEADERBOARD, query_params={})  # without them, it would refuse to clear those of widgets
    if len(own) > OWN_CARDS:
        st.caption(f"{len(own) - OWN_CARDS} more of your own: see Collection in the bar on the left.")


def _about(name: str, there: Sequence[str]) -> str:
    what = PRINTED if name.endswith("-published") else ABOUT.get(name, "")
    if name not in there:
        return f"{what}: not here yet, built in seconds"
    try:
        held = data.about(data.snapshot(name))
    except ExamboardError:
        return "damaged: see Collections"
    counts = {"runs": len(held["systems"]), "queries": held["queries"], "questions": held["questions"]}
    counts |= {"grading modes": len(held["graders"]), "judgments": held["judgments"]}
    size = counted({name: count for name, count in counts.items() if count}) or "empty so far"
    return f"{what}: {size}" if what else size


def begin() -> None:
    """What to do with an empty store: build the demo, or bring data."""
    show.text(help_texts.WELCOME)
    with st.container(horizontal=True):
        may = visiting.allowed("edit")
        if st.button(BUILD, type="primary", icon=":material/play_arrow:", key="build_demo", disabled=not may):
            _build()
            st.rerun()
    upload.draw(to_board=True)


def _build() -> None:
    with data.told("Building the demo") as progress:
        actions.build_demo(data.store(), progress=progress)

"""Blocks of the page Home."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

import streamlit as st

from exam_core.actions import demo
from exam_core.analysis.choice import TAUS, Evaluation
from exam_core.analysis.comparison import Comparison
from exam_core.analysis.displacements import verdict
from exam_core.analysis.grade_scales import scale_of
from exam_core.analysis.passage_evidence import Illustration, illustration
from exam_core.charts.strips import reach_of, top_figure
from exam_core.errors import ExamboardError
from exam_core.reports.board_lines import all_tied, best_run
from exam_core.store.scales import decimals
from exam_core.texts.marking import mark
from exam_core.wording import counted, ordinal
from pages.mending import following
from pages.outliers import outlying
from pages.parts import upload
from pages.shared import (
    boxes,
    controls,
    data,
    doing,
    help_texts,
    naming,
    passage_texts,
    scrolling,
    show,
    visiting,
    wings,
)
from pages.shared.charting import At, DrawnFigure
from pages.shared.selection import Selection

TOP = 8
"""Runs of the small board."""
PASSAGE = 240
"""Characters of the example's passage, from a little before its evidence; its link shows all of it."""
OWN_TAU, BOARD = "home_tau", "home_board"
LEADERBOARD = "pages/leaderboard/leaderboard.py"
DEMO, CAR = "demo", "car-y3-published"
OWN_CARDS = 6
"""Collections of the user's own that have a card; the box in the bar has all."""
ABOUT = {
    DEMO: "small, written for Examboard",
    "demo-answers": "generated answers",
    "demo-nuggets": "nuggets of answers",
}
"""What a collection is that comes along."""
TREC, UPLOADER = "home_trec", "home_upload"
MOVES = "Drag tau, the lowest grade that counts as an answer, and the ranking changes."
PRINTED = "**TREC collections**: only the figures that the EXAM papers print, or with grades, to try everything:"
APPENDIX = "https://github.com/laura-dietz/flan-t5-exam-appendix/raw/HEAD"
DL19 = f"""Save three files, 2 MB in all:
[grades]({APPENDIX}/EXAM-graded-data/DL19-graded-t5-rating-genq-exam-qrels-runs-with-text.jsonl.gz) of FLAN-T5 with
passages, runs and judgments; [questions]({APPENDIX}/dl19-questions/dl19-genq.jsonl.gz);
[queries](https://github.com/castorini/anserini-tools/raw/HEAD/topics-and-qrels/topics.dl19-passage.txt).

1. Drop the grades on *{upload.FILES}*, and import them as `dl19`.
2. Drop the other two there: they bring the words of the questions and queries.
"""
"""How DL19 comes; a bank finds the grades of its questions where these are in the collection."""


def is_own(collection: str) -> bool:
    """Whether a collection does not come along with Examboard."""
    return collection not in ABOUT and not collection.endswith("-published")


def tau(selection: Selection) -> None:
    """The slider of the board's grading mode; nothing where tau can't be chosen."""
    if not selection.has_taus or not selection.series:
        return
    mode = selection.series[0]
    own, of = dict(selection.request.own_taus).get(mode), controls.tau_key(selection, mode)
    now, end = own or selection.tau, min(scale_of(selection.snapshot, mode), TAUS[-1]) if own else TAUS[-1]
    ends: tuple[float, float, float] = (TAUS[0], end, 1)
    if mode in decimals(selection.snapshot):
        now, ends = float(now), (min(float(now), 0.5), float(end), 0.5)
    elif end == TAUS[0]:
        return
    st.markdown(MOVES)
    key = f"home_{of}"
    moved: dict[str, Any] = {"on_change": _take_tau, "args": (key, of)} | boxes.begin(key, now, value=now)
    least, most, step = ends
    st.slider(help_texts.tau_label(end), least, most, step=step, key=key, help=help_texts.TAU, **moved)


def _take_tau(key: str, of: str) -> None:
    controls.set_taus({of: st.session_state[key]})


def example(comparison: Comparison, selection: Selection) -> None:
    """How a rank comes about, by one passage of the collection; nothing where none has a grade on a question."""
    series = next(iter(comparison.boards), None)
    choice = selection.computed(series) if series else None
    shown = data.ask(illustration, selection.snapshot, choice.grading) if choice and choice.of_grades else None
    if series is None or choice is None or shown is None:
        return
    st.html(_strip(shown, choice, comparison, series, scale_of(selection.snapshot, choice.grading.grader)))
    label, passage = f"All grades of {show.escaped(shown.doc_id)}", f"{shown.query_id} {shown.doc_id}"
    passage_texts.link(label, icon=passage_texts.OPEN, passage=passage)


def _strip(shown: Illustration, choice: Evaluation, comparison: Comparison, series: str, largest: int) -> str:
    """Passage, question, grade (`largest` is its scale's end), tau and rank, in HTML."""
    board = comparison.boards[series]
    run = shown.best_of_runs(board.rows)
    places = mark(shown.passage_text, shown.question_text, shown.gold_answers).places
    part, _ = passage_texts.excerpt(shown.passage_text, places, PASSAGE)
    answered = shown.is_answered(choice.tau)
    ranks = board.rows["rank"].dropna()
    rank = f"{ordinal(run['rank'], ranks)} of {len(ranks)}" if run["rank"] == run["rank"] else "no rank"
    error = f" ± {show.fraction(run['stderr'])}" if run["stderr"] == run["stderr"] else ""
    runs = "the run that ranks" if len(shown.runs) == 1 else f"the best of {len(shown.runs)} runs that rank"
    steps = {
        "Passage": f'<div dir="auto">{passage_texts.marked(*part)}</div>',
        "Question": html.escape(shown.question_text),
        "Grade": f"{_figure(f'{shown.grade} of {largest}')}by {html.escape(comparison.names.get(series, series))}",
        f"At tau = {choice.tau}": f"{_figure('covered' if answered else 'not covered')}{shown.grade} is "
        f"{'at least' if answered else 'below'} {choice.tau}: the passage "
        f"{'answers' if answered else 'does not answer'} the question",
        "Rank": f"{_figure(rank)}<bdi>{html.escape(run['run_id'])}</bdi>, {runs} the passage first: "
        f"{html.escape(board.heading)} {show.fraction(run['mean'])}{error}",
    }
    name = html.escape(shown.query_text or shown.query_id)
    items = "".join(
        f'<li class="{title.split()[0].lower()}"><strong>{title}</strong>{text}</li>' for title, text in steps.items()
    )
    about = f'<p style="margin: 0 0 0.4rem">One example, for the query “<bdi>{name}</bdi>”:</p>'
    return f'{about}<ol class="strip">{items}</ol>'


def _figure(value: object) -> str:
    return f'<span class="figure">{value}</span>'


def board(comparison: Comparison, selection: Selection) -> None:
    """The first runs of the first series, with their errors."""
    if not comparison.boards:
        show.problems(comparison.missing)
        return
    series, first = next(iter(comparison.boards.items()))
    drawn = _drawn(comparison, selection)
    if drawn is None:
        show.text(f"No run has a mean of {first.heading}.")
        return
    at = At(OWN_TAU, selection.tau, following.looks(selection)) if following.follows(selection) else None
    show.chart(drawn, key=BOARD, at=at)
    by = [comparison.names.get(series, series)] if selection.of_grades else []
    by += [f"question bank {selection.request.bank}"] if selection.request.bank and selection.of_grades else []
    top, runs = len(_top(comparison)), len(first.rows)
    what = ", ".join([f"All {runs} runs" if top == runs else f"The first {top} of {runs} runs", *by])
    st.caption(show.escaped(" ".join([f"{what}.", *show.meanings(selection), *show.about_graders(selection)])))


def _drawn(comparison: Comparison, selection: Selection) -> DrawnFigure | None:
    """The chart of a choice, made once for all who look at it; None where no run has a mean."""
    first = next(iter(comparison.boards.values()))
    rows = _top(comparison)
    if rows.empty:
        return None

    def draw() -> DrawnFigure:
        at_each_tau = map(_compared, following.each(selection).values())
        reach = reach_of(_top(comparison) for comparison in at_each_tau if comparison.boards)
        return DrawnFigure(top_figure(rows, first.heading, first.bounds, reach))

    return data.once(draw, selection, BOARD)


def _top(comparison: Comparison) -> Any:
    rows = next(iter(comparison.boards.values())).rows
    return rows[rows["mean"].notna()].head(TOP)


def _compared(selection: Selection) -> Comparison:
    return data.ask(selection.figures.compare, selection.series, selection.request)


def hold(selection: Selection) -> None:
    """Give the browser the board at each tau, so that it draws the next one at the key."""
    following.hold_each(selection, _at, chart=BOARD, of=following.looks(selection))


def _at(selection: Selection) -> dict[str, Any] | None:
    comparison = _compared(selection)
    drawn = _drawn(comparison, selection) if comparison.boards else None
    return show.changing(drawn, f"{selection.file_stem}-{BOARD}") if drawn else None


def known(comparison: Comparison, selection: Selection) -> Any:
    """The collection at a glance, each line a link to its page; returns the container, for more lines."""
    st.header(f"{show.escaped(selection.snapshot.collection)} at a glance")
    lines = st.container(key="known", gap="xsmall")
    with lines:
        for series, board in list(comparison.boards.items())[:1]:
            _line(LEADERBOARD, ":material/leaderboard:", board.all_zero or all_tied(board) or best_run(board))
            agrees = _kendall(comparison, series, selection)
            if not wings.draw("draw_kendall", agrees):
                _line(LEADERBOARD, ":material/tune:", agrees)
            _line("pages/agreement/agreement.py", ":material/grid_on:", _kappa(comparison, series, selection))
    return lines


def _line(path: str, icon: str, sentence: str) -> None:
    show.link(path, show.escaped(sentence), icon)


def _kendall(comparison: Comparison, series: str, selection: Selection) -> str:
    rows = comparison.correlations
    for row in rows[rows["series"] == series].itertuples():
        reference = naming.reference(selection.request.reference)
        return f"Kendall's rank correlation with {reference}: {show.fraction(row.kendall)} over {row.n} runs"
    return "Kendall's rank correlation: there is no leaderboard to compare with"


def _kappa(comparison: Comparison, series: str, selection: Selection) -> str:
    rows = comparison.agreements
    if selection.by_judgments:
        return "Cohen's kappa with the judges: nothing is graded yet"
    for row in rows[rows["series"] == series].itertuples():
        return (
            f"Cohen's kappa with the judges: {show.fraction(row.kappa)} over "
            f"{counted({'passages': row.n})} (relevant: {comparison.cut(series)})"
        )
    return f"Cohen's kappa with the judges: {selection.words.no_kappa}"


def flagged(selection: Selection) -> None:
    """Which runs stand out; last, because queries are drawn."""
    if not selection.series:
        return
    try:
        outliers = outlying.at_first(selection)
    except ExamboardError as error:
        show.problems([str(error)])
        return
    _line("pages/outliers/outliers.py", ":material/person_search:", verdict(outliers)[0])


def first_steps() -> None:
    """Where a newcomer goes on, whose store has no collection of their own: files, or TREC's collections."""
    if any(map(is_own, data.collections())):
        return
    with st.container(key="first_steps", gap="xsmall"):
        if visiting.allowed("edit", text=False):
            look: Any = {"key": f"first_{UPLOADER}", "icon": "upload_file", "type": "primary", "width": "stretch"}
            doing.button(upload.FILES, scrolling.to, UPLOADER, **look)
        look = {"key": f"first_{TREC}", "icon": "library_books", "width": "stretch"}
        doing.button("A TREC collection", scrolling.to, TREC, **look)


def uploader(selection: Selection) -> None:
    """Where files are dropped."""
    with st.container(key=UPLOADER):
        upload.draw(selection.snapshot.collection, to_board=True)


def cards() -> None:
    """A card for each collection, and one for what papers print: each opens a leaderboard, and is built if it must."""
    known = data.collections()
    own = [name for name in known if is_own(name)]
    with st.container(key="cards"):
        for name in [*own[:OWN_CARDS], *(name for name in ABOUT if name in (DEMO, *known))]:
            _door(name, f"**{show.escaped(name)}**  \n{show.escaped(_about(name, known))}", width="stretch")
    if len(own) > OWN_CARDS:
        st.caption(f"{len(own) - OWN_CARDS} more of your own: see Collection in the bar on the left.")
    with st.container(border=True, key=TREC):
        st.markdown(PRINTED)
        with st.container(horizontal=True, gap="small"):
            for name in sorted({CAR, *(name for name in known if not is_own(name))} - set(ABOUT)):
                _door(name, f"{show.escaped(name)}: {_about(name, known)}")
            with st.popover("TREC DL 2019 with grades", icon=":material/download:", key="home_dl19"):
                st.markdown(DL19)


def _door(name: str, label: str, **look: Any) -> None:
    """The button that opens a collection's leaderboard."""
    if doing.button(label, st.session_state.update, {"collection": name}, key=f"door_{name}", **look):
        if name not in data.collections():
            _build()
        st.switch_page(LEADERBOARD, query_params={})  # without them, it would refuse to clear those of widgets


def _about(name: str, known: Sequence[str]) -> str:
    what = ABOUT.get(name, "")
    if name not in known:
        return ": ".join(filter(None, (what, "not built yet; takes seconds")))
    try:
        record = data.about(data.snapshot(name))
    except ExamboardError:
        return "damaged: see Collections"
    counts = {"runs": len(record["systems"]), "queries": record["queries"], "questions": record["questions"]}
    counts |= {"grading modes": len(record["graders"]), "judgments": record["judgments"]}
    size = counted({name: count for name, count in counts.items() if count}) or "empty so far"
    return f"{what}: {size}" if what else size


def begin() -> None:
    """Build the demo in an empty store, so that the first look has something to see."""
    if not visiting.allowed("edit"):
        st.info(help_texts.EMPTY_STORE)
        return
    try:
        _build()
    except (ExamboardError, OSError) as error:
        show.problems([str(error)])
        return
    st.rerun()


def _build() -> None:
    with data.report_progress("Building the demo, a small collection with grades") as progress:
        demo.build_demo(data.store(), progress=progress)

"""What the page Compare draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from exam_core.analysis.choice import TAUS, Evaluation
from exam_core.analysis.comparison import LABELS
from exam_core.analysis.leaderboard import standing
from exam_core.analysis.other_labels import RELABELLED, ROWS
from exam_core.analysis.unlabelled import measures_of
from exam_core.charts.query_differences import differences_figure
from exam_core.store.question_banks import bank_versions
from exam_core.table_text import Frame, plain
from exam_core.wings.comparing import two_boards
from exam_core.wings.comparing.of_figures import columns_beside
from exam_core.wings.comparing.run_pairs import EFFECTS, P_VALUES, PAIRS, QUERIES, RunPair, run_pair
from exam_core.wings.comparing.two_boards import AS_IS, WITHOUT, before_and_after, ranks_figure
from exam_core.wings.comparing.whatif import WhatIf, bank_questions, whatif, whatif_summary
from exam_core.wording import counted
from pages.shared import boxes, data, help_texts, naming, passage_texts, picking, scrolling, show, steps
from pages.shared.selection import Selection

OFF = (
    "Recomputes the leaderboard and all labels without these questions, in all queries that have them. Nothing is "
    "stored. To keep a change, edit the bank on the page Questions."
)
OF_QUERY = "Lists the questions of this query; the bank has too many to list all."
MOST = 2000
"""Questions that one list offers."""


def draw_what_if(selection: Selection) -> None:
    """Questions to switch off, and what that changes."""
    choice = selection.of(show.mode(selection, of_one=False))
    if choice.grading.is_direct or not choice.of_grades:
        show.text(
            "There are no questions to switch off: labels here are of whole passages, or the measure uses no grades."
        )
        if selection.by_judgments:
            steps.missing(selection, needed=steps.OF_GRADES)
        return
    drop = _questions(data.ask(bank_questions, selection.snapshot, choice))
    if not drop:
        show.text("Choose questions to see what the leaderboard would be without them.")
        return
    what_if = data.ask(whatif, selection.snapshot, choice, drop=frozenset(drop))
    for sentence in whatif_summary(what_if):
        show.text(naming.sentence(sentence))
    ranks = selection.shown(before_and_after(what_if))
    show.chart(ranks_figure(ranks, AS_IS, WITHOUT), key="whatif_ranks")
    st.caption(f"A: the leaderboard {AS_IS}. B: {WITHOUT}.")
    rows = selection.shown(what_if.rows)
    board = partial(show.table, show.filled(rows), ROWS, key="whatif_rows", export=rows)
    show.tabs({"All runs": board, "Labels that change": partial(_labels, what_if)}, key="whatif_tab")
    show.notes(what_if.notes, expanded=False)


def _questions(rows: Frame) -> list[str]:
    if len(rows) > MOST:
        query = st.selectbox("Of query", list(dict.fromkeys(rows["query_id"])), key="whatif_query", help=OF_QUERY)
        rows = rows[rows["query_id"] == query]
    texts: dict[str, str] = {}
    for row in plain(rows):
        request = row["question_text"] or row["question_id"]
        texts.setdefault(row["question_id"], f"{row['query_id']}: {request}")
    return naming.box(st.multiselect, "Switch questions off", list(texts), key="whatif_off", help=OFF, called=texts)


def _labels(what_if: WhatIf) -> None:
    rows = what_if.relabelled
    if rows.empty:
        show.text("No label changes: each passage has another question with an equally good grade.")
        return
    passage_texts.of_row(rows, show.table(rows, RELABELLED, key="whatif_labels", select=True))


OF = "Two leaderboards of the same runs, two runs of one leaderboard, or a leaderboard with and without some questions."
WHAT = (two_boards.BOARDS, two_boards.RUNS, two_boards.QUESTIONS)
DEPTHS = ("1", "3", "5", "10", "20", "50", "100", "1000")
RANKS = ("1", "2", "3", "4", "5")
TESTS = {
    "t": "Student's paired t",
    "bootstrap": "Paired bootstrap",
    "randomisation": "Fisher's randomisation",
    "wilcoxon": "Wilcoxon's signed ranks",
}
COEFFICIENTS_AND_PAIRS = "Coefficients and pairs"
CHANGE = "Change A or B: grading mode, measure, tau, depth"
SIDE = "Settings that differ from the bar on the left."
DIFFERENCE_INTERVAL = "95% interval of the mean difference: Student's t with n - 1 degrees of freedom (Student 1908)."
FLIPPED_PASSAGES = (
    "A passage is relevant if its label reaches the side's tau. Passages without a label on one side are not counted."
)
WINS = "Queries on which A's value is above, equal to (to 1e-9) and below B's."
IN_ORDER = "Runs in the order of the leaderboard."


def configurations(selection: Selection) -> list[Evaluation]:
    """Choose the two leaderboards; the second begins with what the papers set beside the first."""
    known = selection.figures.series(selection.bank_name)
    starts = two_boards.initial_sides(selection.series, selection.request.measure, known)
    change = st.expander(CHANGE, icon=":material/tune:", key="compare_change")
    with change, st.container(key="compare_sides", gap="small"):
        return [_configuration(selection, side, *start) for side, start in zip("AB", starts, strict=True)]


def _configuration(selection: Selection, side: str, first: str, measure: str) -> Evaluation:
    """The leaderboard of a side; `first` and `measure` are those with which it begins."""
    key, judged, as_chosen = f"compare_{side.lower()}", selection.by_judgments, two_boards.AS_CHOSEN
    banks = data.ask(bank_versions, selection.snapshot)
    # By their names in a request: label, options besides `as_chosen`, help.
    fields: dict[str, tuple[str, Sequence[str], str]] = {
        "bank": (help_texts.BANK.label, banks if len(banks) > 1 else (), help_texts.BANK.explained),
        "measure": ("Measure", measures_of(selection.snapshot), SIDE),
        "tau": ("tau", () if judged else list(map(str, TAUS)), help_texts.TAU),
        "depth": (help_texts.DEPTH.label, DEPTHS, help_texts.DEPTH.explained),
        "label_rank": (help_texts.LABEL_RANK.label, () if judged else RANKS, help_texts.LABEL_RANK.explained),
    }
    fields = {name: box for name, box in fields.items() if box[1]}
    place, *places = st.columns([1.5, *[1.0] * len(fields)], gap="xsmall")
    wanted: dict[str, str | None] = {}
    for area, (name, (label, options, _)) in zip(places, fields.items(), strict=True):
        with area:
            offered = [as_chosen, *options]
            start = offered.index(measure) if name == "measure" and measure in offered else 0
            picked = boxes.select(f"{label} {side}", offered, start, key=f"{key}_{name}")
            wanted[name] = None if picked in (None, as_chosen) else str(picked)
    modes = selection.figures.series(wanted.get("bank") or selection.bank_name)
    with place:
        index = modes.index(first) if first in modes else 0
        label = help_texts.JUDGMENTS if judged else "Grading mode"
        explained = [(label, help_texts.MODES), *((label, text) for label, _, text in fields.values())]
        about = help_texts.of_group(*explained) if side == "A" else ""
        grader = naming.box(st.selectbox, f"{label} {side}", modes, index=index, key=f"{key}_mode", help=about)
    return selection.exactly(two_boards.request_of_side(selection.request.of(grader or first), wanted))


def columns(selection: Selection) -> list[str]:
    """Choose two printed columns."""
    names, in_bar = selection.figures.series(), selection.series[0]
    starts = {"A": in_bar, "B": next((name for name in names if name != in_bar), names[0])}
    picked = []
    for area, (side, first) in zip(st.columns(2), starts.items(), strict=True):
        with area:
            label, about = f"{selection.words.series} {side}", help_texts.PRINTED if side == "A" else ""
            look: Any = {"index": names.index(first), "key": f"compare_{side.lower()}_column", "help": about}
            picked.append(str(naming.box(st.selectbox, label, names, **look) or first))
    return picked


def boards(versus: two_boards.Versus, place: Any) -> None:
    """Two leaderboards: how well they agree in a sentence at its place, and ranks side by side."""
    names = [naming.sentence(title) for title in (versus.title_a, versus.title_b)]
    with place:
        if versus.title_a == versus.title_b:
            st.info("A and B are the same leaderboard: change the grading mode, the measure or tau of one of them.")
        else:
            show.text(two_boards.agreement_sentence(versus, *names))
    show.chart(ranks_figure(versus.rows, *names), key="compare_ranks")


def coefficients(versus: two_boards.Versus) -> None:
    """How well the leaderboards agree, and on which pairs of runs."""
    rows = versus.correlation.assign(coefficient=versus.correlation["coefficient"].map(LABELS))
    of = two_boards.CORRELATION.changed(value={"label": f"A with B, {versus.n} runs"})
    show.table(rows, of, key="compare_correlation", export=versus.correlation)
    for caveat in versus.caveats:
        show.text(caveat)
    st.header("Pairs of runs", help=two_boards.SEPARATION)
    show.table(versus.pairs, two_boards.PAIRS, key="compare_pairs")


def flips(versus: two_boards.Versus, pair_of: Callable[[tuple[str, str]], None] | None = None) -> None:
    """The pairs of runs that change places, and below them the one that is clicked."""
    if versus.flips.empty:
        show.text("A and B order all pairs of these runs alike.")
        return
    tested = pair_of is not None and versus.flips["separable"].notna().any()
    shown = show.filled(versus.flips)
    row = show.table(shown, two_boards.FLIPS, key="compare_flips", select=bool(tested), export=versus.flips)
    if row is None or row >= len(versus.flips):
        if tested:
            st.caption(f"{help_texts.ROW} The pair is then shown query by query.")
        return
    pair = tuple(versus.flips.loc[row, ["run_a", "run_b"]])
    if picking.is_new("compare_flips", pair):
        scrolling.to("compare_flips_export")
    if pair_of:
        pair_of(pair)


def flipped(selection: Selection, choices: Sequence[Evaluation]) -> None:
    """The passages that one side takes as relevant, and the other does not; a click leads to one."""
    result = data.ask(two_boards.flipped_passages, selection.snapshot, *choices)
    if result is None:
        show.text("One side uses no grades, so its passages have no labels.")
        return
    rows, known = result
    st.caption(FLIPPED_PASSAGES)
    to_b = int((rows["label_b"] >= choices[1].cut).sum())
    show.text(
        f"Both sides label {counted({'passages': known})}. Relevant on one side only: {len(rows):,}, of these "
        f"{len(rows) - to_b:,} on A and {to_b:,} on B."
    )
    if len(rows):
        passage_texts.of_row(rows, show.table(rows, two_boards.FLIPPED, key="compare_passages", select=True))


def pick_pair(runs: list[str]) -> tuple[str, str] | None:
    """Choose two runs; None where there are fewer, or they are the same."""
    if len(runs) < 2:
        show.text("There are fewer than two runs to compare.")
        return None
    picked = []
    for place, (area, side) in enumerate(zip(st.columns(2, gap="medium"), "AB", strict=True)):
        with area:
            run = boxes.select(
                f"Run {side}", runs, place, key=f"compare_run_{side.lower()}", help=IN_ORDER if not place else None
            )
        picked.append(run or runs[place])
    if picked[0] == picked[1]:
        st.info(two_boards.SAME_RUN)
        return None
    return picked[0], picked[1]


def pair(result: RunPair, *, key: str) -> None:
    """Two runs query by query, with tests."""
    a, b = result.run_a, result.run_b
    effect, effect_low, _, biserial = (PAIRS[name] for name in EFFECTS)
    show.text(f"A is {a}, B is {b}.", headline=two_boards.difference_sentence(result, naming.sentence(result.title)))
    with st.container(horizontal=True):
        for label, value, about in (
            ("Mean A", show.fraction(result.mean_a), help_texts.MEAN),
            ("Mean B", show.fraction(result.mean_b), help_texts.MEAN),
            ("A - B", f"{result.difference:+.3f}", two_boards.DIFFERENCE),
            ("95% interval", show.interval((result.low, result.high)), DIFFERENCE_INTERVAL),
            (effect.label, show.fraction(result.effect), effect.explained),
            ("95% interval of d", show.interval((result.effect_low, result.effect_high)), effect_low.explained),
            (biserial.label, show.fraction(result.rank_biserial), biserial.explained),
            ("A wins / ties / loses", f"{result.wins} / {result.ties} / {result.losses}", WINS),
        ):
            st.metric(label, value, help=about, width="content")
    interval = result.difference, result.low, result.high
    figure = differences_figure(result.rows, ahead=a, behind=b, interval=interval)
    show.chart(figure, key=f"compare_differences_{key}")
    st.caption("Dashed line and grey band: the mean difference and its 95% interval.")
    show.table(result.tests.assign(test=result.tests["test"].map(TESTS)), P_VALUES, key=f"compare_tests_{key}")
    of = QUERIES.changed(value_a={"help": show.escaped(a)}, value_b={"help": show.escaped(b)})
    show.table(show.filled(result.rows), of, key=f"compare_queries_{key}")
    show.notes(result.notes)


def leaderboards(selection: Selection) -> None:
    """Two leaderboards, and of a flipped pair of runs the queries by both; printed columns have no queries."""
    place, more, by_query = st.container(), {}, None
    if printed := selection.in_print:
        both = data.ask(columns_beside, printed, *columns(selection))
    else:
        choices = configurations(selection)
        naming.titles(*choices)
        both = data.ask(two_boards.versus, selection.snapshot, *choices)
        by_query = partial(_by_query, selection, choices)
        more = {"Flipped passages": partial(flipped, selection, choices)}
    comparison = replace(both, rows=selection.shown(both.rows), flips=selection.shown(both.flips, "run_a", "run_b"))
    boards(comparison, place)
    tabs: dict[str, Callable[[], object]] = {
        COEFFICIENTS_AND_PAIRS: partial(coefficients, comparison),
        "Flipped pairs of runs": partial(flips, comparison, by_query),
        **more,
        "All runs": partial(
            show.table, show.filled(comparison.rows), two_boards.ROWS, key="compare_rows", export=comparison.rows
        ),
    }
    show.tabs(tabs, key="compare_tab")
    show.notes(comparison.notes, expanded=False)


def _by_query(selection: Selection, choices: Sequence[Evaluation], flip: tuple[str, str]) -> None:
    for choice, side, area in zip(choices, "ab", st.columns(2, border=True), strict=True):
        with area:
            pair(data.ask(run_pair, selection.snapshot, choice, *flip), key=side)


def runs(selection: Selection) -> None:
    """Two runs by one grading mode, query by query."""
    choice = selection.of(show.mode(selection, of_one=False))
    naming.titles(choice)
    if picked := pick_pair(data.ask(standing, selection.snapshot, choice)["run_id"].tolist()):
        pair(data.ask(run_pair, selection.snapshot, choice, *picked), key="pair")


def draw(selection: Selection) -> None:
    """The comparison that is chosen; of print that of leaderboards, since it knows neither queries nor questions."""
    if selection.in_print:
        leaderboards(selection)
        return
    picked = boxes.one_of("Compare", WHAT, key="compare_what", help=OF)
    draws = {two_boards.BOARDS: leaderboards, two_boards.RUNS: runs, two_boards.QUESTIONS: draw_what_if}
    draws[picked](selection)

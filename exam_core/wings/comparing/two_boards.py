"""Two leaderboards of the same runs: ranks on both, their correlations, and pairs of runs in another order."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from exam_core.analysis import references
from exam_core.analysis.choice import Evaluation
from exam_core.analysis.comparison import RANK_COEFFICIENTS
from exam_core.analysis.grade_scales import about_scales
from exam_core.analysis.leaderboard import Leaderboard
from exam_core.analysis.other_labels import labelled_by_both
from exam_core.analysis.outliers import method_titles
from exam_core.analysis.scope import scope_of
from exam_core.analysis.shared_columns import MEAN, MOVED, NORMALISED, PASSAGE, QUERY, RUN, STDERR
from exam_core.analysis.uncertainty import ALPHA, values_of_runs
from exam_core.analysis.values import gradebook
from exam_core.charts.chart_layout import DASHES, DEMOTED, PROMOTED, QUIET, legend, size_layout, with_description
from exam_core.charts.chart_layout import name_axis as with_names
from exam_core.charts.leaderboard_lines import escape_name, on_axis
from exam_core.defaults import DRAWS, SEED
from exam_core.errors import UsageError
from exam_core.measures import MEASURES, Measure
from exam_core.numbers.arrays import Floats
from exam_core.numbers.displacement import displacements
from exam_core.numbers.means import ScoreSpan, mean_and_stderr, span
from exam_core.numbers.rank_correlations import NAMES, mean_rank
from exam_core.numbers.significance_tests import holm, paired_t
from exam_core.numbers.true_means import is_same, true_correlations
from exam_core.request import JUDGED, Request
from exam_core.results import ResultTable, count, decimal, number, rank, signed, text
from exam_core.store import Snapshot
from exam_core.table_text import Frame
from exam_core.tables import UNREADABLE
from exam_core.wings.comparing.run_pairs import RunPair
from exam_core.wings.comparing.swaps import pair_frame
from exam_core.wings.comparing.whatif import WhatIf
from exam_core.wording import counted, rank_text
from exam_core.wording import number as in_digits

SIDES = ("both", "A", "B", "neither")
ORDERS = ("same", "tied once", "flipped")

COEFFICIENT = (
    "Kendall's tau-b: (same - flipped pairs) / pairs, adjusted for ties. tau-AP a: B's order is "
    "taken as true, and flips at the top weigh more; tau-AP b: the mean of both directions (Urbano & Marrero 2017). "
    "RBO: rank-biased overlap (Webber et al. 2010)."
)
SEPARATION = (
    "Significant: paired t-test, p < 0.05 after Holm's adjustment. A flipped pair significant on both sides is a "
    "contradiction; on neither, perhaps chance (Moffat, Scholer & Thomas 2012)."
)
DIFFERENCE = "Mean over the queries of A's value minus B's."
AMONG_BOTH = "Among the runs that both leaderboards have; tied runs share their mean rank."
P_HOLM = "Paired t-test over the queries, after Holm's adjustment for all pairs of the leaderboard."
ROWS = ResultTable(
    "versus: rows",
    "Runs on two leaderboards, A and B, in the order of A",
    RUN,
    *(rank(f"rank_{side}", f"Rank {side.upper()}", AMONG_BOTH, "rank") for side in "ab"),
    rank("displacement", MOVED, "Rank on A minus rank on B: positive where B has the run higher.", "ranks", form="%+g"),
    *(
        column
        for side in "ab"
        for column in (
            replace(MEAN, name=f"mean_{side}", label=f"Score {side.upper()}"),
            replace(STDERR, name=f"stderr_{side}", label=f"± SE {side.upper()}"),
            replace(NORMALISED, name=f"normalised_{side}", label=f"Re-normalised {side.upper()}", kind="bar"),
        )
    ),
)
CORRELATION = ResultTable(
    "versus: correlation",
    "Rank correlations of A with B as the reference",
    text("coefficient", "Coefficient", COEFFICIENT),
    decimal("value", "A with B", COEFFICIENT),
    decimal("low", "95% from", references.MEANING, source=references.SOURCE),
    decimal("high", "to", references.MEANING, source=references.SOURCE),
    decimal("middle", "Corrected for noise", references.MIDDLE, source=references.SOURCE),
)
PAIRS = ResultTable(
    "versus: pairs",
    "Pairs of runs by their order on A and B, and by the side on which they differ significantly",
    text(
        "order",
        "Order on A and B",
        "Pairs that A orders one way and B the other; a tie on one side is not a flip.",
        source="Lin & Demner-Fushman 2005",
    ),
    number("both", "Significant on both", SEPARATION, "pairs"),
    number("A", "On A only", SEPARATION, "pairs"),
    number("B", "On B only", SEPARATION, "pairs"),
    number("neither", "On neither", SEPARATION, "pairs"),
    count("total", "Pairs", unit="pairs"),
)
FLIPS = ResultTable(
    "versus: flips",
    "Pairs of runs that A and B order differently",
    text("run_a", "Better on A", pinned=True),
    text("run_b", "Better on B"),
    signed("difference_a", "Difference on A", DIFFERENCE, "score"),
    signed("difference_b", "Difference on B", DIFFERENCE, "score"),
    decimal("p_a", "p on A", P_HOLM, source="Holm 1979"),
    decimal("p_b", "p on B", P_HOLM, source="Holm 1979"),
    text(
        "separable",
        "Significant on",
        "The sides on which the two runs differ significantly: p < 0.05 after Holm's adjustment.",
    ),
)


FLIPPED = ResultTable(
    "versus: passages",
    "Passages that are relevant on one side only, those ranked by most runs first",
    QUERY,
    PASSAGE,
    rank(
        "label_a",
        "Label on A",
        "The passage's N-th best grade over the questions (EXAM, eq. 3), or its grade as a whole.",
        "grade",
    ),
    rank("label_b", "on B", "The passage's label on side B, which may have another scale.", "grade"),
    number("n_runs", "Runs", "Runs that rank it within the depth that B reads.", "runs"),
)


@dataclass(frozen=True)
class Versus:
    """Two leaderboards, A and B, of the n runs that both have.

    A pair of runs is flipped where one board has one run ahead and the other board the other. A tie on one board only
    is no flip; a tie on both is the same order. A board separates a pair where its paired t-test does, after Holm's
    adjustment for all pairs (p < 0.05).

    Parameters
    ----------
    correlation : `CORRELATION`; low, middle and high are NaN without queries
    pairs : `PAIRS`, for each of `ORDERS`; without queries those of `SIDES` are NA
    flips : `FLIPS`; difference_b is negative, p_a and p_b are NaN and separable None without queries. What both boards
        separate comes first, then what one does; the largest sum of re-normalised differences first
    """

    title_a: str
    title_b: str
    n: int
    rows: pd.DataFrame
    correlation: pd.DataFrame
    pairs: pd.DataFrame
    flips: pd.DataFrame
    notes: list[str] = field(default_factory=list)

    @property
    def caveats(self) -> list[str]:
        """What must be read with the intervals of the correlation."""
        return references.about_truths(
            [
                references.Named(
                    NAMES[row.coefficient],
                    row.coefficient,
                    row.value,
                    references.TruthInterval(row.low, row.middle, row.high),
                )
                for row in self.correlation.itertuples()
            ]
        )


@dataclass(frozen=True)
class _Board:
    """One side: means and standard errors of runs, and their (n, Q) values; None of a printed column.

    `over` is the span of the whole leaderboard, whichever of its runs are compared.
    """

    title: str
    run_ids: list[str]
    query_ids: list[str]
    mean: Floats
    stderr: Floats
    values: Floats | None
    over: ScoreSpan

    @property
    def normalised(self) -> Floats:
        """(n,) as the leaderboard re-normalises them."""
        return self.over.mapped(self.mean)

    def of(self, run_ids: list[str]) -> _Board:
        """The same for some of the runs, in their order."""
        rows = [self.run_ids.index(run_id) for run_id in run_ids]
        values = None if self.values is None else self.values[rows]
        return _Board(self.title, run_ids, self.query_ids, self.mean[rows], self.stderr[rows], values, self.over)

    def p(self) -> Floats:
        """(n, n) adjusted p of each pair; NaN without queries."""
        n = len(self.run_ids)
        return np.full((n, n), np.nan) if self.values is None else holm(paired_t(self.values))


def versus(
    snapshot: Snapshot, choice_a: Evaluation, choice_b: Evaluation, *, draws: int = DRAWS, seed: int = SEED
) -> Versus:
    """Two evaluations of the same runs beside each other. Raises UsageError where there is nothing to evaluate.

    `draws`, `seed`: of the intervals' model, in which both leaderboards are uncertain.

    Source: pairs by the agreement of their tests after Moffat, Scholer & Thomas 2012; flips as the rank swaps of Lin &
    Demner-Fushman 2005.
    """
    choices = (choice_a, choice_b)
    sides = []
    for name, choice in zip(method_titles(choices), choices, strict=True):
        values = values_of_runs(snapshot, choice)
        mean, stderr, _ = mean_and_stderr(values.values)
        sides.append(_Board(name, values.run_ids, values.query_ids, mean, stderr, values.values, span(mean)))
    comparison = _versus(sides[0], sides[1], draws, seed)
    unread = [note for choice in choices for note in scope_of(snapshot, choice).about_unreadable()]
    about = about_scales(snapshot, *choices)
    about += [note for choice in choices for note in scope_of(snapshot, choice).about_unanswered()]
    return replace(comparison, notes=list(dict.fromkeys([*unread, *comparison.notes, *about])))


def flipped_passages(snapshot: Snapshot, choice_a: Evaluation, choice_b: Evaluation) -> tuple[pd.DataFrame, int] | None:
    """Passages that one of two evaluations takes as relevant, and the other does not, each at its own tau.

    Raises UsageError where there is nothing to evaluate. Returns `FLIPPED` of passages that have a label by both, those
    that most runs rank within B's depth first, and how many passages have one; None where a measure looks at no grades.
    """
    if not (choice_a.of_grades and choice_b.of_grades):
        return None
    left, right = (gradebook(snapshot, choice.labelling) for choice in (choice_a, choice_b))
    both = labelled_by_both(left, right, choice_a, choice_b)
    known = (both.old > UNREADABLE) & (both.new > UNREADABLE)
    frame = both.rows(known & both.crosses).rename(columns={"label_before": "label_a", "label_after": "label_b"})
    return FLIPPED.of(frame), int(known.sum())


def of_boards(*boards: Leaderboard) -> Versus:
    """Two leaderboards without queries beside each other: neither intervals nor tests."""
    sides = []
    for board in boards:
        mean, stderr = (board.rows[name].to_numpy(float) for name in ("mean", "stderr"))
        sides.append(_Board(board.title, board.rows["run_id"].tolist(), [], mean, stderr, None, span(mean)))
    left, right = sides
    return _versus(left, right, 0, 0)


def _versus(left: _Board, right: _Board, draws: int, seed: int) -> Versus:
    averaged = [
        {run_id for run_id, mean in zip(side.run_ids, side.mean, strict=True) if not np.isnan(mean)}
        for side in (left, right)
    ]
    shared = [run_id for run_id in left.run_ids if run_id in averaged[0] & averaged[1]]
    left_out = len(averaged[0] | averaged[1]) - len(shared)
    notes = [f"{left_out} runs are on one of the two leaderboards only and are left out."] if left_out else []
    if left.values is None or right.values is None:
        notes.append("Printed figures have no values by query: no tests and no intervals.")
    a, b = left.of(shared), right.of(shared)
    correlation = _correlation(a, b, draws, seed)
    notes += references.about_order(b.title, float(correlation["value"].iloc[0]))
    values = correlation.set_index("coefficient")["value"]
    notes += references.about_ties(b.title, values["tau_ap"], values["tau_ap_b"])
    notes += _about_intervals(a, b, correlation)
    pairs = _pairs(a, b)
    flipped = pairs[pairs["order"] == "flipped"]
    by = flipped["separable"].map({"both": 0, "A": 1, "B": 1, "neither": 2})
    flips = flipped.assign(by=by).sort_values(["by", "apart", "run_a", "run_b"], ascending=[True, False, True, True])
    flips = FLIPS.of(flips).reset_index(drop=True)
    columns = {
        "run_id": a.run_ids,
        "rank_a": mean_rank(a.mean),
        "rank_b": mean_rank(b.mean),
        "displacement": displacements(b.mean, a.mean),
    }
    for side, board in (("a", a), ("b", b)):
        columns |= {f"mean_{side}": board.mean, f"stderr_{side}": board.stderr, f"normalised_{side}": board.normalised}
    rows = ROWS.of(columns).sort_values(["rank_a", "rank_b", "run_id"], ignore_index=True)
    table = pd.DataFrame({"order": ORDERS})
    tested = pairs["separable"].notna().all() and len(pairs) > 0
    for significance in SIDES:
        sizes = [int(((pairs["order"] == order) & (pairs["separable"] == significance)).sum()) for order in ORDERS]
        table[significance] = pd.array(sizes if tested else [pd.NA] * len(ORDERS), "Int64")
    counts = PAIRS.of(table.assign(total=[int((pairs["order"] == order).sum()) for order in ORDERS]))
    return Versus(a.title, b.title, len(shared), rows, correlation, counts, flips, notes)


def _about_intervals(a: _Board, b: _Board, correlation: pd.DataFrame) -> list[str]:
    """Why coefficients of boards with queries have no interval."""
    if a.values is None or b.values is None:
        return []
    frame = correlation.set_index("coefficient")
    known = frame.index[frame["low"].notna()].tolist()
    same = a.values.shape == b.values.shape and is_same(a.values, b.values)
    return references.about_missing(
        (len(a.run_ids), len(a.query_ids)), frame["value"].to_dict(), known, fixed=False, same=same
    )


def _correlation(a: _Board, b: _Board, draws: int, seed: int) -> pd.DataFrame:
    correlation = references.correlation_with(a.mean, b.mean, of_scores=True)
    values = [float(getattr(correlation, name)) for name in RANK_COEFFICIENTS]
    rows = CORRELATION.of({"coefficient": RANK_COEFFICIENTS, "value": values})
    if a.values is None or b.values is None or not len(a.run_ids):
        return rows
    theirs = pd.DataFrame(b.values, b.run_ids, b.query_ids).reindex(columns=a.query_ids).to_numpy(float)
    known = true_correlations(a.values[None], theirs, RANK_COEFFICIENTS, draws=draws, seed=seed)
    ends = {end: getattr(known, end) for end in ("low", "middle", "high")}
    return rows.assign(**{end: [float(getattr(of, name)[0]) for name in RANK_COEFFICIENTS] for end, of in ends.items()})


def _pairs(a: _Board, b: _Board) -> pd.DataFrame:
    """Every pair of runs, the one ahead on A first: `FLIPS`, order, and how far apart the pair is on both together."""
    pairs = pair_frame(a.run_ids, a.mean, b.mean)
    place = {run_id: row for row, run_id in enumerate(a.run_ids)}
    first, second = (pairs[name].map(place).to_numpy(int) for name in ("run_a", "run_b"))
    p_a, p_b = (board.p()[first, second] for board in (a, b))
    apart = sum(np.abs(board.normalised[first] - board.normalised[second]) for board in (a, b))
    pairs = pairs.rename(columns={"difference": "difference_a", "reference_difference": "difference_b"})
    order = np.select([pairs["swapped"], pairs["tied_once"]], ["flipped", "tied once"], "same")
    names = {(True, True): "both", (True, False): "A", (False, True): "B", (False, False): "neither"}
    unknown = np.isnan(p_a) | np.isnan(p_b)
    separable = [
        None if missing else names[bool(on_a), bool(on_b)]
        for missing, on_a, on_b in zip(unknown, p_a < ALPHA, p_b < ALPHA, strict=True)
    ]
    return pairs.assign(p_a=p_a, p_b=p_b, separable=separable, order=order, apart=apart)


BOARDS, RUNS, PAIRS_OF_RUNS, QUESTIONS = "Two leaderboards", "Two runs", "All pairs of runs", "Other questions"
WHAT = (BOARDS, RUNS, PAIRS_OF_RUNS, QUESTIONS)
"""What can be compared."""
AS_CHOSEN = "as on the left"
"""A side's option that is as in the control bar."""
AS_IS, WITHOUT = "as it is", "without them"
"""What a leaderboard with and without some questions is called."""
SAME_RUN = "A and B are the same run: choose another one."
NOTHING_BY_QUERY = (
    "{} holds printed figures: without values by query to test, and without questions to switch off. Collections with "
    "grades and runs, such as the demo, have both."
)


DIGITS, SMALLEST = 8, 0.0005
"""A number of a side has fewer digits; a difference below this is 0.000."""


def initial_sides(series: Sequence[str], measure: str, modes: Sequence[str]) -> tuple[tuple[str, str], tuple[str, str]]:
    """The grading mode and the measure that A and B begin with.

    Where there is one mode, B is P beside a measure of questions: EXAM Qrels beside EXAM Cover, as in the papers. Of
    judgments alone B is another measure of them. `modes`: that there are; empty where there are none, and then the mode
    is empty, too.
    """
    first, second = (mode if mode in modes else next(iter(modes), "") for mode in (series[0], series[-1]))
    own = Measure.parse(measure)
    beside = "P" if first == second and own.info.of == "questions" else AS_CHOSEN
    if first == second and first.startswith(JUDGED):
        beside = "AP" if own.name != "AP" else "nDCG"
    return (first, AS_CHOSEN), (second, beside)


def request_of_side(request: Request, side: Mapping[str, str | None]) -> Request:
    """What is asked of a side: that of the control bar, but for what the side has otherwise.

    Raises UsageError where there is no such measure, or a number is none. `side`: bank, grader, measure, depth, tau and
    label_rank; None or absent is as in the control bar.
    """
    names = {name: value for name, value in side.items() if value and value != AS_CHOSEN}
    numbers = {name: names[name] for name in ("tau", "depth", "label_rank") if name in names}
    for name, value in numbers.items():
        if not (value.isascii() and value.isdecimal() and len(value) < DIGITS):
            raise UsageError(f"{name} of a side: {value[:40]} is not a number from 0 to {10 ** (DIGITS - 1) - 1:,}.")
    named = {name: names[name] for name in ("bank", "grader") if name in names}
    request = request.but(**{name: int(value) for name, value in numbers.items()}, **named)
    if not {"measure", "depth"} & set(names):
        return request
    bar = Measure.parse(request.measure)
    measure = names.get("measure", bar.name)
    if measure not in MEASURES:
        raise UsageError(f"There is no measure {measure}. There are: {', '.join(MEASURES)}.")
    return request.but(measure=str(Measure.at(measure, request.depth, None if "measure" in names else bar.options)))


def before_and_after(what_if: WhatIf) -> Frame:
    """The runs of a leaderboard as it is, A, and with other questions, B, in the order of A."""
    sides = {"rank_before": "rank_a", "rank_after": "rank_b", "mean_before": "mean_a", "mean_after": "mean_b"}
    rows = what_if.rows.rename(columns=sides | {"rank_change": "displacement"})
    return rows.sort_values(["rank_a", "run_id"], ignore_index=True)


def agreement_sentence(versus: Versus, title_a: str, title_b: str) -> str:
    """How well two leaderboards agree, and on how many pairs of runs they don't."""
    if title_a == title_b:
        return f"A and B are the same leaderboard, {title_a}: change one of them on the page Compare."
    by_order = versus.pairs.set_index("order")
    counts, tied = by_order.loc["flipped"], by_order.loc["tied once", "total"]
    kendall = float(versus.correlation.set_index("coefficient")["value"]["kendall"])
    message = "" if pd.isna(counts["both"]) else f", {counts['both'] or 'none'} significantly on both sides"
    a, b = (re.sub(r" \(tau (\d)\)", r", tau \1", title) for title in (title_a, title_b))
    how = f"correlate with a Kendall's tau of {in_digits(kendall)}"
    if kendall != kendall:
        how = "have no rank correlation, since all runs of one of them have the same score"
    pairs = versus.pairs["total"].sum()
    if not counts["total"]:
        alike = f"{pairs - tied:,} of {pairs:,}" if tied else f"all {pairs:,}"
        once = f"; {counted({'are': tied})} tied on one side only" if tied else ""
        return f"A, {a}, and B, {b}, {how}. They order {alike} pairs of runs alike{once}."
    return (
        f"A, {a}, and B, {b}, {how}. They order {counts['total']} of {pairs:,} pairs of {versus.n} runs "
        f"differently{message}."
    )


def difference_sentence(run_pair: RunPair, method: str) -> str:
    """Whether two runs differ, in a sentence; `method` is what was measured, by which grading mode."""
    p = dict(zip(run_pair.tests["test"], run_pair.tests["p"], strict=True))["t"]
    by = f"is {abs(run_pair.difference):.3f} {'above' if run_pair.difference > 0 else 'below'}"
    verdict = "has the same mean as" if abs(run_pair.difference) < SMALLEST else by
    significant = "significant" if p < ALPHA else "not significant"
    return (
        f"By {method}, {run_pair.run_a} {verdict} {run_pair.run_b} (95% interval of the difference "
        f"{in_digits(run_pair.low, '.3f')} to {in_digits(run_pair.high, '.3f')}, paired t-test p = "
        f"{in_digits(p, '.4f')}: "
        f"{significant}): of {run_pair.n} queries it wins {run_pair.wins}, ties {run_pair.ties} and loses "
        f"{run_pair.losses}."
    )


PER_RUN, LEAST, MOST = 19, 340, 850
"""Pixels for each run, and for all together at least and at most."""
AROUND, APART = 90, 15
"""Pixels above and below the lines, and between two names."""
MOVES = ("higher in B", "same rank", "lower in B")
COLOURS, WIDTHS = (PROMOTED, QUIET, DEMOTED), (2.5, 1, 2.5)
"""Of the lines by their moves: what moves stands out."""


def ranks_figure(rows: pd.DataFrame, name_a: str = "A", name_b: str = "B") -> go.Figure:
    """Each run's rank on A, left, joined with its rank on B, right; lines that cross are runs in another order.

    `rows` have run_id, rank_a, rank_b, displacement, mean_a, mean_b.
    """
    figure = go.Figure()
    last = max([len(rows), *rows["rank_a"].dropna(), *rows["rank_b"].dropna()])  # rows may be some of the runs
    height = min(max(LEAST, PER_RUN * round(last) + AROUND), MOST)
    apart = APART * last / (height - AROUND)
    for kind in (1, 0, 2):  # what moves lies above
        move = MOVES[kind]
        displacement = rows["displacement"]
        moved = rows[((displacement > 0).astype(int) - (displacement < 0).astype(int)) == 1 - kind]
        columns = ("run_id", "rank_a", "rank_b", "mean_a", "mean_b")
        named = zip(*(moved[name] for name in columns), strict=True)
        figure.add_scatter(
            x=[place for _ in range(len(moved)) for place in (0, 1, None)],
            y=_joined(moved["rank_a"], moved["rank_b"]),
            name=move,
            mode="lines+markers",
            line={"dash": (DASHES[0], DASHES[0], DASHES[1])[kind], "width": WIDTHS[kind], "color": COLOURS[kind]},
            marker={"size": (8, 4, 8)[kind], "symbol": ("triangle-up", "circle", "triangle-down")[kind]},
            connectgaps=False,
            customdata=[[escape_name(run), *values, run] for run, *values in named for _ in range(3)],
            hovertemplate="%{customdata[0]}<br>A: rank %{customdata[1]}, %{customdata[3]:.3f}"
            "<br>B: rank %{customdata[2]}, %{customdata[4]:.3f}<extra></extra>",
        )
    ends = {"autorange": False, "range": [last + 0.7, 0.3], "showgrid": False, "zeroline": False}
    figure.update_layout(
        size_layout(height, top=30),
        xaxis=with_names(["<b>A</b>", "<b>B</b>"], side="top", range=[-0.04, 1.04], showgrid=False, fixedrange=True),
        yaxis=ends | _names(rows, "rank_a", apart),
        yaxis2=ends | _names(rows, "rank_b", apart) | {"overlaying": "y", "side": "right"},
        legend=legend(-0.02, yanchor="top"),
    )
    # an axis without a trace is not drawn
    figure.add_scatter(x=[None], y=[None], yaxis="y2", showlegend=False, hoverinfo="skip")
    return with_description(figure, ranks_alternative(rows, name_a, name_b))


def ranks_alternative(rows: pd.DataFrame, name_a: str, name_b: str) -> str:
    """The chart of ranks in words."""
    if rows.empty:
        return "No run is on both leaderboards."
    moved = rows[rows["displacement"].abs() > 0]
    text = (
        f"Ranks of {counted({'runs': len(rows)})} by {name_a} and by {name_b}: "
        f"{counted({'runs': len(moved)})} change rank."
    )
    if len(moved):
        most = moved.loc[moved["displacement"].abs().idxmax()]
        a, b = rank_text(most["rank_a"]), rank_text(most["rank_b"])
        text += f" Farthest apart is {most['run_id']}: rank {a} on A, {b} on B."
    return text


def _joined(left: pd.Series, right: pd.Series) -> list[float | None]:
    """Both ends of each line, and a gap."""
    return [end for pair in zip(left, right, strict=True) for end in (*pair, None)]


def _names(rows: pd.DataFrame, rank: str, apart: float) -> dict[str, object]:
    """An axis with the runs at their ranks, at least so far `apart`; those that move farthest are named first."""
    named: list[float] = []
    farthest = rows.groupby(rank)["displacement"].agg(lambda moves: moves.abs().max())
    for place in farthest.sort_values(kind="stable")[::-1].index:
        if all(abs(place - other) >= apart for other in named):
            named.append(place)
    tied = rows[rows[rank].isin(named)].groupby(rank)["run_id"].agg(list)
    firsts = on_axis(runs[0] for runs in tied)
    labels = [
        f"{name}{f' + {len(runs) - 1}' if len(runs) > 1 else ''}" for name, runs in zip(firsts, tied, strict=True)
    ]
    return {
        "tickmode": "array",
        "tickvals": tied.index.tolist(),
        "ticktext": labels,
        "automargin": True,
        "tickfont": {"size": 12},
        "fixedrange": True,
    }

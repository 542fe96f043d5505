"""The leaderboard: means, standard errors, ranks and their intervals, and the details of one run."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from exam_core.analysis import shared_columns, uncertainty
from exam_core.analysis.caveats import ROUNDED, about_depth, about_missing_runs, about_other_passages, about_ranks
from exam_core.analysis.choice import Evaluation, Grading
from exam_core.analysis.contents import hole_shares
from exam_core.analysis.grade_scales import about_grader
from exam_core.analysis.groups import mean_of_runs, refuse_without_groups, spread_of_runs, systems_of
from exam_core.analysis.references import (
    ITSELF,
    Reference,
    about_itself,
    about_left_out,
    about_order,
    correlation_with,
    find_reference,
)
from exam_core.analysis.scope import Scope, scope_of
from exam_core.analysis.unlabelled import unlabelled
from exam_core.analysis.values import gaps, gradebook, no_runs, query_values, row_of
from exam_core.defaults import DRAWS, SEED
from exam_core.errors import UsageError
from exam_core.measures import MEASURES
from exam_core.measures.gradebook import Gradebook
from exam_core.measures.places import Gaps
from exam_core.names import listed
from exam_core.numbers.arrays import Floats
from exam_core.numbers.displacement import displacements
from exam_core.numbers.means import mean_and_stderr, rounded_means, span
from exam_core.numbers.rank_correlations import DIGITS, Correlation, mean_rank
from exam_core.numbers.true_means import rank_intervals
from exam_core.request import DEPTH
from exam_core.results import ResultTable, decimal, number, rank, share
from exam_core.store import Snapshot
from exam_core.store.pairs import ranked_passages, texts_of
from exam_core.store.summary import bank_version, qrels_ids
from exam_core.tables import UNGRADED, UNREADABLE
from exam_core.wording import counted

ROWS = ResultTable(
    "leaderboard: rows",
    "Runs with their scores, best first; undefined values are NaN",
    shared_columns.RUN,
    shared_columns.MEAN,
    shared_columns.STDERR,
    number("n_queries", "Queries", "Queries that the mean is taken over.", unit="queries"),
    shared_columns.NORMALISED,
    shared_columns.NORMALISED_STDERR,
    shared_columns.RANK,
    shared_columns.REFERENCE_RANK,
    number(
        "unanswered",
        "Unanswered",
        "Queries for which the run returned nothing; they count 0, unless it answers none.",
        unit="queries",
    ),
)
SPREAD = decimal(
    "spread",
    "Spread",
    "Standard deviation (n - 1) between the means of the group's runs; empty for a run by itself.",
    "score",
)
MEMBERS = number("n_runs", "Runs", "Runs of the group that have a mean; 1 for a run by itself.", "runs")
GROUP_ROWS = ResultTable(
    "leaderboard: groups",
    "Systems with their scores, best first: groups of runs under their names, and runs without a group",
    *ROWS.columns,
    SPREAD,
    MEMBERS,
)


@dataclass(frozen=True)
class Leaderboard:
    """Runs ordered by a measure.

    Parameters
    ----------
    heading : the measure with the depth that its spelling leaves open
    tau : None where judgments are evaluated
    rows : `ROWS`
    overall : the measure of everything graded for a query, ranked or not, with its standard error; None if it has none
    ungraded : None where the measure looks at no grades, or no run returned anything for the queries
    rules : of the averaging
    """

    collection: str
    title: str
    bank: str | None
    grader: str | None
    measure: str
    heading: str
    tau: float | None
    tau_applies: bool
    depth: int | None
    label_rank: int | None
    rows: pd.DataFrame
    overall: tuple[float, float] | None
    reference: str | None
    correlation: Correlation | None
    ungraded: Gaps | None
    judgments: str | None = None
    rules: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def bounds(self) -> tuple[float, float]:
        """The smallest and the largest possible mean; infinite where means lie beyond, as those in percent do."""
        info = MEASURES.get(re.split("[(@]", self.measure)[0])
        means = self.rows["mean"].dropna().round(9)
        return info.bounds if info and means.between(*info.bounds).all() else (-math.inf, math.inf)

    @property
    def table(self) -> ResultTable:
        """What its rows are: `ROWS`, or `GROUP_ROWS` where groups of runs are systems."""
        return GROUP_ROWS if "spread" in self.rows else ROWS

    @property
    def of_itself(self) -> str:
        """The note that the board is compared with itself; empty where it is not."""
        return next((note for note in self.notes if note.endswith(ITSELF)), "")

    @property
    def overall_heading(self) -> str:
        """The heading of `overall`: the measure without its @k, because everything graded has no first passages."""
        return self.measure.partition("@")[0]

    @cached_property
    def population(self) -> str:
        """A sentence on the runs of the re-normalised scores, and those with 0 and 1."""
        known = self.rows[self.rows["normalised"].notna()]
        if known.empty:
            undefined = "Re-normalised scores are undefined: all runs have the same score, or none has one."
            return self.all_zero or undefined
        systems = "runs" if self.table is ROWS else "systems"
        best, worst = known.loc[known["mean"].idxmax()], known.loc[known["mean"].idxmin()]
        return (
            f"Re-normalised over the {counted({systems: len(known)})} of this leaderboard: 0 is {worst['run_id']} "
            f"({worst['mean']:.3f}), 1 is {best['run_id']} ({best['mean']:.3f})."
        )

    @property
    def all_zero(self) -> str:
        """A sentence where all runs score 0, with a remedy; empty where they don't."""
        means = self.rows["mean"].dropna()
        if means.empty or (means != 0).any():
            return ""
        if self.tau is None or not self.tau_applies or self.tau == 1:
            return "All runs score 0."
        return f"All runs score 0: no passage within the depth reaches tau {self.tau}. Try a smaller tau."

    @property
    def fits_nobody(self) -> bool:
        """Whether no run returned anything for the queries of the grades or judgments."""
        computed = self.tau is not None or self.judgments is not None
        return computed and self.ungraded is None and bool((self.rows["n_queries"] == 0).all())

    @property
    def ungraded_heading(self) -> str:
        """The heading of the passages that `ungraded` counts."""
        return "Unjudged" if self.judgments else "Ungraded"


def leaderboard(snapshot: Snapshot, choice: Evaluation) -> Leaderboard:
    """The leaderboard of a choice, beside its reference.

    Raises UsageError where there is no such reference, or nothing to evaluate; UndefinedMeasure where the measure needs
    questions and the grader has none.
    """
    grading, scope, overall = choice.grading, scope_of(snapshot, choice), None
    if scope.book and not scope.run_ids:
        raise UsageError(no_runs(snapshot))
    ungraded = gaps(snapshot, choice.labelling) if scope.book and scope.book.returned.any() else None
    if (measured := choice.measure.info.overall) and scope.book and scope.book.has_questions:
        values = np.where(scope.counted, measured(scope.book, tau=choice.level), np.nan)
        mean, stderr, _ = mean_and_stderr(values[None, ~np.isnan(values)])
        overall = (float(mean[0]), float(stderr[0]))
    if choice.groups:
        refuse_without_groups(snapshot)
    rows, notes = board_rows(scope)
    notes += about_groups(rows) if choice.groups else []
    notes += about_depth(snapshot, choice) + about_ranks(snapshot, choice)
    notes += about_other_passages(snapshot, scope.book, scope.kind) if scope.book else []
    notes += about_grader(snapshot, choice) + about_missing_runs(snapshot)
    board = Leaderboard(
        collection=snapshot.collection,
        title=title(choice),
        bank=bank_name(snapshot, grading),
        grader=grading.grader,
        measure=str(choice.measure),
        heading=choice.heading,
        tau=choice.tau if choice.of_grades and not grading.judgments else None,
        tau_applies=choice.measure.tau_applies and not grading.judgments,
        depth=choice.labelling.depth,
        label_rank=choice.labelling.label_rank,
        rows=rows,
        judgments=grading.judgments,
        rules={
            "missing": choice.missing,
            "order": choice.labelling.order,
            "ncover_pool": choice.pool,
            "rounded": choice.rounded,
            **({"without": list(snapshot.left_out)} if snapshot.left_out else {}),
            **({} if snapshot.own_documents else {"own_document": "no"}),
            **({"groups": "yes"} if choice.groups else {}),
        },
        overall=overall,
        reference=None,
        correlation=None,
        ungraded=ungraded,
        notes=notes,
    )
    return against(board, find_reference(snapshot, choice.reference, choice), choice)


def title(choice: Evaluation, called: Mapping[str, str] | None = None) -> str:
    """A choice in one line, for instance `genq Cover@20 tau=4` or `genq AP (first 20) tau=4`.

    `called` has names of graders by id, for readers, who see the grader in the place of its bank.
    """
    grading, names = choice.grading, called or {}
    name = names.get(str(grading.grader), grading.grader)
    if grading.judgments:
        words = [f"{grading.judgments} judgments", choice.heading, f"relevant from {grading.relevant_from}"]
    else:
        whose = name if names and name else grading.bank_id or name
        tau = f"tau={choice.tau}" if choice.of_grades else None
        words = [word for word in (whose, choice.heading, tau) if word]
    depth_is_said = choice.heading != str(choice.measure)
    rules = {
        f"label rank {choice.labelling.label_rank}": choice.labelling.label_rank > 1,
        f"depth {choice.labelling.depth or 'all'}": choice.labelling.depth != DEPTH and not depth_is_said,
        "missing skipped": choice.missing == "skip",
        "by the files' ranks": choice.labelling.order == "rank",
        "of ranked passages": choice.pool == "ranked",
        f"labels {choice.labelling.written_map}": choice.labelling.label_map is not None,
        ROUNDED: choice.rounded == "trec_eval",
        "groups of runs as one": choice.groups,
    }
    return " ".join(words + [rule for rule, applies in rules.items() if applies])


def bank_name(snapshot: Snapshot, grading: Grading) -> str | None:
    """The bank, with its version if that isn't the newest."""
    if grading.bank is None or grading.bank.version == bank_version(snapshot, grading.bank.name):
        return grading.bank_id
    return str(grading.bank)


def board_rows(scope: Scope) -> tuple[pd.DataFrame, list[str]]:
    """Rows of a leaderboard, best first, and notes on the queries that are left out or not answered.

    A run is averaged over the queries where its value is not NaN, and so is a group of runs, whose value on a query is
    the mean of its runs' values.
    """
    result, values = None if scope.choice.of_grades else unlabelled(scope.snapshot, scope.choice), None
    if result is None or result.pooled is None:
        values = query_values(scope.snapshot, scope.choice)
        mean, stderr, n_queries = mean_and_stderr(values)
    else:  # no mean over queries, and so without a standard error
        answers = result.returned.any(axis=1)
        n_queries = np.where(answers, result.counted.sum(), 0)
        mean, stderr = np.where(answers, result.pooled, np.nan), np.full(len(scope.run_ids), np.nan)
    columns: dict[str, Any] = {
        "run_id": scope.run_ids,
        "mean": mean,
        "stderr": stderr,
        "n_queries": n_queries,
        "unanswered": scope.unanswered.sum(axis=1),
    }
    if scope.choice.groups:
        columns = _of_systems(scope, columns, values)
    if scope.choice.rounded == "trec_eval":
        columns["mean"] = rounded_means(columns["mean"])
    notes = [*scope.about_unreadable(), *scope.left_out, *scope.about_unanswered()]
    return ranked(pd.DataFrame(columns)), notes


def _of_systems(scope: Scope, columns: Mapping[str, Any], values: Floats | None) -> dict[str, Any]:
    """The columns of runs as those of systems; (R, Q) values are None where a mean is not over queries."""
    systems = systems_of(scope.snapshot, scope.run_ids)
    spread, n_runs = spread_of_runs(columns["mean"], systems)
    if values is None:
        mean, stderr = mean_of_runs(columns["mean"], systems), np.full(len(systems), np.nan)
        n_queries = np.array([columns["n_queries"][runs].max() for runs in systems.values()])
    else:
        mean, stderr, n_queries = mean_and_stderr(mean_of_runs(values, systems))
    unanswered = [int(scope.unanswered[runs].any(axis=0).sum()) for runs in systems.values()]
    of_queries = {"n_queries": n_queries, "unanswered": unanswered}
    of_runs = {"spread": spread, "n_runs": n_runs}
    return {"run_id": list(systems), "mean": mean, "stderr": stderr} | of_queries | of_runs


def about_groups(rows: pd.DataFrame) -> list[str]:
    """A note on the groups among the rows of a leaderboard."""
    several = rows[rows["n_runs"] > 1].sort_values("run_id")
    named = listed([f"{row.run_id} ({row.n_runs} runs)" for row in several.itertuples()])
    how = "scores are means over the runs of a group, query by query, and the spread is between the runs' means."
    return [f"Groups of runs: {named}; {how}"] if named else []


def ranked(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with re-normalised scores and ranks, ordered by rank.

    Scores are mapped to (score - min) / (max - min) over these runs, their errors divided by the same range
    (EXAM++, figure 2); both are undefined where all scores are equal. Tied runs share their mean rank.
    """
    over = span(rows["mean"].to_numpy(float))
    rows = rows.assign(
        normalised=over.mapped(rows["mean"].to_numpy(float)),
        normalised_stderr=rows["stderr"] / over.width,
        rank=mean_rank(rows["mean"].to_numpy(float)),
    )
    return rows.sort_values(["rank", "run_id"], ignore_index=True)


def against(
    board: Leaderboard, reference: Reference | None, choice: Evaluation | None = None, *, of_scores: bool = True
) -> Leaderboard:
    """The board with the reference's ranks beside it, and the correlation over the runs that both have.

    `of_scores` is false where the board's means stand for ranks.
    """
    if reference is None:
        return replace(board, rows=board.rows.assign(reference_rank=np.nan))
    rows = board.rows.assign(reference_rank=board.rows["run_id"].map(reference.ranks).astype(float))
    shared = rows[rows["reference_rank"].notna() & rows["mean"].notna()]
    scores = shared["run_id"].map(reference.scores).to_numpy(float)
    has_scores = not np.isnan(scores).any()
    order = scores if has_scores else -shared["reference_rank"].to_numpy(float)
    mean = shared["mean"].to_numpy(float)
    correlation = correlation_with(mean, order, of_scores=of_scores and has_scores)
    averaged = int(rows["mean"].notna().sum())
    notes = about_left_out(averaged - len(shared), averaged, reference.name)
    notes += about_itself(choice, reference, mean, order) if choice else []
    notes += [*about_order(reference.name, correlation.spearman), *reference.notes]
    return replace(board, rows=rows, reference=reference.name, correlation=correlation, notes=[*board.notes, *notes])


RANK_LOW = number(
    "rank_low", uncertainty.RANK_INTERVAL_LABEL, uncertainty.RANK_INTERVAL, "rank", form="%.1f", width=110
)
SCORES = ResultTable(
    "standing",
    "Runs with tests and intervals of their ranks, best first",
    replace(shared_columns.RANK, width=55),
    replace(shared_columns.RUN, width=140),
    number("tier", "Tier", f"{uncertainty.TIER} {uncertainty.BY_T}, {uncertainty.BY_BARS}.", width=45),
    RANK_LOW,
    replace(RANK_LOW, name="rank_high", label="to"),
    replace(shared_columns.MEAN, width=85),
    replace(shared_columns.STDERR, width=65),
    replace(shared_columns.NORMALISED, width=85),
    shared_columns.NORMALISED_STDERR,
    replace(shared_columns.REFERENCE_RANK, help=shared_columns.REFERENCE, width=110),
    rank(
        "displacement",
        shared_columns.MOVED,
        "Rank in the reference minus own rank, both among the runs that have both: positive where this leaderboard "
        "promotes the run.",
        unit="ranks",
        form="%+g",
        width=85,
    ),
    share(
        "holes",
        "Ungraded",
        "Share of the top-k ranks that the run filled, over all queries, whose passage has no grade: nobody graded it, "
        "its grades can't be read, or the run's file left it out.",
        unit="share of the filled ranks",
        width=75,
    ),
    ROWS["n_queries"],
    ROWS["unanswered"],
)


GROUP_SCORES = ResultTable(
    "standing: groups", "Systems with tests and intervals of their ranks, best first", *SCORES.columns, SPREAD, MEMBERS
)


def standing(snapshot: Snapshot, choice: Evaluation, *, draws: int = DRAWS, seed: int = SEED) -> pd.DataFrame:
    """A leaderboard with tiers, intervals of ranks from draws of the true means, displacements and ungraded passages.

    Returns `SCORES`, with spread and n_runs where groups of runs are systems; unanswered is NaN where no run leaves a
    query unanswered, and so is all that is undefined. Raises UsageError where there is no such reference, or nothing to
    evaluate.

    Source: intervals as in `rank_intervals`; tiers by Student's paired t-test and Holm 1979.
    """
    values = uncertainty.values_of_runs(snapshot, choice)
    low, high = rank_intervals(values.values, draws, seed)
    tier = uncertainty.tier_column(uncertainty.tiers(values.values))
    frame = pd.DataFrame({"run_id": values.run_ids, "tier": tier, "rank_low": low, "rank_high": high})
    rows = leaderboard(snapshot, choice).rows.merge(frame, on="run_id")
    rows["holes"] = rows["run_id"].map(_holes(snapshot, choice))
    if not rows["unanswered"].any():
        rows["unanswered"] = np.nan
    table = GROUP_SCORES if choice.groups else SCORES
    return table.of(rows.assign(displacement=displacement(rows)))


def _holes(snapshot: Snapshot, choice: Evaluation) -> pd.Series:
    """The share of holes by run, or the mean share of a group's runs."""
    shares = hole_shares(snapshot, choice)
    if not choice.groups:
        return shares
    systems = systems_of(snapshot, list(shares.index))
    return pd.Series(mean_of_runs(shares.to_numpy(float), systems), list(systems))


def of_board(board: Leaderboard) -> pd.DataFrame:
    """`SCORES` of a leaderboard without queries: tiers by error bars; no intervals and no holes."""
    nothing = dict.fromkeys(("rank_low", "rank_high", "holes"), np.nan)
    tier = uncertainty.tier_column(
        uncertainty.tiers_by_bars(*(board.rows[name].to_numpy(float) for name in ("mean", "stderr")))
    )
    return SCORES.of(
        board.rows.assign(tier=tier.set_axis(board.rows.index), displacement=displacement(board.rows), **nothing)
    )


def own_order(boards: Mapping[str, Leaderboard]) -> list[str]:
    """The runs by the first board's ranks; runs of later boards alone follow by theirs."""
    return list(dict.fromkeys(run_id for board in boards.values() for run_id in board.rows["run_id"]))


def displacement(rows: pd.DataFrame) -> Floats:
    """Rank in the reference minus own rank among the runs that have both; NaN for the others."""
    both = (rows["mean"].notna() & rows["reference_rank"].notna()).to_numpy()
    moved = np.full(len(rows), np.nan)
    shared = rows[both]
    if len(shared) > 1 and shared["reference_rank"].nunique() == 1:
        return moved  # All tie in the reference: there is no order to be displaced from.
    moved[both] = displacements(shared["mean"].to_numpy(float), -shared["reference_rank"].to_numpy(float))
    return moved


QUERIES = ResultTable(
    "run: queries",
    "A run's value on every query beside the mean of all runs, largest deficit first",
    shared_columns.QUERY,
    shared_columns.QUERY_TEXT,
    decimal("value", "Value", "The run's value of the measure on this query.", "score"),
    decimal("mean", "Mean of all runs", "Mean of all runs on this query, this run included.", "score"),
    replace(shared_columns.DIFFERENCE, help="Value minus the mean of all runs, largest deficit first."),
    shared_columns.RANK,
    number("n_runs", "of runs", unit="runs"),
)
PASSAGES = ResultTable(
    "run: passages",
    "A run's passages for a query with their labels",
    number("rank", "Rank", unit="rank", width=60),
    shared_columns.PASSAGE,
    rank(
        "label",
        "Label",
        "The passage's N-th best grade over the questions (EXAM, eq. 3), or the grade of the whole passage.",
        "grade",
        width=70,
    ),
    rank(
        "answered",
        "Answers",
        "Questions of the query whose grade on this passage is at least tau.",
        "questions",
        width=80,
    ),
    rank(
        "first_answered",
        "for the first time",
        "Questions that no passage before it answers; Cover counts these.",
        "questions",
    ),
    rank("relevance", "Judged", "Human judgment; a dash where there is none.", "relevance", width=70),
    shared_columns.PASSAGE_TEXT,
)


def run_queries(snapshot: Snapshot, choice: Evaluation, run_id: str) -> pd.DataFrame:
    """A run's value on every query, with the mean of all runs; the largest deficit comes first.

    Returns `QUERIES`; query_text is None if unknown, the rank is among the runs on this query. Raises UsageError where
    there is no such run, or nothing to evaluate.
    """
    values = uncertainty.values_of_runs(snapshot, choice)
    row = row_of(values, run_id)
    mean, _, n = mean_and_stderr(values.values.T)
    frame = QUERIES.of(
        {
            "query_id": values.query_ids,
            "query_text": texts_of(snapshot, values.query_ids),
            "value": values.values[row],
            "mean": mean,
            "difference": values.values[row] - mean,
            "rank": mean_rank(values.values.T)[:, row],
            "n_runs": n,
        }
    )
    order = np.argsort(np.round(frame["difference"].to_numpy(float), DIGITS), kind="stable")  # NaN comes last
    return frame.iloc[order].reset_index(drop=True)


def run_passages(snapshot: Snapshot, choice: Evaluation, run_id: str, query_id: str) -> pd.DataFrame:
    """The passages that a run ranked for a query down to the measure's depth, with labels and answered questions.

    Returns `PASSAGES`; the label is NaN where nothing is graded or readable, and so are answered and first_answered for
    labels of whole passages; relevance is NaN without a judgment, text (its beginning) None if unknown. Raises
    UsageError where there is no such query, or nothing to evaluate.
    """
    read = choice.as_read
    book = gradebook(snapshot, read.labelling)
    if query_id not in book.query_ids:
        raise UsageError(f"Nothing is graded for query {query_id}.")
    qrels_id = next(iter(qrels_ids(snapshot)), None)
    depth = read.measure.depth or read.labelling.depth
    passages = ranked_passages(snapshot, run_id, query_id, depth=depth, qrels_id=qrels_id)
    return PASSAGES.of(passages.assign(**_worth(book, choice, book.query_ids.index(query_id), passages["doc_id"])))


def _worth(book: Gradebook, choice: Evaluation, query: int, docs: pd.Series) -> dict[str, pd.Series]:
    """Label and answered questions of passages, in the order of a ranking; NaN without a grade."""
    first, last = np.searchsorted(book.pair_query, [query, query + 1])
    place = pd.Index(np.asarray(book.docs[first:last], object)).get_indexer(pd.Index(docs))
    graded = place >= 0
    pairs = first + np.maximum(place, 0)
    label = np.where(graded, book.labels(choice.labelling.label_rank)[pairs], np.int8(UNGRADED))
    columns = {"label": pd.Series(np.where(label > UNREADABLE, label, np.nan), docs.index)}
    reach = (book.grades[pairs] >= choice.cut) & book.enabled[query] & graded[:, None]
    before = np.cumsum(reach, axis=0) - reach > 0
    known = graded & (label > UNGRADED) & book.has_questions
    counts = {"answered": reach.sum(axis=1), "first_answered": (reach & ~before).sum(axis=1)}
    return columns | {name: pd.Series(np.where(known, count, np.nan), docs.index) for name, count in counts.items()}

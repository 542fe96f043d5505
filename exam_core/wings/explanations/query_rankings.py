"""Why a run is where it is: the query that moves it most, and its ranking there beside that of another run."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from exam_core.analysis.choice import Evaluation, QuestionChoice
from exam_core.analysis.leaderboard import PASSAGES as RANKED
from exam_core.analysis.leaderboard import run_passages, title
from exam_core.analysis.other_labels import RELABELLED, relabelled, side_by_side
from exam_core.analysis.other_labels import ROWS as WHATIF
from exam_core.analysis.references import find_reference, pair_with
from exam_core.analysis.shared_columns import DIFFERENCE, QUERY, QUERY_TEXT, QUESTION, QUESTION_TEXT
from exam_core.analysis.uncertainty import values_of_runs
from exam_core.analysis.values import Values, gradebook, row_of
from exam_core.errors import UsageError
from exam_core.measures.gradebook import Gradebook
from exam_core.numbers.arrays import Floats
from exam_core.numbers.displacement import displacements, neighbours_of, ranks_without_each
from exam_core.numbers.means import mean_and_stderr
from exam_core.numbers.rank_correlations import DIGITS, mean_rank
from exam_core.results import ResultTable, decimal, flag, number, rank, texts
from exam_core.store import Snapshot
from exam_core.store.pairs import texts_of
from exam_core.store.question_texts import questions_under
from exam_core.tables import UNREADABLE

MOVERS = ResultTable(
    "why: queries",
    "Every query with a run's rank on the leaderboard without it, queries that move the run most first",
    QUERY,
    rank(
        "lifts",
        "Moves it by",
        "Rank on the leaderboard without this query minus rank with it: positive where the query lifts the run.",
        "ranks",
        form="%+g",
    ),
    rank("rank_without", "Rank without it", "Rank on the leaderboard of all other queries.", "rank"),
    decimal("value", "Value", "The run's value on this query.", "score"),
    decimal("beside", "Beside", "The other run's value on this query.", "score"),
    DIFFERENCE,
    QUERY_TEXT,
)
QUESTIONS = ResultTable(
    "why: questions",
    "The questions of a query with two runs' best grades, those that only one run answers first",
    QUESTION_TEXT,
    rank("grade_a", "Best grade", "Best grade among the passages that the run ranks within the depth.", "grade"),
    rank("grade_b", "beside", "Best grade among the passages that the other run ranks within the depth.", "grade"),
    flag("answered_a", "Answered", "Yes if the best grade is at least tau.", width="small"),
    flag("answered_b", "beside", "Yes if the other run's best grade is at least tau.", width="small"),
    flag("counts", "Counts", "Yes if the question is switched on.", width="small"),
    QUESTION,
    texts("gold_answers", "Answer key"),
)
PASSAGES = ResultTable(
    "why: passages",
    "A run's passages for a query, with their rank in another run and their label without some questions",
    *RANKED.ordered("rank", "doc_id", "label").columns,
    rank("label_after", "Label then", "Label without the questions that are switched off.", "grade"),
    flag("flips", "Flips", "The passage becomes relevant, or ceases to be, at tau."),
    rank("grade", "Grade", "The passage's grade on the question whose evidence is marked.", "grade"),
    number("other_rank", "Beside", "The passage's rank in the other run, within the depth.", "rank"),
    *RANKED.ordered("answered", "first_answered", "relevance", "text").columns,
)
BOARD = ResultTable(
    "why: board",
    "Two runs on the leaderboard, with all questions and without some",
    *WHATIF.ordered(
        "run_id", "rank_before", "rank_after", "rank_change", "mean_before", "mean_after", "change"
    ).columns,
)


@dataclass(frozen=True)
class RankSpan:
    """The ranks from `first`, the better one, to `last`, and how far the best and the worst mean of their runs differ.

    `stderr` is the standard error of the run's mean, and `measure` what is averaged.
    """

    first: int
    last: int
    score: float
    stderr: float
    measure: str


@dataclass(frozen=True)
class Movers:
    """Which queries move a run, and what to set beside it to see why.

    Parameters
    ----------
    rank, n : the run's rank, and how many runs are ranked; where the reference ranks the run, among the runs that both
        rank, as a displacement is
    displacement : as in `outliers`; NaN without a reference that ranks the run
    span : the ranks that it is displaced over; None where it is not displaced
    others : the other runs: neighbours in the reference, on the leaderboard, the best, then all by rank
    other : the run beside it; where none is asked for, the first of `others` that does better where a query lowers the
        run, worse where it lifts it, on the first query where some run does; None where there is no other run
    passed : the runs that were looked at before it and do not differ so; all that were looked at where none does
    query_id : the first query on which both differ so; where they never do, the first for which they rank other
        passages; None where there is none
    rows : `MOVERS`. Of a promoted run the queries that lift it come first, of a demoted one those that lower it, else
        the largest moves; of equal ones those where it differs most from the mean of all runs
    """

    title: str
    rank: float
    n: int
    left_out: int
    displacement: float
    reference: str | None
    span: RankSpan | None
    others: list[str]
    other: str | None
    passed: list[str]
    query_id: str | None
    rows: pd.DataFrame

    @property
    def direction(self) -> float:
        """1 for a promoted run, -1 for a demoted one, 0 where it is not displaced."""
        return 0.0 if np.isnan(self.displacement) else float(np.sign(self.displacement))


@dataclass(frozen=True)
class TwoRankings:
    """What two runs, A and B, ranked for a query.

    Parameters
    ----------
    questions : `QUESTIONS`; empty for labels of whole passages
    passages : `PASSAGES` of A and of B
    board : `BOARD` of both runs without the questions that are switched off; empty where none is
    flipped : `RELABELLED`, of all queries, where questions are switched off
    """

    questions: pd.DataFrame
    passages: tuple[pd.DataFrame, pd.DataFrame]
    board: pd.DataFrame
    flipped: pd.DataFrame

    @property
    def is_alike(self) -> bool:
        """Whether both rank the same passages, in whichever order."""
        passages, other = (set(ranked["doc_id"]) for ranked in self.passages)
        return passages == other


def movers(snapshot: Snapshot, choice: Evaluation, run_id: str, other: str | None = None) -> Movers:
    """How a run's rank changes when each query is left out in turn, and the run and query to look at for the reason.

    `other`: the run whose values stand beside; None takes one whose ranking differs. Raises UsageError: no such run or
    reference, or nothing to evaluate.
    """
    values = values_of_runs(snapshot, choice)
    run, reference = row_of(values, run_id), find_reference(snapshot, choice.reference, choice)
    both = pair_with(values, reference) if reference else None
    both = both if both and run_id in both.run_ids else None
    board = Values(both.run_ids, both.query_ids, both.values) if both else values
    place = board.run_ids.index(run_id)
    mean, stderr, _ = mean_and_stderr(board.values)
    ranks, moved, near = mean_rank(mean), float("nan"), list[str]()
    if both:
        moved = float(displacements(mean, -both.ranks)[place])
        near = [both.run_ids[count] for count in neighbours_of(both.ranks, place)]
    own, around = values.values[run], mean_and_stderr(values.values.T)[0]
    without = ranks_without_each(board.values)[:, place]
    sign = 0.0 if np.isnan(moved) else float(np.sign(moved))
    keys = [_towards(moves, sign) for moves in (without - ranks[place], own - around)]
    order = np.lexsort((np.array(values.query_ids), -keys[1], -keys[0]))
    means, _, _ = mean_and_stderr(values.values)
    by_rank = [values.run_ids[run] for run in np.lexsort((np.array(values.run_ids), mean_rank(means)))]
    own_rank = by_rank.index(run_id)
    near += by_rank[max(0, own_rank - 1) : own_rank] + by_rank[own_rank + 1 : own_rank + 2]
    others = [run for run in dict.fromkeys([*near, *by_rank]) if run != run_id]
    shown = [other] if other else others
    second, query = _contrast(snapshot, choice, values, run, [row_of(values, text) for text in shown], order, sign)
    theirs = values.values[second] if second is not None else np.full(len(own), np.nan)
    rows = MOVERS.of(
        {
            "query_id": values.query_ids,
            "query_text": texts_of(snapshot, values.query_ids),
            "value": own,
            "beside": theirs,
            "difference": own - theirs,
            "rank_without": without,
            "lifts": without - ranks[place],
        }
    )
    scored = int((~np.isnan(mean)).sum())
    return Movers(
        title(choice),
        float(ranks[place]),
        scored,
        values.averaged - scored,
        moved,
        reference.name if reference else None,
        _span(mean, float(stderr[place]), ranks, float(ranks[place]), moved, str(choice.measure)),
        others,
        None if second is None else values.run_ids[second],
        shown if second is None or query is None else shown[: shown.index(values.run_ids[second])],
        None if query is None else values.query_ids[query],
        rows.iloc[order].reset_index(drop=True),
    )


def _span(mean: Floats, stderr: float, ranks: Floats, rank: float, moved: float, measure: str) -> RankSpan | None:
    """The ranks from a run's to that of the reference, where they differ."""
    if not abs(moved) > 0:
        return None
    first, last = math.floor(min(rank, rank + moved)), math.ceil(max(rank, rank + moved))
    inside = mean[(ranks >= first) & (ranks <= last)]
    return RankSpan(first, last, float(inside.max() - inside.min()), stderr, measure)


def _contrast(
    snapshot: Snapshot,
    choice: Evaluation,
    values: Values,
    run: int,
    others: list[int],
    order: npt.NDArray[np.intp],
    sign: float,
) -> tuple[int | None, int | None]:
    """The first query on which another run differs, and the first run that does: None where all rank the same."""
    ahead = np.round(values.values[run] - values.values[others], DIGITS)[:, order]
    apart = ahead * sign > 0 if sign else np.abs(ahead) > 0
    if apart.any():
        query = int(apart.any(axis=0).argmax())
        return others[int(apart[:, query].argmax())], int(order[query])
    pairs = ((int(query), other) for query in order if choice.of_grades for other in others)
    for query, other in pairs:
        if not _rank_alike(snapshot, choice, (values.run_ids[run], values.run_ids[other]), values.query_ids[query]):
            return other, query
    return (others[0] if others else None), None


def _rank_alike(snapshot: Snapshot, choice: Evaluation, runs: tuple[str, str], query_id: str) -> bool:
    """Whether two runs rank the same passages for a query, as far as the measure reads them."""
    passages, other = (set(run_passages(snapshot, choice, run, query_id)["doc_id"]) for run in runs)
    return passages == other


def _towards(moves: Floats, sign: float) -> Floats:
    """Moves in a direction, or their size where there is none; what is undefined moves least."""
    values = np.round(moves * sign if sign else np.abs(moves), DIGITS)
    return np.where(np.isnan(values), -np.inf, values)


def two_rankings(
    snapshot: Snapshot,
    choice: Evaluation,
    runs: tuple[str, str],
    query_id: str,
    *,
    question_id: str | None = None,
    off: Collection[str] = (),
) -> TwoRankings:
    """Two runs' passages for a query side by side, and what changes when questions are switched off.

    `question_id`: whose grades stand beside the passages; None takes the first of `TwoRankings.questions`. `off`:
    question_ids that are switched off, under every query that has them. Raises UsageError: no such run, query or
    question, or the measure looks at no grades.
    """
    read = choice.as_read
    book = gradebook(snapshot, read.labelling)
    if query_id not in book.query_ids:
        raise UsageError(f"Nothing is graded for query {query_id}.")
    edited = choice.labelled(asking=QuestionChoice(frozenset(off))) if off else choice
    questions = _questions(snapshot, choice, book, runs, query_id, off)
    shown = question_id or next(iter(questions["question_id"]), None)
    rankings = [run_passages(snapshot, choice, run, query_id) for run in runs]
    after = [run_passages(snapshot, edited, run, query_id) for run in runs] if off else rankings
    grades = _grades(book, query_id, shown)
    ranks = [dict(zip(ranking["doc_id"], ranking["rank"], strict=True)) for ranking in rankings]
    passages = [
        PASSAGES.of(
            frame.assign(
                label_after=then["label"],
                flips=(frame["label"] >= choice.cut) != (then["label"] >= choice.cut),
                grade=frame["doc_id"].map(grades).astype(float),
                other_rank=frame["doc_id"].map(others).astype(float),
            )
        )
        for frame, then, others in zip(rankings, after, reversed(ranks), strict=True)
    ]
    board, flipped = BOARD.of(), RELABELLED.of()
    if off:
        rows, _ = side_by_side(snapshot, choice, snapshot, edited)
        board = BOARD.of(rows.set_index("run_id", drop=False).loc[list(runs)].reset_index(drop=True))
        flipped = relabelled(book, gradebook(snapshot, edited.as_read.labelling), choice)
    return TwoRankings(questions, (passages[0], passages[1]), board, flipped)


def _questions(
    snapshot: Snapshot, choice: Evaluation, book: Gradebook, runs: tuple[str, str], query_id: str, off: Collection[str]
) -> pd.DataFrame:
    bank = choice.grading.bank
    if bank is None or not book.has_questions:
        return QUESTIONS.of()
    query = book.query_ids.index(query_id)
    slots = book.slots[: choice.as_read.measure.depth, [book.run_ids.index(run) for run in runs], query]
    graded = np.where(slots[..., None] >= 0, book.grades[slots], np.int8(UNREADABLE))
    best = graded.max(axis=0, initial=UNREADABLE).astype(float)
    columns = book.columns(query)
    frame = pd.DataFrame({"question_id": [book.question_ids[query][column] for column in columns]})
    for side, grades in zip("ab", best[:, columns], strict=True):
        frame[f"grade_{side}"] = np.where(grades > UNREADABLE, grades, np.nan)
        frame[f"answered_{side}"] = grades >= choice.cut
    frame["counts"] = ~frame["question_id"].isin(list(off))
    known = questions_under(snapshot, bank.name, bank.version or 0, query_id)
    frame = frame.merge(known, on="question_id", how="left")
    apart = frame["answered_a"].astype(int) - frame["answered_b"].astype(int)
    order = frame.assign(apart=-apart.abs(), ahead=-apart, best=-frame["grade_a"].fillna(-1))
    return QUESTIONS.of(order.sort_values(["apart", "ahead", "best"], ignore_index=True))


def _grades(book: Gradebook, query_id: str, question_id: str | None) -> dict[str, float]:
    """The readable grades on a question by passage."""
    query = book.query_ids.index(query_id)
    if question_id is None or not book.has_questions:
        return {}
    if question_id not in book.question_ids[query]:
        raise UsageError(f"{query_id} has no question {question_id}.")
    first, last = np.searchsorted(book.pair_query, [query, query + 1])
    grades = book.grades[first:last, book.question_ids[query].index(question_id)]
    docs = np.asarray(book.docs[first:last], object)
    return {doc: float(grade) for doc, grade in zip(docs, grades, strict=True) if grade > UNREADABLE}

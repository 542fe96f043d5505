"""Item analysis of a bank: difficulty and discrimination of each question, near duplicates, sentences about them."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from operator import itemgetter
from statistics import median

import numpy as np
import pandas as pd

from exam_core.analysis.choice import Evaluation, Grading
from exam_core.analysis.other_labels import with_words
from exam_core.analysis.references import Reference, about_left_out, find_reference, no_reference
from exam_core.analysis.scope import scope_of
from exam_core.analysis.shared_columns import (
    KENDALL,
    PASSAGE,
    QUERY,
    QUERY_TEXT,
    QUESTION,
    QUESTION_TEXT,
    REFERENCE_RANK,
    RUN,
)
from exam_core.analysis.values import gradebook, no_runs
from exam_core.errors import UndefinedMeasure, UsageError
from exam_core.measures import Measure
from exam_core.measures.gradebook import NOTHING, Gradebook
from exam_core.measures.marks import Marks, labelling
from exam_core.names import enumerated, listed
from exam_core.numbers.arrays import Bools, Floats
from exam_core.numbers.rank_correlations import DIGITS, correlations
from exam_core.question import Key, Question
from exam_core.request import Request
from exam_core.results import ResultTable, bar, count, decimal, flag, number, share, text
from exam_core.store import Snapshot
from exam_core.store.names import BankRef, page_of
from exam_core.store.pairs import texts_of
from exam_core.store.question_banks import find_bank
from exam_core.store.summary import banks, query_ids
from exam_core.table_text import written
from exam_core.tables import UNGRADED, UNREADABLE
from exam_core.wings.banks.editing import ALIKE, LIKENESS, Bank, bank_of, near_duplicates, normalised
from exam_core.wings.banks.effect import Hidden, Spread
from exam_core.wording import counted, quoted


def item_rest_correlations(answered: Bools, enabled: Bools) -> Floats:
    """Correlation of answering a question with the score on all other questions, over the runs.

    The score is Cover without the question: the mean over queries of the share of a query's other questions that a run
    answers. A query that has no other question is left out. Pearson's correlation with a yes or no is the
    point-biserial one; without the question itself it does not correlate with its own part of the score.

    `answered`: (S, R, Q) whether a run answers the question in a column of a query. `enabled`: (Q, S) which columns
    hold a question that counts. Returns (Q, S) in [-1, 1]; NaN where all runs or none answer it, where the runs' other
    scores are equal, where there is no other question, and where the question does not count.

    Source: Henrysson 1963, item-total correlations corrected for the item; Lord & Novick 1968, chapter 15.

    >>> answered = np.array([[[1], [1], [0]], [[1], [0], [0]]], bool)  # two questions, three runs, one query
    >>> item_rest_correlations(answered, np.array([[True, True]])).round(2).tolist()
    [[0.5, 0.5]]
    """
    correlation = np.full(enabled.shape, np.nan)
    sizes = enabled.sum(axis=1)
    values = np.where(enabled.T[:, None], answered, False)
    counts = values.sum(axis=0)
    shares = counts / np.maximum(sizes, 1)
    total = shares.sum(axis=1, keepdims=True)
    left = (sizes > 0).sum() - (sizes == 1)
    for column in range(enabled.shape[1]):
        others = np.where(sizes > 1, (counts - values[column]) / np.maximum(sizes - 1, 1), 0.0)
        rest = np.where(left > 0, (total - shares + others) / np.maximum(left, 1), np.nan)
        correlation[:, column] = _pearson(values[column].astype(float), rest)
    return np.where(enabled, correlation, np.nan)


def _pearson(x: Floats, y: Floats) -> Floats:
    """(Q,) correlation of the columns of two (R, Q) arrays; NaN where one is constant."""
    if len(x) < 2:
        return np.full(x.shape[1], np.nan)
    constant = (np.round(np.ptp(x, axis=0), DIGITS) == 0) | ~(np.round(np.ptp(y, axis=0), DIGITS) > 0)
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    size = np.sqrt((x * x).sum(axis=0) * (y * y).sum(axis=0))
    return np.where(constant, np.nan, np.clip((x * y).sum(axis=0) / np.where(constant, 1.0, size), -1.0, 1.0))


def smallest_correlation(n: int) -> float:
    """The smallest correlation of n pairs that a two-sided t test (p < 0.05) tells from 0; NaN for fewer than three.

    Source: t = r sqrt((n - 2) / (1 - r^2)) with n - 2 degrees of freedom, solved for r.

    >>> print(round(smallest_correlation(10), 3), round(smallest_correlation(100), 3))
    0.632 0.197
    """
    if n < 3:
        return float("nan")
    from scipy.special import stdtrit  # not at the top: scipy takes long to load

    t = stdtrit(n - 2, 0.975)
    return float(t / np.sqrt(n - 2 + t * t))


HARDLY_ANY = 0.1
"""A question is hard where at most this share of the runs answers it."""
UNANSWERED, HARD, UNIVERSAL, NEGATIVE = "unanswered", "hard", "universal", "negative"
WEAK, DISCRIMINATING = "weak", "discriminating"
UNREAD = "unreadable"
KINDS = {
    UNREAD: "none of its answers could be read",
    UNANSWERED: "no graded passage answers it",
    HARD: "at most one run in ten answers it",
    UNIVERSAL: "all runs answer it",
    NEGATIVE: "runs that answer it are worse on the other questions",
    WEAK: "its discrimination is not significant",
    DISCRIMINATING: "runs that answer it are significantly better on the other questions",
}
IN_WORDS = {
    UNREAD: "{:,} without a readable answer",
    UNANSWERED: "{:,} that no run answers",
    HARD: "{:,} that hardly any run answers",
    UNIVERSAL: "{:,} that all runs answer",
    NEGATIVE: "{:,} that worse runs answer",
    WEAK: "{:,} where chance may decide",
}
"""The kinds in a sentence, around a count of their questions, but for those that discriminate."""
COUNTED = (UNANSWERED, HARD, UNIVERSAL, NEGATIVE)
"""The kinds of which a query's questions are counted."""
_RUNS = number(
    "runs",
    "Runs",
    "Runs with a passage of at least tau among their first k: item facility of classical test theory.",
    "runs",
    "Lord & Novick 1968, chapter 15",
)
ROWS = ResultTable(
    "difficulty: rows",
    "Every question by the runs and passages that answer it, and by discrimination; worst first",
    QUERY,
    QUESTION,
    QUESTION_TEXT,
    text("facet", "Facet"),
    text(
        "kind", "Kind", "; ".join(f"{kind}: {meaning}" for kind, meaning in KINDS.items()) + ". The first that applies."
    ),
    _RUNS,
    replace(_RUNS, name="runs_share", label="Share of runs", unit="share of runs", kind="bar", form="percent"),
    count("passages", "Passages", "Graded passages with a grade of at least tau, ranked or not.", "passages"),
    count("graded", "of graded", "Passages with a readable grade on this question.", "passages"),
    decimal(
        "item_rest",
        "Item-rest",
        "Point-biserial correlation, over the runs, of answering this question with Cover on the others (item-rest, "
        "Henrysson 1963). Negative: worse runs answer it. One very weak run can make it 1.",
    ),
    replace(
        KENDALL,
        help="Kendall's tau-b of answering this question with the reference's ranks, over the runs that both have. "
        "Answering is only yes or no, so many runs tie, and the value stays well below 1.",
    ),
)
QUERIES = ResultTable(
    "difficulty: queries",
    "Queries by how hard their questions are, hardest first",
    QUERY,
    replace(QUERY_TEXT, width="medium"),
    number("questions", "Questions", unit="questions"),
    bar(
        "runs_share",
        "Share of runs",
        "Mean over the query's questions of the share of runs that answer: mean Cover over the runs. A question "
        "without a readable answer counts as not answered.",
        "share of runs",
        form="percent",
    ),
    *(number(kind, kind.capitalize(), KINDS[kind], "questions") for kind in COUNTED),
    decimal("item_rest", "Mean item-rest", "Mean over the questions that have an item-rest correlation."),
)
RUNS = ResultTable(
    "difficulty: runs",
    "Every run, with the first passage by which it answers a question",
    RUN,
    REFERENCE_RANK,
    flag("answered", "Answers it"),
    number("place", "Place", "Rank of the first passage that answers it.", "rank"),
    PASSAGE,
    number("best", "Best grade", "Best grade of the run's first k passages on this question.", "grade"),
)


@dataclass(frozen=True)
class Difficulty:
    """Every question of a bank under one grading mode, tau and depth: `rows` are `ROWS`, `queries` `QUERIES`.

    Rows are worst first: smallest item_rest, which is 0 for a question that all runs or none answer. `reference` is
    whose order `kendall` is with, and `told_from_zero` the smallest correlation over these runs that a t test (p <
    0.05, one question alone) tells from 0.
    """

    grading: Grading
    tau: float
    depth: int | None
    n_runs: int
    reference: str | None
    told_from_zero: float
    rows: pd.DataFrame
    queries: pd.DataFrame
    notes: list[str] = field(default_factory=list)


def difficulty(snapshot: Snapshot, choice: Evaluation) -> Difficulty:
    """How many runs and passages answer each question, and whether it tells good runs from bad ones.

    A run answers a question where one of its first passages has a grade of at least tau. The measure of the choice
    plays no part but for its depth. A question that is asked under several queries has a row for each. Raises
    UsageError: no such reference, or nothing to evaluate; UndefinedMeasure: the grader labels whole passages.

    Source: item facility and item-rest correlation of classical test theory, Lord & Novick 1968, chapter 15; runs are
    the candidates as in EXAM, section 3.
    """
    read = replace(choice, measure=Measure("Cover", choice.measure.depth or choice.labelling.depth)).as_read
    book = gradebook(snapshot, read.labelling).without_strangers()
    if not book.has_questions:
        raise UndefinedMeasure(
            f"{choice.grading.grader or choice.grading.judgments} labels whole passages and has no questions. Choose a "
            "grading mode that grades questions."
        )
    answered = answers(book, read.measure.depth, choice.level)
    other = find_reference(snapshot, choice.reference, choice)
    places = tuple(book.asked.T)
    rows = _rows(book, answered, choice.cut).assign(
        item_rest=item_rest_correlations(answered, book.enabled)[places],
        kendall=_kendalls(book, answered, other)[places],
    )
    least_correlation = smallest_correlation(len(book.run_ids))
    share, rest = rows["runs_share"], rows["item_rest"].round(DIGITS)
    is_kind = {
        UNREAD: rows["unread"],
        UNANSWERED: rows["passages"] == 0,
        HARD: share <= HARDLY_ANY,
        UNIVERSAL: share == 1,
        NEGATIVE: rest < 0,
        DISCRIMINATING: rest >= least_correlation,
    }
    rows["kind"] = list(np.select(list(is_kind.values()), list(is_kind), default=WEAK))
    rows = with_words(snapshot, choice.grading, rows)
    rows = rows.assign(_rest=rows["item_rest"].fillna(0.0).round(DIGITS))  # worst first
    rows = rows.sort_values(["_rest", "runs_share", "query_id"], ignore_index=True).drop(columns="_rest")
    name = other.name if other else None
    return Difficulty(
        choice.grading,
        choice.cut,
        read.measure.depth,
        len(book.run_ids),
        name,
        least_correlation,
        ROWS.of(rows),
        _query_rows(snapshot, rows),
        _notes(snapshot, read, book, other),
    )


def runs_of_question(snapshot: Snapshot, choice: Evaluation, query_id: str, question_id: str) -> pd.DataFrame:
    """Which runs answer a question, with what: the runs that do come first, then in the reference's order.

    Raises UsageError where the question is not asked under that query. Returns `RUNS`; null are place and doc_id where
    no passage answers it, best where none was graded, answered where none of the answers can be read, and a rank where
    the reference has none.
    """
    read = replace(choice, measure=Measure("Cover", choice.measure.depth or choice.labelling.depth)).as_read
    book = gradebook(snapshot, read.labelling).without_strangers()
    query = book.query_ids.index(query_id) if query_id in book.query_ids else None
    if query is None or not book.has_questions or question_id not in book.question_ids[query]:
        raise UsageError(f"There is no question {question_id} under query {query_id}.")
    # A place more, where nothing is: there may be none.
    slots = np.pad(book.slots[: read.measure.depth, :, query], ((0, 1), (0, 0)), constant_values=NOTHING)
    column = np.append(book.grades[:, book.question_ids[query].index(question_id)], np.int8(UNGRADED))
    grades = column[np.where(slots >= 0, slots, -1)]  # (K, R)
    reaching = grades >= choice.cut
    answered: Bools = np.asarray(reaching.any(axis=0))
    first, best = reaching.argmax(axis=0), grades.max(axis=0, initial=UNGRADED)
    pairs = slots[first, np.arange(len(book.run_ids))]
    docs = [str(book.docs[int(pair)]) if has else None for pair, has in zip(pairs, answered, strict=True)]
    other = find_reference(snapshot, choice.reference, choice)
    frame = RUNS.of(
        {
            "run_id": book.run_ids,
            "reference_rank": other.ranks.reindex(book.run_ids).to_numpy(float) if other else np.nan,
            "answered": pd.Series(answered, dtype="boolean").mask(best == UNREADABLE),
            "place": pd.array(first + 1, "Int64"),
            "doc_id": pd.Series(docs, dtype=object),
            "best": pd.array(best, "Int64"),
        }
    )
    frame.loc[~answered, "place"] = pd.NA
    frame.loc[best < 0, "best"] = pd.NA
    return frame.sort_values(["answered", "reference_rank", "run_id"], ascending=[False, True, True], ignore_index=True)


def answers(book: Gradebook, depth: int | None, tau: int) -> Bools:
    """(S, R, Q) whether a run's first passages answer the question in a column of a query."""
    marks = Marks(labelling(book, (tau,)))
    return np.stack([marks.answers(depth, tau, column) for column in range(book.enabled.shape[1])])


def questions_of_kinds(rows: pd.DataFrame, kinds: Collection[str]) -> pd.DataFrame:
    """The questions of some kinds, in the same order; all of them where none is named."""
    return rows[rows["kind"].isin(kinds)].reset_index(drop=True) if kinds else rows


def counts_of_kinds(rows: pd.DataFrame) -> dict[str, int]:
    """How many questions are of each kind, in the order of `KINDS`; a kind without questions is left out."""
    counts = rows["kind"].value_counts()
    return {kind: int(counts[kind]) for kind in KINDS if kind in counts}


def kinds_in_words(rows: pd.DataFrame) -> str:
    """How many questions separate good runs from bad, and what the others do, in a clause."""
    counts = counts_of_kinds(rows)
    others = enumerated([IN_WORDS[kind].format(count) for kind, count in counts.items() if kind != DISCRIMINATING])
    telling = f"{counts.get(DISCRIMINATING, 0):,} of {counted({'questions': len(rows)})} separate good runs from bad"
    return f"{telling}; the others: {others}" if others else telling


def _rows(book: Gradebook, answered: Bools, tau: float) -> pd.DataFrame:
    """The enabled questions with what counts can say."""
    counts = book.asked
    places = tuple(counts.T)
    graded, any_answer = (book.by_query(book.grades >= least)[places] for least in (0, UNREADABLE))
    unread = (graded == 0) & (any_answer > 0)
    runs = answered.sum(axis=1).T[places]
    runs = np.where(unread, np.nan, runs) if unread.any() else runs
    n_runs = len(book.run_ids)
    return pd.DataFrame(
        {
            "query_id": [book.query_ids[query] for query, _ in counts],
            "question_id": [book.question_ids[query][column] for query, column in counts],
            "runs": runs,
            "runs_share": runs / n_runs if n_runs else np.full(len(counts), np.nan),
            "passages": book.by_query(book.grades >= tau)[places],
            "graded": graded,
            "unread": unread,
        }
    )


def _kendalls(book: Gradebook, answered: Bools, other: Reference | None) -> Floats:
    """(Q, S) Kendall's tau-b of answering with the reference's order, over the runs that both have."""
    if other is None:
        return np.full(book.enabled.shape, np.nan)
    both = [run for run, name in enumerate(book.run_ids) if name in other.ranks.index]
    order = -other.ranks.reindex([book.run_ids[run] for run in both]).to_numpy(float)
    columns = [correlations(column[both].T.astype(float), order, ("kendall",)).kendall for column in answered]
    return np.stack(columns, axis=1)


def _query_rows(snapshot: Snapshot, rows: pd.DataFrame) -> pd.DataFrame:
    counted = rows.assign(**{kind: rows["kind"] == kind for kind in COUNTED}, zero=rows["runs_share"].fillna(0.0))
    frame = counted.groupby("query_id", as_index=False).agg(
        questions=("question_id", "size"),
        runs_share=("zero", "mean"),
        known=("runs_share", "count"),
        **{kind: (kind, "sum") for kind in COUNTED},
        item_rest=("item_rest", "mean"),
    )
    frame["runs_share"] = frame["runs_share"].where(frame["known"] > 0)
    frame["query_text"] = texts_of(snapshot, frame["query_id"].tolist())
    return QUERIES.of(frame.sort_values(["runs_share", "query_id"], ignore_index=True))


def _notes(snapshot: Snapshot, choice: Evaluation, book: Gradebook, other: Reference | None) -> list[str]:
    notes = scope_of(snapshot, choice).about_unreadable() + ([] if book.run_ids else [no_runs(snapshot)])
    if ungraded := len(book.ungraded_queries) + int((~book.counted).sum()):
        notes.append(f"Queries without grades that count are left out: {ungraded}.")
    if other is None:
        return [*notes, no_reference(snapshot)]
    left = sum(name not in other.ranks.index for name in book.run_ids)
    return notes + about_left_out(left, len(book.run_ids), other.name)


PAIRS = ResultTable(
    "bank health: pairs",
    "Pairs of questions of a query in nearly the same words, the most alike first",
    QUERY,
    share("alike", "Alike", LIKENESS, "characters"),
    QUESTION_TEXT,
    replace(QUESTION_TEXT, name="other_text", label="Other question"),
    text("only_one", "Only in the first", "Words of the first question that the other lacks."),
    text("only_other", "Only in the other"),
    QUESTION,
    replace(QUESTION, name="other_id", label="Other question ID"),
)


@dataclass(frozen=True)
class Health:
    """How well a bank is made: near duplicates (`PAIRS`), and who answers what (`ROWS`); no tau if ungraded."""

    bank: BankRef
    alike: float
    pairs: pd.DataFrame
    rows: pd.DataFrame
    notes: list[str]
    tau: float | None = None


def health(snapshot: Snapshot, choice: Evaluation, *, alike: float = ALIKE) -> Health:
    """Which enabled questions of a graded bank are alike, who answers each, and what each tells of the runs.

    Raises UsageError where there is no such reference, nothing to evaluate, or as `near_duplicates`; UndefinedMeasure
    where the grader labels whole passages.
    """
    result = difficulty(snapshot, choice)
    ref = choice.grading.bank or BankRef("")
    bank = _questions(snapshot, ref)
    notes = list(dict.fromkeys([*_health_notes(snapshot, bank), *result.notes]))
    return Health(ref, alike, _pairs(bank, alike), result.rows, notes, choice.cut)


def ungraded_bank(snapshot: Snapshot, request: Request) -> BankRef | None:
    """The bank that is asked for, or the only one, where nobody graded a question of it; None for any other."""
    known = banks(snapshot)
    if request.judgments or request.grader or not (request.bank or len(known) == 1):
        return None
    name, version = find_bank(snapshot, request.bank or known[0])
    graded = snapshot.query(
        "SELECT count(*) > 0 AS some FROM grades JOIN questions USING (question_id, query_id) "
        "WHERE bank_id = ? AND version = ?",
        [name, version],
    )
    return None if graded["some"].iloc[0] else BankRef(name, version)


def health_of_words(snapshot: Snapshot, bank: BankRef, *, alike: float = ALIKE) -> Health:
    """What can be said of a bank that nobody graded: near duplicates, and uneven numbers of questions.

    Raises UsageError as `near_duplicates`.
    """
    questions = _questions(snapshot, bank)
    note = (
        f"Nothing is graded on bank {bank} yet. Grade it with: examboard grade {quoted(snapshot.collection)} "
        f"--bank {quoted(bank.name)}"
    )
    return Health(bank, alike, _pairs(questions, alike), ROWS.of(), [note, *_health_notes(snapshot, questions)])


def unevenness(sizes: Mapping[str, int]) -> list[str]:
    """A sentence where queries have different `sizes`, in questions, and which have few or many."""
    if len(set(sizes.values())) < 2:
        return []
    middle = median(sizes.values())
    far = {query: size for query, size in sizes.items() if size * 2 < middle or size > 2 * middle}
    least, most = min(sizes.values()), max(sizes.values())
    sentence = (
        f"Queries have {least:,} to {most:,} questions; the median is {middle:,g}. All queries have the same weight, "
        "so a question counts for more in a query with few questions."
    )
    if far:
        named = listed([f"{query} ({size:,})" for query, size in sorted(far.items(), key=itemgetter(1))])
        sentence += f" Fewer than half the median, or more than twice: {named}."
    return [sentence]


def _questions(snapshot: Snapshot, bank: BankRef) -> dict[Key, Question]:
    rows = snapshot.query(
        "SELECT * FROM questions WHERE bank_id = ? AND version = ? AND enabled", [bank.name, bank.version]
    )
    return bank_of(rows)


def _pairs(bank: Bank, alike: float) -> pd.DataFrame:
    rows = [
        (
            *(pair.first.query_id, pair.alike, pair.first.text, pair.other.text),
            *(*map(" ".join, pair.differing), pair.first.question_id, pair.other.question_id),
        )
        for pair in near_duplicates(bank, alike)
    ]
    return PAIRS.of(rows)


def _health_notes(snapshot: Snapshot, bank: Bank) -> list[str]:
    sizes: dict[str, int] = {}
    for query, _ in bank:
        sizes[query] = sizes.get(query, 0) + 1
    notes = unevenness(sizes)
    names = {*sizes, *map(page_of, sizes)}
    without = [name for name in query_ids(snapshot) if name not in names and page_of(name) not in names]
    if without:
        notes.append(f"{counted({'queries': len(without)})} without a question: {listed(without)}.")
    wordless = sum(not normalised(question.text) for question in bank.values())
    if wordless:
        notes.append(f"{counted({'questions': wordless})} without words can't be compared.")
    return notes


def health_lines(health: Health, *, commands: bool = True) -> list[str]:
    """How many questions are alike, are answered by nobody or by all, and tell good runs from bad; and notes.

    With `commands`, the option that lists the pairs is named.
    """
    option = " (--list pairs)" if commands else ""
    lines = [f"Pairs of questions that are at least {health.alike:.0%} alike: {len(health.pairs):,}{option}."]
    if health.tau is None:
        return [f"Bank {health.bank}.", *lines, *health.notes]
    return [f"Bank {health.bank}, tau {health.tau}: {kinds_in_words(health.rows)}.", *lines, *health.notes]


def questions_in_short(rows: pd.DataFrame) -> pd.DataFrame:
    """The questions that no run or every run answers, or that tell runs apart, with columns that fit a terminal."""
    columns = ROWS.ordered("query_id", "kind", "question_text", "runs", "item_rest", "question_id")
    return columns.of(questions_of_kinds(rows, (UNANSWERED, UNIVERSAL, DISCRIMINATING, NEGATIVE)))


def hidden_lines(hidden_runs: Hidden) -> list[str]:
    """What is compared, how far the halves' boards agree, what the runs gain that saw the bank, and notes."""
    public = hidden_runs.public
    what = "random halves" if public is None else f"{counted({'questions': public})} named as public"
    lines = [
        f"{hidden_runs.title}: {what}, {counted({'queries': hidden_runs.n_queries})}; 95% of "
        f"{hidden_runs.halves:,} random halves, seed {hidden_runs.seed}",
        f"Leaderboards of the two halves: Spearman {_with_interval(hidden_runs.spearman)}, "
        f"Kendall {_with_interval(hidden_runs.kendall)}",
    ]
    if hidden_runs.advantage:
        saw = counted({"runs": len(hidden_runs.saw)})
        lines.append(
            f"Gain of the {saw} that saw the bank, against the others: {_with_interval(hidden_runs.advantage, '+.3f')}"
        )
    return lines + hidden_runs.notes


def _with_interval(spread: Spread, form: str = ".3f") -> str:
    value, low, high = (written(number, form) for number in (spread.value, *spread.interval))
    p = "" if math.isnan(spread.p) else f", p {spread.p:.3f}"
    return f"{value} [{low}, {high}]{p}"

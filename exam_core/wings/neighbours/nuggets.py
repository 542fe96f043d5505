"""Nugget scores of runs: AutoNuggetizer's six, by importance, and how far labels support them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from exam_core.analysis.choice import Evaluation, LabelRule
from exam_core.analysis.grade_scales import scale_of
from exam_core.analysis.scope import scope_of
from exam_core.analysis.shared_columns import QUERY, QUESTION, QUESTION_TEXT, RUN
from exam_core.analysis.values import all_values, gradebook, no_runs
from exam_core.defaults import SEED, SHUFFLES
from exam_core.errors import UndefinedMeasure, UsageError
from exam_core.measures import Measure
from exam_core.measures.gradebook import Gradebook, Labels
from exam_core.numbers.rank_correlations import mean_rank
from exam_core.results import ResultColumn, ResultTable, count, decimal, number, rank, share, text
from exam_core.store import Snapshot
from exam_core.store.cells import RANKED
from exam_core.store.names import page_sql
from exam_core.store.pairs import ranked_passages, texts_of
from exam_core.store.question_texts import IN_ORDER
from exam_core.store.summary import graded_banks
from exam_core.tables import OKAY, OTHER, UNGRADED, UNREADABLE, VITAL
from exam_core.wings.neighbours.measures import PARTIAL, SUPPORT, variability
from exam_core.wording import counted

SCORES = {
    "strict_vital_score": "NuggetVitalStrict",
    "vital_score": "NuggetVital",
    "strict_weighted_score": "NuggetWeightedStrict",
    "weighted_score": "NuggetWeighted",
    "strict_all_score": "NuggetAllStrict",
    "all_score": "NuggetAll",
}
"""The measure behind each score, by the keys of AutoNuggetizer's files."""
SOURCE_OF_SCORES = "Pradeep et al. 2024"
UNREAD, CONTRADICTED, TO_AVOID = "unread", "contradicted", "to avoid"
"""Kinds of labels that are no plain grade, as `_ODD` has them; a missing label is an empty text there."""


def _score(name: str, label: str, what: str) -> ResultColumn:
    half = "partial support counts nothing" if name.startswith("strict") else "partial support counts half"
    return decimal(name, label, f"Share of {what} that the run supports; {half}", "score", SOURCE_OF_SCORES)


_VITAL, _WEIGHTED, _ALL = "a query's vital nuggets", "a query's nuggets, okay ones weighing a half,", "all nuggets"
_SCORES = (
    _score("strict_vital_score", "Vital, strict", _VITAL),
    _score("vital_score", "Vital", _VITAL),
    _score("strict_weighted_score", "Weighted, strict", _WEIGHTED),
    _score("weighted_score", "Weighted", _WEIGHTED),
    _score("strict_all_score", "All, strict", _ALL),
    _score("all_score", "All", _ALL),
)
RUN_SCORES = ResultTable(
    "nuggets: rows",
    "The six nugget scores of each run, best by strict vital score first, and the labels of its nuggets",
    RUN,
    *_SCORES,
    number("n_queries", "Queries", "Queries with a nugget that counts; one without an answer counts 0.", "queries"),
    count("support", "Supported", "Nuggets whose best grade is 2 or more.", "nuggets"),
    count("partial_support", "In part", "Nuggets whose best grade is 1.", "nuggets"),
    count("not_support", "Not", "Nuggets whose best grade is 0, contradicted ones too.", "nuggets"),
    count("unread", "Unreadable", "Nuggets whose labels are all unknown: they count as not found.", "nuggets"),
    count("unassigned", "Never asked", "Nuggets without any label for the run; its scores leave them out.", "nuggets"),
    count(
        "contradicted",
        "Contradicted",
        "Labels that say the answer contradicts the nugget; they lower no score.",
        "labels",
    ),
    count(
        "avoid", "To avoid", "Nuggets to avoid that are supported, wholly or in part; they lower no score.", "labels"
    ),
)
DIRTY = ResultTable(
    "nuggets: dirty",
    "Labels that are none of the three, by run",
    RUN,
    text("label", "Label", "As in the file; empty if it has none."),
    count("n", "Labels", unit="labels"),
)
QUERIES = ResultTable("nuggets: queries", "The six nugget scores of each run on each query", RUN, QUERY, *_SCORES)
FOUND = ResultTable(
    "nuggets: found",
    "Labels of a query's nuggets in one run's answer",
    replace(QUESTION_TEXT, label="Nugget"),
    text("importance", "Importance", "As in the bank; a nugget without one is vital."),
    text("label", "Label", "The assigner's text about the passage with the best grade.", width="small"),
    number("grade", "Grade", "2 supported, 1 in part, 0 not; empty where the label can't be read.", "grade"),
    number("rank", "Rank", "Rank of that passage in the run.", "rank"),
    text("doc_id", "Passage"),
    QUESTION,
)


@dataclass(frozen=True)
class Nuggets:
    """Nugget scores of runs; a score is NaN where no query, or the query, has no nugget for it.

    `rows` is as `RUN_SCORES`, `dirty` as `DIRTY`, `queries` as `QUERIES`.
    """

    rows: pd.DataFrame
    dirty: pd.DataFrame
    queries: pd.DataFrame
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class NuggetAnswer:
    """One run's answer to a query.

    `nuggets` are `FOUND`, vital ones first, the best grades first among equally important ones, then in the bank's
    order; `passages` have rank, doc_id and text (None if unknown).
    """

    query_text: str | None
    nuggets: pd.DataFrame
    passages: pd.DataFrame


def is_of_nuggets(snapshot: Snapshot) -> bool:
    """Return whether some question of a collection is vital, okay, or to be avoided, as nuggets are."""
    return not snapshot.query("SELECT 1 FROM questions WHERE importance IS NOT NULL LIMIT 1").empty


def has_nuggets(snapshot: Snapshot) -> bool:
    """Return whether grades are those of nuggets: from 0 to 2, or of questions of which some have an importance."""
    graders = [grader for grader, banks in graded_banks(snapshot).items() if any(banks)]
    return bool(graders) and (is_of_nuggets(snapshot) or any(scale_of(snapshot, name) == SUPPORT for name in graders))


NO_NUGGETS = (
    "{} does not grade from 0 to 2, and the bank marks no question as vital or okay, so there are no nuggets to score."
)


def are_nuggets(snapshot: Snapshot, labelling: LabelRule) -> bool:
    """Whether grades are those of nuggets: from 0 to 2, or of a bank that says which questions are vital.

    Raises UsageError where there is nothing to evaluate, and as `of_questions`.
    """
    grader = of_questions(labelling)["grader"]
    return scale_of(snapshot, grader) == SUPPORT or gradebook(snapshot, labelling).importance is not None


def nuggets(snapshot: Snapshot, labelling: LabelRule) -> Nuggets:
    """The six nugget scores of every run, from grades of a bank's questions.

    Raises UsageError where there are no runs, or nothing to evaluate, and as `of_questions`.
    """
    values_of_sql = of_questions(labelling)
    book = gradebook(snapshot, labelling)
    if not book.run_ids:
        raise UsageError(no_runs(snapshot))
    measures = [Measure(name) for name in SCORES.values()]
    choice = Evaluation(labelling, measures[0], 1)
    values = all_values(snapshot, choice, measures)[:, 0]
    rows = pd.DataFrame({"run_id": book.run_ids})
    for name, by_query in zip(SCORES, values, strict=True):
        defined = ~np.isnan(by_query)
        n_defined = defined.sum(axis=1)
        rows[name] = np.where(n_defined, np.where(defined, by_query, 0).sum(axis=1) / np.maximum(n_defined, 1), np.nan)
    rows["n_queries"] = (~np.isnan(values[-1])).sum(axis=1)
    best = best_grades(book)
    kinds = {
        "support": best >= SUPPORT,
        "partial_support": best == PARTIAL,
        "not_support": (best > UNREADABLE) & (best < PARTIAL),
        "unread": best == UNREADABLE,
        "unassigned": best == UNGRADED,
    }
    for name, kind in kinds.items():
        rows[name] = (kind & book.enabled).sum(axis=(1, 2))
    odd = snapshot.query(_ODD.format(ranked=RANKED[labelling.order]), values_of_sql)
    for column, kind_of_label in (("contradicted", CONTRADICTED), ("avoid", TO_AVOID)):
        of_runs = odd[odd["kind"] == kind_of_label].groupby("run_id")["n"].sum()
        rows[column] = rows["run_id"].map(of_runs).fillna(0).astype(int)
    rows = rows.sort_values(["strict_vital_score", "run_id"], ascending=[False, True], ignore_index=True)
    runs, queries = len(book.run_ids), len(book.query_ids)
    columns = {"run_id": np.repeat(book.run_ids, queries), "query_id": np.tile(book.query_ids, runs)}
    columns |= {name: by_query.ravel() for name, by_query in zip(SCORES, values, strict=True)}
    dirty = odd[odd["kind"] == UNREAD].reset_index(drop=True)
    notes = [*scope_of(snapshot, choice).about_unreadable(), *_notes_on_scores(snapshot, labelling, book, rows)]
    return Nuggets(RUN_SCORES.of(rows), DIRTY.of(dirty), QUERIES.of(columns), notes)


def nuggets_of(snapshot: Snapshot, labelling: LabelRule, run_id: str, query_id: str) -> NuggetAnswer:
    """What a grader assigned to each nugget of a query in a run's answer, and the answer.

    Raises UsageError where the run or query is not known, and as `of_questions`.
    """
    values = of_questions(labelling) | {"run": run_id, "query": query_id}
    book = gradebook(snapshot, labelling)
    for what, name, known in (("run", run_id, book.run_ids), ("query", query_id, book.query_ids)):
        if name not in known:
            raise UsageError(f"There is no {what} {name} among the {len(known)} that are evaluated.")
    rows = snapshot.query(_FOUND.format(ranked=RANKED[labelling.order]), values)
    rank = {"vital": 0, "okay": 1, "avoid": 3}
    rows["place"] = [rank.get(name, 2) if isinstance(name, str) else 0 for name in rows["importance"]]
    rows = rows.sort_values(["place", "grade"], ascending=[True, False], ignore_index=True)
    passages = ranked_passages(snapshot, run_id, query_id, depth=labelling.depth, characters=1_000_000)
    (query,) = texts_of(snapshot, [query_id])
    return NuggetAnswer(query if isinstance(query, str) else None, FOUND.of(rows), passages[["rank", "doc_id", "text"]])


def best_grades(book: Gradebook) -> Labels:
    """(R, Q, S) the best grade of each question among a run's passages; UNGRADED without a grade, or when it is off."""
    padded = np.vstack([book.grades, np.full((2, book.grades.shape[1]), UNGRADED, np.int8)])
    best = np.full((len(book.run_ids), *book.enabled.shape), UNGRADED, np.int8)
    for slots in book.slots:
        np.maximum(best, padded[slots], out=best)
    return np.where(book.enabled, best, np.int8(UNGRADED))


def of_questions(labelling: LabelRule) -> dict[str, Any]:
    """Return bank, version, grader and depth of a labelling, as SQL takes them; UndefinedMeasure without questions."""
    grading = labelling.grading
    if grading.bank is None or grading.grader is None:
        raise UndefinedMeasure(
            f"{grading.grader or 'What is evaluated here'} labels whole passages: nugget scores need grades of nuggets."
        )
    depth = labelling.depth or 2**31 - 1
    return {"bank": grading.bank.name, "version": grading.bank.version or 0, "grader": grading.grader, "depth": depth}


def _notes_on_scores(snapshot: Snapshot, labelling: LabelRule, book: Gradebook, rows: pd.DataFrame) -> list[str]:
    notes = []
    scale = scale_of(snapshot, labelling.grading.grader)
    if scale != SUPPORT:
        notes.append(
            f"{labelling.grading.grader} grades from 0 to {scale}: a nugget is supported from grade 2 on, and in part "
            "at grade 1."
        )
    if book.importance is None:
        bank = labelling.grading.bank
        rated = "SELECT 1 FROM questions WHERE bank_id = ? AND version = ? AND importance IS NOT NULL LIMIT 1"
        if bank is None or snapshot.query(rated, [bank.name, bank.version]).empty:
            notes.append("The bank marks no question as vital or okay, so all count as vital.")
    elif others := int(book.important(OTHER).sum()):
        notes.append(
            f"{counted({'nuggets': others})} neither vital nor okay: only the scores of all nuggets count them."
        )
    mask = book.counted
    if none_vital := int((mask & ~book.important(VITAL).any(axis=1)).sum()):
        notes.append(f"{counted({'queries': none_vital})} without a vital nugget: left out of the vital scores.")
    neither = mask & ~(book.important(VITAL) | book.important(OKAY)).any(axis=1)
    if neither.any():
        notes.append(f"{counted({'queries': int(neither.sum())})} without a vital or okay nugget: no weighted score.")
    if never := int(rows["unassigned"].sum()):
        notes.append(
            f"{never:,} times a nugget has no label for a run and is left out of its score. A run without any "
            "label for a query scores 0 there."
        )
    if ungraded := len(book.ungraded_queries) + int((~book.counted).sum()):
        notes.append(f"{counted({'queries': ungraded})} of the bank without a grade that counts: left out.")
    for column, what in (("contradicted", "contradicted nuggets"), ("avoid", "supported nuggets to avoid")):
        if total := int(rows[column].sum()):
            notes.append(f"{total:,} {what}: counted apart; they lower no score.")
    return notes


SOURCE_OF_IMPORTANCE = "Lin & Demner-Fushman 2005, section 7"
CONFIDENCE = 0.95
IN_SHUFFLES = "Rank in 95% of the shuffles."
BY_IMPORTANCE = ResultTable(
    "nuggets: variability",
    "Each run as if other nuggets were vital, in the order of the leaderboard",
    RUN,
    rank("rank", "Rank", "By vital recall with the bank's labels; tied runs share their mean rank.", "rank"),
    decimal("vital_score", "Bank's labels", "Mean share of vital nuggets; partial support as chosen.", "score"),
    decimal("all_vital", "All vital", "This mean if every nugget were vital.", "score", SOURCE_OF_IMPORTANCE),
    decimal("flipped", "Exchanged", "This mean if vital and okay were exchanged.", "score", SOURCE_OF_IMPORTANCE),
    share(
        "first",
        "First",
        "Share of the shuffles in which the run comes first; ties share.",
        "shuffles",
        SOURCE_OF_IMPORTANCE,
    ),
    number("rank_low", "from", IN_SHUFFLES, "rank", form="%.1f"),
    number("rank_high", "to", IN_SHUFFLES, "rank", form="%.1f"),
)
TAUS = ResultTable(
    "nuggets: variants",
    "Kendall's tau-b of leaderboards under other labels with the leaderboard by the bank's labels",
    text("labels", "Labels"),
    decimal(
        "kendall",
        "Kendall",
        "tau-b with the leaderboard by the bank's labels; the mean over all shuffles.",
        source=SOURCE_OF_IMPORTANCE,
    ),
    decimal("deviation", "± deviation", "Sample standard deviation of the shuffles' tau-b."),
    count("n_queries", "Queries", "Queries with a vital nugget under these labels.", "queries"),
)


@dataclass(frozen=True)
class ImportanceEffect:
    """A leaderboard by vital recall under other labels: `rows` are `BY_IMPORTANCE`, `variants` `TAUS`.

    `kendall` has tau-b of each shuffle, NaN where it is undefined.
    """

    strict: bool
    draws: int
    seed: int
    rows: pd.DataFrame
    variants: pd.DataFrame
    kendall: list[float]
    notes: list[str] = field(default_factory=list)


def importance_effect(
    snapshot: Snapshot, labelling: LabelRule, *, strict: bool = False, draws: int = SHUFFLES, seed: int = SEED
) -> ImportanceEffect:
    """How the order of the runs by vital recall depends on which nuggets are called vital.

    A nugget that is neither vital nor okay is left out, as in the vital and weighted scores. Partial support counts
    half, or nothing where it is `strict`.

    Raises UsageError where there are no runs, or nothing to evaluate, and as `of_questions`.

    Source: Lin & Demner-Fushman 2005, section 7.
    """
    of_questions(labelling)
    book = gradebook(snapshot, labelling).without_strangers()
    if not book.run_ids:
        raise UsageError(no_runs(snapshot))
    vital = book.important(VITAL)
    query, slot = np.nonzero(vital | book.important(OKAY))
    best = best_grades(book)[:, query, slot]
    credit = np.where(best >= SUPPORT, 1.0, np.where((best == PARTIAL) & (not strict), 0.5, 0.0))
    credit[best == UNGRADED] = np.nan
    effect = variability(credit, query, vital[query, slot], draws=draws, seed=seed)
    beyond = (1 - CONFIDENCE) / 2
    known = len(effect.ranks) and not np.isnan(effect.ranks).all()
    ends = np.quantile(effect.ranks, (beyond, 1 - beyond), axis=0) if known else np.full((2, len(book.run_ids)), np.nan)
    rows = pd.DataFrame(
        {
            "run_id": book.run_ids,
            "rank": mean_rank(effect.as_is.means),
            "vital_score": effect.as_is.means,
            "all_vital": effect.all_vital.means,
            "flipped": effect.flipped.means,
            "first": effect.first,
            "rank_low": ends[0],
            "rank_high": ends[1],
        }
    )
    kendall_mean = float(effect.kendall.mean()) if draws else np.nan
    deviation = float(effect.kendall.std(ddof=1)) if draws > 1 else np.nan
    variants = [
        ("everything vital", effect.all_vital.kendall, np.nan, effect.all_vital.queries),
        ("vital and okay exchanged", effect.flipped.kendall, np.nan, effect.flipped.queries),
        (f"{draws:,} shuffles", kendall_mean, deviation, effect.as_is.queries),
    ]
    rows = BY_IMPORTANCE.of(rows.sort_values(["rank", "run_id"], ignore_index=True))
    notes = []
    if not book.important(OKAY).any():
        notes.append("The bank has no okay nugget, so there is nothing to exchange or to shuffle.")
    return ImportanceEffect(strict, draws, seed, rows, TAUS.of(variants), effect.kendall.tolist(), notes)


# A facet's ranking is graded by the questions of its page, too.
_SAID = f"""
WITH bank AS (
    SELECT question_id, query_id, question_text, importance, enabled, of_bank FROM ({IN_ORDER})
),
said AS (
    SELECT question_id, grades.query_id, doc_id, grade, answer, importance, question_text, enabled,
        lower(trim(answer)) LIKE 'contradict%' AS contradicted
    FROM grades JOIN bank USING (question_id, query_id)
    WHERE grader_id = $grader
),
read AS (SELECT *, {page_sql("query_id")} AS page FROM ({{ranked}}))
"""
_ODD = (
    _SAID
    + """
SELECT run_id, CASE WHEN importance = 'avoid' THEN 'to avoid' WHEN contradicted THEN 'contradicted' ELSE 'unread' END
    AS kind, coalesce(answer, '') AS label, count(*) AS n
FROM read JOIN said ON said.doc_id = read.doc_id AND said.query_id IN (read.query_id, read.page)
WHERE CASE WHEN importance = 'avoid' THEN grade > 0 ELSE enabled AND (grade IS NULL OR contradicted) END
GROUP BY ALL ORDER BY run_id, kind, n DESC, label
"""
)
_FOUND = (
    _SAID
    + """
SELECT bank.question_id, bank.question_text, bank.importance, bank.enabled, best.grade, best.answer AS label,
    best.doc_id, best.rank
FROM bank LEFT JOIN (
    SELECT question_id, said.query_id, grade, answer, said.doc_id, read.rank
    FROM read JOIN said ON said.doc_id = read.doc_id AND said.query_id IN (read.query_id, read.page)
    WHERE run_id = $run AND read.query_id = $query
    QUALIFY row_number() OVER (PARTITION BY question_id, said.query_id ORDER BY grade DESC NULLS LAST, place) = 1
) best USING (question_id, query_id)
WHERE bank.query_id IN ($query, """
    + page_sql("$query")
    + """)
ORDER BY of_bank
"""
)

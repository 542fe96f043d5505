"""Nugget scores of runs: AutoNuggetizer's six, by importance, and how far labels support them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

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
from exam_core.numbers.means import mean_and_stderr
from exam_core.numbers.rank_correlations import mean_rank
from exam_core.results import ResultColumn, ResultTable, count, decimal, number, rank, share, text
from exam_core.store import Snapshot
from exam_core.store.evidence import statements
from exam_core.store.pairs import ranked_passages, texts_of
from exam_core.store.summary import graders, of_citations
from exam_core.tables import OKAY, OTHER, UNGRADED, UNREADABLE, VITAL
from exam_core.wings.neighbours.measures import PARTIAL, SUPPORT, variability
from exam_core.wings.neighbours.texts import found_nuggets, odd_labels
from exam_core.wording import counted, nothing_cited

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
"""Kinds of odd labels, as `texts.odd_labels` has them."""


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

    Parameters
    ----------
    nuggets : `FOUND`, vital ones first, the best grades first among equally important ones, then in the bank's order
    passages : rank, doc_id and text (None if unknown) of the passages that are read
    """

    query_text: str | None
    nuggets: pd.DataFrame
    passages: pd.DataFrame


NO_NUGGETS = (
    "{} does not grade from 0 to 2, and the bank marks no question as vital or okay, so there are no nuggets to score."
)


def are_nuggets(snapshot: Snapshot, labelling: LabelRule) -> bool:
    """Whether grades are those of nuggets: from 0 to 2, or of a bank that says which questions are vital.

    Raises UsageError where there is nothing to evaluate, and as `of_questions`.
    """
    _, grader = of_questions(labelling)
    return scale_of(snapshot, grader) == SUPPORT or gradebook(snapshot, labelling).importance is not None


def nuggets(snapshot: Snapshot, labelling: LabelRule) -> Nuggets:
    """The six nugget scores of every run, from grades of a bank's questions.

    Raises UsageError where there are no runs, or nothing to evaluate, and as `of_questions`.
    """
    bank, grader = of_questions(labelling)
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
    odd = odd_labels(snapshot, bank=bank, grader_id=grader, depth=labelling.depth, order=labelling.order)
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
    bank, grader = of_questions(labelling)
    book = gradebook(snapshot, labelling)
    for what, name, known in (("run", run_id, book.run_ids), ("query", query_id, book.query_ids)):
        if name not in known:
            raise UsageError(f"There is no {what} {name} among the {len(known)} that are evaluated.")
    depth, order = labelling.depth, labelling.order
    rows = found_nuggets(snapshot, run_id, query_id, bank=bank, grader_id=grader, depth=depth, order=order)
    rank = {"vital": 0, "okay": 1, "avoid": 3}
    rows["place"] = [rank.get(name, 2) if isinstance(name, str) else 0 for name in rows["importance"]]
    rows = rows.sort_values(["place", "grade"], ascending=[True, False], ignore_index=True)
    passages = ranked_passages(snapshot, run_id, query_id, depth=depth, characters=1_000_000)
    (query,) = texts_of(snapshot, [query_id])
    return NuggetAnswer(query if isinstance(query, str) else None, FOUND.of(rows), passages[["rank", "doc_id", "text"]])


def best_grades(book: Gradebook) -> Labels:
    """(R, Q, S) the best grade of each question among a run's passages; UNGRADED without a grade, or when it is off."""
    padded = np.vstack([book.grades, np.full((2, book.grades.shape[1]), UNGRADED, np.int8)])
    best = np.full((len(book.run_ids), *book.enabled.shape), UNGRADED, np.int8)
    for slots in book.slots:
        np.maximum(best, padded[slots], out=best)
    return np.where(book.enabled, best, np.int8(UNGRADED))


def of_questions(labelling: LabelRule) -> tuple[tuple[str, int], str]:
    """The bank and the grader of a labelling. Raises UndefinedMeasure where it has no questions."""
    grading = labelling.grading
    if grading.bank is None or grading.grader is None:
        raise UndefinedMeasure(
            f"{grading.grader or 'What is evaluated here'} labels whole passages: nugget scores need grades of nuggets."
        )
    return (grading.bank.name, grading.bank.version or 0), grading.grader


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
    """A leaderboard by vital recall under other labels.

    Parameters
    ----------
    rows : `BY_IMPORTANCE`
    variants : `TAUS`: everything vital, vital and okay exchanged, and shuffled within each query
    kendall : tau-b of each shuffle, NaN where it is undefined
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
    variants = [
        ("everything vital", effect.all_vital.kendall, np.nan, effect.all_vital.queries),
        ("vital and okay exchanged", effect.flipped.kendall, np.nan, effect.flipped.queries),
        (f"{draws:,} shuffles", effect.kendall_mean, effect.kendall_deviation, effect.as_is.queries),
    ]
    rows = BY_IMPORTANCE.of(rows.sort_values(["rank", "run_id"], ignore_index=True))
    notes = []
    if not book.important(OKAY).any():
        notes.append("The bank has no okay nugget, so there is nothing to exchange or to shuffle.")
    return ImportanceEffect(strict, draws, seed, rows, TAUS.of(variants), effect.kendall.tolist(), notes)


Cited = Literal["all", "first"]
FULL, PARTLY, NO = 2, 1, 0
"""Grades of a cited passage; a citation is worth half its grade."""
SOURCE_OF_SUPPORT = "Thakur et al. 2025"
SUPPORTED = ResultTable(
    "citations: support",
    "Support of each run's sentences by the passages that they cite, best weighted precision first",
    RUN,
    decimal(
        "precision",
        "Weighted precision",
        "Mean over queries of the support of citations: full 1, partial 0.5, none 0.",
        "score",
        SOURCE_OF_SUPPORT,
    ),
    decimal("precision_stderr", "±", "Standard error of the mean.", "score"),
    decimal(
        "recall",
        "Weighted recall",
        "Mean over queries of the support of sentences, each by its best citation; one that cites nothing counts 0.",
        "score",
        SOURCE_OF_SUPPORT,
    ),
    decimal("recall_stderr", "± (recall)", "Standard error of the mean.", "score"),
    number("n_queries", "Queries", "Queries for which the run wrote a response.", "queries"),
    count("sentences", "Sentences", unit="sentences"),
    count("citing", "With citation", "Sentences that cite a passage.", "sentences"),
    count("full", "Full", "Citations that support their sentence.", "citations"),
    count("partial", "Partial", "Citations that support a part of it.", "citations"),
    count("none", "None", "Citations that support nothing of it.", "citations"),
    count("unread", "Unreadable", "Citations of which the answer can't be read.", "citations"),
    count(
        "ungraded",
        "Not asked",
        "Citations that were not asked about, such as those of passages without text.",
        "citations",
    ),
)
CITATIONS = ResultTable(
    "citations: statements",
    "Every sentence that cites a passage, with each passage that it cites",
    RUN,
    QUERY,
    text("statement_id", "Sentence", "Passage and number of the sentence."),
    text("statement", "Says", width="large"),
    text("doc_id", "Cites"),
    number("grade", "Support", "2 full, 1 partial, 0 none; empty where nothing is known.", "grade"),
    text("answer", "Answer", "The grader's own words."),
)
_SAID = "SELECT question_id AS statement_id, query_id, doc_id, grade, answer FROM grades WHERE grader_id = $grader"


@dataclass(frozen=True)
class Support:
    """Support of runs' sentences by the passages that they cite; a mean is NaN where it has no query.

    `rows` is as `SUPPORTED`, `citations` as `CITATIONS`.
    """

    grader: str
    cited: Cited
    rows: pd.DataFrame
    citations: pd.DataFrame
    notes: list[str] = field(default_factory=list)


def support_graders(snapshot: Snapshot) -> list[str]:
    """Return the graders of citations: they grade whether a cited passage supports its sentence."""
    return sorted(name for name in snapshot.graders if of_citations(snapshot, name))


def choose_citation_grader(snapshot: Snapshot, name: str | None) -> str | None:
    """Return the grader of citations that is named, or the only grader if it is one; None otherwise."""
    known = support_graders(snapshot)
    if name is not None or graders(snapshot):
        return name if name in known else None
    return known[0] if len(known) == 1 else None


def support(snapshot: Snapshot, grader: str, *, cited: Cited = "all") -> Support:
    """How far cited passages support the sentences that cite them, by run.

    For each query weighted precision is the mean worth of its citations (full 1, partial 0.5, none 0), weighted recall
    the mean over all its sentences of the best citation's worth. A citation without a readable grade is in neither; a
    sentence all of whose citations lack one is left out of recall, and one that cites nothing counts 0. A query
    without a known citation has no precision.

    `cited` is whether all citations of a sentence count, or the first alone, as in TREC RAG 2024.

    Raises UsageError where no run cites a passage.

    Source: Thakur et al. 2025 (support evaluation of the TREC 2024 RAG Track), weighted precision and recall.
    """
    sentences = statements(snapshot)
    if not sentences["cited"].map(len).any():
        raise UsageError(nothing_cited(snapshot.collection))
    if cited == "first":
        sentences["cited"] = sentences["cited"].map(lambda doc_ids: doc_ids[:1])
    frame = sentences.explode("cited").rename(columns={"cited": "doc_id"})
    known = snapshot.query(_SAID, {"grader": grader})
    frame = frame.merge(known.assign(asked=True), on=["statement_id", "query_id", "doc_id"], how="left")
    citing = frame["doc_id"].notna()
    frame["worth"] = np.where(citing, frame["grade"].astype(float) / FULL, 0.0)
    rows = pd.DataFrame(_rows(frame, citing)).sort_values(
        ["precision", "recall", "run_id"], ascending=[False, False, True], ignore_index=True
    )
    return Support(grader, cited, SUPPORTED.of(rows), CITATIONS.of(frame[citing]), _notes_on_support(frame, citing))


def _rows(frame: pd.DataFrame, citing: pd.Series) -> Sequence[dict[str, object]]:
    precise = frame["worth"].where(citing).groupby([frame["run_id"], frame["query_id"]]).mean()
    best = frame.groupby(["run_id", "query_id", "statement_id"])["worth"].max()
    recalled = best.groupby(["run_id", "query_id"]).mean()
    records = []
    for run_id, own in frame.groupby("run_id"):
        cites = own[citing[own.index]]
        grades, was_asked = cites["grade"], cites["asked"].notna()
        (precision, recall), (low, high), _ = mean_and_stderr(
            np.stack([precise[run_id].to_numpy(float), recalled[run_id].to_numpy(float)])
        )
        records.append(
            {
                "run_id": run_id,
                "precision": precision,
                "precision_stderr": low,
                "recall": recall,
                "recall_stderr": high,
                "n_queries": own["query_id"].nunique(),
                "sentences": own["statement_id"].nunique(),
                "citing": cites["statement_id"].nunique(),
                "full": int((grades == FULL).sum()),
                "partial": int((grades == PARTLY).sum()),
                "none": int((grades == NO).sum()),
                "unread": int((was_asked & grades.isna()).sum()),
                "ungraded": int((~was_asked).sum()),
            }
        )
    return records


def _notes_on_support(frame: pd.DataFrame, citing: pd.Series) -> list[str]:
    notes = []
    unasked = citing & frame["asked"].isna()
    if unasked.any():
        docs = frame.loc[unasked, "doc_id"].nunique()
        notes.append(
            f"{counted({'citations': int(unasked.sum())})} of {counted({'passages': docs})} not asked about yet: they "
            "are left out. Grade again, or bring texts with: examboard import passages FILE"
        )
    if unread := int((citing & frame["asked"].notna() & frame["grade"].isna()).sum()):
        notes.append(f"{counted({'citations': unread})} whose answer can't be read: they are left out.")
    return notes

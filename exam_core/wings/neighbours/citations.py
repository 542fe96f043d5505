"""Citations: whether cited passages answer the questions, or support the sentences, of the texts that cite them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd

from exam_core.analysis.choice import LabelRule
from exam_core.analysis.shared_columns import PASSAGE, QUERY, QUESTION, RUN
from exam_core.analysis.values import gradebook, no_runs
from exam_core.errors import UndefinedMeasure, UsageError
from exam_core.measures.gradebook import Gradebook
from exam_core.numbers.means import mean_and_stderr
from exam_core.results import ResultTable, count, decimal, number, share, text, texts
from exam_core.store import Snapshot
from exam_core.store.evidence import cited_passages, statements
from exam_core.store.summary import graders, of_citations
from exam_core.tables import UNREADABLE
from exam_core.wording import counted, nothing_cited

SUPPORTED, UNSUPPORTED, UNKNOWN, UNCITED = "supported", "unsupported", "unknown", "uncited"
ROWS = ResultTable(
    "citations: rows",
    "How often the passages that a run cites support its claims, best supported first",
    RUN,
    count("claims", "Claims", "Pairs of a generated passage and a question that it answers.", "claims"),
    count("cited", "With citation", "Claims of passages that cite at least one passage.", "claims"),
    count("supported", "Supported", "Claims where a cited passage answers the question too.", "claims"),
    count("unsupported", "Not supported", "Claims where every cited passage is graded, and none answers.", "claims"),
    count(
        "unknown", "Unknown", "Claims of cited passages that answer nothing, some without a readable grade.", "claims"
    ),
    share("cited_share", "Share with citation", "Claims with a citation over all claims.", "share of the claims"),
    share(
        "supported_share",
        "Share supported",
        "Supported claims over supported and not supported ones; unknown ones are left out.",
        "share of the claims that are known",
    ),
    share("claims_supported", "Of all claims", "Supported over all claims, cited or not.", "share of the claims"),
)
CLAIMS = ResultTable(
    "citations: claims",
    "Every claim with the passages that it cites",
    RUN,
    QUERY,
    PASSAGE,
    QUESTION,
    text("status", "Citation", "supported, unsupported, unknown (not all graded) or uncited."),
    texts("supporting", "Supported by", "Cited passages that answer the question."),
    texts("ungraded", "Not graded", "Cited passages without a readable grade on the question."),
)


@dataclass(frozen=True)
class Citations:
    """How far the passages that runs cite support the runs' claims; a share is NaN where nothing divides it."""

    tau: float
    rows: pd.DataFrame
    claims: pd.DataFrame
    notes: list[str] = field(default_factory=list)


def citations(snapshot: Snapshot, labelling: LabelRule, tau: float) -> Citations:
    """Return, by run, how often a cited passage answers the questions that the citing passage answers.

    A claim is a question on which a generated passage has a grade of at least tau. It is supported where a passage
    that the generated one cites, other than itself, has such a grade, too. A cited passage without a grade on the
    question leaves the claim unknown, unless another one supports it. How fine a claim is follows from what was graded:
    a sentence, a passage of a long response, or a whole response (`import responses --parts`).

    Raises UsageError where there are no runs, nothing to evaluate, or no run cites anything; UndefinedMeasure where the
    grader labels whole passages.

    Source: ours, after the support evaluation of the TREC RAG track (Thakur et al. 2025); a claim is a question.
    """
    if labelling.grading.is_direct:
        raise UndefinedMeasure("Citations are compared question by question, and this grader labels whole passages.")
    book, cited = gradebook(snapshot, labelling), cited_passages(snapshot)
    if not book.run_ids:
        raise UsageError(no_runs(snapshot))
    if not cited:
        raise UsageError(nothing_cited(snapshot.collection))
    claims = CLAIMS.of(_claims(book, cited, tau))
    docs = [str(doc_id) for doc_id in book.docs.to_pylist()]
    generated = np.array([doc_id in cited for doc_id in docs], bool)
    ranked = ((book.slots >= 0) & generated[np.maximum(book.slots, 0)]).any(axis=(0, 2))
    runs = [run_id for run_id, writes in zip(book.run_ids, ranked, strict=True) if writes]
    counts = pd.crosstab(claims["run_id"], claims["status"])
    counts = counts.reindex(index=runs, columns=[SUPPORTED, UNSUPPORTED, UNKNOWN, UNCITED], fill_value=0)
    rows = counts.drop(columns=UNCITED).astype(int)
    rows["claims"] = counts.sum(axis=1)
    rows["cited"] = rows["claims"] - counts[UNCITED]
    for name, part, whole in (
        ("cited_share", rows["cited"], rows["claims"]),
        ("supported_share", rows[SUPPORTED], rows[SUPPORTED] + rows[UNSUPPORTED]),
        ("claims_supported", rows[SUPPORTED], rows["claims"]),
    ):
        rows[name] = part / whole.where(whole > 0)
    rows = rows.rename_axis("run_id").reset_index()
    rows = rows.sort_values(["supported_share", "run_id"], ascending=[False, True], ignore_index=True)
    return Citations(tau, ROWS.of(rows), claims, _notes(rows, claims, book))


def _claims(book: Gradebook, cited: dict[str, tuple[str, ...]], tau: float) -> Iterator[tuple[object, ...]]:
    """Yield rows of `CLAIMS`."""
    docs = [str(doc_id) for doc_id in book.docs.to_pylist()]
    pairs = {key: pair for pair, key in enumerate(zip(book.pair_query.tolist(), docs, strict=True))}
    arrays = [book.columns(query) for query in range(len(book.query_ids))]
    for run, run_id in enumerate(book.run_ids):
        for query, (query_id, columns) in enumerate(zip(book.query_ids, arrays, strict=True)):
            for pair in book.slots[:, run, query]:
                if pair < 0 or docs[pair] not in cited:
                    continue
                answered = columns[book.grades[pair, columns] >= tau]
                cited_ids = tuple(name for name in cited[docs[pair]] if name != docs[pair])
                places = [pairs.get((query, name)) for name in cited_ids]
                for question in answered.tolist():
                    grades = [None if place is None else int(book.grades[place, question]) for place in places]
                    graded = list(zip(cited_ids, grades, strict=True))
                    supporting = [name for name, grade in graded if grade is not None and grade >= tau]
                    ungraded = [name for name, grade in graded if grade is None or grade <= UNREADABLE]
                    status = UNSUPPORTED if cited_ids else UNCITED
                    status = SUPPORTED if supporting else UNKNOWN if ungraded else status
                    question_id = book.question_ids[query][question]
                    yield run_id, query_id, docs[pair], question_id, status, supporting, ungraded


def _notes(rows: pd.DataFrame, claims: pd.DataFrame, book: Gradebook) -> list[str]:
    notes = []
    if unknown := int(rows[UNKNOWN].sum()):
        missing = claims.loc[claims["status"] == UNKNOWN, "ungraded"]
        number = len({name for names in missing for name in names})
        notes.append(
            f"{counted({'claims': unknown})} unknown: {counted({'passages': number})} they cite have no readable "
            "grade on the question. They count neither as supported nor as not supported, but among all claims."
        )
    if others := len(book.run_ids) - len(rows):
        notes.append(f"{counted({'runs': others})} without generated passages, which are left out.")
    return notes


Cited = Literal["all", "first"]
FULL, PARTLY, NO = 2, 1, 0
"""Grades of a cited passage; a citation is worth half its grade."""
SOURCE_OF_SUPPORT = "Thakur et al. 2025"
SUPPORT_ROWS = ResultTable(
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
    """How far cited passages support the runs' sentences; a mean is NaN where it has no query."""

    grader: str
    cited: Cited
    rows: pd.DataFrame
    citations: pd.DataFrame
    notes: list[str] = field(default_factory=list)


def choose_citation_grader(snapshot: Snapshot, name: str | None) -> str | None:
    """Return the grader of citations that is named, or the only grader if it is one; None otherwise."""
    known = sorted(name for name in snapshot.graders if of_citations(snapshot, name))
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
    return Support(grader, cited, SUPPORT_ROWS.of(rows), CITATIONS.of(frame[citing]), _notes_on_support(frame, citing))


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

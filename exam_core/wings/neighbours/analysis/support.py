"""Support of citations, sentence by sentence, as a model says it: weighted precision and recall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd

from exam_core.analysis.shared_columns import QUERY, RUN
from exam_core.errors import UsageError
from exam_core.numbers.means import mean_and_stderr
from exam_core.results import ResultTable, count, decimal, number, text
from exam_core.store import Snapshot
from exam_core.store.cited_passages import statements
from exam_core.store.summary import graders, of_citations
from exam_core.wording import counted, nothing_cited

Cited = Literal["all", "first"]
FULL, PARTIAL, NO = 2, 1, 0
"""Grades of a cited passage, of which each is worth half."""
SOURCE = "Thakur et al. 2025"
ROWS = ResultTable(
    "citations: support",
    "Support of each run's sentences by the passages that they cite, best weighted precision first",
    RUN,
    decimal(
        "precision",
        "Weighted precision",
        "Mean over queries of the support of citations: full 1, partial 0.5, none 0.",
        "score",
        SOURCE,
    ),
    decimal("precision_stderr", "±", "Standard error of the mean.", "score"),
    decimal(
        "recall",
        "Weighted recall",
        "Mean over queries of the support of sentences, each by its best citation; one that cites nothing counts 0.",
        "score",
        SOURCE,
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
    """Support of what runs say by what they cite.

    Parameters
    ----------
    rows : `ROWS`; a mean is NaN where it has no query
    citations : `CITATIONS`
    """

    grader: str
    cited: Cited
    rows: pd.DataFrame
    citations: pd.DataFrame
    notes: list[str] = field(default_factory=list)


def support_graders(snapshot: Snapshot) -> list[str]:
    """The graders that say whether cited passages support what is said."""
    return sorted(name for name in snapshot.graders if of_citations(snapshot, name))


def chosen_grader(snapshot: Snapshot, asked: str | None) -> str | None:
    """The grader of citations that is asked for, or the only grader that there is, if it is one."""
    known = support_graders(snapshot)
    if asked is not None or graders(snapshot):
        return asked if asked in known else None
    return known[0] if len(known) == 1 else None


def support(snapshot: Snapshot, grader: str, *, cited: Cited = "all") -> Support:
    """How far cited passages support the sentences that cite them, by run.

    For each query weighted precision is the mean worth of its citations (full 1, partial 0.5, none 0), weighted recall
    the mean over all its sentences of the best citation's worth. A citation without a readable grade is in neither; a
    sentence all of whose citations lack one is left out of recall, and one that cites nothing counts 0. A query
    without a known citation has no precision.

    Parameters
    ----------
    cited : whether all citations of a sentence are looked at, or the first one alone, as in TREC RAG 2024

    Raises
    ------
    UsageError : no run cites a passage

    Source: Thakur et al. 2025 (support evaluation of the TREC 2024 RAG Track), weighted precision and recall.
    """
    said = statements(snapshot)
    if not said["cited"].map(len).any():
        raise UsageError(nothing_cited(snapshot.collection))
    if cited == "first":
        said["cited"] = said["cited"].map(lambda names: names[:1])
    asked = said.explode("cited").rename(columns={"cited": "doc_id"})
    known = snapshot.query(_SAID, {"grader": grader})
    asked = asked.merge(known.assign(asked=True), on=["statement_id", "query_id", "doc_id"], how="left")
    citing = asked["doc_id"].notna()
    asked["worth"] = np.where(citing, asked["grade"].astype(float) / FULL, 0.0)
    rows = pd.DataFrame(_rows(asked, citing)).sort_values(
        ["precision", "recall", "run_id"], ascending=[False, False, True], ignore_index=True
    )
    return Support(grader, cited, ROWS.of(rows), CITATIONS.of(asked[citing]), _notes(asked, citing))


def _rows(asked: pd.DataFrame, citing: pd.Series) -> Sequence[dict[str, object]]:
    precise = asked["worth"].where(citing).groupby([asked["run_id"], asked["query_id"]]).mean()
    best = asked.groupby(["run_id", "query_id", "statement_id"])["worth"].max()
    recalled = best.groupby(["run_id", "query_id"]).mean()
    found = []
    for run_id, own in asked.groupby("run_id"):
        cites = own[citing[own.index]]
        grades, was_asked = cites["grade"], cites["asked"].notna()
        (precision, recall), (low, high), _ = mean_and_stderr(
            np.stack([precise[run_id].to_numpy(float), recalled[run_id].to_numpy(float)])
        )
        found.append(
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
                "partial": int((grades == PARTIAL).sum()),
                "none": int((grades == NO).sum()),
                "unread": int((was_asked & grades.isna()).sum()),
                "ungraded": int((~was_asked).sum()),
            }
        )
    return found


def _notes(asked: pd.DataFrame, citing: pd.Series) -> list[str]:
    notes = []
    unasked = citing & asked["asked"].isna()
    if unasked.any():
        docs = asked.loc[unasked, "doc_id"].nunique()
        notes.append(
            f"{counted({'citations': int(unasked.sum())})} of {counted({'passages': docs})} not asked about yet: they "
            "are left out. Grade again, or bring texts with: examboard import passages FILE"
        )
    if unread := int((citing & asked["asked"].notna() & asked["grade"].isna()).sum()):
        notes.append(f"{counted({'citations': unread})} whose answer can't be read: they are left out.")
    return notes

"""Citations: does a passage that is cited answer the question that the citing text answers?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from exam_core.analysis.evaluation.books import gradebook, no_runs
from exam_core.analysis.evaluation.choice import LabelRule
from exam_core.analysis.shared_columns import PASSAGE, QUERY, QUESTION, RUN
from exam_core.errors import UndefinedMeasure, UsageError
from exam_core.measures.gradebook import Gradebook
from exam_core.results import ResultTable, count, share, text, texts
from exam_core.store import Snapshot
from exam_core.store.cited_passages import cited_passages
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
    """Support of what runs say by what they cite.

    Parameters
    ----------
    rows : `ROWS`; a share is NaN where there is nothing to divide by
    claims : `CLAIMS`
    """

    tau: int
    rows: pd.DataFrame
    claims: pd.DataFrame
    notes: list[str] = field(default_factory=list)


def citations(snapshot: Snapshot, labelling: LabelRule, tau: int) -> Citations:
    """Whether a cited passage answers the questions that the citing passage answers, by run.

    A claim is a question on which a generated passage has a grade of at least tau. It is supported where a passage
    that the generated one cites, other than itself, has such a grade, too. A cited passage that was not graded on the
    question says nothing: where no other one supports the claim, it is unknown. How fine a claim is follows from what
    was graded: a sentence, a passage of a long response, or a whole response (`import responses --parts`).

    Parameters
    ----------
    tau : smallest grade that counts as answered, inclusive

    Raises
    ------
    UsageError : no runs, nothing to evaluate, or no run cites anything
    UndefinedMeasure : the grader labels whole passages

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
    counts = pd.crosstab(claims["run_id"], claims["status"])
    counts = counts.reindex(index=_runs(book, cited), columns=[SUPPORTED, UNSUPPORTED, UNKNOWN, UNCITED], fill_value=0)
    rows = counts.drop(columns=UNCITED).astype(int)
    rows["claims"] = counts.sum(axis=1)
    rows["cited"] = rows["claims"] - counts[UNCITED]
    rows["cited_share"] = _share(rows["cited"], rows["claims"])
    rows["supported_share"] = _share(rows[SUPPORTED], rows[SUPPORTED] + rows[UNSUPPORTED])
    rows["claims_supported"] = _share(rows[SUPPORTED], rows["claims"])
    rows = rows.rename_axis("run_id").reset_index()
    rows = rows.sort_values(["supported_share", "run_id"], ascending=[False, True], ignore_index=True)
    return Citations(tau, ROWS.of(rows), claims, _notes(rows, claims, book))


def _claims(book: Gradebook, cited: dict[str, tuple[str, ...]], tau: int) -> Iterator[tuple[object, ...]]:
    docs = [str(name) for name in book.docs.to_pylist()]
    pairs = {key: pair for pair, key in enumerate(zip(book.pair_query.tolist(), docs, strict=True))}
    asked = [book.columns(query) for query in range(len(book.query_ids))]
    for run, run_id in enumerate(book.run_ids):
        for query, (query_id, columns) in enumerate(zip(book.query_ids, asked, strict=True)):
            for pair in book.slots[:, run, query]:
                if pair < 0 or docs[pair] not in cited:
                    continue
                names = tuple(name for name in cited[docs[pair]] if name != docs[pair])
                answered = columns[book.grades[pair, columns] >= tau]
                places = [pairs.get((query, name)) for name in names]
                for question in answered.tolist():
                    grades = [None if place is None else int(book.grades[place, question]) for place in places]
                    status, supporting, ungraded = _status(names, grades, tau)
                    name = book.question_ids[query][question]
                    yield run_id, query_id, docs[pair], name, status, supporting, ungraded


def _status(names: tuple[str, ...], grades: list[int | None], tau: int) -> tuple[str, list[str], list[str]]:
    """What becomes of a claim, the cited passages that support it, and those that nobody graded."""
    both = list(zip(names, grades, strict=True))
    supporting = [name for name, grade in both if grade is not None and grade >= tau]
    ungraded = [name for name, grade in both if grade is None or grade <= UNREADABLE]
    status = UNCITED if not names else SUPPORTED if supporting else UNKNOWN if ungraded else UNSUPPORTED
    return status, supporting, ungraded


def _runs(book: Gradebook, cited: dict[str, tuple[str, ...]]) -> list[str]:
    """The runs of generated passages."""
    docs = book.docs.to_pylist()
    generated = np.array([str(name) in cited for name in docs], bool)
    ranked = (book.slots >= 0) & generated[np.maximum(book.slots, 0)]
    return [run_id for run_id, own in zip(book.run_ids, ranked.any(axis=(0, 2)), strict=True) if own]


def _share(part: pd.Series, whole: pd.Series) -> pd.Series:
    """NaN where there is nothing to divide by."""
    return part / whole.where(whole > 0)


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

"""Citations: whether a cited passage answers the question that the citing text answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from exam_core.analysis.choice import Evaluation, LabelRule
from exam_core.analysis.grade_scales import scale_of
from exam_core.analysis.shared_columns import PASSAGE, QUERY, QUESTION, QUESTION_TEXT, RUN
from exam_core.analysis.values import gradebook, no_runs
from exam_core.errors import UndefinedMeasure, UsageError
from exam_core.measures.gradebook import Gradebook
from exam_core.results import ResultTable, count, decimal, number, share, text, texts
from exam_core.store import Snapshot
from exam_core.store.evidence import cited_passages
from exam_core.store.pairs import texts_of
from exam_core.store.summary import graded_banks
from exam_core.tables import UNREADABLE
from exam_core.wings.neighbours import pourpre
from exam_core.wings.neighbours.measures import SUPPORT
from exam_core.wings.neighbours.nrp import stored_orders
from exam_core.wings.neighbours.ranking import rankers_of
from exam_core.wings.neighbours.texts import sides_of
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
    """Support of runs' claims by the passages that they cite.

    `rows` is as `ROWS`, `claims` as `CLAIMS`; a share is NaN where there is nothing to divide by.
    """

    tau: int
    rows: pd.DataFrame
    claims: pd.DataFrame
    notes: list[str] = field(default_factory=list)


def citations(snapshot: Snapshot, labelling: LabelRule, tau: int) -> Citations:
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
    rows["cited_share"] = _share(rows["cited"], rows["claims"])
    rows["supported_share"] = _share(rows[SUPPORTED], rows[SUPPORTED] + rows[UNSUPPORTED])
    rows["claims_supported"] = _share(rows[SUPPORTED], rows["claims"])
    rows = rows.rename_axis("run_id").reset_index()
    rows = rows.sort_values(["supported_share", "run_id"], ascending=[False, True], ignore_index=True)
    return Citations(tau, ROWS.of(rows), claims, _notes(rows, claims, book))


def _claims(book: Gradebook, cited: dict[str, tuple[str, ...]], tau: int) -> Iterator[tuple[object, ...]]:
    docs = [str(doc_id) for doc_id in book.docs.to_pylist()]
    pairs = {key: pair for pair, key in enumerate(zip(book.pair_query.tolist(), docs, strict=True))}
    arrays = [book.columns(query) for query in range(len(book.query_ids))]
    for run, run_id in enumerate(book.run_ids):
        for query, (query_id, columns) in enumerate(zip(book.query_ids, arrays, strict=True)):
            for pair in book.slots[:, run, query]:
                if pair < 0 or docs[pair] not in cited:
                    continue
                names = tuple(name for name in cited[docs[pair]] if name != docs[pair])
                answered = columns[book.grades[pair, columns] >= tau]
                names = tuple(name for name in cited[docs[pair]] if name != docs[pair])
                places = [pairs.get((query, name)) for name in names]
                for question in answered.tolist():
                    grades = [None if place is None else int(book.grades[place, question]) for place in places]
                    question_id = book.question_ids[query][question]
                    yield run_id, query_id, docs[pair], question_id, *_status(names, grades, tau)


def _status(names: tuple[str, ...], grades: list[int | None], tau: int) -> tuple[str, list[str], list[str]]:
    """Return the status of a claim, the cited passages that support it, and those without a readable grade."""
    supporting = [name for name, grade in zip(names, grades, strict=True) if grade is not None and grade >= tau]
    ungraded = [name for name, grade in zip(names, grades, strict=True) if grade is None or grade <= UNREADABLE]
    status = UNCITED if not names else SUPPORTED if supporting else UNKNOWN if ungraded else UNSUPPORTED
    return status, supporting, ungraded


def _share(part: pd.Series, whole: pd.Series) -> pd.Series:
    """Return part / whole; NaN where there is nothing to divide by."""
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


def is_of_nuggets(snapshot: Snapshot) -> bool:
    """Return whether some question of a collection is vital, okay, or to be avoided, as nuggets are."""
    return not snapshot.query("SELECT 1 FROM questions WHERE importance IS NOT NULL LIMIT 1").empty


def has_nuggets(snapshot: Snapshot) -> bool:
    """Return whether grades are those of nuggets: from 0 to 2, or of questions of which some have an importance."""
    graders = [grader for grader, banks in graded_banks(snapshot).items() if any(banks)]
    return bool(graders) and (is_of_nuggets(snapshot) or any(scale_of(snapshot, name) == SUPPORT for name in graders))


def has_answers(snapshot: Snapshot) -> bool:
    """Return whether a collection has ranks of generated answers, or orders of an expert."""
    return bool(rankers_of(snapshot)) or bool(stored_orders(snapshot))


MATCHES = ResultTable(
    "nuggets: matches",
    "Share of each nugget's terms in one run's answer to a query",
    replace(QUESTION_TEXT, label="Nugget"),
    text("importance", "Importance", "Recall counts vital nuggets; an okay one only makes room for a longer answer."),
    decimal(
        "match",
        "Match",
        "Share of the nugget's terms that the answer string with most of them has; a dash where it has no term.",
        "share of its terms",
        "Lin & Demner-Fushman 2005, section 5",
    ),
    text("terms", "Terms found"),
    number("rank", "String", "Place of that string in the answer.", "place"),
    QUESTION,
)


@dataclass(frozen=True)
class Matched:
    """One run's answer as POURPRE reads it.

    Parameters
    ----------
    rows : `MATCHES`, vital nuggets first, the best matches first among equally important ones
    strings : the answer strings, in order
    places : by row, the places of its terms: string from 0, begin and end of the word
    """

    query_text: str | None
    rows: pd.DataFrame
    strings: tuple[str, ...]
    places: tuple[tuple[tuple[int, int, int], ...], ...]


def matches_of(snapshot: Snapshot, choice: Evaluation, run_id: str, query_id: str) -> Matched:
    """Return how well a run's answer to a query matches each nugget; UsageError without such a run, query or nugget."""
    both = sides_of(snapshot, choice).sides
    if run_id not in both.run_ids or query_id not in both.query_ids:
        raise UsageError(f"There is no answer of {run_id} to a query {query_id} with nuggets.")
    run, query = both.run_ids.index(run_id), both.query_ids.index(query_id)
    matches = pourpre.find_nuggets(both, run, query, choice.measure.options)
    matches = sorted(matches, key=lambda match: (not match.nugget.vital, -np.nan_to_num(match.score, nan=-1.0)))
    rows = [
        (
            match.nugget.text,
            "vital" if match.nugget.vital else "okay",
            match.score,
            ", ".join(match.terms),
            np.nan if match.string is None else match.string + 1,
            match.nugget.nugget_id,
        )
        for match in matches
    ]
    words = texts_of(snapshot, [query_id])[0]
    return Matched(
        words if isinstance(words, str) else None,
        MATCHES.of(rows),
        tuple(both.strings.get((run, query), ())),
        tuple(match.places for match in matches),
    )

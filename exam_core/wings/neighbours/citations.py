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
    arrays = [book.columns(query) for query in range(len(book.query_ids))]
    for run, run_id in enumerate(book.run_ids):
        for query, (query_id, columns) in enumerate(zip(book.query_ids, arrays, strict=True)):
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


def is_of_nuggets(snapshot: Snapshot) -> bool:
    """Whether some question of a collection is vital, okay, or to be avoided, as nuggets are."""
    return not snapshot.query("SELECT 1 FROM questions WHERE importance IS NOT NULL LIMIT 1").empty


def has_nuggets(snapshot: Snapshot) -> bool:
    """Whether grades of questions are those of nuggets: from 0 to 2, or of questions of which some are vital."""
    graders = [grader for grader, banks in graded_banks(snapshot).items() if any(banks)]
    return bool(graders) and (is_of_nuggets(snapshot) or any(scale_of(snapshot, name) == SUPPORT for name in graders))


def has_answers(snapshot: Snapshot) -> bool:
    """Whether there are ranks of generated answers, or orders of an expert."""
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
    places : by row, where the found terms stand: string from 0, begin and end of the word
    """

    query_text: str | None
    rows: pd.DataFrame
    strings: tuple[str, ...]
    places: tuple[tuple[tuple[int, int, int], ...], ...]


def matches_of(snapshot: Snapshot, choice: Evaluation, run_id: str, query_id: str) -> Matched:
    """What POURPRE finds of each nugget of a query in a run's answer.

    Raises UsageError where there is no such run or query, or nothing to compare.
    """
    both = sides_of(snapshot, choice).sides
    if run_id not in both.run_ids or query_id not in both.query_ids:
        raise UsageError(f"There is no answer of {run_id} to a query {query_id} with nuggets.")
    run, query = both.run_ids.index(run_id), both.query_ids.index(query_id)
    nugget_matches = pourpre.found(both, run, query, choice.measure.options)
    order = sorted(nugget_matches, key=lambda values: (not values.nugget.vital, -np.nan_to_num(values.score, nan=-1.0)))
    rows = [
        (
            nugget_match.nugget.text,
            "vital" if nugget_match.nugget.vital else "okay",
            nugget_match.score,
            ", ".join(nugget_match.terms),
            np.nan if nugget_match.string is None else nugget_match.string + 1,
            nugget_match.nugget.nugget_id,
        )
        for nugget_match in order
    ]
    words = texts_of(snapshot, [query_id])[0]
    return Matched(
        words if isinstance(words, str) else None,
        MATCHES.of(rows),
        tuple(both.strings.get((run, query), ())),
        tuple(item.places for item in order),
    )

"""NRP: systems and prompts by how high their answers rank among the judged documents."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from exam_core.analysis.evaluation.caveats import listed
from exam_core.analysis.shared_columns import QUERY, RUN, STDERR
from exam_core.asked import Convention
from exam_core.errors import UsageError
from exam_core.measures import Measure
from exam_core.numbers.arrays import Floats, Ints
from exam_core.results import ResultTable, count, number, text
from exam_core.store import Snapshot
from exam_core.wings.neighbours.analysis.ranked import RankedAnswers, choose_ranker, ranked_answers
from exam_core.wings.neighbours.measures.effectiveness.rank_position import (
    CONVENTIONS,
    NrpOptions,
    cell_means,
    nrp_board,
)
from exam_core.wings.neighbours.measures.effectiveness.rank_position import nrp as nrp_of
from exam_core.wording import counted

NRP_MEANING = (
    "Normalised rank position (Heineking et al. 2024, section 2): 1 - r/n, r the answer's place among the judged "
    "documents of its query. Mean over queries of the mean over a query's answers."
)
INTERVAL = (
    "95% interval of the mean over queries: Student's t of the queries' means, so that answers to one query count "
    "as one observation (Donner & Klar 2000, chapter 6). The upper end may be above 1."
)
SYSTEM = text("system", "System")
PROMPT = text("prompt", "Prompt")
MEAN = number("mean", "NRP", NRP_MEANING, "NRP", form="%.4f")
LOW = number("low", "from", INTERVAL, "NRP", form="%.4f")
HIGH = number("high", "to", INTERVAL, "NRP", form="%.4f")
N_QUERIES = count("n_queries", "Queries", "Queries with an answer.", "queries")
N_ANSWERS = count("n_answers", "Answers", unit="answers")
_SE = replace(STDERR, help="Standard error of the mean over queries.", unit="NRP", form="%.4f")
ROWS = ResultTable(
    "nrp: rows",
    "Systems and prompts by NRP, best first",
    RUN,
    SYSTEM,
    PROMPT,
    MEAN,
    LOW,
    HIGH,
    _SE,
    N_QUERIES,
    N_ANSWERS,
)
SYSTEMS = ResultTable(
    "nrp: systems",
    "Systems by NRP over all their prompts, best first",
    replace(SYSTEM, pinned=True),
    MEAN,
    LOW,
    HIGH,
    _SE,
    count("n_prompts", "Prompts", unit="prompts"),
    N_QUERIES,
    N_ANSWERS,
)
QUERIES = ResultTable(
    "nrp: queries",
    "Mean NRP of each system's answers to each query and prompt",
    RUN,
    SYSTEM,
    PROMPT,
    QUERY,
    number("value", "NRP", "Mean over the answers to the query.", "NRP", form="%.4f"),
    N_ANSWERS,
)


@dataclass(frozen=True)
class NrpFound:
    """NRP of a collection's answers.

    Attributes
    ----------
    rows, systems, queries : `ROWS`, `SYSTEMS` and `QUERIES`
    notes : what a reader must know of them
    """

    collection: str
    ranker: str
    convention: Convention
    rows: pd.DataFrame
    systems: pd.DataFrame
    queries: pd.DataFrame
    notes: list[str] = field(default_factory=list)


def options_in(measure: str | None) -> NrpOptions | None:
    """The ranker and the convention of a measure, where that is NRP."""
    found = Measure.parse(measure) if measure else None
    return found.options if found and found.name == "NRP" else None


def nrp(snapshot: Snapshot, *, ranker: str | None = None, convention: Convention = "released") -> NrpFound:
    """NRP of every system and prompt, and of every system over its prompts, with 95% intervals over queries.

    Raises UsageError where there are no ranks, no such ranker or convention, or several rankers to choose from.

    Parameters
    ----------
    ranker : whose ranks; None takes the only one
    convention : where ranks start and what is divided by

    Returns
    -------
    Ends of intervals are NaN where there are fewer than two queries

    Source: Heineking et al. 2024, section 2; intervals as `nrp_board` has them.
    """
    if convention not in CONVENTIONS:
        raise UsageError(f"--convention {convention}: choose {', '.join(CONVENTIONS)}.")
    answers = ranked_answers(snapshot, choose_ranker(snapshot, ranker))
    values = nrp_of(answers.rank, answers.size, convention)
    by_query, n = cell_means(values, answers.run, answers.query, (len(answers.runs), len(answers.queries)))
    rows = pd.DataFrame(nrp_board(by_query, n)).assign(
        run_id=answers.run_ids,
        system=[system for system, _ in answers.runs],
        prompt=[prompt for _, prompt in answers.runs],
    )
    notes = [_about(answers, convention), *_unequal(answers, n), *_undefined(values)]
    return NrpFound(
        snapshot.collection,
        answers.ranker,
        convention,
        ROWS.of(_best_first(rows, "run_id")),
        SYSTEMS.of(_best_first(_of_systems(answers, values), "system")),
        _of_queries(answers, by_query, n),
        notes,
    )


def _of_systems(answers: RankedAnswers, values: Floats) -> pd.DataFrame:
    """A query's answers to all prompts are one observation."""
    names = answers.systems
    of_run = np.array([names.index(system) for system, _ in answers.runs])
    by_query, n = cell_means(values, of_run[answers.run], answers.query, (len(names), len(answers.queries)))
    found = pd.DataFrame(nrp_board(by_query, n))
    return found.assign(system=names, n_prompts=np.bincount(of_run, minlength=len(names)))


def _of_queries(answers: RankedAnswers, by_query: Floats, n: Ints) -> pd.DataFrame:
    run, query = np.nonzero(n)
    runs = answers.run_ids
    return QUERIES.of(
        {
            "run_id": [runs[place] for place in run],
            "system": [answers.runs[place][0] for place in run],
            "prompt": [answers.runs[place][1] for place in run],
            "query_id": [answers.queries[place] for place in query],
            "value": by_query[run, query],
            "n_answers": n[run, query],
        }
    )


def _best_first(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    return rows.sort_values(["mean", name], ascending=[False, True], ignore_index=True)


def _about(answers: RankedAnswers, convention: Convention) -> str:
    said = {
        "released": "r from 0, n counts the answer: the best value is 1 (as the authors' released scores)",
        "one-based": "r from 1, n counts the answer: the best value is 1 - 1/n",
        "documents": "r from 0, n counts the documents alone: the best value is 1",
    }[convention]
    return f"NRP = 1 - r/n by {answers.ranker}; {said}."


def _undefined(values: Floats) -> list[str]:
    """A note on answers whose ranking holds no document, where documents are counted."""
    if not (n := int(np.isnan(values).sum())):
        return []
    return [
        f"{counted({'answers': n})} ranked with no document: there is no value, and the mean is over other queries."
    ]


def _unequal(answers: RankedAnswers, n: Ints) -> list[str]:
    """A note where some runs have no answer to some of the queries."""
    queries = len(answers.queries)
    fewer = [run for run, own in zip(answers.run_ids, n, strict=True) if np.count_nonzero(own) < queries]
    if not fewer:
        return []
    return [
        f"Of the {queries:,} queries, some have no answer of {listed(fewer)}: these means are over the others alone."
    ]

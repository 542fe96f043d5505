"""Which nuggets POURPRE finds in a run's answer to a query, and by which words."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.shared_columns import QUESTION, QUESTION_TEXT
from exam_core.errors import UsageError
from exam_core.results import ResultTable, decimal, number, text
from exam_core.store import Snapshot
from exam_core.store.rankings import texts_of
from exam_core.wings.neighbours.analysis.unlabelled import sides_of
from exam_core.wings.neighbours.measures.effectiveness import pourpre

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
    found = pourpre.found(both, run, query, choice.measure.options)
    order = sorted(found, key=lambda one: (not one.nugget.vital, -np.nan_to_num(one.score, nan=-1.0)))
    rows = [
        (
            one.nugget.text,
            "vital" if one.nugget.vital else "okay",
            one.score,
            ", ".join(one.terms),
            np.nan if one.string is None else one.string + 1,
            one.nugget.nugget_id,
        )
        for one in order
    ]
    words = texts_of(snapshot, [query_id])[0]
    return Matched(
        words if isinstance(words, str) else None,
        MATCHES.of(rows),
        tuple(both.strings.get((run, query), ())),
        tuple(one.places for one in order),
    )

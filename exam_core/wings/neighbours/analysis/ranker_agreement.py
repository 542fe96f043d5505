"""Which ranker to trust: rankers by nDCG@10 over several qualities of the documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from exam_core.analysis.evaluation.choosing import choose
from exam_core.analysis.evaluation.leaderboard import leaderboard
from exam_core.analysis.shared_columns import RUN
from exam_core.asked import Asked
from exam_core.errors import UsageError
from exam_core.results import ResultTable, number
from exam_core.store import Snapshot
from exam_core.store.summary import qrels_ids, run_ids
from exam_core.wings.neighbours.analysis.ranked import answers_with_texts
from exam_core.wording import counted

MEASURE = "nDCG@10"
CANNOT_JUDGE = {"credibility": 3}
"""Labels that say "cannot judge", by the judgments that have them: CLEF eHealth 2021's credibility. They count as 0."""
ROWS = ResultTable(
    "nrp-rankers: rows",
    "Rankers by their mean over several judgments of quality, best first; a column for each of these is in between",
    replace(RUN, label="Ranker"),
    number("mean", "Mean", "Mean over the judgments; the best ranker has the largest.", "score", form="%.4f"),
)


@dataclass(frozen=True)
class Rankers:
    """Rankers by quality: `rows` has run_id, a column for each qrels, and mean."""

    collection: str
    measure: str
    qrels: list[str]
    rows: pd.DataFrame
    notes: list[str] = field(default_factory=list)

    @property
    def best(self) -> str | None:
        """The ranker with the largest mean."""
        return str(self.rows["run_id"].iloc[0]) if len(self.rows) else None

    @property
    def table(self) -> ResultTable:
        """`ROWS` with a column for each of the judgments."""
        first, last = ROWS.columns
        between = [
            number(name, name, f"{self.measure} over the judgments {name}.", "score", form="%.4f")
            for name in self.qrels
        ]
        return ResultTable(ROWS.name, ROWS.meaning, first, *between, last)


def rankers(
    snapshot: Snapshot,
    *,
    qrels: Sequence[str] = (),
    measure: str = MEASURE,
    cannot_judge: Mapping[str, int] = CANNOT_JUDGE,
) -> Rankers:
    """Runs of documents by a measure over several judgments, and by its mean.

    Raises UsageError where there are no runs of documents or no judgments, or no such measure or judgments.

    Parameters
    ----------
    qrels : the judgments; none takes all that there are
    cannot_judge : by judgments, a label that says nothing of the quality; it counts as 0, as an unjudged document does

    Source: Heineking et al. 2024, section 3.
    """
    wanted = list(dict.fromkeys(qrels)) or qrels_ids(snapshot)
    answering = set(answers_with_texts(snapshot)["run_id"])
    documents = snapshot.without(answering)
    if not wanted or not run_ids(documents):
        missing = "runs of documents (import run FILE)" if wanted else "judgments (import qrels FILE --name NAME)"
        raise UsageError(f"{snapshot.collection} has no {missing}, by which rankers are compared.")
    boards, notes = [], list[str]()
    for name in wanted:
        label_map = None
        if (label := cannot_judge.get(name)) is not None and name in qrels_ids(snapshot):
            label_map, note = _without(snapshot, name, label)
            notes += note
        asked = Asked(measure, judgments=name, depth=None, relevant_from=1, label_map=label_map)
        board = leaderboard(documents, choose(documents, asked))
        boards.append(board.rows.set_index("run_id")["mean"].rename(name))
    rows = pd.concat(boards, axis=1).rename_axis("run_id").reset_index()
    rows["mean"] = np.mean(rows[wanted].to_numpy(float), axis=1)
    rows = rows.sort_values(["mean", "run_id"], ascending=[False, True], ignore_index=True)
    return Rankers(snapshot.collection, measure, wanted, rows, notes)


def _without(snapshot: Snapshot, name: str, label: int) -> tuple[str | None, list[str]]:
    """A map that makes a label 0, and how often it does so."""
    found = snapshot.query(
        "SELECT relevance, count(*) AS n FROM judgments WHERE qrels_id = ? GROUP BY relevance ORDER BY relevance",
        [name],
    )
    counts = dict(zip(found["relevance"].tolist(), found["n"].tolist(), strict=True))
    if label not in counts:
        return None, []
    kept = [value for value in counts if value > 0 and value != label]
    note = f"{name}: {counted({'judgments are': counts[label]})} {label}, the label for unknown; they count as 0."
    return ",".join(f"{value}={value}" for value in kept) or f"{label}=0", [note]

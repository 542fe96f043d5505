"""Agreement of a grader's labels with human judgments: the graded matrix, a 2 x 2 cut and kappa."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from exam_core.analysis.books import gradebook
from exam_core.analysis.configuration import Choice
from exam_core.errors import UsageError
from exam_core.measures.agreement import cohen_kappa, confusion
from exam_core.measures.gradebook import Gradebook, Ints
from exam_core.store import Snapshot
from exam_core.store.summary import qrels_ids
from exam_core.tables import OFFICIAL, UNREADABLE


@dataclass(frozen=True)
class Agreement:
    """Counts of passages by label and relevance.

    `confusion` is [[tp, fp], [fn, tn]], rows predicted; `graded` counts by label, then relevance, as
    texts. `label_rank` is None where the labels are printed. Kappa is NaN where it is undefined.
    """

    tau: int
    relevant_from: int
    label_rank: int | None
    confusion: Ints
    graded: dict[str, dict[str, int]]
    kappa: float
    n: int
    notes: list[str] = field(default_factory=list)


def agreement(snapshot: Snapshot, choice: Choice, *, relevant_from: int, judgments: str = OFFICIAL) -> Agreement:
    """Agreement over the passages that have both a judgment and a label.

    A passage whose grades can't be read has no label: it is left out and counted in the notes.

    Raises
    ------
    UsageError : no such judgments
    """
    known = qrels_ids(snapshot)
    if judgments not in known:
        raise UsageError(
            f"There are no judgments {judgments} in {snapshot.collection}. There are: "
            f"{', '.join(known) or 'none'}. Add them with: python -m exam_core import qrels FILE "
            f"--name {judgments} --collection {snapshot.collection}"
        )
    book = gradebook(snapshot, choice)
    label, relevance = _judged_labels(snapshot, book, choice.label_rank, judgments)
    readable = label > UNREADABLE
    label, relevance = label[readable], relevance[readable]
    cells: dict[int, dict[int, int]] = {}
    pairs, counts = np.unique(np.stack([label, relevance]), axis=1, return_counts=True)
    for (grade, judged), n in zip(pairs.T.tolist(), counts.tolist(), strict=True):
        cells.setdefault(grade, {})[judged] = n
    table = confusion(cells, tau=choice.tau, relevant_from=relevant_from)
    notes = []
    if not readable.all():
        notes.append(f"{int((~readable).sum()):,} judged passages have no readable label and are left out.")
    kappa = cohen_kappa(table)
    if np.isnan(kappa):
        notes.append("Kappa is undefined: no passages, or chance alone explains every label.")
    return Agreement(
        tau=choice.tau,
        relevant_from=relevant_from,
        label_rank=choice.label_rank,
        confusion=table,
        graded=_as_texts(cells),
        kappa=kappa,
        n=len(label),
        notes=notes,
    )


def _judged_labels(snapshot: Snapshot, book: Gradebook, label_rank: int, judgments: str) -> tuple[Ints, Ints]:
    """Label and relevance of each passage that has both."""
    rows = snapshot.query("SELECT query_id, doc_id, relevance FROM judgments WHERE qrels_id = ?", [judgments])
    label = {
        (book.query_ids[query], doc): int(value)
        for query, doc, value in zip(
            book.pair_query.tolist(), book.docs.tolist(), book.labels(label_rank).tolist(), strict=True
        )
    }
    both = [
        (label[query, doc], relevance)
        for query, doc, relevance in zip(rows["query_id"], rows["doc_id"], rows["relevance"].tolist(), strict=True)
        if (query, doc) in label
    ]
    pairs = np.array(both, np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _as_texts(cells: dict[int, dict[int, int]]) -> dict[str, dict[str, int]]:
    """Largest label and relevance first, every cell filled in, as the papers print the matrix."""
    judged = sorted({relevance for row in cells.values() for relevance in row}, reverse=True)
    return {
        str(grade): {str(relevance): cells[grade].get(relevance, 0) for relevance in judged}
        for grade in sorted(cells, reverse=True)
    }

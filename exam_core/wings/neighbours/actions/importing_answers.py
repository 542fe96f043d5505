"""Imports of generated answers, of their ranks among documents, and of orders of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from exam_core.actions.committing import Imported, brought_by, commit_all, refuse_blank
from exam_core.actions.verbs import verb
from exam_core.errors import UsageError
from exam_core.formats import Reading
from exam_core.formats.file_names import file_name
from exam_core.formats.registry import reader
from exam_core.progress import Progress, no_progress
from exam_core.store import Store
from exam_core.store.commits import Origin
from exam_core.wings.neighbours.actions.importing_responses import runs_of
from exam_core.wings.neighbours.analysis.ranked import nrp_scores
from exam_core.wings.neighbours.expert_orders import METHOD as ORDER
from exam_core.wings.neighbours.formats.ranks import RankedAnswer

_WHOLE_FILE = "Put all answers of a system and prompt into one file; or add --replace to replace the stored ones."


@verb("edit")
def import_answers(
    store: Store, collection: str, path: Path, *, replace: bool = False, progress: Progress = no_progress
) -> Imported:
    """Import generated answers: passages named after system, query, prompt and sample, and a run for system and prompt.

    A run ranks the samples of a query in their order: it is there to be ranked among documents, or graded.

    Raises BadInput where a line is bad, or answers of that system and prompt are there that this file lacks.

    Parameters
    ----------
    replace : whether a run may take the place of another one of its name
    """
    reading = reader("answers", path)(path, progress=progress)
    brought = [*runs_of(path, reading, "answers")]
    return commit_all(store, collection, brought, None if replace else _WHOLE_FILE, about=reading)


@verb("edit")
def import_ranks(
    store: Store,
    collection: str,
    path: Path,
    *,
    ranker: str | None = None,
    rank_base: int | None = None,
    progress: Progress = no_progress,
) -> Imported:
    """Import ranks of generated answers among documents; a file of the same name by the same ranker is replaced.

    Parameters
    ----------
    ranker : by default as the file's column of scores names it (`monot5_score`)
    rank_base : where ranks of a column `rank` start; a column that says it (`rank_zero_based`) needs none
    """
    if rank_base not in (None, 0, 1):
        raise UsageError(f"--rank-base {rank_base}: ranks start at 0 or at 1.")
    found = reader("ranks", path)(path, rank_base=rank_base, progress=progress)
    ranker = ranker or found.ranker
    if ranker is None:
        raise UsageError(f"{path}: no column such as monot5_score says what ranked the answers. Name it with --ranker.")
    refuse_blank("--ranker", ranker)
    reading = _ranks_reading(found.answers, ranker, found.notes)
    origin = Origin(f"ranks:{ranker}:{file_name(path)}")
    return commit_all(store, collection, [brought_by(path, reading, origin)])


def _ranks_reading(answers: Sequence[RankedAnswer], ranker: str, notes: list[str]) -> Reading:
    """Ranks as rows of `scores`, which say by which ranker."""
    frame = pd.DataFrame(answers, columns=RankedAnswer._fields)
    scores = nrp_scores(frame.astype({"score": float, "parameters": float}), ranker)
    counts = {"runs": scores["run_id"].nunique(), "ranks": len(frame)}
    return Reading({"scores": scores}, counts=counts, notes=notes)


@verb("edit")
def import_orders(store: Store, collection: str, path: Path, *, progress: Progress = no_progress) -> Imported:
    """Import orders of answers by an expert and a ranker, to tell how well they agree."""
    reading = reader("orders", path)(path, progress=progress)
    return commit_all(store, collection, [brought_by(path, reading, Origin("orders:"), [("scores", ORDER)])])

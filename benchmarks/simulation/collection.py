"""A simulated collection in parts, so that it never has to fit into memory as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchmarks.simulation.frames import GRADER_ID, frames_of, run_names
from benchmarks.simulation.latent import LatentDraw, Runs, draw_queries, draw_runs
from benchmarks.simulation.settings import Settings
from exam_core.errors import UsageError
from exam_core.formats import Reading
from exam_core.formats.leaderboards import with_ranks
from exam_core.progress import Progress, no_progress
from exam_core.store import Store
from exam_core.tables import LEADERBOARDS, OFFICIAL

SOURCE = "simulation:latent-quality"
PART = 1000
"""Queries of a part; the draws of a part depend on its number and the seed alone."""

NOTE = "Simulated: no passage, question, judgment or run of it is real."


def simulate(
    store: Store, collection: str, settings: Settings | None = None, *, progress: Progress = no_progress
) -> None:
    """Draw a collection and store it, whole or not at all; one that was simulated before is replaced.

    Raises UsageError where the collection holds something that was imported.
    """
    if collection in store.collections():
        sources = [about["source"] for about in store.snapshot(collection).sources]
        if sources != [SOURCE]:
            raise UsageError(
                f"Collection {collection} holds imported data, such as {sources[0]}; simulated data would mix with "
                "them. Choose another name."
            )
    store.commit(collection, simulated_parts(settings or Settings(), progress=progress), source=SOURCE)


def simulated_parts(settings: Settings, *, progress: Progress = no_progress) -> Iterator[Reading]:
    """Draw a collection, a thousand queries at a time; the last part has the official leaderboard.

    One seed and one set of settings always give the same tables.
    """
    runs = draw_runs(settings, _generator(settings, 0))
    queries = settings.total_queries
    # The first queries take what does not divide evenly.
    sizes = np.full(queries, settings.total_passages // queries)
    sizes[: settings.total_passages % queries] += 1
    precision = []
    for part, first in enumerate(range(0, queries, PART), 1):
        draw = draw_queries(settings, runs, sizes[first : first + PART], _generator(settings, part))
        precision.append(average_precision(draw))
        frames = frames_of(settings, first, draw)
        if first + PART >= queries:
            frames["leaderboards"] = _official(settings, runs, np.concatenate(precision, axis=1))
        yield _reading(settings, frames, is_first=part == 1)
        progress(min(1.0, (first + PART) / queries))


def average_precision(draw: LatentDraw) -> npt.NDArray[np.float64]:
    """(R, Q) average precision of the rankings over what is judged, relevant from 1; NaN if nothing is relevant.

    Source: trec_eval, map.
    """
    relevant = draw.judged & (draw.relevance >= 1)
    hit = relevant[np.arange(len(relevant))[:, None], draw.order] & np.isfinite(draw.scores)
    precision = np.cumsum(hit, axis=2) / np.arange(1, hit.shape[2] + 1)
    with np.errstate(invalid="ignore"):
        found: npt.NDArray[np.float64] = (precision * hit).sum(axis=2) / relevant.sum(axis=1)
    return found


def _generator(settings: Settings, part: int) -> np.random.Generator:
    """Random numbers of the runs (0) or of a part of the queries (from 1), all independent."""
    return np.random.default_rng(np.random.SeedSequence(settings.seed, spawn_key=(part,)))


def _official(settings: Settings, runs: Runs, precision: npt.NDArray[np.float64]) -> pd.DataFrame:
    """The official ranks, by mean average precision; as in the papers, some runs are in no official list."""
    judged = precision[:, ~np.isnan(precision).all(axis=0)]
    names = run_names(settings)
    board = LEADERBOARDS.frame(
        {
            "leaderboard_id": [OFFICIAL] * len(runs.official),
            "run_id": [names[run] for run in runs.official],
            "score": judged[runs.official].mean(axis=1) if judged.size else np.zeros(len(runs.official)),
        }
    )
    # Printed official lists give ranks only.
    return with_ranks(board).assign(score=np.nan)


def _reading(settings: Settings, frames: dict[str, pd.DataFrame], *, is_first: bool) -> Reading:
    about = {
        "kind": "simulated",
        "scale": 5,
        "item": "question",
        "rated": True,
        "llm": None,
        "about": "Nothing here is real: passages, questions, judgments, runs and grades are drawn from a model.",
        "prompt_info": {"prompt_class": "latent-quality", "is_self_rated": True},
        # Lists, as they come back from JSON.
        "llm_options": {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(settings).items()},
    }
    counts = {
        "queries": len(frames["queries"]),
        "passages": len(frames["pool"]),
        "questions": len(frames["questions"]),
        "grades": len(frames["grades"]),
        "rankings": len(frames["rankings"]),
        "judgments": len(frames["judgments"]),
    }
    return Reading(frames, {GRADER_ID: about}, counts, [NOTE] if is_first else [])

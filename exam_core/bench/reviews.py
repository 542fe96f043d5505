"""How near simulated review campaigns come to the truth, and how often their intervals hold it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, cast

from exam_core.analysis.evaluation.choosing import choose
from exam_core.analysis.evaluation.leaderboard import leaderboard
from exam_core.analysis.reviews.campaigns import Campaign, campaigns, truth_of
from exam_core.asked import Asked
from exam_core.errors import UsageError
from exam_core.numbers.correlation import rank_correlation
from exam_core.progress import Progress, no_progress, part_of
from exam_core.reviews.review import SAMPLERS, Sampler
from exam_core.store import Snapshot, Store

SIZES = (100, 200, 400, 800)
SETTINGS: tuple[dict[str, Any], ...] = (
    *({"measure": "P@20", "tau": tau, "label_rank": label_rank} for tau in (4, 3) for label_rank in (1, 2)),
    *({"measure": measure, "tau": 4, "label_rank": 1} for measure in ("P@10", "P@5", "SetP")),
)
"""The papers' labels of P@20, and what else is offered as corrected."""


def benchmark(
    store: Store,
    collection: str,
    rounds: int = 2000,
    samplers: Sequence[str] = ("gain",),
    bank: str | None = None,
    seed: int = 0,
    *,
    progress: Progress = no_progress,
) -> dict[str, Any]:
    """Simulate campaigns in which the judgments `official` play the humans.

    Parameters
    ----------
    rounds : campaigns of each size
    samplers : how items are drawn

    Returns
    -------
    settings, and for each of `SETTINGS`, sampler and size a row: see `campaigns`

    Raises
    ------
    UsageError : there is no such sampler, or no judgments
    """
    if unknown := sorted(set(samplers) - set(SAMPLERS)):
        raise UsageError(f"--by {', '.join(unknown)}: choose among {', '.join(SAMPLERS)}.")
    snapshot = store.snapshot(collection)
    todo = [(one, sampler, n) for one in SETTINGS for sampler in samplers for n in SIZES]
    rows = []
    for place, (one, sampler, n) in enumerate(todo):
        campaign = Campaign(cast(Sampler, sampler), n, rounds, seed)
        rows.append(one | _row(snapshot, Asked(**one, bank=bank), campaign, part_of(progress, place, len(todo))))
    return {"collection": collection, "campaigns": rounds, "seed": seed, "rows": rows}


def _row(snapshot: Snapshot, asked: Asked, campaign: Campaign, progress: Progress) -> dict[str, Any]:
    choice = choose(snapshot, asked)
    truth = truth_of(snapshot, choice)
    began = time.perf_counter()
    found = campaigns(snapshot, choice, truth, campaign, progress)
    grader = leaderboard(snapshot, choice).rows.set_index("run_id").loc[truth.lists.book.run_ids, "mean"].to_numpy()
    return {
        **found,
        "campaign_ms": (time.perf_counter() - began) / campaign.rounds * 1000,
        "grader_bias": float((grader - truth.means).mean()),
        "grader_kendall": rank_correlation(grader, truth.means).kendall,
    }

"""How near simulated review campaigns come to the truth, and how often their intervals hold it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast, get_args

import numpy as np

from benchmarks.wings.reviews.simulated import Campaign, inside, on_average, simulated, truth_of
from exam_core.analysis.choosing import choose
from exam_core.analysis.leaderboard import leaderboard
from exam_core.errors import UsageError
from exam_core.numbers.rank_correlations import rank_correlation
from exam_core.progress import Progress, no_progress, part_of
from exam_core.request import Request
from exam_core.store import Snapshot, Store
from exam_core.wings.reviews.queue import Draw
from exam_core.wings.reviews.review import Sampler

SIZES = (100, 200, 400, 800)
SEED = 470_000
"""Campaigns from which no choice was made."""
WRONG = (0.0, 0.05, 0.1, 0.2)
SETTINGS: tuple[dict[str, Any], ...] = (
    *(
        {"measure": measure, "tau": 4, "label_rank": 1, "wrong": wrong, "twice": Draw.shared}
        for measure in ("P@20", "P@5")
        for wrong in WRONG
    ),
    {"measure": "P@20", "tau": 3, "label_rank": 2, "wrong": 0.0, "twice": Draw.shared},
    {"measure": "SetP", "tau": 4, "label_rank": 1, "wrong": 0.0, "twice": Draw.shared},
    *({"measure": "P@20", "tau": 4, "label_rank": 1, "wrong": wrong, "twice": 0} for wrong in WRONG[2:]),
)
"""Boards, which share of answers is wrong, and how many per cent of the passages two people answer."""


def benchmark(
    store: Store,
    collection: str,
    rounds: int = 2000,
    samplers: Sequence[str] = ("gain",),
    bank: str | None = None,
    seed: int = SEED,
    *,
    progress: Progress = no_progress,
) -> dict[str, Any]:
    """Simulate campaigns in which the judgments `official` play the humans, who are wrong at times.

    The truth is what such people would say of all passages on average.

    Parameters
    ----------
    rounds : campaigns of each size
    samplers : how items are drawn

    Returns
    -------
    settings, and for each of `SETTINGS`, sampler and size a row: what campaigns bring on average; `holds_stderr`, over
    the campaigns; `holds_least`: the share for the run whose intervals hold the truth least often; `holds_each`: the
    share of campaigns in which each run's own interval does; `holds_all`, `half_width_all`: of intervals of all at once

    Raises
    ------
    UsageError : there is no such sampler, or no judgments
    """
    if unknown := sorted(set(samplers) - set(get_args(Sampler))):
        raise UsageError(f"--by {', '.join(unknown)}: choose among {', '.join(get_args(Sampler))}.")
    snapshot = store.snapshot(collection)
    todo = [(one, sampler, n) for one in SETTINGS for sampler in samplers for n in SIZES]
    rows = []
    for place, (one, sampler, n) in enumerate(todo):
        campaign = Campaign(cast(Sampler, sampler), n, rounds, seed, one["twice"])
        rows.append(one | _row(snapshot, one, bank, campaign, part_of(progress, place, len(todo))))
    return {"collection": collection, "campaigns": rounds, "seed": seed, "rows": rows}


def _row(
    snapshot: Snapshot, setting: dict[str, Any], bank: str | None, campaign: Campaign, progress: Progress
) -> dict[str, Any]:
    board = {name: setting[name] for name in ("measure", "tau", "label_rank")}
    choice = choose(snapshot, Request(**board, bank=bank))
    truth, wrong = truth_of(snapshot, choice), setting["wrong"]
    # People give another answer than these for a share of passages, each time at random.
    truth = replace(truth, answers=wrong + (1 - 2 * wrong) * truth.answers)
    began = time.perf_counter()
    found = simulated(snapshot, choice, truth, campaign, progress)
    holds = np.array([inside(truth.means, means.low, means.high) for means in found])
    together = [means.together() for means in found]
    grader = leaderboard(snapshot, choice).rows.set_index("run_id").loc[truth.lists.book.run_ids, "mean"].to_numpy()
    return {
        **on_average(truth, campaign, found),
        "holds_stderr": float(holds.mean(axis=1).std() / np.sqrt(campaign.rounds)),
        "holds_least": float(holds.mean(axis=0).min()),
        "holds_each": float(holds.all(axis=1).mean()),
        "holds_all": float(np.mean([inside(truth.means, *ends).all() for ends in together])),
        "half_width_all": float(np.mean([high - low for low, high in together]) / 2),
        "campaign_ms": (time.perf_counter() - began) / campaign.rounds * 1000,
        "grader_bias": float((grader - truth.means).mean()),
        "grader_kendall": rank_correlation(grader, truth.means).kendall,
    }

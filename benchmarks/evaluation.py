"""From a file to a leaderboard: seconds of every step, beside ir_measures on the same labels."""

from __future__ import annotations

import resource
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.timing import median, timed
from exam_core.actions import import_workbench
from exam_core.actions.demo import build_demo
from exam_core.analysis.evaluation.books import gradebook
from exam_core.analysis.evaluation.choice import TAUS, Evaluation
from exam_core.analysis.evaluation.choosing import choose
from exam_core.analysis.evaluation.leaderboard import leaderboard
from exam_core.asked import Asked
from exam_core.measures.trec_eval import trec_measure
from exam_core.store import Snapshot, Store
from exam_core.store.summary import banks


def benchmark(file: Path | None = None) -> dict[str, Any]:
    """Import a workbench file (or build the demo), evaluate it, and compare P@20 with ir_measures.

    Returns
    -------
    seconds by step (medians of 7 for those that repeat), the ratio to ir_measures, and memory in MiB
    """
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        started = time.perf_counter()
        if file is None:
            build_demo(store)
            name = "demo"
        else:
            name = import_workbench(store, "bench", file, bank="bench").collection
        imported = time.perf_counter() - started
        snapshot, opened = timed(lambda: Store(folder).snapshot(name))
        bank = next(iter(banks(snapshot)), None)
        choice = choose(snapshot, Asked(measure="P@20", bank=bank, tau=4))
        _, read = timed(lambda: gradebook(snapshot, choice.labelling))
        one = median(lambda: leaderboard(snapshot, choice))
        five = median(lambda: [leaderboard(snapshot, _at(snapshot, bank, tau)) for tau in TAUS])
        theirs, difference = _ir_measures(snapshot, choice)
    return {
        "collection": name if file is None else file.name,
        "import_s": imported,
        "open_s": opened,
        "gradebook_s": read,
        "leaderboard_s": one,
        "five_taus_s": five,
        "ir_measures_one_tau_s": theirs,
        "gradebook_and_leaderboard_to_ir_measures": (read + one) / theirs,
        "leaderboard_to_ir_measures": one / theirs,
        "largest_difference_to_ir_measures": difference,
        "peak_memory_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def _at(snapshot: Snapshot, bank: str | None, tau: int) -> Evaluation:
    return choose(snapshot, Asked(measure="P@20", bank=bank, tau=tau))


def _ir_measures(snapshot: Snapshot, choice: Evaluation) -> tuple[float, float]:
    """Seconds that ir_measures takes for the same means, and the largest difference to ours."""
    book = gradebook(snapshot, choice.labelling)
    labels = pd.DataFrame(
        {
            "query_id": np.asarray(book.query_ids, object)[book.pair_query],
            "doc_id": book.docs.to_pylist(),
            "relevance": np.maximum(book.labels(), 0),
        }
    )
    rankings = snapshot.frame("rankings").query("rank <= 20")
    runs = {str(run_id): run for run_id, run in rankings.groupby("run_id")}
    measure = f"P(rel={choice.tau})@20"
    means, seconds = timed(lambda: trec_measure(measure, labels, runs).mean())
    ours = leaderboard(snapshot, choice).rows.set_index("run_id")["mean"]
    return seconds, max(abs(ours[name] - mean) for name, mean in means.items())

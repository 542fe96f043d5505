"""The whole analysis at the size of CAR Y3 and beyond, beside pytrec_eval and ir_measures on the same labels."""

from __future__ import annotations

import pickle
import tempfile
from collections import deque
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.drawn import correlation_intervals
from benchmarks.others import PytrecEval, ir_measures_seconds
from benchmarks.simulation.collection import simulate
from benchmarks.simulation.settings import Settings
from benchmarks.timing import REPEATS, in_a_fresh_process, median, memory, peak_memory, timed
from exam_core import engine
from exam_core.analysis.agreement import relevances_of_pairs
from exam_core.analysis.choice import TAUS, LabelRule
from exam_core.analysis.choosing import choose
from exam_core.analysis.gradebook_files import open_book
from exam_core.analysis.references import find_reference
from exam_core.analysis.values import gradebook
from exam_core.measures import Measure
from exam_core.measures.gradebook import Gradebook
from exam_core.measures.marks import labelling
from exam_core.measures.sweep import by_runs, sweep
from exam_core.numbers.annotator_agreement import binary_counts, cohen_kappa
from exam_core.numbers.arrays import Floats
from exam_core.numbers.means import mean_and_stderr
from exam_core.numbers.rank_correlations import COEFFICIENTS, correlations
from exam_core.numbers.resampling import bootstrap_counts
from exam_core.progress import Progress, no_progress
from exam_core.request import Request
from exam_core.store import Snapshot, Store
from exam_core.store.derived_files import FOLDER
from exam_core.tables import OFFICIAL

MEASURES = ("Cover@20", "P@20", "AP", "nDCG@20", "Rprec", "RR")
RELEVANT_FROM = (1, 2, 3)
LARGEST_COMPARED = 10
"""Scale up to which the other tools take part: at 100 they need minutes and many gigabytes."""
OTHER_LABEL_RANKS = (2, 3)
WHOLE = 2**30
"""Bytes of values up to which all of them are held where they are asked for, as by a bootstrap."""


def benchmark(scale: int = 1, store: Path | None = None, *, progress: Progress = no_progress) -> dict[str, Any]:
    """Simulate a collection, evaluate it, and let other tools compute the same measures.

    Each part is done by a process of its own, whose memory holds nothing else.

    Parameters
    ----------
    scale : 1 has CAR Y3's size; 10, 100 and 1000 have as many times the queries
    store : folder in which the collection is kept; by default one that is removed

    Returns
    -------
    sizes, seconds (medians of those that repeat), ratios to other tools, differences, and memory in MiB
    """
    with tempfile.TemporaryDirectory() as temporary:
        folder, name = store or Path(temporary), f"simulated-{scale}"
        simulated = None
        if name not in Store(folder).collections():
            settings = Settings(scale=scale, texts=scale == 1)
            _, simulated = timed(lambda: simulate(Store(folder), name, settings, progress=progress))
        for path in _files(folder, name):
            path.unlink()
        answer = {"scale": scale, "workers": engine.current().workers, "simulate_s": simulated}
        answer |= in_a_fresh_process(_made, folder, name)
        if files := _files(folder, name):
            (path,) = files
            answer |= in_a_fresh_process(_opened_again, folder, name)
        else:
            path = in_a_fresh_process(_pickled, folder, name, Path(temporary) / "gradebook")
        answer |= in_a_fresh_process(_memory_of_ours, path)
        if scale <= LARGEST_COMPARED:
            answer["pytrec_eval_memory_mib"] = in_a_fresh_process(_memory_of_pytrec_eval, path)
        return answer | in_a_fresh_process(_measured, folder, name, answer)


def _files(folder: Path, name: str) -> list[Path]:
    """The gradebooks of a collection that are kept on disk."""
    return sorted((folder / name / FOLDER).glob("*.book"))


def _asked(folder: Path, name: str) -> tuple[Snapshot, LabelRule]:
    snapshot = Store(folder).snapshot(name)
    return snapshot, choose(snapshot, Request(measure="P@20", tau=4)).labelling


def _made(folder: Path, name: str) -> dict[str, Any]:
    """How long it takes to make a gradebook, and the memory that it needs meanwhile, DuckDB's included."""
    _, opened = timed(lambda: Store(folder).snapshot(name))
    asked, before = _asked(folder, name), memory()
    book, read = timed(lambda: gradebook(*asked))
    return {
        "runs": len(book.run_ids),
        "queries": len(book.query_ids),
        "passages": len(book.pair_query),
        "grades": book.grades.size,
        "open_s": opened,
        "gradebook_s": read,
        "open_and_gradebook_s": opened + read,
        "reading_memory_mib": peak_memory() - before,
    }


def _opened_again(folder: Path, name: str) -> dict[str, Any]:
    """How long another process takes to open the gradebook, and what that adds to its memory."""
    asked, before = _asked(folder, name), memory()
    _, seconds = timed(lambda: gradebook(*asked))
    return {"opened_again_s": seconds, "opened_again_memory_mib": peak_memory() - before}


def _pickled(folder: Path, name: str, path: Path) -> Path:
    path.write_bytes(pickle.dumps(gradebook(*_asked(folder, name))))
    return path


def _book(path: Path) -> Gradebook:
    return open_book(path) or pickle.loads(path.read_bytes())


def _memory_of_ours(path: Path) -> dict[str, float]:
    """Mebibytes that a gradebook and means of all measures add, and of the whole process."""
    before = memory()
    book = _book(path)
    Job(book, pd.Series(dtype=float), np.empty(0)).boards(TAUS)
    return {"memory_mib": peak_memory() - before, "peak_mib": peak_memory()}


def _measured(folder: Path, name: str, answer: dict[str, Any]) -> dict[str, Any]:
    """How long the job takes, ours and that of others."""
    snapshot, labelling = _asked(folder, name)
    reference = find_reference(snapshot, OFFICIAL)
    assert reference is not None
    judged = relevances_of_pairs(snapshot, labelling, OFFICIAL)
    job = Job(gradebook(snapshot, labelling), reference.ranks, judged)
    found = _ours(job)
    return found | (_others(job, answer | found) if answer["scale"] <= LARGEST_COMPARED else {})


class Job:
    """Measures, standard errors, re-normalised scores, correlations and kappa for all runs, queries and taus."""

    def __init__(self, book: Gradebook, ranks: pd.Series, judged: Any, label_rank: int = 1) -> None:
        self.book, self.judged, self.label_rank = book, judged, label_rank
        self.ranks = ranks
        self.measures = [Measure.parse(name) for name in MEASURES]
        self.ranked = [row for row, run_id in enumerate(book.run_ids) if run_id in ranks.index]
        self.official = -ranks.reindex([book.run_ids[row] for row in self.ranked]).to_numpy(float)

    def run(self, taus: tuple[int, ...]) -> None:
        """All of it."""
        mean = self.boards(taus)
        low, high = mean.min(axis=-1, keepdims=True), mean.max(axis=-1, keepdims=True)
        _ = (mean - low) / np.where(high > low, high - low, np.nan)
        self.correlate(mean)
        self.kappa(taus)

    def boards(self, taus: tuple[int, ...]) -> Floats:
        """(M, T, R) means; standard errors are computed, too."""
        return np.concatenate([mean_and_stderr(values)[0] for values in self.values(taus)], axis=-1)

    def values(self, taus: tuple[int, ...]) -> Iterator[Floats]:
        """(M, T, some, Q) values of some runs after the other, each time in the same memory."""
        for _, values in by_runs(self.book, self.measures, taus=taus, label_rank=self.label_rank):
            yield values

    def size(self, taus: tuple[int, ...]) -> int:
        """Bytes of all values."""
        return 8 * len(self.measures) * len(taus) * len(self.book.run_ids) * len(self.book.query_ids)

    def whole(self, taus: tuple[int, ...]) -> Floats:
        """(M, T, R, Q) values of all runs."""
        return sweep(self.book, self.measures, taus=taus, label_rank=self.label_rank)

    def correlate(self, mean: Floats) -> None:
        """Spearman and Kendall of every board with the official one."""
        correlations(mean[..., self.ranked], self.official, ("spearman", "kendall"))

    def kappa(self, taus: tuple[int, ...]) -> None:
        """Cohen's kappa for every tau and judgment cut."""
        labels = labelling(self.book, taus, self.label_rank).labels[self.judged >= 0].astype(np.int64)
        relevance = self.judged[self.judged >= 0].astype(np.int64)
        shape = (labels.max() + 2, relevance.max() + 1)
        counts = np.bincount((np.maximum(labels, -1) + 1) * shape[1] + relevance, minlength=shape[0] * shape[1])
        rows, columns = np.arange(-1, shape[0] - 1), np.arange(shape[1])
        cohen_kappa(binary_counts(counts.reshape(shape), rows, columns, np.array(taus), np.array(RELEVANT_FROM)))


def _ours(job: Job) -> dict[str, Any]:
    mean, question = job.boards(TAUS), job.book.question_ids[0][0]

    small = job.size(TAUS) < WHOLE
    often = partial(median, repeats=REPEATS if small else 3)

    def without_one() -> None:
        changed = Job(job.book.without({question}), pd.Series(dtype=float), job.judged)
        changed.ranked, changed.official = job.ranked, job.official
        changed.run(TAUS)

    return {
        "all_taus_s": often(lambda: job.run(TAUS)),
        "one_tau_s": often(lambda: job.run((4,))),
        "of_which": {
            "sweep_s": often(lambda: deque(job.values(TAUS), 0)),
            "correlations_s": often(lambda: job.correlate(mean)),
            "kappa_s": often(lambda: job.kappa(TAUS)),
        },
        "all_coefficients_s": often(lambda: correlations(mean[..., job.ranked], job.official, COEFFICIENTS)),
        "question_off_s": median(without_one),
        **(_of_values(job) if small else {}),
    }


def _of_values(job: Job) -> dict[str, float]:
    """What needs the values of all runs and queries at once."""
    values = job.whole(TAUS)
    boards = values.reshape(-1, *values.shape[2:])[:, job.ranked]
    counts = bootstrap_counts(values.shape[-1])
    return {
        "means_s": median(lambda: mean_and_stderr(values)),
        "bootstrap_2000_s": timed(lambda: correlation_intervals(boards, job.official, counts, ("spearman", "kendall")))[
            1
        ],
    }


def _memory_of_pytrec_eval(path: Path) -> float:
    """Mebibytes that pytrec_eval's judgments, rankings and evaluators add, with a gradebook there already."""
    book = _book(path)
    docs = book.docs.to_pylist()
    before = memory()
    theirs = PytrecEval(book, TAUS, docs)
    theirs.evaluate(TAUS)
    return memory() - before


def _others(job: Job, ours: dict[str, Any]) -> dict[str, Any]:
    """The same labels and rankings in pytrec_eval and ir_measures, and how they compare."""
    theirs = PytrecEval(job.book, TAUS)
    five, one = median(lambda: theirs.evaluate(TAUS), 3), median(lambda: theirs.evaluate((4,)), 3)
    ir_measures = ir_measures_seconds(job.book, TAUS)
    return {
        "pytrec_eval_all_taus_s": five,
        "pytrec_eval_one_tau_s": one,
        "ir_measures_all_taus_s": ir_measures,
        "times_faster_than_pytrec_eval": five / ours["all_taus_s"],
        "times_faster_than_ir_measures": ir_measures / ours["all_taus_s"],
        "all_taus_to_pytrec_eval_one_tau": ours["all_taus_s"] / one,
        "question_off_to_pytrec_eval_one_tau": ours["question_off_s"] / one,
        "memory_to_pytrec_eval": ours["memory_mib"] / ours["pytrec_eval_memory_mib"],
        "largest_difference_to_pytrec_eval": theirs.largest_difference(job.measures, TAUS, job.whole(TAUS)),
        "other_label_ranks": [_of_label_rank(job, rank) for rank in OTHER_LABEL_RANKS],
    }


def _of_label_rank(job: Job, label_rank: int) -> dict[str, Any]:
    """The whole job beside pytrec_eval, where a label is the N-th best grade."""
    again = Job(job.book, job.ranks, job.judged, label_rank)
    theirs = PytrecEval(job.book, TAUS, label_rank=label_rank)
    seconds, five = median(lambda: again.run(TAUS)), median(lambda: theirs.evaluate(TAUS), 3)
    return {
        "label_rank": label_rank,
        "all_taus_s": seconds,
        "pytrec_eval_all_taus_s": five,
        "times_faster_than_pytrec_eval": five / seconds,
        "largest_difference_to_pytrec_eval": theirs.largest_difference(again.measures, TAUS, again.whole(TAUS)),
    }

"""The whole analysis at the size of CAR Y3 and beyond, beside pytrec_eval and ir_measures on the same labels."""

from __future__ import annotations

import pickle
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.others import PytrecEval, ir_measures_seconds
from benchmarks.timing import in_a_fresh_process, median, memory, timed
from exam_core.actions.simulating import simulate
from exam_core.analysis.evaluation.books import gradebook
from exam_core.analysis.evaluation.choice import TAUS
from exam_core.analysis.evaluation.choosing import choose
from exam_core.analysis.evaluation.references import find_reference
from exam_core.analysis.judges.contingency import relevances_of_pairs
from exam_core.asked import Asked
from exam_core.measures import Measure
from exam_core.measures.gradebook import Gradebook
from exam_core.measures.marks import labelling
from exam_core.measures.sweep import sweep
from exam_core.numbers.annotator_agreement import binary_counts, cohen_kappa
from exam_core.numbers.arrays import Floats
from exam_core.numbers.means import mean_and_stderr
from exam_core.numbers.rank_correlations import COEFFICIENTS, correlations
from exam_core.numbers.resampling import bootstrap_counts, correlation_intervals
from exam_core.progress import Progress, no_progress
from exam_core.simulation.settings import Settings
from exam_core.store import Store
from exam_core.tables import OFFICIAL

MEASURES = ("Cover@20", "P@20", "AP", "nDCG@20", "Rprec", "RR")
RELEVANT_FROM = (1, 2, 3)
LARGEST_COMPARED = 10
"""Scale up to which the other tools take part: at 100 they need minutes and many gigabytes."""


OTHER_LABEL_RANKS = (2, 3)


def benchmark(scale: int = 1, store: Path | None = None, *, progress: Progress = no_progress) -> dict[str, Any]:
    """Simulate a collection, evaluate it, and let other tools compute the same measures.

    Parameters
    ----------
    scale : 1 has CAR Y3's size; 10 and 100 have as many times the queries
    store : folder in which the collection is kept; by default one that is removed

    Returns
    -------
    sizes, seconds (medians of those that repeat), ratios to other tools, differences, and memory in MiB
    """
    with tempfile.TemporaryDirectory() as temporary:
        folder = store or Path(temporary)
        name = f"simulated-{scale}"
        simulated = None
        if name not in Store(folder).collections():
            _, simulated = timed(
                lambda: simulate(Store(folder), name, Settings(scale=scale, texts=scale == 1), progress=progress)
            )
        snapshot, opened = timed(lambda: Store(folder).snapshot(name))
        choice = choose(snapshot, Asked(measure="P@20", tau=4))
        book, read = timed(lambda: gradebook(snapshot, choice.labelling))
        judged = relevances_of_pairs(snapshot, choice.labelling, OFFICIAL)
        reference = find_reference(snapshot, OFFICIAL)
        assert reference is not None
        job = Job(book, reference.ranks, judged)
        answer = {
            "scale": scale,
            "runs": len(book.run_ids),
            "queries": len(book.query_ids),
            "passages": len(book.pair_query),
            "grades": book.grades.size,
            "simulate_s": simulated,
            "open_s": opened,
            "gradebook_s": read,
            "open_and_gradebook_s": opened + read,
            **_ours(job),
            "reading_memory_mib": in_a_fresh_process(_memory_of_reading, folder, name),
        }
        pickled = Path(temporary) / "gradebook"
        pickled.write_bytes(pickle.dumps(book))
        answer["memory_mib"] = in_a_fresh_process(_memory_of_ours, pickled)
        if scale <= LARGEST_COMPARED:
            answer["pytrec_eval_memory_mib"] = in_a_fresh_process(_memory_of_pytrec_eval, pickled)
            answer |= _others(job, answer)
        return answer


class Job:
    """Measures, standard errors, re-normalised scores, correlations and kappa for all runs, queries and taus."""

    def __init__(self, book: Gradebook, ranks: pd.Series, judged: Any, label_rank: int = 1) -> None:
        self.book, self.judged, self.label_rank = book, judged, label_rank
        self.ranks = ranks
        self.measures = [Measure.parse(name) for name in MEASURES]
        self.ranked = [row for row, run_id in enumerate(book.run_ids) if run_id in ranks.index]
        self.official = -ranks.reindex([book.run_ids[row] for row in self.ranked]).to_numpy(float)

    def run(self, taus: tuple[int, ...]) -> Floats:
        """All of it; returns the values, which the other tools' are compared with."""
        values = sweep(self.book, self.measures, taus=taus, label_rank=self.label_rank)
        mean, _, _ = mean_and_stderr(values)
        low, high = mean.min(axis=-1, keepdims=True), mean.max(axis=-1, keepdims=True)
        _ = (mean - low) / np.where(high > low, high - low, np.nan)
        self.correlate(mean)
        self.kappa(taus)
        return values

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
    values = sweep(job.book, job.measures, taus=TAUS)
    mean, _, _ = mean_and_stderr(values)
    boards = values.reshape(-1, *values.shape[2:])[:, job.ranked]
    question = job.book.question_ids[0][0]

    def without_one() -> None:
        changed = Job(job.book.without({question}), pd.Series(dtype=float), job.judged)
        changed.ranked, changed.official = job.ranked, job.official
        changed.run(TAUS)

    return {
        "all_taus_s": median(lambda: job.run(TAUS)),
        "one_tau_s": median(lambda: job.run((4,))),
        "of_which": {
            "sweep_s": median(lambda: sweep(job.book, job.measures, taus=TAUS)),
            "means_s": median(lambda: mean_and_stderr(values)),
            "correlations_s": median(lambda: job.correlate(mean)),
            "kappa_s": median(lambda: job.kappa(TAUS)),
        },
        "all_coefficients_s": median(lambda: correlations(mean[..., job.ranked], job.official, COEFFICIENTS)),
        "question_off_s": median(without_one),
        "bootstrap_2000_s": timed(
            lambda: correlation_intervals(
                boards, job.official, bootstrap_counts(values.shape[-1]), ("spearman", "kendall")
            )
        )[1]
        if values.nbytes < 2**30
        else None,
    }


def _memory_of_reading(folder: Path, name: str) -> float:
    """Mebibytes that reading a gradebook adds, what DuckDB keeps for itself included."""
    snapshot = Store(folder).snapshot(name)
    before = memory()
    book = gradebook(snapshot, choose(snapshot, Asked(measure="P@20", tau=4)).labelling)
    return memory() - before if book.run_ids else 0.0


def _memory_of_ours(pickled: Path) -> float:
    """Mebibytes that a gradebook and a sweep add."""
    before = memory()
    book = pickle.loads(pickled.read_bytes())
    values = sweep(book, [Measure.parse(measure) for measure in MEASURES], taus=TAUS)
    return memory() - before if values.size else 0.0


def _memory_of_pytrec_eval(pickled: Path) -> float:
    """Mebibytes that pytrec_eval's judgments, rankings and evaluators add, with a gradebook there already."""
    book = pickle.loads(pickled.read_bytes())
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
        "largest_difference_to_pytrec_eval": theirs.largest_difference(job.measures, TAUS, job.run(TAUS)),
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
        "largest_difference_to_pytrec_eval": theirs.largest_difference(again.measures, TAUS, again.run(TAUS)),
    }

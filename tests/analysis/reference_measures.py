"""Our measures as ir_measures spells them, on files that Examboard exports and reads back."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd

from exam_core.actions.exporting import export_labels, export_run
from exam_core.analysis.choice import Evaluation
from exam_core.analysis.values import gradebook
from exam_core.formats.trec import read_qrels, read_run
from exam_core.measures import Measure
from exam_core.measures.gradebook import Gradebook
from exam_core.measures.trec_eval import reference_measure
from exam_core.numbers.arrays import Floats
from exam_core.store import Snapshot


def theirs(measure: Measure, tau: int) -> ir_measures.Measure:
    """A measure of ours at a tau as ir_measures has it; its `rel` is the smallest label that counts."""
    name, _, depth = str(measure).partition("@")
    relevant = f"(rel={tau})" if measure.info.tau_applies else ""
    return reference_measure(f"{name}{relevant}@{depth}" if depth else f"{name}{relevant}")


def exported(snapshot: Snapshot, choice: Evaluation, folder: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Labels and rankings as they come back from the files that we export."""
    export_labels(snapshot, choice.labelling, folder / "labels.qrels")
    export_run(snapshot, folder / "all.run")
    qrels = read_qrels(folder / "labels.qrels", qrels_id="labels").frames["judgments"].astype({"relevance": int})
    return qrels, read_run(folder / "all.run").frames["rankings"]


def reference_values(
    book: Gradebook, measures: Sequence[Measure], taus: Sequence[int], qrels: pd.DataFrame, rankings: pd.DataFrame
) -> Floats:
    """(M, T, R, Q) by ir_measures; 0 where a run lacks a query, as with trec_eval -c.

    What is not trec_eval's orders tied passages otherwise: it gets scores without ties.
    """
    values = np.zeros((len(measures), len(taus), len(book.run_ids), len(book.query_ids)))
    untied = rankings.assign(score=-rankings["rank"].astype(float))
    # An evaluator reads each run once only: it may have but one tau, and measures of one of the tools behind it.
    for (tool, tau_applies), group in groupby(sorted(enumerate(measures), key=_evaluator_of), key=_evaluator_of):
        rows = [row for row, _ in group]
        for column, tau in enumerate(taus if tau_applies else taus[:1]):
            places = {theirs(measures[row], tau): row for row in rows}
            evaluator = ir_measures.evaluator(list(places), qrels)
            for run_id, run in (rankings if tool == "trec_eval" else untied).groupby("run_id"):
                for metric in evaluator.iter_calc(run[["query_id", "doc_id", "score"]]):
                    at = (places[metric.measure], column, book.run_ids.index(run_id))
                    values[(*at, book.query_ids.index(metric.query_id))] = metric.value
        if not tau_applies:
            values[rows] = values[rows, :1]
    return values


def _evaluator_of(numbered: tuple[int, Measure]) -> tuple[str, bool]:
    """The tool that computes a measure, and whether it has a tau."""
    measure = numbered[1]
    if measure.info.of == "questions":
        tool = "ndeval"
    elif measure.name == "Judged" or (measure.name == "RR" and measure.depth):
        tool = "ir_measures"
    else:
        tool = "trec_eval"
    return tool, measure.info.tau_applies


def subtopic_qrels(snapshot: Snapshot, choice: Evaluation) -> pd.DataFrame:
    """The grades as qrels whose iteration is the question: ndeval's subtopics."""
    book = gradebook(snapshot, choice.labelling)
    pair, question = np.nonzero(book.enabled[book.pair_query] & (book.grades >= 0))
    query = book.pair_query[pair]
    return pd.DataFrame(
        {
            "query_id": np.asarray(book.query_ids, object)[query],
            "doc_id": np.asarray(book.docs.to_pylist(), object)[pair],
            "relevance": book.grades[pair, question].astype(int),
            "iteration": [f"{q}/{s}" for q, s in zip(query.tolist(), question.tolist(), strict=True)],
        }
    )

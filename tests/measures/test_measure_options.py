"""What is said of a measure behind its name, against the tools that ir_measures calls, over random collections."""

import pkgutil
import shutil
import subprocess
from collections import defaultdict

import ir_measures
import numpy as np
import pandas as pd
import pytest

from exam_core.measures import Measure
from exam_core.measures.gradebook import NOTHING
from exam_core.measures.sweep import sweep
from exam_core.measures.trec_eval import reference_measure
from tests.thoroughly import thoroughly

from .books import random_book

LABELS = (-128, -2, -1, 0, 0, 1, 2, 3, 4)
OF_TREC_EVAL = """
P(rel=2)@5 P(judged_only=True)@5 P(rel=2,judged_only=True)@5 AP(rel=2) AP(judged_only=True)@10 RR(rel=3)
RR(judged_only=True) nDCG(judged_only=True)@5 R(rel=2)@5 R(judged_only=True)@5 Rprec(rel=2,judged_only=True)
Success(judged_only=True)@2 SetP(judged_only=True) SetF(rel=2,judged_only=True) SetR(rel=2) Bpref(rel=2) infAP
infAP(rel=2)
""".split()
OF_GDEVAL = ["nDCG(dcg=exp-log2)@{}", "ERR@{}"]


def collection(seed):
    """A gradebook of labels, the same as qrels, and its rankings by run."""
    rng = np.random.default_rng(seed)
    book = random_book(rng, queries=3, width=1, places=12, passages=20, values=LABELS, direct=True)
    docs = book.docs.to_pylist()
    judged = [
        (str(q), docs[n], int(book.grades[n, 0])) for n, q in enumerate(book.pair_query) if book.grades[n, 0] > -3
    ]
    ranked = defaultdict(list)
    for (place, run, query), slot in np.ndenumerate(book.slots):
        if slot != NOTHING:
            ranked[run].append((str(query), docs[slot] if slot >= 0 else f"unseen{place}", 100.0 - place))
    runs = {run: pd.DataFrame(rows, columns=["query_id", "doc_id", "score"]) for run, rows in ranked.items()}
    return book, pd.DataFrame(judged, columns=["query_id", "doc_id", "relevance"]), runs


@pytest.mark.parametrize("seeds", [range(12), *thoroughly(range(12, 300))], ids=str)
def test_rel_and_judged_only_give_the_values_of_trec_eval(seeds):
    # One evaluator for each: it reads a run once only.
    theirs = [reference_measure(text) for text in OF_TREC_EVAL]
    for seed in seeds:
        book, qrels, runs = collection(seed)
        ours = sweep(book, [Measure.parse(text) for text in OF_TREC_EVAL], taus=(1,))[:, 0]
        # trec_eval's Python module crashes at a query whose judgments are all below 0.
        qrels = qrels.groupby("query_id").filter(lambda own: (own["relevance"] >= 0).any())
        for run, ranking in runs.items():
            for metric in ir_measures.pytrec_eval.iter_calc(theirs, qrels, ranking):
                mine = ours[theirs.index(metric.measure), run, int(metric.query_id)]
                assert metric.value == pytest.approx(mine, abs=1e-9), (seed, metric)


@pytest.mark.skipif(not shutil.which("perl"), reason="gdeval is a script in Perl")
@pytest.mark.parametrize("seeds", [range(8), *thoroughly(range(8, 300))], ids=str)
def test_exponential_gains_and_err_give_the_values_of_gdeval(seeds, tmp_path):
    # ir_measures' copy of the script prints five decimals; here it prints twelve.
    script = pkgutil.get_data("ir_measures", "bin/gdeval.pl")
    assert script is not None
    assert script.count(b"%.5f") == 2
    (tmp_path / "gdeval.pl").write_bytes(script.replace(b"%.5f", b"%.12f"))
    for seed in seeds:
        book, qrels, runs = collection(seed)
        depth = 1 + seed % 12
        ours = sweep(book, [Measure.parse(text.format(depth)) for text in OF_GDEVAL], taus=(1,))[:, 0]
        with (tmp_path / "qrels").open("w") as out:
            out.writelines(f"{query} 0 {doc} {label}\n" for query, doc, label in qrels.itertuples(index=False))
        for run, ranking in runs.items():
            with (tmp_path / "run").open("w") as out:
                out.writelines(f"{q} Q0 {doc} 1 {score} run\n" for q, doc, score in ranking.itertuples(index=False))
            command = ["perl", "gdeval.pl", "qrels", "run", str(depth)]
            printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
            rows = [line.split(",") for line in printed.splitlines()[1:]]
            actual = {int(query): [float(value) for value in values] for _, query, *values in rows}
            for query, values in actual.items():
                np.testing.assert_allclose(ours[:, run, query], values, rtol=0, atol=1e-9, err_msg=str(seed))

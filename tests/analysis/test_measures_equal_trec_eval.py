"""Measures against trec_eval and ndeval (behind ir_measures) on labels and runs as Examboard exports them."""

import numpy as np
import pytest

from exam_core.analysis.choosing import choose
from exam_core.analysis.values import all_values, gradebook
from exam_core.measures import MEASURES, Measure
from exam_core.request import Request
from tests.measures.slow import TWINS

from .reference_measures import exported, reference_values, subtopic_qrels
from .worlds import store_of

OF_TREC_EVAL = [
    Measure.at(info.name, k)
    for name, info in MEASURES.items()
    if info.of == "labels" and TWINS[name].reference
    for k in (1, 5, 20)
]
UNCUT = [Measure("AP"), Measure("nDCG"), Measure("RR")]
# ndeval (pyndeval 0.0.8) leaves ERR-IA@1, and it alone, undivided: 2.0 for two of five questions.
OF_NDEVAL = [
    *(Measure(name, k) for name in ("alpha_nDCG", "ERR_IA", "StRecall") for k in (2, 3, 5, 20)),
    *(Measure("alpha_nDCG", 1), Measure("StRecall", 1)),
]


def both(snapshot, measures, folder, **options):
    """Our values and those of the reference, (M, T, R, Q)."""
    choice = choose(snapshot, Request(measure="P@1", depth=None, **options))
    qrels, rankings = exported(snapshot, choice, folder)
    if measures[0].info.of == "questions":
        qrels = subtopic_qrels(snapshot, choice)
    book = gradebook(snapshot, choice.labelling)
    # Queries that ir_measures can't know have no line in the qrels: all of theirs is 0.
    known = rankings[rankings["query_id"].isin(book.query_ids)]
    theirs = reference_values(book, measures, choice.taus, qrels, known)
    return np.nan_to_num(all_values(snapshot, choice, measures)), theirs


@pytest.fixture(scope="module")
def plain_ids(random_world):
    """The world's graded queries and runs have ids with blanks, which a TREC file can't hold."""
    frames = {name: random_world.frame(name) for name in ("questions", "grades", "rankings")}
    for frame in frames.values():
        for column in {"run_id", "query_id"} & set(frame):
            frame[column] = frame[column].str.replace(" ", "_")
    return frames


@pytest.fixture(scope="module")
def plain_snapshot(plain_ids, tmp_path_factory):
    return store_of(tmp_path_factory.mktemp("store"), plain_ids)


@pytest.mark.parametrize("label_rank", [1, 2, 3])
def test_exported_labels_give_the_values_of_trec_eval_at_every_tau(plain_snapshot, label_rank, tmp_path):
    measures = list(dict.fromkeys([*OF_TREC_EVAL, *UNCUT]))
    ours, theirs = both(plain_snapshot, measures, tmp_path, bank="genq", grader="rater", label_rank=label_rank)
    for measure, mine, other in zip(measures, ours, theirs, strict=True):
        np.testing.assert_allclose(mine, other, rtol=0, atol=1e-9, err_msg=str(measure))


def test_questions_as_subtopics_give_the_values_of_ndeval_at_every_tau(plain_snapshot, tmp_path):
    ours, theirs = both(plain_snapshot, OF_NDEVAL, tmp_path, bank="genq", grader="rater")
    for measure, mine, other in zip(OF_NDEVAL, ours, theirs, strict=True):
        np.testing.assert_allclose(mine, other, rtol=0, atol=1e-9, err_msg=str(measure))


SCORES = {
    "equal": (1.0, 1.0),
    "equal as 32-bit floats, the first larger": (1.00000001, 1.0),
    "equal as 32-bit floats, the second larger": (1.0, 1.00000001),
    "the first larger": (1.001, 1.0),
    "large and equal as 32-bit floats": (16777217.0, 16777216.0),
    "negative and equal": (-3.0, -3.0),
}

"""P@k against trec_eval (pytrec_eval behind ir_measures) on labels and runs as Examboard exports them."""

from __future__ import annotations

import ir_measures
import numpy as np
import pytest

from exam_core.actions.exporting import export_labels, export_run
from exam_core.analysis.books import gradebook
from exam_core.analysis.configuration import choose
from exam_core.analysis.leaderboard import query_values
from exam_core.tables import GRADES, QUESTIONS, RANKINGS

from .worlds import store_of, table


def by_trec_eval(snapshot, choice, tau, folder):
    """P@k by run and query from the exported files; a query that the run lacks is 0."""
    export_labels(snapshot, choice, folder / "labels.qrels")
    qrels = list(ir_measures.read_trec_qrels(str(folder / "labels.qrels")))
    book, measure = (
        gradebook(snapshot, choice),
        ir_measures.parse_measure(f"P(rel={tau})@{choice.measure.depth}"),
    )
    values = np.zeros((len(book.run_ids), len(book.query_ids)))
    for place, run_id in enumerate(book.run_ids):
        export_run(snapshot, folder / "one.run", run_id)
        for found in ir_measures.iter_calc([measure], qrels, list(read_run(folder / "one.run"))):
            values[place, book.query_ids.index(found.query_id)] = found.value
    return values


def read_run(path):
    """Documents of a run; a run's name may have blanks in it, so that the last column is left alone."""
    for line in path.read_text(encoding="utf-8").splitlines():
        query_id, _, doc_id, _, score, _ = line.split(maxsplit=5)
        yield ir_measures.ScoredDoc(query_id, doc_id, float(score))


@pytest.fixture(scope="module")
def plain_ids(random_world):
    """The world's graded queries and runs have ids with blanks, which a TREC file can't hold."""
    frames = {name: random_world.frame(name) for name in ("questions", "grades", "rankings")}
    for frame in frames.values():
        for column in {"run_id", "query_id"} & set(frame):
            frame[column] = frame[column].str.replace(" ", "_")
    return frames


@pytest.mark.parametrize("label_rank", [1, 2])
@pytest.mark.parametrize(("tau", "depth"), [(1, 5), (3, 1), (3, 20), (5, 10)])
def test_precision_of_exported_labels_is_that_of_trec_eval(plain_ids, tau, depth, label_rank, tmp_path):
    snapshot = store_of(tmp_path / "store", plain_ids)
    options = {"bank": "genq", "grader": "rater", "label_rank": label_rank, "tau": tau}
    choice = choose(snapshot, measure=f"P@{depth}", **options)
    ours = np.nan_to_num(query_values(snapshot, choice))  # trec_eval gives 0 where there are no labels
    np.testing.assert_allclose(ours, by_trec_eval(snapshot, choice, tau, tmp_path), rtol=0, atol=1e-9)


def two_passages(folder, score_of_a, score_of_b, grade_of_a, grade_of_b):
    """A store with one query, a question, and a run that returned two passages."""
    frames = {
        "questions": table(QUESTIONS, [("genq", 1, "q/1", "q", None, None, "?", None, 1.0, True)]),
        "grades": table(GRADES, [("rater", "q/1", "q", "a", grade_of_a), ("rater", "q/1", "q", "b", grade_of_b)]),
        "rankings": table(
            RANKINGS,
            [("run", "q", "a", 0, 1, score_of_a, False), ("run", "q", "b", 0, 2, score_of_b, False)],
        ),
    }
    from exam_core.formats.trec import trec_rank

    frames["rankings"]["rank"] = trec_rank(frames["rankings"])
    return store_of(folder, frames)


SCORES = {
    "equal": (1.0, 1.0),
    "equal as 32-bit floats, the first larger": (1.00000001, 1.0),
    "equal as 32-bit floats, the second larger": (1.0, 1.00000001),
    "the first larger": (1.001, 1.0),
    "large and equal as 32-bit floats": (16777217.0, 16777216.0),
    "negative and equal": (-3.0, -3.0),
}


@pytest.mark.parametrize("grades", [(5, 0), (0, 5)], ids=["first relevant", "second relevant"])
@pytest.mark.parametrize("scores", SCORES.values(), ids=SCORES)
def test_tied_passages_are_ordered_as_trec_eval_orders_them(scores, grades, tmp_path):
    snapshot = two_passages(tmp_path / "store", *scores, *grades)
    choice = choose(snapshot, measure="P@1")
    ours = query_values(snapshot, choice)
    np.testing.assert_allclose(ours, by_trec_eval(snapshot, choice, 4, tmp_path), rtol=0, atol=1e-9)

"""One run, query by query: against the values of the measure and the files that were imported."""

import numpy as np
import pytest

from exam_core.analysis.choosing import choose
from exam_core.analysis.leaderboard import PASSAGES, run_passages, run_queries
from exam_core.analysis.values import counted_values, gradebook
from exam_core.errors import UsageError
from exam_core.request import Request

from .planted import QUERIES as PLANTED_QUERIES
from .planted import planted


@pytest.fixture
def choice(random_world):
    return choose(random_world, Request(measure="Cover@5", bank="genq", grader="rater", tau=3))


def test_each_query_has_the_value_of_the_measure_and_the_mean_of_all_runs(random_world, choice):
    values = counted_values(random_world, choice)
    rows = run_queries(random_world, choice, "alpha").set_index("query_id").loc[values.query_ids]
    assert rows["value"].tolist() == values.values[values.run_ids.index("alpha")].tolist()
    assert rows["mean"].tolist() == pytest.approx(values.values.mean(axis=0).tolist())


def test_the_worst_query_comes_first(random_world, choice):
    assert run_queries(random_world, choice, "beta")["difference"].round(9).is_monotonic_increasing


def test_the_rank_on_a_query_counts_the_runs_above(planted_world):
    rows = run_queries(planted_world, choose(planted_world, Request(measure="Cover@1", tau=3)), "run5")
    # run7 and run6 answer more questions of every query, and nobody as many
    assert (rows["rank"].tolist(), set(rows["n_runs"])) == ([3.0] * len(PLANTED_QUERIES), {8})


def test_an_unknown_run_is_refused(random_world, choice):
    with pytest.raises(UsageError, match="no run nobody"):
        run_queries(random_world, choice, "nobody")


def test_an_ungraded_query_is_refused(random_world, choice):
    with pytest.raises(UsageError, match="Nothing is graded for query nothing"):
        run_passages(random_world, choice, "alpha", "nothing")


def test_the_passages_stand_as_the_run_ranks_them(random_world, choice):
    for query in gradebook(random_world, choice.labelling).query_ids:
        ranked = random_world.query(
            "SELECT doc_id FROM rankings WHERE run_id = 'alpha' AND query_id = ? AND rank <= 5 ORDER BY rank", [query]
        )
        rows = run_passages(random_world, choice, "alpha", query)
        assert (rows["doc_id"].tolist(), list(rows.columns)) == (ranked["doc_id"].tolist(), PASSAGES.names)


def test_questions_answered_for_the_first_time_add_up_to_cover(random_world, choice):
    book = gradebook(random_world, choice.labelling)
    for row in run_queries(random_world, choice, "alpha").itertuples():
        asked = book.enabled[book.query_ids.index(row.query_id)].sum()
        answered = run_passages(random_world, choice, "alpha", row.query_id)["first_answered"].sum()
        assert answered / asked == pytest.approx(row.value)


def test_labels_that_reach_tau_make_the_precision(random_world):
    choice = choose(random_world, Request(measure="P@5", bank="genq", grader="rater", tau=3))
    for row in run_queries(random_world, choice, "gamma").itertuples():
        labels = run_passages(random_world, choice, "gamma", row.query_id)["label"]
        assert (labels >= 3).sum() / 5 == pytest.approx(row.value)


def test_labels_of_whole_passages_answer_no_questions(random_world):
    choice = choose(random_world, Request(measure="P@5", grader="labels", tau=1))
    query = gradebook(random_world, choice.labelling).query_ids[0]
    assert run_passages(random_world, choice, "alpha", query)[["answered", "first_answered"]].isna().all(axis=None)


def test_a_passage_without_a_grade_has_no_label(plain_world):
    choice = choose(plain_world, Request(measure="Cover@5", bank="genq", grader="rater", tau=3))
    graded = plain_world.query("SELECT query_id, doc_id FROM grades WHERE grader_id = 'rater'")
    ungraded = 0
    for query in gradebook(plain_world, choice.labelling).query_ids:
        rows = run_passages(plain_world, choice, "alpha", query)
        unknown = rows[~rows["doc_id"].isin(graded.loc[graded["query_id"] == query, "doc_id"])]
        ungraded += len(unknown)
        assert unknown[["label", "answered"]].isna().all(axis=None)
    assert ungraded > 0


def test_the_judgment_stands_beside_the_passage_where_there_is_one(planted_world, tmp_path):
    choice = choose(planted_world, Request(measure="P@1", tau=3))
    # relevant are the passages of the better half of the runs
    judged = {run: run_passages(planted_world, choice, run, "q3")["relevance"].tolist() for run in ("run0", "run7")}
    assert judged == {"run0": [0.0], "run7": [1.0]}
    bare = planted(tmp_path, judged=False)
    assert np.isnan(run_passages(bare, choose(bare, Request(measure="P@1", tau=3)), "run0", "q3")["relevance"].iloc[0])

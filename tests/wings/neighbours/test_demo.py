"""The demo's collections of generated answers."""

import json

import pandas as pd
import pytest

from exam_core.demo.demo_collection import NUGGETS
from exam_core.formats.banks.nuggetizer import read_nuggets
from exam_core.store import Store


@pytest.fixture(scope="module")
def built(demo_store):
    """A store with the demo; only to be read."""
    return Store(demo_store)


@pytest.fixture(scope="module")
def answers(built):
    """The collection of generated answers."""
    return built.snapshot("demo-nuggets")


def test_four_systems_answer_and_one_leaves_a_query_out(answers):
    counts = answers.frame("rankings").groupby("run_id").size()
    assert counts.to_dict() == {"gen-brief": 2, "gen-careful": 3, "gen-chatty": 3, "gen-confused": 3}


def test_answers_as_they_were_assigned_are_those_that_cite(answers):
    lines = (NUGGETS / "assignments.jsonl").read_text(encoding="utf-8").splitlines()
    assigned = {f"{line['run_id']}/{line['qid']}": line["answer_text"] for line in map(json.loads, lines)}
    texts = answers.frame("passages").set_index("doc_id")["passage_text"]
    assert {doc_id: texts[doc_id] for doc_id in assigned} == assigned


def test_the_nuggets_are_those_of_the_file_that_has_them_alone(answers):
    alone = read_nuggets(NUGGETS / "nuggets.jsonl", bank_id="nuggets").frames["questions"]
    pd.testing.assert_frame_equal(answers.frame("questions"), alone)


def test_every_cited_passage_has_a_text_and_grades(answers):
    found = answers.query(
        "SELECT count(*) AS n, count(passage_text) AS known, count(graded.doc_id) AS graded FROM pool "
        "LEFT JOIN passages USING (doc_id) LEFT JOIN "
        "(SELECT DISTINCT query_id, doc_id FROM grades WHERE grader_id LIKE 'lexical%') graded USING (query_id, doc_id)"
    )
    pool = len(answers.frame("pool"))
    assert found.to_numpy().tolist() == [[pool, pool, pool]]


def test_the_answers_show_every_kind_of_label_and_importance(answers):
    labels = answers.query("SELECT DISTINCT answer FROM grades WHERE grader_id = 'nuggetizer' ORDER BY 1")["answer"]
    assert labels.tolist() == ["contradiction", "not_support", "partial_support", "support", "unclear"]
    assert set(answers.frame("questions")["importance"]) == {"vital", "okay", "avoid"}


def test_the_answers_of_the_demo_are_ranked_when_it_is_built(built):
    scores = built.snapshot("demo-answers").frame("scores")
    assert scores["method"].value_counts().to_dict() == {"NRP(ranker=bm25)": 18, "order": 6}
    answers = built.snapshot("demo-answers").frame("rankings")["extra"].notna().sum()
    assert answers == 3 * 2 * 2 * 3

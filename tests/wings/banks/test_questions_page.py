"""The page of question difficulty on the demo: its numbers are those of the analysis."""

from dataclasses import replace

import pytest
from dashboards import opened, sentences, table

from exam_core.analysis.choosing import choose
from exam_core.charts.chart_layout import beginning
from exam_core.request import Request
from exam_core.store import Store
from exam_core.store.summary import search_each
from exam_core.wings.banks.health import counts_of_kinds, difficulty, questions_of_kinds, runs_of_question

PAGE = "pages/questions/questions.py"
ASKED = {"collection": "demo", "bank": "manual", "tau": "3"}


@pytest.fixture(scope="module")
def expected(demo_store):
    snapshot = Store(demo_store).snapshot("demo")
    choice = choose(snapshot, Request(measure="Cover@20", bank="manual", tau=3))
    return snapshot, choice, difficulty(snapshot, replace(choice, reference="official"))


def test_questions_are_those_of_the_analysis_worst_first_and_the_first_is_looked_at_run_by_run(
    demo_store, expected, monkeypatch
):
    snapshot, choice, found = expected
    test = opened(PAGE, demo_store, monkeypatch, **ASKED)
    columns = ["query_id", "question_id", "kind", "runs", "passages", "item_rest", "kendall"]
    assert table(test, "item_rest")[columns].equals(found.rows[columns])
    first, mine = found.rows.iloc[0], table(test, "place")
    theirs = runs_of_question(snapshot, replace(choice, reference="official"), first["query_id"], first["question_id"])
    assert mine["run_id"].tolist() == theirs["run_id"].tolist()
    assert mine["answered"].tolist() == theirs["answered"].tolist()


def test_a_long_table_shows_its_first_rows_and_how_many_there_are(demo_store, expected, monkeypatch):
    monkeypatch.setattr("pages.shared.show.MOST_ROWS", 2)
    test, rows = opened(PAGE, demo_store, monkeypatch, **ASKED), expected[2].rows
    assert table(test, "item_rest")["question_id"].tolist() == rows["question_id"].tolist()[:2]
    assert f"first 2 of {len(rows)} rows" in sentences(test)


def test_questions_of_a_kind_can_be_shown_alone(demo_store, expected, monkeypatch):
    kind = next(iter(counts_of_kinds(expected[2].rows)))
    mine = table(opened(PAGE, demo_store, monkeypatch, **ASKED, difficulty_kind=kind), "item_rest")
    assert mine["question_id"].tolist() == questions_of_kinds(expected[2].rows, [kind])["question_id"].tolist()


def test_another_question_can_be_looked_at(demo_store, monkeypatch):
    test = opened(PAGE, demo_store, monkeypatch, **ASKED)
    box = test.selectbox(key="difficulty_question")
    last = box.options[-1]
    box.set_value(last).run()
    assert last.partition(": ")[2] in sentences(test)


def test_queries_are_those_of_the_analysis_hardest_first(demo_store, expected, monkeypatch):
    test = opened(PAGE, demo_store, monkeypatch, **ASKED, difficulty_tab="All queries, hardest first")
    mine = table(test, "universal")
    assert mine["query_id"].tolist() == expected[2].queries["query_id"].tolist()
    assert mine["runs_share"].tolist() == expected[2].queries["runs_share"].tolist()


def test_a_grader_of_whole_passages_is_explained(labelled, monkeypatch):
    assert "Sun labels whole passages" in sentences(opened(PAGE, labelled, monkeypatch))


def test_a_question_far_down_the_list_is_opened_by_its_address(demo_store, monkeypatch):
    monkeypatch.setattr("pages.questions.bank_health.LISTED_QUESTIONS", 2)
    test = opened("pages/questions/questions.py", demo_store, monkeypatch, collection="demo", bank="open")
    every = test.selectbox(key="difficulty_question").options
    assert len(every) == 2
    found = search_each(Store(demo_store).snapshot("demo"), "tide", bank="open")["question"]
    wanted = f"{found['query_id'][0]}: {beginning(found['text'][0])}"
    test = opened(
        "pages/questions/questions.py",
        demo_store,
        monkeypatch,
        collection="demo",
        bank="open",
        difficulty_question=wanted,
    )
    assert test.selectbox(key="difficulty_question").value == wanted

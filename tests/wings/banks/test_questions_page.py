"""The page of questions: difficulty and health, whose numbers are those of the analysis."""

import html
from dataclasses import replace

import pytest
from dashboards import opened, sentences, table

from exam_core.analysis.choosing import choose
from exam_core.charts.chart_layout import beginning
from exam_core.formats import Reading
from exam_core.request import Request
from exam_core.store import Store
from exam_core.store.summary import search_each
from exam_core.tables import QUESTIONS
from exam_core.wings.banks.health import counts_of_kinds, difficulty, health, questions_of_kinds, runs_of_question

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


def test_queries_are_those_of_the_analysis_hardest_first(demo_store, expected, monkeypatch):
    test = opened(PAGE, demo_store, monkeypatch, **ASKED, difficulty_tab="All queries, hardest first")
    mine = table(test, "universal")
    assert mine["query_id"].tolist() == expected[2].queries["query_id"].tolist()
    assert mine["runs_share"].tolist() == expected[2].queries["runs_share"].tolist()


def test_a_grader_of_whole_passages_is_explained(labelled, monkeypatch):
    assert "Sun labels whole passages" in sentences(opened(PAGE, labelled, monkeypatch))


def test_a_question_far_down_the_list_is_opened_by_its_address(demo_store, monkeypatch):
    monkeypatch.setattr("pages.questions.bank_health.LISTED_QUESTIONS", 2)
    asked = {"collection": "demo", "bank": "open"}
    test = opened(PAGE, demo_store, monkeypatch, **asked)
    every = test.selectbox(key="difficulty_question").options
    assert len(every) == 2
    found = search_each(Store(demo_store).snapshot("demo"), "tide", bank="open")["question"]
    wanted = f"{found['query_id'][0]}: {beginning(found['text'][0])}"
    test = opened(PAGE, demo_store, monkeypatch, **asked, difficulty_question=wanted)
    assert test.selectbox(key="difficulty_question").value == wanted


OF_HEALTH = {"collection": "demo", "bank": "open", "tau": "3"}
PAIRS, HALVES = {"difficulty_tab": "Near duplicates"}, {"difficulty_tab": "Half of the bank hidden"}


def test_the_first_screen_says_which_questions_separate_runs_in_their_own_words(demo_store, monkeypatch):
    snapshot = Store(demo_store).snapshot("demo")
    rows = health(snapshot, choose(snapshot, Request(bank="open", tau=3, reference="official"))).rows
    said = html.unescape(sentences(opened(PAGE, demo_store, monkeypatch, **OF_HEALTH)))
    ends = rows[rows["kind"] == "discriminating"].tail(3), rows[rows["kind"] == "negative"].head(3)
    assert [text for end in ends for text in end["question_text"] if text not in said] == []


def test_a_collection_without_a_bank_says_what_to_do(judged_store, monkeypatch):
    test = opened(PAGE, judged_store, monkeypatch, collection="mine")
    assert "Exam questions are uploaded, written under *Edit*" in sentences(test)
    assert "Upload a bank" in [one.label for one in test.button]


def test_fewer_alike_makes_more_pairs_and_shows_them_side_by_side(demo_store, monkeypatch):
    test = opened(PAGE, demo_store, monkeypatch, **OF_HEALTH, **PAIRS, health_alike="0.5")
    pairs = table(test, "other_text")
    assert len(pairs) > 0
    assert "<mark" in sentences(test)


def test_halves_are_drawn_when_they_are_asked_for(demo_store, monkeypatch):
    assert "Leaderboards of the two halves" not in sentences(
        opened(PAGE, demo_store, monkeypatch, **OF_HEALTH, **HALVES)
    )
    test = opened(PAGE, demo_store, monkeypatch, **OF_HEALTH, **HALVES, health_hidden="true")
    assert "Leaderboards of the two halves: Spearman" in sentences(test)
    assert len(table(test, "gain_interval")) > 1


def test_questions_are_shown_letter_for_letter(tmp_path, monkeypatch):
    odd = "Who is <script>alert(1)</script> **bold**"
    rows = [("odd", 1, f"q/{n}", "q", None, None, f"{odd} {n}?", None, 1.0, True) for n in range(2)]
    Store(tmp_path / "store").commit("odd", Reading({"questions": QUESTIONS.frame(_columns(rows))}), source="odd")
    said = sentences(opened(PAGE, tmp_path / "store", monkeypatch, collection="odd", bank="odd"))
    assert "Nothing is graded on bank odd@1 yet" in said
    assert "&lt;script&gt;alert(1)&lt;/script&gt; **bold**" in said
    assert "<script>" not in said


def _columns(rows):
    return dict(zip(QUESTIONS.names, map(list, zip(*rows, strict=True)), strict=False))

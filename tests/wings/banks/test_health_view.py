"""The health of a bank on a page: its numbers are those of the analysis."""

import html
import shutil

from dashboards import opened, sentences, table

from exam_core.analysis.choosing import choose
from exam_core.formats import Reading
from exam_core.request import Request
from exam_core.store import Store
from exam_core.tables import QUESTIONS
from exam_core.wings.banks.health import health

PAGE = "pages/questions/questions.py"
ASKED = {"collection": "demo", "bank": "open", "tau": "3"}
PAIRS, HALVES = {"difficulty_tab": "Near duplicates"}, {"difficulty_tab": "Half of the bank hidden"}


def test_the_first_screen_says_which_questions_separate_runs_in_their_own_words(demo_store, monkeypatch):
    snapshot = Store(demo_store).snapshot("demo")
    rows = health(snapshot, choose(snapshot, Request(bank="open", tau=3, reference="official"))).rows
    said = html.unescape(sentences(opened(PAGE, demo_store, monkeypatch, **ASKED)))
    ends = rows[rows["kind"] == "discriminating"].tail(3), rows[rows["kind"] == "negative"].head(3)
    assert [text for end in ends for text in end["question_text"] if text not in said] == []


def test_a_collection_without_a_bank_says_what_to_do(judged_store, monkeypatch):
    test = opened(PAGE, judged_store, monkeypatch, collection="mine")
    assert "Exam questions are uploaded, written under *Edit*" in sentences(test)
    assert "Upload a bank" in [one.label for one in test.button]


def test_fewer_alike_makes_more_pairs_and_shows_them_side_by_side(demo_store, monkeypatch):
    test = opened(PAGE, demo_store, monkeypatch, **ASKED, **PAIRS, health_alike="0.5")
    pairs = table(test, "other_text")
    assert len(pairs) > 0
    assert "<mark" in sentences(test)


def test_halves_are_drawn_when_they_are_asked_for(demo_store, monkeypatch):
    assert "Leaderboards of the two halves" not in sentences(opened(PAGE, demo_store, monkeypatch, **ASKED, **HALVES))
    test = opened(PAGE, demo_store, monkeypatch, **ASKED, **HALVES, health_hidden="true")
    assert "Leaderboards of the two halves: Spearman" in sentences(test)
    assert len(table(test, "gain_interval")) > 1


def test_questions_are_shown_letter_for_letter(demo_store, tmp_path, monkeypatch):
    shutil.copytree(demo_store, tmp_path / "store")
    odd = "Who is <script>alert(1)</script> **bold**"
    rows = [("odd", 1, f"q/{n}", "q", None, None, f"{odd} {n}?", None, 1.0, True) for n in range(2)]
    Store(tmp_path / "store").commit("odd", Reading({"questions": QUESTIONS.frame(_columns(rows))}), source="odd")
    said = sentences(opened(PAGE, tmp_path / "store", monkeypatch, collection="odd", bank="odd"))
    assert "Nothing is graded on bank odd@1 yet" in said
    assert "&lt;script&gt;alert(1)&lt;/script&gt; **bold**" in said
    assert "<script>" not in said


def _columns(rows):
    return dict(zip(QUESTIONS.names, map(list, zip(*rows, strict=True)), strict=False))

"""The health of a bank on a page: its numbers are those of the analysis."""

import shutil

import pytest
from dashboards import ROOT, SECONDS, sentences, table
from streamlit.testing.v1 import AppTest

from exam_core.analysis.evaluation.choosing import choose
from exam_core.asked import Asked
from exam_core.formats import Reading
from exam_core.store import Store
from exam_core.tables import QUESTIONS
from exam_core.wings.banks.analysis.health import health

PAGE = """
from pages.banks import health_view
from pages.shared import frame
with frame.page("Banks", series=False) as chosen:
    health_view.draw(chosen)
"""
ASKED = {"collection": "demo", "bank": "open", "tau": "3"}


def opened(store, monkeypatch, **query):
    """The part on a page of its own."""
    monkeypatch.setenv("EXAMBOARD_STORE", str(store))
    monkeypatch.chdir(ROOT)
    test = AppTest.from_string(PAGE, default_timeout=SECONDS)
    for name, value in query.items():
        test.query_params[name] = value
    test.run()
    return test


@pytest.fixture(scope="module")
def expected(store):
    snapshot = Store(store).snapshot("demo")
    return health(snapshot, choose(snapshot, Asked(bank="open", tau=3, reference="official")))


def test_questions_are_those_of_the_analysis_by_what_is_found_of_them(store, expected, monkeypatch):
    test = opened(store, monkeypatch, **ASKED)
    shown = [frame["kind"].tolist() for frame in (one.value for one in test.dataframe) if "kind" in frame]
    kinds = expected.rows["kind"]
    assert shown == [
        kinds[kinds.isin(["unanswered", "universal"])].tolist(),
        kinds[kinds.isin(["discriminating", "negative"])].tolist(),
    ]


def test_fewer_alike_makes_more_pairs_and_shows_them_side_by_side(store, monkeypatch):
    test = opened(store, monkeypatch, **ASKED, health_alike="0.5")
    pairs = table(test, "other_text")
    assert len(pairs) > 0
    assert "<mark" in sentences(test)


def test_halves_are_drawn_when_they_are_asked_for(store, monkeypatch):
    assert "Leaderboards of the two halves" not in sentences(opened(store, monkeypatch, **ASKED))
    test = opened(store, monkeypatch, **ASKED, health_hidden="true")
    assert "Leaderboards of the two halves: Spearman" in sentences(test)
    assert len(table(test, "gain_interval")) > 1


def test_questions_are_shown_letter_for_letter(store, tmp_path, monkeypatch):
    shutil.copytree(store, tmp_path / "store")
    odd = "Who is <script>alert(1)</script> **bold**"
    rows = [("odd", 1, f"q/{n}", "q", None, None, f"{odd} {n}?", None, 1.0, True) for n in range(2)]
    Store(tmp_path / "store").commit("odd", Reading({"questions": QUESTIONS.frame(_columns(rows))}), source="odd")
    said = sentences(opened(tmp_path / "store", monkeypatch, collection="odd", bank="odd"))
    assert "Nothing is graded on bank odd@1 yet" in said
    assert "&lt;script&gt;alert(1)&lt;/script&gt; **bold**" in said
    assert "<script>" not in said


def _columns(rows):
    return dict(zip(QUESTIONS.names, map(list, zip(*rows, strict=True)), strict=False))

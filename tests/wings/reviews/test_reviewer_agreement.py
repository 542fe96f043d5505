"""The view Agreement of the page Reviews: its figures are the analysis's, its names are only shown."""

import shutil

import pytest
from dashboards import ROOT, SECONDS, charts, sentences, table
from streamlit.testing.v1 import AppTest

from exam_core.analysis.choosing import choose_labelling
from exam_core.analysis.values import gradebook
from exam_core.request import Request
from exam_core.store import Store
from exam_core.wings.reviews.actions import record_reviews
from exam_core.wings.reviews.agreement import choose_agreement, review_agreement
from exam_core.wings.reviews.records import reviews_of
from exam_core.wings.reviews.review import Review

ALONE = """
from pages.reviews import review_results
from pages.shared import frame

with frame.page("Agreement", series=False) as chosen:
    review_results.draw_agreement(chosen)
"""
NAMES = ("ann", "<script>alert(1)</script> *bob*", "cy")


def opened(store, monkeypatch, **query):
    """The view alone on a page of its own."""
    monkeypatch.setenv("EXAMBOARD_STORE", str(store))
    monkeypatch.chdir(ROOT)
    test = AppTest.from_string(ALONE, default_timeout=SECONDS)
    for name, value in (query | {"collection": "demo", "bank": "open", "tau": "3"}).items():
        test.query_params[name] = value
    return test.run()


@pytest.fixture(scope="module")
def reviewed(demo_store, tmp_path_factory):
    """The demo with reviews of three people, some of whom saw the label; and of questions."""
    folder = tmp_path_factory.mktemp("reviewed") / "store"
    shutil.copytree(demo_store, folder)
    store = Store(folder)
    book = gradebook(store.snapshot("demo"), choose_labelling(store.snapshot("demo"), Request(bank="open")))
    reviews = []
    for place, name in enumerate(NAMES):
        for pair in range(0, 400, 10):
            query = int(book.pair_query[pair])
            about = {"query_id": book.query_ids[query], "reviewer": name, "created": "2026-01-01T00:00:00.000"}
            drawn = {"queue_id": "q", "sampler": "uniform", "drawn": 40, "probability": 0.1}
            answer = (pair // 10 + (pair % 7 == place)) % 4
            what = {"task": "relevance", "doc_id": str(book.docs[pair]), "answer": answer, "shown": place == 0}
            reviews.append(Review(review_id=f"{name} {pair}", **about, **what, **drawn))
            good = {"task": "question", "question_id": book.question_ids[query][0], "answer": pair % 3 % 2}
            reviews.append(Review(review_id=f"{name} {pair} q", **about, **good, queue_id=str(pair)))
    record_reviews(store, "demo", reviews)
    return folder


def test_figures_have_their_interval_and_n_as_the_analysis_says_and_names_are_shown_letter_for_letter(
    reviewed, monkeypatch
):
    test = opened(reviewed, monkeypatch)
    store = Store(reviewed)
    snapshot = store.snapshot("demo")
    choice = choose_agreement(snapshot, Request(bank="open", tau=3))
    found = review_agreement(snapshot, reviews_of(store, snapshot), **choice._asdict())
    shown = {metric.label: (metric.value, metric.delta) for metric in test.metric}
    kappa = found.estimate("relevance", "kappa")
    assert shown["Cohen's kappa"] == (f"{kappa.estimate:.3f}", f"95% [{kappa.low:.3f}, {kappa.high:.3f}], n = 40 items")
    assert shown["Winning rate"][0] == f"{found.tests['winning_rate'].iloc[0]:.3f}"
    cells = [text for row in charts(test)[0].figure["data"][0]["text"] for text in row]
    assert sorted(filter(None, cells)) == sorted(f"{n:,}" for n in found.confusion["n"])
    assert NAMES[1] in set(table(test, "reviewer")["reviewer"])
    assert "<script>" not in sentences(test)


def test_another_task_shows_its_own_figures(reviewed, monkeypatch):
    test = opened(reviewed, monkeypatch, agreement_of="Good questions")
    assert "Share good" in {metric.label for metric in test.metric}
    assert "good" in table(test, "question_id").columns


def test_a_smaller_advantage_of_the_grader_is_asked_for(reviewed, monkeypatch):
    test = opened(reviewed, monkeypatch, agreement_epsilon="crowd (epsilon 0.1)")
    assert "At epsilon 0.1 the grader" in sentences(test)

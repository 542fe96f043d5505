"""The page of reviews: what the browser is given, what becomes of what it sends, and agreement."""

import html
import json
import shutil

import pytest
from dashboards import ROOT, SECONDS, button, charts, opened, sentences, table
from streamlit.testing.v1 import AppTest

from exam_core.actions import exporting
from exam_core.analysis.choosing import choose_labelling
from exam_core.analysis.values import gradebook
from exam_core.errors import StoreError
from exam_core.people import new_id
from exam_core.request import Request
from exam_core.store import Store
from exam_core.store.catalogue import Catalogue
from exam_core.store.evidence import grades_by
from exam_core.store.sqlite_files import SQLiteFile
from exam_core.wings.reviews import actions
from exam_core.wings.reviews.actions import record_reviews
from exam_core.wings.reviews.agreement import choose_agreement, review_agreement
from exam_core.wings.reviews.records import add_reviews, queues_of, reviews_of
from exam_core.wings.reviews.review import SCALES, Review
from pages.reviews import review_desk, review_work
from tests.wings.reviews.queues import a_queue

PAGE = "pages/reviews/reviews.py"
GRADER = "lexical.pourpre-idf"


@pytest.fixture
def own(own_store, monkeypatch):
    """A copy of the demo, and nobody who has anything before them."""
    monkeypatch.setattr("pages.reviews.review_work.taken", review_work.Taken())
    return own_store


def page(own, monkeypatch, name="", **query):
    test = opened(PAGE, own, monkeypatch, collection="demo", bank="open", **query)
    return test.text_input(key="review_reviewer").set_value(name).run() if name else test


def desk(test):
    """What the browser is given; AppTest knows no components of one's own."""
    found = [json.loads(one.proto.mixed.json or one.proto.json) for one in test.main.get("bidi_component")]  # type: ignore[attr-defined]
    return next(one for one in found if "items" in one)


def sends(monkeypatch, *told):
    """Have the browser send this from now on."""
    monkeypatch.setattr(review_desk, "sent", lambda _key: list(told))


def told(item, answer=1, kind="answer", **more):
    return {"id": new_id(), "item": item, "kind": kind, "answer": answer} | more


def rows(own):
    store = Store(own)
    return list(reviews_of(store, store.snapshot("demo")).rows)


def answered(own, queue, name, places, answer=1):
    add_reviews(Store(own), "demo", [queue.review(queue.items[at], name, answer, seconds=2.0) for at in places])


def model_of(own, queue, place):
    item = queue.items[place]
    grades = grades_by(Store(own).snapshot("demo"), GRADER, [str(item.doc_id)])
    return grades[str(item.doc_id), str(item.question_id)]


def test_without_a_queue_one_is_offered_and_drawn_and_can_be_reviewed(own, monkeypatch):
    test = page(own, monkeypatch)
    assert "demo has no queue yet" in sentences(test)
    test.button(key="review_to_queues").click().run()
    test.selectbox(key="review_draw_task").select("grade")
    test.number_input(key="review_draw_n").set_value(12)
    test.text_input(key="review_draw_instruction").set_value("Be strict.")
    test.text_input(key="review_author").set_value("Carol")
    button(test, "Draw").click().run()
    (queue,) = queues_of(Store(own), "demo")
    assert (queue.task, queue.author, queue.instruction) == ("grade", "Carol", "Be strict.")
    assert "12 grades" in sentences(test)
    button(test, "Start reviewing").click().run()
    assert test.text_input(key="review_reviewer").value == "Carol"
    given = desk(test)
    assert (given["instruction"], given["left"], len(given["items"])) == ("Be strict.", len(queue.items), 12)


def test_a_draw_that_can_not_be_is_a_sentence_and_no_queue(own, monkeypatch):
    test = page(own, monkeypatch, review_view="Queues")
    test.pills(key="modes").set_value([]).run()
    monkeypatch.setattr(actions, "draw_queue", lambda *_, **__: Store(own).snapshot("missing"))
    button(test, "Draw").click().run()
    assert "There is no collection missing" in sentences(test)
    assert queues_of(Store(own), "demo") == []


def test_without_a_name_there_is_no_item(own, monkeypatch):
    a_queue(own, "demo", "grade", n=5)
    test = page(own, monkeypatch)
    assert "Say who reviews" in sentences(test)
    test.text_input(key="review_reviewer").set_value("a\u202eb").run()
    assert "has characters that can't be seen" in html.unescape(sentences(test))
    assert not any("items" in (one.proto.mixed.json or one.proto.json) for one in test.main.get("bidi_component"))


def test_blind_nothing_gives_the_models_grade_away_nor_an_address_a_name(own, monkeypatch):
    queue = a_queue(own, "demo", "grade", n=8)
    answered(own, queue, "Bob", range(2), answer=5)
    test = page(own, monkeypatch, "Ann")
    given = desk(test)
    assert {one["model"] for one in given["items"]} == {None}
    assert (given["said"], given["before"], given["model"]) == (None, None, False)
    assert "Bob" not in json.dumps(given)
    assert "Ann" not in str(dict(test.query_params))


@pytest.mark.parametrize("task", ["relevance", "grade", "question"])
def test_items_come_in_order_with_their_texts_letter_for_letter(own, monkeypatch, task):
    queue = a_queue(own, "demo", task, n=30, evaluation={"bank": "open", "grader": GRADER})
    given = desk(page(own, monkeypatch, "Ann"))
    assert [one["item"] for one in given["items"]] == list(range(20))
    snapshot = Store(own).snapshot("demo")
    first, item = given["items"][0], queue.items[0]
    words = snapshot.query("SELECT query_text FROM queries WHERE query_id = ?", [item.query_id])
    assert first["query"] == words["query_text"][0]
    asked = snapshot.query("SELECT question_text FROM questions WHERE question_id = ?", [item.question_id])
    assert first["question"] == (None if item.question_id is None else asked["question_text"][0])
    text = snapshot.query("SELECT passage_text FROM passages WHERE doc_id = ?", [item.doc_id])["passage_text"]
    assert first["passage"] is None if item.doc_id is None else "".join(first["passage"]) == text[0]
    assert [one["value"] for one in given["scale"]] == list(SCALES[task])
    if task == "grade":
        found = [one for one in given["items"] if len(one["passage"]) > 1]
        marked = {word.lower()[:4] for one in found for word in one["passage"][1::2]}
        assert set() < marked <= {word.lower()[:4] for one in found for word in one["question"].split()}


def test_the_switch_shows_what_the_model_made_of_each(own, monkeypatch):
    queue = a_queue(own, "demo", "grade", n=8)
    test = page(own, monkeypatch, "Ann")
    test.toggle(key="review_shown").set_value(True).run()
    given = desk(test)
    assert [one["model"] for one in given["items"]] == [f"grade {model_of(own, queue, at)}" for at in range(8)]
    sends(monkeypatch, told(0, 2, shown=True), told(1, 2, shown=False))
    test.run()
    assert [one.shown for one in rows(own)] == [True, False]


def test_after_ones_own_answer_the_models_and_others_are_told(own, monkeypatch):
    queue = a_queue(own, "demo", "grade", n=8, shared=4)
    answered(own, queue, "Bob <b>", range(4), answer=3)
    test = page(own, monkeypatch, "Ann")
    sent = told(0, 2)
    sends(monkeypatch, sent)
    given = desk(test.run())
    model = model_of(own, queue, 0)
    assert given["said"] == {"item": 0, "words": f"The last item: you said 2; the model: grade {model}; Bob <b>: 3."}
    assert (given["on_disk"], given["finished"], given["before"]["item"]) == ([sent["id"]], 1, 0)
    assert [one["item"] for one in given["items"]] == [1, 2, 3, 4, 5, 6, 7]


def test_a_passages_label_is_told_on_its_own_scale(own, monkeypatch):
    drawn_here = {"bank": "open", "grader": GRADER, "own_taus": []}
    queue = a_queue(own, "demo", "relevance", n=8, evaluation=drawn_here)
    sends(monkeypatch, told(0, 2))
    given = desk(page(own, monkeypatch, "Ann"))
    item = queue.items[0]
    sql = "SELECT max(grade) FROM grades JOIN questions USING (question_id) WHERE bank_id = 'open' AND doc_id = ? "
    sql += "AND grades.query_id = ? AND grader_id = ?"
    best = Store(own).snapshot("demo").query(sql, [item.doc_id, item.query_id, GRADER]).iloc[0, 0]
    assert given["said"]["words"] == f"The last item: you said 2 (highly relevant); the model: label {best}."


def test_what_is_skipped_or_taken_back_tells_nothing(own, monkeypatch):
    queue = a_queue(own, "demo", "grade", n=8)
    sends(monkeypatch, told(0, kind="skip", reason="can't tell"))
    test = page(own, monkeypatch, "Ann")
    assert (desk(test)["said"], desk(test)["before"]["item"], desk(test)["finished"]) == (None, 0, 1)
    sends(monkeypatch, told(0, kind="undo"))
    given = desk(test.run())
    assert (given["said"], given["before"], given["finished"]) == (None, None, 0)
    assert given["items"][0]["item"] == 0
    assert [one.skipped for one in rows(own)] == ["can't tell", "taken back"]
    assert {one.about for one in rows(own)} == {queue.reviewed_item(queue.items[0])}


def test_what_is_no_review_is_refused_in_words_and_the_page_goes_on(own, monkeypatch):
    a_queue(own, "demo", "grade", n=8)
    wrong = told(99)
    sends(monkeypatch, wrong, {"id": "x"}, "nonsense", told(0, 5))  # type: ignore[arg-type]
    given = desk(page(own, monkeypatch, "Ann"))
    assert given["refused"] == {wrong["id"]: "The queue has 8 items, and none at 99."}
    assert [one.answer for one in rows(own)] == [5]


def test_what_can_not_be_written_is_said_and_not_acknowledged(own, monkeypatch):
    a_queue(own, "demo", "grade", n=8)
    test = page(own, monkeypatch, "Ann")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(SQLiteFile, "_begun", full)
    sends(monkeypatch, told(0))
    test.run()
    assert "No space left on device" in sentences(test)
    assert desk(test)["on_disk"] == []


def test_reviews_that_can_not_be_read_are_a_sentence_and_what_was_answered_stays_in_the_browser(own, monkeypatch):
    queue = a_queue(own, "demo", "grade", n=8)
    answered(own, queue, "Bob", range(1))
    test = page(own, monkeypatch, "Ann")
    read = Catalogue.read

    def refused(self, kind, collection=""):
        if kind.name == "review":
            raise StoreError("catalogue.sqlite: can't be read (disk I/O error)")
        return read(self, kind, collection)

    monkeypatch.setattr(Catalogue, "read", refused)
    sends(monkeypatch, told(0))
    test.run()
    assert "can't be read" in html.unescape(sentences(test))
    assert not any("items" in (one.proto.mixed.json or one.proto.json) for one in test.main.get("bidi_component"))


def test_a_queue_that_is_done_has_nothing_left_and_leads_to_the_agreement(own, monkeypatch):
    queue = a_queue(own, "demo", "grade", n=6, shared=2)
    answered(own, queue, "Bob", range(2, 6))
    answered(own, queue, "Ann", range(2))
    test = page(own, monkeypatch, "Ann")
    given = desk(test)
    assert (given["items"], given["left"], given["finished"], given["seconds"]) == ([], 0, 2, 2.0)
    test.button(key="review_to_agreement").click().run()
    assert test.segmented_control(key="review_view").value == "Agreement"
    assert "6 reviews by 2 people count" in sentences(test)


def test_a_queue_is_in_the_address_where_it_is_not_the_newest(own, monkeypatch):
    old, new = (
        a_queue(own, "demo", task, n=5, created=f"2026-01-0{day}T00:00:00")
        for task, day in (("grade", 1), ("question", 2))
    )
    assert desk(page(own, monkeypatch, "Ann", review_queue=old.queue_id))["asked"].startswith("How well")
    test = page(own, monkeypatch, "Ann")
    assert "review_queue" not in test.query_params
    test.selectbox(key="review_queue").select(old.queue_id).run()
    assert old.queue_id in test.query_params["review_queue"]
    assert "is not here" in sentences(page(own, monkeypatch, review_queue="gone"))
    assert new.queue_id != old.queue_id


def test_queues_are_listed_with_how_far_each_reviewer_is_and_their_reviews_are_saved(own, monkeypatch):
    queue = a_queue(own, "demo", "grade", n=6, shared=2)
    answered(own, queue, "Bob", range(4))
    answered(own, queue, "Ann", range(1))
    test = page(own, monkeypatch, review_view="Queues")
    found = table(test, "answered")
    columns = ["reviewer", "answered", "skipped", "left", "seconds"]
    assert found[columns].to_numpy().tolist() == [["Ann", 1, 0, 3, 2.0], ["Bob", 4, 0, 2, 2.0]]
    assert "5 reviews" in sentences(test)


def test_a_single_file_is_read_only_and_says_so(own, tmp_path, monkeypatch):
    path = tmp_path / "one.duckdb"
    exporting.export_store(Store(own), path, [])
    assert "To review, open a store that is a folder" in sentences(opened(PAGE, path, monkeypatch, collection="demo"))


def test_what_somebody_has_before_them_is_free_when_they_went_away():
    now = [0.0]
    taken = review_work.Taken(lambda: now[0])
    items = {("grade", "q", "d", str(number)) for number in range(3)}
    taken.take("queue", "Ann", items)  # type: ignore[arg-type]
    assert taken.by_others("queue", "Bob") == (items, 1)
    assert taken.by_others("queue", "Ann") == (frozenset(), 0)
    assert taken.by_others("another", "Bob") == (frozenset(), 0)
    now[0] = review_work.KEPT + 1
    assert taken.by_others("queue", "Bob") == (frozenset(), 0)


ALONE = """
from pages.reviews import review_results
from pages.shared import frame

with frame.page("Agreement", series=False) as chosen:
    review_results.draw_agreement(chosen)
"""
NAMES = ("ann", "<script>alert(1)</script> *bob*", "cy")


def alone(store, monkeypatch, **query):
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
    test = alone(reviewed, monkeypatch)
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
    test = alone(reviewed, monkeypatch, agreement_of="Good questions")
    assert "Share good" in {metric.label for metric in test.metric}
    assert "good" in table(test, "question_id").columns


def test_a_smaller_advantage_of_the_grader_is_asked_for(reviewed, monkeypatch):
    test = alone(reviewed, monkeypatch, agreement_epsilon="crowd (epsilon 0.1)")
    assert "At epsilon 0.1 the grader" in sentences(test)

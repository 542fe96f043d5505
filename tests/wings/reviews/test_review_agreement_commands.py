"""`review agreement` on a real store: what it prints in each form, and what it refuses."""

import csv
import json
import shutil

import pytest

from exam_core.analysis.choosing import choose_labelling
from exam_core.analysis.values import gradebook, pair_labels
from exam_core.request import Request
from exam_core.store import Store
from exam_core.wings.reviews.actions import record_reviews
from exam_core.wings.reviews.review import Review

REVIEWERS = ("ann", "bob\x1b[31m")


@pytest.fixture(scope="module")
def reviewed(demo_store, tmp_path_factory):
    """The demo with forty passages that two people reviewed, of a drawn queue; they say what the label says."""
    folder = tmp_path_factory.mktemp("reviewed") / "store"
    shutil.copytree(demo_store, folder)
    store = Store(folder)
    snapshot = store.snapshot("demo")
    labelling = choose_labelling(snapshot, Request(bank="open"))
    book, labels = gradebook(snapshot, labelling), pair_labels(snapshot, labelling)
    reviews = [
        Review(
            review_id=f"{name} {pair}",
            reviewer=name,
            created="2026-01-01T00:00:00.000",
            task="relevance",
            query_id=book.query_ids[book.pair_query[pair]],
            doc_id=str(book.docs[pair]),
            answer=3 if labels[pair] >= 3 else 0,
            queue_id="queue",
            sampler="runs",
            drawn=40,
            probability=0.1,
        )
        for name in REVIEWERS
        for pair in range(0, 400, 10)
    ]
    record_reviews(store, "demo", reviews)
    return folder


def test_json_has_the_question_and_every_figure_with_interval_n_and_design(reviewed, examboard):
    done = examboard(reviewed, "review", "agreement", "demo", "--bank", "open", "--tau", 3, "--format", "json")
    answer = json.loads(done.out)
    asked = {name: answer[name] for name in ("collection", "bank", "tau", "relevant_from", "judgments", "n")}
    assert asked == {
        "collection": "demo", "bank": "open@1", "tau": 3, "relevant_from": 2, "judgments": "official", "n": 80
    }  # fmt: skip
    first = answer["rows"][0]
    assert [first[name] for name in ("reviewer", "compared", "measure", "design")] == [
        "all", "grader", "agreement", "drawn (runs)"
    ]  # fmt: skip
    assert [first[name] for name in ("estimate", "n", "reviews")] == [1, 40, 80]
    assert first["low"] < first["high"] == 1
    assert answer["replacing"]["tests"][0]["winning_rate"] == 1
    assert "per_query" not in answer


def test_a_table_shows_control_characters_of_names_and_says_what_the_test_says(reviewed, examboard):
    done = examboard(reviewed, "review", "agreement", "demo", "--bank", "open", "--tau", 3)
    assert "\x1b" not in done.out
    assert "winning rate 1.00" in done.out
    assert "may replace a reviewer" in done.out


@pytest.mark.parametrize(("option", "column"), [("--per-query", "query_id"), ("--per-question", "question_id")])
def test_rows_of_queries_and_questions_are_listed_where_they_are_asked_for(reviewed, examboard, option, column):
    command = ("review", "agreement", "demo", "--bank", "open", option)
    printed = next(csv.reader(examboard(reviewed, *command, "--format", "csv").out.splitlines()))
    assert column in printed
    assert option.strip("-").replace("-", "_") in json.loads(examboard(reviewed, *command, "--format", "json").out)


def test_without_reviews_the_command_says_what_to_do(demo_store, examboard):
    done = examboard(demo_store, "review", "agreement", "demo", "--bank", "open")
    assert done.status == 0
    assert "There are no reviews that count" in done.out


@pytest.mark.parametrize(
    ("options", "refusal"),
    [
        (["--epsilon", "3"], "--epsilon 3.0: choose 0 to 1."),
        (["--epsilon", "nan"], "--epsilon nan: choose 0 to 1."),
        (["--judgments", "nist"], "There are no judgments nist in demo."),
        (["--tau", "9"], "--tau 9: choose 1 to 5."),
        (["--relevant-from", "0"], "--relevant-from 0: choose"),
        (["--per-query", "--per-question"], "choose one of them"),
        (["--grader", "nobody"], "There is no grader nobody."),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_sentence(reviewed, examboard, options, refusal):
    done = examboard(reviewed, "review", "agreement", "demo", "--bank", "open", *options)
    assert done.status == 2
    assert refusal in done.err
    assert done.out == ""

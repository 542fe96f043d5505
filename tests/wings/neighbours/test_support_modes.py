"""Nuggets assigned and citations supported by a model: from responses to the scores, and nothing asked twice."""

import json
from dataclasses import replace

import pytest

from exam_core.actions.grading_jobs import run
from exam_core.actions.importing import import_bank, import_topics
from exam_core.actions.importing_passages import import_passages
from exam_core.analysis.choosing import choose_labelling
from exam_core.errors import UsageError
from exam_core.grading.modes.mode import ModeInput as Question
from exam_core.grading.modes.papers import MODES
from exam_core.grading.options import GradingOptions
from exam_core.jobs.ordering import Order
from exam_core.jobs.task import Task
from exam_core.request import Request
from exam_core.store import Store
from exam_core.wings.neighbours.citations import support
from exam_core.wings.neighbours.importing import import_responses
from exam_core.wings.neighbours.nuggets import nuggets
from tests.actions.fake_model import FakeModel

ANSWER = [
    {"text": "The moon is old.", "citations": ["d1", "d2"]},
    {"text": "It is made of cheese.", "citations": ["d3"]},
    {"text": "So they say.", "citations": []},
]
PASSAGES = {"d1": "full: the moon is old", "d2": "partial: it is there", "d3": "no cheese"}
SAYS = {"full": "**Full Support**", "partial": "Label: Partial Support.", "no": "No Support", "The": "partial_support"}


class Judge(FakeModel):
    """Says of a passage what its first word means."""

    def answers(self, prompts):  # type: ignore[no-untyped-def]
        for place, answer in super().answers(prompts):
            word = prompts[place].context.split()[0].strip(":")
            yield place, type(answer)(SAYS[word])


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "store")
    (tmp_path / "said").write_text(json.dumps({"topic_id": "q", "run_id": "a", "answer": ANSWER}), "utf-8")
    (tmp_path / "texts").write_text(
        "\n".join(json.dumps({"id": name, "text": text}) for name, text in PASSAGES.items())
    )
    items = [{"question_id": name, "question_text": name, "importance": "vital"} for name in ("x", "y")]
    (tmp_path / "bank").write_text(json.dumps({"query_id": "q", "items": items}), "utf-8")
    (tmp_path / "topics").write_text("q\twhat of the moon?\n")
    import_responses(store, "c", tmp_path / "said")
    import_bank(store, "c", tmp_path / "bank", bank="b")
    return store


def graded(store, mode, model):
    task = Task(store, Order("c", mode, GradingOptions("fake"), reading="chat"), model=model)
    run(task)
    return task


def test_cited_passages_are_asked_about_once_and_give_precision_and_recall(store, tmp_path):
    # Corpora bring the texts of passages that are cited, though no run ranks them.
    import_passages(store, "c", tmp_path / "texts")
    model = Judge()
    grader = graded(store, "citation-support", model).grader
    assert len(model.asked) == 3
    assert graded(store, "citation-support", model).work.graded == 3
    assert len(model.asked) == 3
    row = support(store.snapshot("c"), grader).rows.iloc[0]
    # Citations: 1, 1/2 and 0; sentences: 1, 0, and one that cites nothing.
    assert row[["precision", "recall"]].tolist() == pytest.approx([1.5 / 3, 1 / 3])
    assert {prompt.head.count("The moon is old.") for prompt in model.asked} == {0, 1}


def test_without_texts_of_cited_passages_it_says_how_they_come(store):
    with pytest.raises(UsageError, match=r"no text is known of 3 passages(.|\n)*import passages"):
        graded(store, "citation-support", Judge())


def test_assigned_nuggets_give_the_nugget_scores(store, tmp_path):
    import_topics(store, "c", tmp_path / "topics")
    model = Judge()
    grader = graded(store, "nugget-assignment", model).grader
    snapshot = store.snapshot("c")
    rows = nuggets(snapshot, choose_labelling(snapshot, Request(bank="b", grader=grader))).rows
    # Both nuggets are supported in part.
    assert rows[["strict_vital_score", "vital_score", "partial_support", "unread"]].to_numpy().tolist() == [
        [0, 0.5, 2, 0]
    ]


@pytest.mark.parametrize(
    ("mode", "answer", "grade"),
    [
        ("nugget-assignment", "support", 2),
        ("citation-support", "Full Support", 2),
        ("nugget-assignment", "**partial_support**", 1),
        ("citation-support", "The citation gives Partial Support.\n\nLabel: Partial Support", 1),
        ("nugget-assignment", "Label: not_support", 0),
        ("citation-support", '{"label": "no_support"}', 0),
        ("citation-support", "Full Support or Partial Support", None),
        ("nugget-assignment", "I can't tell.", None),
    ],
)
def test_a_label_is_read_as_models_write_it(mode, answer, grade):
    read = replace(MODES[mode], reading="chat").read(answer, Question("passage"))
    assert read.grade == grade

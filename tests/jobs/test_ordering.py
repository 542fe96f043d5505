"""An order and its command line mean the same, and what prevents a job is known before a model is loaded."""

from __future__ import annotations

import shlex

import pytest
from typer.testing import CliRunner

from exam_core.cli.main import app
from exam_core.errors import UsageError
from exam_core.jobs import ordering
from exam_core.jobs.task import Task
from exam_core.store import Store

ALL = {
    "bank": "open",
    "name": "mine",
    "unreadable": "paper",
    "limit": 7,
    "model": "some/model",
    "backend": "ctranslate2",
    "device": "cpu",
    "precision": "int8",
    "beams": 1,
}


def asked(mode="self-rating", **options):
    return ordering.order("demo", mode, **({"bank": "open"} | options))


def test_what_is_at_its_default_is_left_out_of_the_command():
    assert ordering.arguments(asked()) == ["demo", "--bank", "open", "--grader", "self-rating"]


def test_the_papers_model_of_each_mode_is_its_default():
    assert {mode: "--model" in ordering.arguments(asked(mode)) for mode in ordering.modes()} == dict.fromkeys(
        ordering.modes(), False
    )


def test_a_mode_that_labels_passages_takes_no_bank():
    assert ordering.arguments(asked("thomas")) == ["demo", "--grader", "thomas"]


def test_a_price_goes_with_a_plan_only():
    assert ordering.arguments(asked(), plan=True, price=2.5)[-3:] == ["--price", "2.5", "--plan"]
    assert "--price" not in ordering.arguments(asked(), price=2.5)


def test_a_command_can_be_pasted_into_a_shell():
    said = ordering.command(ordering.arguments(asked(model="my models/it's")))
    assert shlex.split(said)[-1] == "my models/it's"


@pytest.mark.parametrize("options", [{}, ALL, ALL | {"plan": True}], ids=["defaults", "all options", "a plan"])
def test_the_command_line_understands_the_arguments(tmp_path, options):
    options = dict(options)
    plan = options.pop("plan", False)
    said = ["--store", str(tmp_path), "grade", *ordering.arguments(asked(**options), plan=plan)]
    answer = CliRunner().invoke(app, said)
    # Every option is known, so that it comes as far as looking for the collection, which an empty store lacks.
    assert "There is no collection demo" in str(answer.exception)


def test_what_a_job_would_do_is_what_its_task_finds(demo_store):
    store = Store(demo_store)
    order = asked(model="tiny")
    found, task = ordering.ahead(store.snapshot("demo"), store, order), Task(store, order)
    assert (found.missing, found.first, found.graded) == (len(task), int(task.first.sum()), 0)
    assert (found.grader, found.without_text) == ("tiny.self-rating", 0)


@pytest.mark.parametrize(
    ("order", "reason"),
    [
        (asked("qa"), "no answer key for"),
        (asked(bank="nothing"), "There is no bank nothing"),
        (asked(backend="openai"), "needs --base-url"),
        (asked(precision="int8"), "add --backend ctranslate2"),
    ],
    ids=["answer keys", "bank", "address", "precision"],
)
def test_what_prevents_a_job_is_said_without_loading_a_model(demo_store, order, reason):
    store = Store(demo_store)
    with pytest.raises(UsageError, match=reason):
        ordering.ahead(store.snapshot("demo"), store, order)

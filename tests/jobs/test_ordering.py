"""An order and its command line mean the same, and what prevents a job is known before a model is loaded."""

import shlex
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from exam_core.actions import grading_jobs, planning
from exam_core.cli.tree import app
from exam_core.errors import UsageError
from exam_core.grading.modes.papers import MODES
from exam_core.grading.options import GradingOptions
from exam_core.jobs import ordering
from exam_core.jobs.ordering import JobRequest, Order
from exam_core.jobs.task import Task
from exam_core.jobs.watching import ahead
from exam_core.store import Store

MODEL = GradingOptions(model="some/model", device="cpu", precision="bf16", beams=1)
ALL = {
    "bank": "open",
    "name": "mine",
    "reading": "flan-t5",
    "go_on": True,
    "unreadable": "paper",
    "verification": "words-authors",
    "verifier": "another/model",
    "limit": 7,
    "options": MODEL,
}


def asked(mode="self-rating", **changes):
    return Order("demo", mode, **({"bank": "open"} | changes))


def arguments(order, **changes):
    return ordering.arguments(JobRequest(order, **changes))


def test_what_is_at_its_default_is_left_out_of_the_command():
    assert arguments(asked()) == ["demo", "--bank", "open", "--grader", "self-rating"]


def test_the_papers_model_of_each_mode_is_its_default():
    assert {mode: "--model" in arguments(asked(mode)) for mode in MODES} == dict.fromkeys(MODES, False)


def test_the_lexical_grader_is_no_mode_and_has_its_name():
    for order in (Order("c", "lexical", bank="b", limit=3), Order("c", name="lexical", bank="b", limit=3)):
        said = ["c", "--bank", "b", "--grader", "lexical.pourpre-idf", "--limit", "3"]
        assert ordering.arguments(JobRequest(order)) == said


def test_a_mode_that_labels_passages_takes_no_bank():
    assert arguments(asked("thomas")) == ["demo", "--grader", "thomas"]


def test_a_price_goes_with_a_plan_only():
    assert arguments(asked(), plan=True, price=2.5)[-3:] == ["--price", "2.5", "--plan"]
    assert "--price" not in arguments(asked(), price=2.5)


def test_a_command_can_be_pasted_into_a_shell():
    said = ordering.command(arguments(asked(options=GradingOptions("my models/it's"))))
    assert shlex.split(said)[-1] == "my models/it's"


@pytest.mark.parametrize("options", [{}, ALL, ALL | {"plan": True}], ids=["defaults", "all options", "a plan"])
def test_the_command_line_understands_the_arguments(tmp_path, options):
    options = dict(options)
    plan = options.pop("plan", False)
    said = ["--store", str(tmp_path), "grade", *arguments(asked("qa", **options), plan=plan)]
    answer = CliRunner().invoke(app, said)
    # Every option is known, so that it comes as far as looking for the collection, which an empty store lacks.
    assert "There is no collection demo" in str(answer.exception)


def test_what_a_job_would_do_is_what_its_task_finds(demo_store):
    store = Store(demo_store)
    order = asked(options=GradingOptions("tiny"))
    found, task = ahead(store.snapshot("demo"), store, order), Task(store, order)
    assert (found.missing, found.first, found.graded) == (len(task), int(task.first.sum()), 0)
    assert (found.grader, found.without_text) == ("tiny.self-rating", 0)


@pytest.mark.parametrize(
    ("order", "reason"),
    [(asked("qa"), "no answer key for"), (asked(bank="nothing"), "There is no bank nothing")],
    ids=["answer keys", "bank"],
)
def test_what_prevents_a_job_is_said_without_loading_a_model(demo_store, order, reason):
    store = Store(demo_store)
    with pytest.raises(UsageError, match=reason):
        ahead(store.snapshot("demo"), store, order)


@pytest.mark.parametrize("plan", [False, True])
@pytest.mark.parametrize("options", [{}, ALL], ids=["defaults", "all options"])
def test_the_arguments_leave_out_no_field(monkeypatch, options, plan):
    typed = []
    monkeypatch.setattr(planning, "plan_job", lambda _store, request, **_: typed.append(request))
    monkeypatch.setattr(grading_jobs, "prepare_job", lambda _store, request: typed.append(request))
    wanted = JobRequest(asked(**options), plan=plan, price=2.5 if plan else None)
    CliRunner().invoke(app, ["grade", *ordering.arguments(wanted)])
    assert [replace(one, order=ordering.completed(one.order)) for one in typed] == [
        replace(wanted, order=ordering.completed(wanted.order))
    ]


@pytest.mark.parametrize(
    ("name", "mode", "found"),
    [(None, "", ("self-rating", None)), ("qa", "", ("qa", None)), ("qa", "thomas", ("thomas", "qa"))],
)
def test_a_name_is_a_mode_unless_a_mode_is_named_too(name, mode, found):
    order = ordering.completed(Order("demo", mode, name=name))
    assert (order.mode, order.name) == found
    assert ordering.completed(order) == order

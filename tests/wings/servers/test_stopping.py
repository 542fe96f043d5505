"""A job at a server that answers nothing can be stopped."""

from pathlib import Path

import pytest
from grading.server import Server, hangs

from exam_core.actions.grading_jobs import run
from exam_core.grading.options import GradingOptions
from exam_core.jobs.ordering import Order
from exam_core.jobs.task import Task
from exam_core.store import Store
from exam_core.wings.servers.remote import Remote
from exam_core.wings.servers.replies import ServerTerms

ORDER = Order("demo", "self-rating", GradingOptions("fake"), bank="open")


@pytest.fixture
def store(own_store: Path) -> Store:
    """The demo collection, for a test to grade."""
    return Store(own_store)


def test_a_job_is_stopped_while_no_answer_comes(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Server(lambda _text, _time: hangs) as server:
        task = Task(store, ORDER, model=Remote("m", server.address, ServerTerms(timeout=600)))
        assert run(task, stopped=lambda: bool(server.requests)).state == "stopped"

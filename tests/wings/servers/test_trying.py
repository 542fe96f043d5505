"""A mode tried on three passages: real answers, the grades read of them, and nothing asked twice."""

from dataclasses import replace

import pytest

from exam_core.actions import planning
from exam_core.errors import GraderError, UsageError
from exam_core.formats import Reading
from exam_core.grading.modes.papers import MODES
from exam_core.grading.options import GradingOptions
from exam_core.jobs.ordering import Order
from exam_core.store import Store
from tests.actions.test_grading_jobs import frames
from tests.grading.server import Server, fails, says

OWN = replace(MODES["self-rating"], name="mine", text="Rate {question}: {passage}", prompt_class="")


@pytest.fixture
def store(tmp_path):
    made = Store(tmp_path / "store")
    made.commit("c", Reading(frames(docs=5)), source="a")
    return made


def asking(server, **changes):
    options = GradingOptions("m", backend="openai", base_url=server.address, **changes)
    return Order("c", OWN.called, options)


def test_answers_and_their_grades_come_and_the_next_trial_asks_nothing(store):
    with Server(lambda text, _: says("4" if "0" in text else "I would say so.")) as server:
        for _ in range(2):
            found = planning.try_mode(store, asking(server, batch=True), OWN, [server.address])
        assert len(server.requests) == 3
    assert found["doc_id"].nunique() == len(found) == 3
    assert set(found["passage"]) <= {one.text.split(": ", 1)[1] for one in server.requests}
    assert set(zip(found["answer"], found["grade"].isna(), strict=True)) <= {("4", False), ("I would say so.", True)}
    assert (found["reason"] != "").equals(found["grade"].isna())
    assert store.snapshot("c").graders == {}
    assert not (store.path / ".modes").exists()


def test_a_trial_says_why_the_model_does_not_answer(store):
    with Server(lambda *_: fails(404)) as server:
        with pytest.raises(GraderError, match="has no chat completions of 'm'"):
            planning.try_mode(store, asking(server), OWN, [server.address])
        with pytest.raises(UsageError, match="is on this machine"):
            planning.try_mode(store, asking(server), OWN)

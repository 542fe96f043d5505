"""Answers that all users share."""

from contextlib import nullcontext
from dataclasses import dataclass
from threading import Barrier, Event, Thread
from time import sleep

import pytest

from exam_core.errors import ExamboardError
from exam_core.store.snapshot import Validity
from pages.shared import data
from pages.shared.data import ResultCache, key_of

HOLDS = Validity()


def test_an_answer_is_computed_once():
    calls = []
    answers = ResultCache(10)
    assert [answers.get("key", lambda: calls.append(1) or len(calls), HOLDS) for _ in range(3)] == [1, 1, 1]


@dataclass(frozen=True)
class Thing:
    name: str

    def told(self):
        return self.name


def test_a_method_is_asked_once_of_equal_things():
    ours, yours, other = (key_of(Thing(name).told, (), {}) for name in ("a", "a", "b"))
    assert (ours == yours, hash(ours) == hash(yours), ours == other) == (True, True, False)


def test_the_least_recently_used_answer_is_forgotten():
    answers = ResultCache(2)
    for key in ("a", "b", "a", "c"):
        answers.get(key, lambda: 1, HOLDS)
    assert [answers.get(key, lambda: 2, HOLDS) for key in ("a", "c", "b")] == [1, 1, 2]


def test_an_error_is_told_and_not_kept():
    answers = ResultCache(10)

    def fails():
        raise ExamboardError("no grades")

    with pytest.raises(ExamboardError, match="no grades"):
        answers.get("key", fails, HOLDS)
    assert answers.get("key", lambda: "now there are", HOLDS) == "now there are"


def test_eight_who_ask_at_once_share_one_computation():
    answers, together, calls, heard = ResultCache(10), Barrier(8), [], []

    def work():
        calls.append(1)
        return "answer"

    def user():
        together.wait()
        heard.append(answers.get("key", work, HOLDS))

    users = [Thread(target=user) for _ in range(8)]
    for one in users:
        one.start()
    for one in users:
        one.join()
    assert (len(calls), heard) == (1, ["answer"] * 8)


class Interrupted(BaseException):
    """As Streamlit raises it in the middle of work when a user moves on."""


def test_who_waits_for_an_interrupted_user_takes_over():
    answers, started, go_on, heard = ResultCache(10), Event(), Event(), []

    def interrupted_work():
        started.set()
        go_on.wait()
        raise Interrupted

    def first():
        with pytest.raises(Interrupted):
            answers.get("key", interrupted_work, HOLDS)

    def second():
        heard.append(answers.get("key", lambda: "mine", HOLDS))

    threads = [Thread(target=first), Thread(target=second)]
    threads[0].start()
    started.wait()
    threads[1].start()
    go_on.set()
    for thread in threads:
        thread.join()
    assert heard == ["mine"]


def test_several_are_asked_under_one_bar_and_an_error_has_the_place_of_its_answer(monkeypatch):
    told = []
    monkeypatch.setattr(data, "report_progress", lambda _label: nullcontext(told.append))
    both = Barrier(data.AT_ONCE)

    @dataclass(frozen=True)
    class Of:
        number: int
        validity: Validity = HOLDS

    def analysis(of, *, times, progress):
        progress(0.5)
        if of.number < data.AT_ONCE:
            both.wait(30)  # neither would begin without the other
        sleep(2 * data.LOOK)
        if of.number == 2:
            raise ExamboardError("no grades")
        return times * of.number

    found = data.ask_each("Comparing", analysis, [(Of(number),) for number in range(4)], times=10)
    assert [str(one) for one in found] == ["0", "10", "no grades", "30"]
    assert told == sorted(told)
    assert 0 < told[0] <= told[-1] < 1

"""A job that can't read its first answers pauses, stores nothing, and says what would read them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from typer import Exit

from exam_core.actions.grading_jobs import run
from exam_core.cli.running import NO_ANSWER, end
from exam_core.formats import Reading
from exam_core.grading.failures import missing_sentences
from exam_core.grading.options import GradingOptions
from exam_core.grading.prompt import ModelAnswer, Prompt
from exam_core.jobs.ordering import Order
from exam_core.jobs.records import JobProgress
from exam_core.jobs.task import Task
from exam_core.store import Store

from .fake_model import FakeModel
from .test_grading_jobs import GRADES, frames

FLAN = Order("c", "self-rating", GradingOptions("fake"))
CHAT = replace(FLAN, reading="chat")


class Writes(FakeModel):
    """Answers the n-th prompt as it is told."""

    def __init__(self, says: Callable[[int], str]) -> None:
        super().__init__()
        self._says = says

    def answers(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, ModelAnswer]]:
        """The first prompt first."""
        for place, prompt in enumerate(prompts):
            self.asked.append(prompt)
            yield place, ModelAnswer(self._says(len(self.asked) - 1))


class Another(Writes):
    """Another model, so that no answer is in the cache."""

    def __init__(self, says: Callable[[int], str]) -> None:
        super().__init__(says)
        self.about = {"model": "fake", "revision": "2"}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "store")
    made.commit("c", Reading(frames()), source="a")
    return made


def mixed(n: int) -> str:
    return "4" if n % 5 > 2 else "Rating: 4" if n % 2 else "**4**"


def test_it_pauses_before_a_grade_is_stored_and_names_the_reading_that_reads_more(store: Store) -> None:
    told: list[JobProgress] = []
    model = Writes(mixed)
    done = run(Task(store, FLAN, model=model), tell=told.append)
    assert (done.state, done.done, done.total, done.reads) == ("paused", 0, GRADES, "chat")
    assert len(model.asked) == 100
    assert "60 of the first 100 answers can't be read, so the job paused. No grade was stored" in done.message
    assert "30 × '**4**': grade among other words" in done.message
    assert "The reading chat reads 100 of these 100: --reading chat" in done.message
    assert store.snapshot("c").graders == {}
    again = Writes(mixed)
    read = run(Task(store, replace(FLAN, reading="chat"), model=again))
    assert (read.state, read.done, read.unreadable) == ("done", GRADES, 0)
    assert len(again.asked) == GRADES - len(model.asked)


def test_go_on_overrides_it_and_asks_nothing_twice(store: Store) -> None:
    first, second = Writes(mixed), Writes(mixed)
    run(Task(store, FLAN, model=first))
    done = run(Task(store, replace(FLAN, go_on=True), model=second))
    assert (done.state, done.done, len(first.asked) + len(second.asked)) == ("done", GRADES, GRADES)
    assert done.unread == {"grade among other words": done.unreadable}


def test_half_is_enough_to_go_on_and_five_answers_are_shown_where_it_is_not(store: Store) -> None:
    assert run(Task(store, FLAN, model=Writes(lambda n: "4" if n % 2 else "often"))).state == "done"
    model = Another(lambda n: "4" if n % 10 > 5 else f"well {n % 7}\x1b[0m")
    done = run(Task(store, replace(FLAN, name="b"), model=model))
    assert done.state == "paused"
    assert sum("×" in line for line in done.message.splitlines()) == 5
    assert "No other reading reads more of them. The prompt should ask" in done.message
    assert "\x1b" not in done.message


def test_a_job_that_ends_before_a_hundred_keeps_what_it_has(store: Store) -> None:
    done = run(Task(store, replace(FLAN, limit=90), model=Writes(lambda _: "often")))
    assert (done.state, done.done, len(store.snapshot("c").frame("grades"))) == ("done", 90, 90)


def test_answers_that_a_rule_would_grade_count_as_unreadable(store: Store) -> None:
    done = run(Task(store, replace(FLAN, unreadable="authors"), model=Writes(lambda _: "Rating: 4")))
    assert done.state == "paused"
    assert "100 of them would count 0 or 1 by the rule --unreadable authors." in done.message


def test_a_job_that_gets_no_answers_pauses_as_well(store: Store) -> None:
    model = FakeModel(failing=lambda _: True)
    done = run(Task(store, CHAT, model=model))
    assert (done.state, done.done, len(model.asked)) == ("paused", 0, 100)
    assert done.message.startswith("100 of the first 100 grades got no answer, so the job paused.")
    assert done.message.endswith("To go on anyway: --go-on")
    gone_on = run(Task(store, replace(CHAT, go_on=True), model=model))
    assert (gone_on.state, gone_on.failed) == ("done", GRADES)


def test_it_says_why_nothing_is_answered_and_a_job_that_ends_so_exits_with_a_status(store: Store) -> None:
    class Silent(FakeModel):
        """Thinks until it is cut."""

        def answers(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, ModelAnswer]]:
            """None."""
            yield from (
                (place, ModelAnswer(None, failure="no content", reason="length")) for place in range(len(prompts))
            )

    done = run(Task(store, CHAT, model=Silent()))
    assert done.state == "paused"
    head, *rest = done.message.splitlines()
    assert head.startswith("100 of the first 100 grades got no answer, so the job paused. No grade was stored")
    assert head.endswith(f" {missing_sentences({'length': 100}, {'length': 'no content'})[0]}")
    assert rest == ["To ask for the missing answers again, start the job again. To go on anyway: --go-on"]
    ended = run(Task(store, replace(CHAT, limit=20), model=Silent()))
    assert (ended.state, ended.failed) == ("done", 20)
    with pytest.raises(Exit) as left:
        end(ended)
    assert left.value.exit_code == NO_ANSWER

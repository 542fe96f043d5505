"""Jobs that run at once on one store: together they ask each prompt once, and whatever dies, nothing is lost."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from exam_core.actions import grading_jobs
from exam_core.actions.grading_jobs import run
from exam_core.actions.planning import plan
from exam_core.formats import Reading
from exam_core.grading.prompt import cache_key
from exam_core.jobs.records import JobProgress, progress_sentence
from exam_core.jobs.task import Task
from exam_core.store import Store
from exam_core.store.answer_cache import FILE
from tests.store.store_samples import rows_of

from .fake_model import FakeModel
from .grader import grade_when_told
from .test_grading_jobs import GRADES, ORDER, frames, graded, replace_state
from .workers import Worker

SLOW, EXPIRES = 0.002, 60.0
MINE = ("c", "mine")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store with two collections of the same passages that nobody graded."""
    store = Store(tmp_path / "store")
    for name in ("c", "other"):
        store.commit(name, Reading(frames()), source="a")
    return store


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    """What a job alone makes of it."""
    whole = Store(tmp_path_factory.mktemp("whole"))
    whole.commit("c", Reading(frames()), source="a")
    run(Task(whole, ORDER, model=FakeModel()))
    return graded(whole).reset_index(drop=True)


class Grader(Worker):
    """A process of its own that grades, and what it asked."""

    def __init__(self) -> None:
        super().__init__(grade_when_told)
        self.wait_for("ready")
        self._log = Path()

    def asks(self) -> None:
        """Wait until it asks its model; one that was late may be done with what another asked."""
        assert self.says() in ("asked", f"done {GRADES}")

    def load(self, store: Store, collection: str, grader: str, log: Path, expires: float, sees: bool) -> None:
        """Let it prepare a job."""
        self._log = log
        self.tell(store.path, collection, grader, log, SLOW, expires, sees)

    def ends(self, grades: int = GRADES) -> None:
        """Wait for its end, with so many grades; one that was late may have asked nothing."""
        said = self.says()
        assert f"done {grades}" == (self.says() if said == "asked" else said)

    @property
    def asked(self) -> list[str]:
        return self._log.read_text().split() if self._log.exists() else []


@pytest.fixture(scope="module")
def pool() -> Iterator[list[Grader]]:
    """Processes that wait for work; whatever still runs at the end is killed."""
    started: list[Grader] = []
    yield started
    for job in started:
        job.kill()


@pytest.fixture
def graders(pool: list[Grader], store: Store, tmp_path: Path) -> Callable[..., list[Grader]]:
    """Processes that begin to grade at the same moment, one for each (collection, grader)."""

    def start(*work: tuple[str, str], expires: float = EXPIRES, sees: bool = True) -> list[Grader]:
        alive = [job for job in pool if job.process.is_alive()]
        pool.extend(new := [Grader() for _ in range(len(work) - len(alive))])
        jobs = [*alive, *new][: len(work)]
        for number, (job, (collection, grader)) in enumerate(zip(jobs, work, strict=True)):
            job.load(store, collection, grader, tmp_path / f"asked-{number}", expires, sees)
        for job in jobs:
            job.wait_for("loaded")
        for job in jobs:
            job.tell("begin")
        return jobs

    return start


def leases(store: Store) -> list[Any]:
    return [row for path in (store.path / "cache").glob(f"*/{FILE}") for row in rows_of(path, "leases")]


def same(store: Store, alone: pd.DataFrame, collection: str = "c") -> None:
    found = graded(Store(store.path), collection).reset_index(drop=True)
    pd.testing.assert_frame_equal(found.assign(grader_id=""), alone.assign(grader_id=""))


def test_jobs_at_once_ask_each_prompt_once(
    graders: Callable[..., list[Grader]], store: Store, alone: pd.DataFrame
) -> None:
    jobs = graders(*[MINE] * 4)
    for job in jobs:
        job.ends()
    asked = [key for job in jobs for key in job.asked]
    assert len(asked) == len(set(asked)) == GRADES
    same(store, alone)
    assert leases(store) == []


def test_jobs_of_other_collections_and_graders_share_too(
    graders: Callable[..., list[Grader]], store: Store, alone: pd.DataFrame
) -> None:
    jobs = graders(MINE, ("other", "another"))
    for job in jobs:
        job.ends()
    assert sum(len(job.asked) for job in jobs) == GRADES
    same(store, alone)
    same(store, alone, "other")


@pytest.mark.parametrize(
    ("sees", "expires"),
    [
        pytest.param(True, EXPIRES, id="seen to be dead"),
        pytest.param(False, 0.5, id="after its lease expired", marks=pytest.mark.thorough),
    ],
)
def test_when_one_is_killed_the_other_finishes_all(
    graders: Callable[..., list[Grader]], store: Store, alone: pd.DataFrame, sees: bool, expires: float
) -> None:
    one, other = graders(MINE, MINE, sees=sees, expires=expires)
    one.asks()
    one.kill()
    other.ends()
    same(store, alone)
    assert leases(store) == []


def test_when_all_are_killed_a_new_job_loses_nothing(
    graders: Callable[..., list[Grader]], store: Store, alone: pd.DataFrame
) -> None:
    killed = graders(MINE, MINE)
    for job in killed:
        job.asks()
    for job in killed:
        job.kill()
    left = GRADES - len(store.snapshot("c").query("SELECT 1 FROM grades"))
    (last,) = graders(MINE)
    last.ends(left)
    same(store, alone)
    assert leases(store) == []


# In one process


def taken(store: Store, share: float) -> tuple[Task, list[bytes]]:
    """A task of another job, and the keys of its first prompts."""
    task = Task(store, replace(ORDER, name="first"), model=FakeModel())
    return task, [cache_key(prompt) for prompt in task.prompts(slice(0, int(share * GRADES)))]


def test_what_another_job_asks_is_left_for_the_end_and_waited_for(store: Store) -> None:
    other, keys = taken(store, 0.5)
    model, told = FakeModel(), list[JobProgress]()

    def tell(so_far: JobProgress) -> None:
        told.append(replace_state(so_far))
        if so_far.waiting:
            leases.release()

    with other.cache.leases() as leases:
        leases.take(keys)
        done = run(Task(store, ORDER, model=model), tell=tell)
    assert (done.state, done.done, len(model.asked)) == ("done", GRADES, GRADES)
    waiting = next(so_far for so_far in told if so_far.waiting)
    assert (waiting.done, waiting.left) == (GRADES / 2, None)
    assert "waiting for another job for 1 s" in progress_sentence(JobProgress(state="running", total=9, waiting=1.0))
    assert told[-1].waiting == 0


def test_a_job_that_waits_for_another_can_be_stopped(store: Store) -> None:
    other, keys = taken(store, 1.0)
    told = list[JobProgress]()
    with other.cache.leases() as held:
        held.take(keys)
        done = run(
            Task(store, ORDER, model=FakeModel()),
            tell=lambda so_far: told.append(replace_state(so_far)),
            stopped=lambda: told[-1].waiting > 0,
        )
        assert (done.state, done.done, len(leases(store))) == ("stopped", 0, 1)


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_a_job_that_ends_in_the_middle_lets_its_prompts_go(store: Store, error: type[BaseException]) -> None:
    def breaks(_: object) -> bool:
        raise error

    with pytest.raises(error):
        run(Task(store, ORDER, model=FakeModel(failing=breaks)))
    assert leases(store) == []


def test_a_plan_leaves_to_a_job_what_it_asks(store: Store) -> None:
    other, keys = taken(store, 0.5)
    model = FakeModel()
    with other.cache.leases() as held:
        held.take(keys)
        plan(Task(store, ORDER, model=model))
    assert model.asked
    assert not {cache_key(prompt) for prompt in model.asked} & set(keys)
    assert leases(store) == []


def test_after_answers_from_the_cache_a_job_asks_few_prompts_at_first(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grading_jobs, "SMALLEST_BLOCK", 8)
    run(Task(store, replace(ORDER, limit=GRADES // 2), model=FakeModel()))
    asked = list[int]()

    class Counting(FakeModel):
        def answers(self, prompts):  # type: ignore[no-untyped-def]
            asked.append(len(prompts))
            return super().answers(prompts)

    run(Task(store, replace(ORDER, name="second"), model=Counting()))
    assert asked[0] == 8
    assert sum(asked) == GRADES - GRADES // 2

"""Machines of a Ray cluster that are killed and added, with real raylets; and workers that die or fail."""

import os
import re
import shutil
import signal

import pytest

pytest.importorskip("ray", reason="Ray is not installed")


from exam_core.actions import run_job
from exam_core.actions.job_control import create_job
from exam_core.errors import GraderError
from exam_core.grading import cluster
from exam_core.grading.cluster import Cluster
from exam_core.grading.options import GradingOptions
from exam_core.grading.prompt import Prompt
from exam_core.grading.ray_workers import AHEAD, SMALLEST
from exam_core.jobs.order import Order, Request
from exam_core.jobs.task import Task
from exam_core.store import Store
from tests.actions.fake_model import FakeModel
from tests.grading.patient import Patiently
from tests.grading.raylets import at_work, fill, head, kill

pytestmark = pytest.mark.thorough  # a cluster takes a minute to start
MACHINES = 3
ASKED = [Prompt("head", f"passage {number}") for number in range(120)]
FAKE = GradingOptions("fake", engine="ray", device="cpu", workers=MACHINES)


@pytest.fixture(scope="module")
def ray_head():
    """The cluster's head."""
    with head() as machines:
        yield machines


@pytest.fixture
def machines(ray_head):
    """Three machines with a core each."""
    return fill(ray_head, MACHINES)


@pytest.fixture
def patiently(tmp_path):
    """A slow model."""
    return Patiently(tmp_path)


def test_a_job_goes_on_when_a_machine_is_lost_and_takes_the_one_that_joins(
    machines, demo_store, tmp_path, patiently, capfd
):
    here, elsewhere = (Store(shutil.copytree(demo_store, tmp_path / name)) for name in ("here", "elsewhere"))
    order = Order("demo", "self-rating", FAKE, bank="open", limit=400)
    job, told = create_job(elsewhere, Request(order)), []

    def tell(so_far):
        if so_far.workers != (told or [None])[-1]:
            told.append(so_far.workers)
        if told == [3] and so_far.asked > 40 and len(machines.worker_nodes) == MACHINES:
            kill(machines)
        elif told == [3, 2] and len(machines.worker_nodes) < MACHINES:
            fill(machines, MACHINES)
        elif told == [3, 2, 3]:
            patiently.hurry()

    model = Cluster(patiently, FAKE, log=job.log_file)
    done = run_job(job, Task(elsewhere, order, model=model), tell=tell)
    model.close()
    run_job(create_job(here, Request(order)), Task(here, order, model=FakeModel()))
    assert (done.state, done.done, told) == ("done", 400, [3, 2, 3])
    sql = "SELECT * FROM grades WHERE grader_id = 'fake.self-rating' ORDER BY ALL"
    assert elsewhere.snapshot("demo").query(sql).equals(here.snapshot("demo").query(sql))
    # Asked twice is only what the lost one held.
    (lost,) = map(int, re.findall(r"process (\d+) on \S+ is lost", job.log))
    assert patiently.repeated() <= {key for pid, key in patiently.asked() if pid == lost}
    assert len(patiently.repeated()) <= AHEAD * SMALLEST
    # What Ray says of it is in the job's log alone.
    assert "Raylet is terminated" in job.log
    assert capfd.readouterr() == ("", "")


def test_a_worker_that_is_killed_is_replaced(machines, patiently, tmp_path):
    del machines
    model = Cluster(patiently, FAKE, log=tmp_path / "log.txt")
    first, found = at_work(tmp_path / "log.txt"), {}
    for one in model.answers(ASKED):
        if not found and one:
            os.kill(first[0], signal.SIGKILL)
        found |= dict([one] if one else [])
        if len(at_work(tmp_path / "log.txt")) > MACHINES:
            patiently.hurry()
    model.close()
    assert found == dict(FakeModel().answers(ASKED))
    assert len(at_work(tmp_path / "log.txt")) == MACHINES + 1
    assert patiently.repeated() <= {key for pid, key in patiently.asked() if pid == first[0]}


@pytest.mark.parametrize(
    ("breaks", "message", "times"),
    [("raises", "out of memory on card 0", 1), ("dies", "5 workers of the Ray cluster died at the same prompts", 5)],
)
def test_a_model_that_fails_is_told_as_it_is_and_not_asked_for_ever(machines, tmp_path, breaks, message, times):
    del machines
    patiently = Patiently(tmp_path, breaks)
    patiently.hurry()
    model = Cluster(patiently, FAKE)
    poison = Prompt("", "break")
    with pytest.raises(GraderError, match=message):
        list(model.answers([poison]))
    assert len(patiently.asked()) == times


def test_a_job_ends_with_a_clear_message_when_no_machine_is_left_for_long(machines, patiently, monkeypatch):
    monkeypatch.setattr(cluster, "NONE_LEFT_SECONDS", 3.0)
    model, found = Cluster(patiently, FAKE), []

    def lose_all():
        for one in filter(None, model.answers(ASKED)):
            found.append(one)
            while machines.worker_nodes:
                kill(machines)

    with pytest.raises(GraderError, match=r"No worker of the Ray cluster was left for 3 s.*\nWhat is answered is kept"):
        lose_all()
    assert 0 < len(found) < len(ASKED)

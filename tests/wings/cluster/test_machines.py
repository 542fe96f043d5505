"""Machines of a Ray cluster that are killed and added, with real raylets; and workers that die or fail."""

import os
import re
import shutil
import signal
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="Ray is not installed")


from exam_core.actions.grading_jobs import run_job
from exam_core.actions.job_control import create_job
from exam_core.errors import GraderError
from exam_core.grading.options import GradingOptions
from exam_core.grading.prompt import Prompt, Workers
from exam_core.jobs.ordering import JobRequest, Order
from exam_core.jobs.task import Task
from exam_core.store import Store
from exam_core.wings.cluster import cluster
from exam_core.wings.cluster.cluster import Cluster
from exam_core.wings.cluster.ray_workers import AHEAD, SMALLEST
from tests.actions.fake_model import FakeModel
from tests.grading.raylets import at_work, fill, head, kill
from tests.wings.cluster.patient import Patiently

pytestmark = pytest.mark.thorough  # a cluster takes a minute to start
MACHINES, KILLS = 3, 20
LIMIT = 3_000
"""Grades: more than can be given between the kills."""
ASKED = [Prompt("head", f"passage {number}") for number in range(120)]
FAKE = GradingOptions("fake", engine="ray", device="cpu", workers=MACHINES)


@pytest.fixture(scope="module")
def ray_head():
    with head() as machines:
        yield machines


@pytest.fixture
def machines(ray_head):
    while len(ray_head.worker_nodes) > MACHINES:
        kill(ray_head)
    return fill(ray_head, MACHINES)


@pytest.fixture
def patiently(tmp_path):
    return Patiently(tmp_path)


def test_a_job_goes_on_through_twenty_kills_of_raylets_and_takes_the_machines_that_join(
    machines, demo_store, tmp_path, patiently, capfd
):
    here, elsewhere = (Store(shutil.copytree(demo_store, tmp_path / name)) for name in ("here", "elsewhere"))
    order = Order("demo", "self-rating", FAKE, bank="open", limit=LIMIT)
    job, killed, enough = create_job(elsewhere, JobRequest(order)), [], 0

    def tell(so_far):
        nonlocal enough
        fill(machines, MACHINES)
        if so_far.asked < enough or len(at_work(job.log_file)) < MACHINES + len(killed):
            return
        if len(killed) == KILLS:
            patiently.hurry()
        # Of three kills two are of machines that go at once.
        for _ in range(min(1 + len(killed) % 3 % 2, KILLS - len(killed))):
            killed.append(kill(machines, raylet_alone=True))
        enough = so_far.asked + SMALLEST

    model = Cluster(patiently, FAKE, log=job.log_file)
    done = run_job(job, Task(elsewhere, order, model=model), tell=tell)
    dead = {pid for pid, _ in patiently.asked() if not Path(f"/proc/{pid}").exists()}
    model.close()
    run_job(create_job(here, JobRequest(order)), Task(here, order, model=FakeModel()))
    assert (done.state, done.done, len(killed)) == ("done", LIMIT, KILLS)
    sql = "SELECT * FROM grades WHERE grader_id = 'fake.self-rating' ORDER BY ALL"
    assert elsewhere.snapshot("demo").query(sql).equals(here.snapshot("demo").query(sql))
    # Request twice is only what a lost one held.
    assert patiently.repeated() <= {key for pid, key in patiently.asked() if pid in dead}
    assert len(patiently.asked()) - LIMIT <= len(dead) * AHEAD * SMALLEST
    # The job's log says which machines went and came; what Ray says of it is there alone.
    log = job.log_file.read_text("utf-8")
    gone = re.findall(r"(?:machine|on) \S+ \((\w+)\) (?:went|is lost)", log)
    assert {node[:8] for node in killed} == set(gone)
    assert len(set(re.findall(r"\((\w+)\) (?:came|works)", log))) == 1 + MACHINES + KILLS
    assert capfd.readouterr() == ("", "")


def test_workers_that_ray_has_no_room_for_come_with_the_machines(machines, patiently, tmp_path):
    patiently.hurry()
    model = Cluster(patiently, replace(FAKE, workers=MACHINES + 1), log=tmp_path / "log.txt")
    assert model.workers == Workers(MACHINES, MACHINES + 1)
    fill(machines, MACHINES + 1)
    while model.workers.working <= MACHINES:
        assert dict(filter(None, model.answers(ASKED))) == dict(FakeModel().answers(ASKED))
    model.close()


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
    model, found = Cluster(patiently, FAKE), []
    monkeypatch.setattr(cluster, "NONE_SECONDS", 3.0)

    def lose_all():
        for one in filter(None, model.answers(ASKED)):
            found.append(one)
            while machines.worker_nodes:
                kill(machines)

    with pytest.raises(GraderError, match=r"The Ray cluster had no worker for 3 s.*\nWhat is answered is kept"):
        lose_all()
    assert 0 < len(found) < len(ASKED)

"""Records of jobs: what a reader sees of one that runs, ends, dies, or runs elsewhere; and real processes."""

import errno
import os
import shutil
import subprocess
import sys
import time
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from exam_core.actions import grading_jobs, job_control
from exam_core.actions.exporting import export_store
from exam_core.actions.job_control import create_job, repeat_job, start_job, stop_job, write_progress
from exam_core.declared import declared
from exam_core.errors import GraderError, StoreError, UsageError
from exam_core.grading.options import BACKENDS, GradingOptions
from exam_core.jobs import records, watching
from exam_core.jobs.ordering import JobRequest, Order
from exam_core.jobs.records import JOB, RUNNING, Job, JobProgress, progress_sentence
from exam_core.store import Store, files
from exam_core.store.aliases_and_tags import ORDER, JobOrder
from exam_core.store.processes import here
from exam_core.wording import duration
from tests.store.store_samples import change_record

from .fake_model import FakeModel

ARGUMENTS = ["demo", "--bank", "open", "--grader", "self-rating"]
REQUEST = JobRequest(Order("demo", "self-rating", bank="open"))
SECONDS = 60


@pytest.fixture
def dead_process():
    """The id of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def rewritten(job, **changes):
    """A job whose last word is another, as if another process had said it."""
    path = job.folder / "progress.json"
    said = msgspec.json.decode(path.read_bytes()) | changes
    path.write_bytes(msgspec.json.encode(said))
    return job


def old_record(store, arguments):
    """A job as versions before orders travelled as files recorded it."""
    job = create_job(store, REQUEST)
    store.catalogue.put(ORDER, job.id, JobOrder(arguments=arguments))
    return records.job(store, job.id)


def ended(job):
    """How far a job is when it has come to its end."""
    until = time.monotonic() + SECONDS
    while job.progress().state in RUNNING:
        assert time.monotonic() < until, job.log
        time.sleep(0.05)
    return job.progress()


def printed(job):
    """What a job printed, once it has printed something: it says first how it ended."""
    until = time.monotonic() + SECONDS
    while not job.log and time.monotonic() < until:
        time.sleep(0.05)
    return job.log


def test_a_new_job_keeps_what_was_asked_for_and_is_starting(store):
    job = create_job(store, REQUEST)
    assert (job.arguments, job.progress().state, job.log, job.stopping) == (ARGUMENTS, "starting", "", False)


def test_jobs_are_listed_newest_first(store):
    made = [create_job(store, JobRequest(Order(name))) for name in "ab"]
    later, sooner = (Job(store.jobs / name) for name in ("20300101-000000-aaaa", "20200101-000000-aaaa"))
    for job, old in zip((later, sooner), made, strict=True):
        old.folder.rename(job.folder)
        store.catalogue.put(ORDER, job.id, old.order)
    assert records.jobs(store) == [later, sooner]


def test_a_folder_without_a_request_is_no_job(store):
    (store.jobs / "something").mkdir(parents=True)
    assert records.jobs(store) == []


def test_a_job_is_found_by_its_name(store):
    job = create_job(store, REQUEST)
    assert records.job(store, job.id) == job
    with pytest.raises(UsageError, match="There is no job nobody"):
        records.job(store, "nobody")


@pytest.mark.parametrize("state", ["starting", "running"])
def test_a_job_whose_process_is_gone_is_lost(store, dead_process, state):
    job = rewritten(create_job(store, REQUEST), state=state, pid=dead_process, done=5)
    found = job.progress()
    assert (found.state, found.done) == ("lost", 5)
    assert "start it again" in found.message


@pytest.mark.parametrize("state", ["done", "stopped", "failed"])
def test_a_job_that_said_its_last_word_is_not_lost(store, dead_process, state):
    assert rewritten(create_job(store, REQUEST), state=state, pid=dead_process).progress().state == state


@pytest.mark.parametrize(("silent_for", "state"), [(5, "running"), (3600, "lost")])
def test_a_job_on_another_machine_is_lost_when_it_is_silent_for_long(store, dead_process, silent_for, state):
    elsewhere = {"host": "another machine", "pid": dead_process, "updated": time.time() - silent_for}
    assert rewritten(create_job(store, REQUEST), state="running", **elsewhere).progress().state == state


@pytest.fixture
def known(store):
    """Where the system doesn't say when a process began, its number is all that is known."""
    if not here():
        pytest.skip("this system doesn't say when a process began")
    return create_job(store, REQUEST)


def test_a_job_whose_number_another_process_has_now_is_lost(known):
    assert rewritten(known, state="running").progress().state == "running"
    assert rewritten(known, started="1").progress().state == "lost"


@pytest.mark.parametrize(("silent_for", "state"), [(5, "running"), (3600, "lost")])
def test_after_a_restart_of_the_machine_a_job_is_lost_although_its_number_is_taken(known, silent_for, state):
    said = {"state": "running", "place": "before", "updated": time.time() - silent_for}
    assert rewritten(known, **said).progress().state == state


def test_a_record_of_an_older_version_is_read_by_its_number(store, dead_process):
    older = {"state": "running", "place": "", "started": ""}
    assert rewritten(create_job(store, REQUEST), **older).progress().state == "running"
    assert rewritten(create_job(store, REQUEST), **older, pid=dead_process).progress().state == "lost"


# What was asked for


def other_than_usual() -> GradingOptions:
    """Options each of which is another than where nobody says."""
    said: dict[str, Any] = {}
    for name, field in declared(GradingOptions).items():
        by_type = {bool: not field.default, int: 7, float: 5.5, str: "m"}
        said[name] = field.choices[-1] if field.choices else by_type[field.type]
    return GradingOptions(**said)


WHOLE = JobRequest(
    Order(
        "demo",
        "qa",
        other_than_usual(),
        bank="open@1",
        name="mine",
        reading="chat",
        unreadable="authors",
        verification="words-authors",
        verifier="another/model",
        limit=7,
        go_on=True,
    ),
    plan=True,
    price=2.5,
)


def test_a_record_keeps_every_field_of_what_was_asked_for(store):
    defaults = JobRequest(Order(""))
    for kept, ours in ((WHOLE, defaults), (WHOLE.order, defaults.order), (WHOLE.order.options, GradingOptions())):
        same = {f.name for f in fields(kept) if getattr(kept, f.name) == getattr(ours, f.name)}
        assert same == ({"backend"} & same if len(BACKENDS) == 1 else set())
    assert create_job(store, WHOLE).request == WHOLE


@pytest.mark.thorough
def test_an_order_with_another_verifier_arrives_whole_at_its_job(own_store, tmp_path, model_folder, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    store = Store(own_store)
    options = GradingOptions(str(model_folder), device="cpu")
    by_model = Order("demo", "qa-llm", options, bank="manual", verifier=str(tmp_path / "another"), limit=3)
    by_words = Order("demo", "qa", options, bank="manual", verification="no-such-rule")
    first, second = (job_control.start_job(store, JobRequest(order)) for order in (by_model, by_words))
    # Each is refused for what it was told of verification: its own model and rule are there.
    assert str(tmp_path / "another") in ended(first).message
    assert "No verifier no-such-rule" in ended(second).message


def test_a_record_without_its_order_still_shows_and_can_be_repeated(store):
    old = old_record(store, [*ARGUMENTS, "--limit", "3"])
    assert records.jobs(store) == [old]
    assert (old.request, old.arguments, old.progress().state) == (None, [*ARGUMENTS, "--limit", "3"], "starting")
    assert records.as_row(old)["command"] == " ".join(["examboard grade", *ARGUMENTS, "--limit", "3"])
    again = repeat_job(store, old)
    assert again.arguments == old.arguments
    assert "There is no collection demo" in ended(again).message


def test_a_job_that_cannot_read_its_order_grades_nothing(store, monkeypatch):
    job = create_job(store, REQUEST)
    change_record(store.path, "order", b"{")
    monkeypatch.setenv(JOB, job.id)
    with pytest.raises(StoreError, match="its record is damaged"):
        records.ordered(Store(store.path), JobRequest)


# Damaged records and full disks


@pytest.mark.parametrize("content", [b"", b"[", b"{}", b'["\xff"]', b"\x00" * 20])
def test_a_record_that_cannot_be_read_is_damaged_and_says_what_to_do(store, content):
    whole, damaged = (create_job(store, REQUEST) for _ in range(2))
    change_record(store.path, "order", content, which=1)
    assert set(records.jobs(Store(store.path))) == {whole, damaged}
    damaged = records.job(Store(store.path), damaged.id)
    assert (damaged.arguments, damaged.progress().state) == ([], "damaged")
    row = records.as_row(damaged)
    assert "Its record is damaged." in row["message"]
    assert f"can be removed: {damaged.folder}" in row["message"]
    assert (row["state"], row["command"]) == ("damaged", "")
    assert watching.table([whole, damaged])["state"].tolist() == ["… starting", "! damaged"]


@pytest.fixture
def full_disk(monkeypatch):
    """From when it is called, nothing can be written."""

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def fill():
        monkeypatch.setattr(files.os, "fsync", full)
        monkeypatch.setattr(job_control.Path, "write_bytes", full)

    return fill


@pytest.mark.parametrize("begin", [create_job, start_job], ids=["on the command line", "on the page"])
def test_a_job_whose_record_cannot_be_written_is_refused_in_one_message_and_leaves_nothing(store, full_disk, begin):
    full_disk()
    with pytest.raises(StoreError, match=r"No job was started: .*: can't be written \(No space left"):
        begin(store, REQUEST)
    assert list(store.path.glob("jobs/*")) == records.jobs(store) == []


def test_progress_that_cannot_be_written_leaves_what_was_said_before(store, full_disk):
    job = create_job(store, REQUEST)
    full_disk()
    assert write_progress(job, JobProgress(state="running", total=9)) is False
    assert job.progress().total == 0
    assert sorted(path.name for path in job.folder.iterdir()) == ["progress.json"]


class Loses(FakeModel):
    """A model during whose work the job's record becomes one that can't be written, and that may break then."""

    def __init__(self, job, breaks):
        super().__init__()
        self._job, self._breaks = job, breaks

    def answers(self, prompts):
        shutil.rmtree(self._job.folder, ignore_errors=True)
        if self._breaks:
            raise GraderError("the model is broken")
        return super().answers(prompts)


def prepared(own_store, breaks):
    store = Store(own_store)
    job = create_job(store, REQUEST)
    order = Order("demo", "self-rating", GradingOptions("fake"), bank="open", limit=70)
    return job, grading_jobs.Task(store, order, model=Loses(job, breaks))


def test_a_job_goes_on_when_its_progress_cannot_be_written(own_store):
    job, task = prepared(own_store, breaks=False)
    done = grading_jobs.run_job(job, task)
    assert (done.state, done.done) == ("done", 70)


def test_progress_that_cannot_be_written_hides_no_other_error(own_store):
    job, task = prepared(own_store, breaks=True)
    with pytest.raises(GraderError, match="the model is broken"):
        grading_jobs.run_job(job, task)


def test_a_stop_is_a_wish_that_the_job_finds(store):
    job = create_job(store, REQUEST)
    stop_job(job)
    assert Job(job.folder).stopping


def test_a_long_log_is_read_from_its_end(store):
    job = create_job(store, REQUEST)
    (job.folder / "log.txt").write_bytes(b"x" * 200_000 + "\nthe end \u00e9".encode() + b"\xff")
    assert len(job.log.encode()) < 101_000
    assert job.log.endswith("the end \u00e9\ufffd")


def test_a_process_writes_the_record_that_it_was_started_for(store, monkeypatch):
    monkeypatch.delenv(JOB, raising=False)
    assert records.mine(store) is None
    job = create_job(store, REQUEST)
    monkeypatch.setenv(JOB, job.id)
    assert records.mine(store) == job


# Real processes


def environment(job):
    """What the process of a job was given."""
    path = Path(f"/proc/{job.progress().pid}/environ")
    # Empty for a moment while the program is begun.
    return next(filter(None, (path.read_bytes() for _ in range(100_000)))).split(b"\0")


def test_a_job_that_cannot_begin_fails_with_the_message_of_the_command_line(store, monkeypatch):
    monkeypatch.setenv("MALLOC_ARENA_MAX", "1")
    job = start_job(store, JobRequest(Order("--plan")))  # a collection may be named like an option
    assert job.progress().state == "starting"
    assert b"MALLOC_ARENA_MAX=1" not in environment(job), "its threads share no heap, as those of the server do"
    found = ended(job)
    assert (found.state, "There is no collection --plan" in found.message) == ("failed", True)
    said = printed(job)
    assert ("There is no collection --plan" in said, "Traceback" in said) == (True, False)


def test_a_job_has_a_session_of_its_own_and_a_plan_that_cannot_be_made_fails(store, monkeypatch):
    """Whoever started it may end."""
    monkeypatch.setenv("MALLOC_ARENA_MAX", "3")
    job = start_job(store, replace(REQUEST, plan=True))
    pid = job.progress().pid
    assert os.getsid(pid) == pid != os.getsid(0)
    assert b"MALLOC_ARENA_MAX=3" in environment(job), "somebody's own number of heaps is kept"
    assert (ended(job).state, "There is no collection demo" in job.progress().message) == ("failed", True)


def test_a_process_that_dies_before_its_first_word_is_lost(store):
    job = repeat_job(store, old_record(store, ["demo", "--no-such-option"]))
    assert ended(job).state == "lost"
    assert "no-such-option" in job.log


def test_a_store_of_one_file_has_no_jobs(tmp_path, demo_store):
    file = tmp_path / "demo.duckdb"
    export_store(Store(demo_store), file, ["demo"])
    assert records.jobs(Store(file)) == []
    with pytest.raises(StoreError, match="read only"):
        Store(file).describe_grader("demo", "g", {})


# In words


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.4, "0 s"), (99.4, "99 s"), (100, "2 min"), (5_970, "1.7 h"), (36_000, "10.0 h")]
)
def test_a_time_is_said_in_one_unit(seconds, words):
    assert duration(seconds) == words


@pytest.mark.parametrize(
    ("state", "more", "said"),
    [
        ("running", {"left": 300, "unreadable": 3}, " · 5 min left · 3 unreadable"),
        ("running", {"waiting": 12}, " · waiting for another job for 12 s"),
        ("stopped", {"left": 300}, ""),
        ("running", {"first_total": 8, "first_done": 8}, " · the Cover leaderboard is complete"),
    ],
)
def test_a_job_in_one_line(state, more, said):
    so_far = JobProgress(state=state, total=2_000, done=500, asked=400, seconds=100, **more)
    assert progress_sentence(so_far) == f"500 of 2,000 · 4.0 prompts/s{said}"


def test_a_job_whose_cluster_lost_all_machines_says_so(store):
    so_far = JobProgress(state="running", total=2_000, done=500, asked=400, seconds=100, workers=0, workers_wanted=1)
    assert progress_sentence(so_far) == "500 of 2,000 · 4.0 prompts/s · 0 of 1 worker"
    job = create_job(store, REQUEST)
    write_progress(job, so_far)
    assert (records.as_row(job)["workers"], watching.table([job]).iloc[0]["left"]) == (0, "waits for workers")


def test_the_table_of_jobs_says_nothing_where_nothing_is_known(store):
    job = create_job(store, replace(REQUEST, plan=True))
    row = watching.table([job]).iloc[0]
    assert (row["state"], row["what"], row["collection"]) == ("… starting", "plan", "demo")
    assert row[["done", "total", "rate"]].isna().all()


def test_states_are_told_apart_by_their_signs():
    assert len({words[0] for words in watching.STATES.values()}) == len(watching.STATES)


def test_a_log_is_shown_as_a_terminal_would_leave_it_and_cut_at_its_beginning():
    log = "first\n 10%\r 50%\r100%\r\n\x1b[31mred\x1b[0m \x07bell\n"
    assert watching.last_lines(log) == "first\n100%\nred bell"
    assert watching.last_lines("\n".join("abcdef"), most=2) == "e\nf"

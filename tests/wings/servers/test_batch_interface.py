"""Grading by batches: one batch for all, found again whenever its job is killed, and no prompt paid twice."""

import errno
import io
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from functools import partial

import pytest
from wings.servers.batching import BatchServer, completed

from exam_core.actions import undoing
from exam_core.actions.grading_jobs import prepare_job, run_job
from exam_core.errors import GraderError, StoreError
from exam_core.formats import Reading
from exam_core.grading.options import GradingOptions
from exam_core.jobs.ordering import JobRequest, Order
from exam_core.jobs.records import jobs
from exam_core.store import Store
from exam_core.wings.servers import batch_interface
from exam_core.wings.servers.client import Transport
from tests.actions.test_grading_jobs import frames
from tests.store.store_samples import ids_of

CALLS = ("POST /files", "POST /batches", "GET /batches", "GET /files/content")
MOMENTS = [(when, what, 1) for what in CALLS for when in ("before", "after")]
MOMENTS += [(when, "POST /batches", 2) for when in ("before", "after")]
"""When a job is killed: before or after a call, and which of its kind. A second batch has what the first refused."""


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setattr(batch_interface, "PAUSE", 0.01)
    monkeypatch.setattr(batch_interface, "FIRST_LOOK", 0.001)
    monkeypatch.setattr(batch_interface, "LONGEST_LOOK", 0.01)
    found = Store(tmp_path / "store")
    found.commit("c", Reading(frames(docs=5)), source="a")
    return found


@pytest.fixture
def server(tmp_path):
    with BatchServer(tmp_path / "server") as found:
        yield found


def ordered(server, limit=10, **options):
    asked = GradingOptions("m", backend="openai", base_url=server.address, **({"batch": True} | options))
    return JobRequest(Order("c", options=asked, limit=limit))


def graded(store, request, stopped=lambda: False):
    return run_job(*prepare_job(store, request), stopped=stopped)


def records(store):
    return ids_of(store.path, "batch")


def test_all_prompts_are_asked_in_one_batch_and_its_record_is_gone_at_the_end(store, server):
    done = graded(store, ordered(server))
    assert (done.state, done.done, done.asked) == ("done", 10, 10)
    assert (len(server.batches), server.chats.total(), sorted(server.paid.values())) == (1, 0, [1] * 10)
    [line, *_] = server.lines(server.batches[0])
    assert (line["method"], line["url"], line["body"]["model"]) == ("POST", "/v1/chat/completions", "m")
    assert (done.prompt_tokens, records(store)) == (500, [])
    assert graded(store, ordered(server)).done == 10  # ten others
    assert sorted(server.paid.values()) == [1] * 20


def test_a_server_that_stumbles_gets_all_prompts_once_and_gives_all_answers(store, server):
    server.stumbles |= dict.fromkeys(("POST /files", "POST /batches", "GET /batches", "GET /files/content"), 1)
    assert graded(store, ordered(server)).done == 10
    assert (len(server.batches), sorted(server.paid.values())) == (1, [1] * 10)
    assert (server.asked.count("POST /files"), server.asked.count("POST /batches")) == (2, 2)


def test_a_job_with_nothing_to_do_is_done_and_says_so(store, server):
    for _ in range(2):
        graded(store, ordered(server, None))
    newest = jobs(store)[0].progress()
    assert (newest.state, newest.message, newest.total) == ("done", "nothing to do", 0)


def test_more_than_a_batch_takes_goes_into_several(store, server, monkeypatch):
    monkeypatch.setattr(batch_interface, "MOST_PROMPTS", 4)
    assert graded(store, ordered(server)).done == 10
    assert [len(server.lines(batch)) for batch in server.batches] == [4, 4, 2]
    monkeypatch.setattr(batch_interface, "MOST_BYTES", 1)
    assert graded(store, ordered(server, 3)).done == 3
    assert [len(server.lines(batch)) for batch in server.batches[3:]] == [1, 1, 1]


class Killed(BaseException):
    """What stands for a kill: nobody catches it."""


def newer(asked):
    """Why a reasoning model refuses a request."""
    return "Use 'max_completion_tokens' instead." if "max_tokens" in asked else ""


@pytest.mark.parametrize(("when", "what", "nth"), MOMENTS, ids=[f"{w} {c} {n}" for w, c, n in MOMENTS])
def test_a_job_that_ends_at_any_moment_pays_for_no_prompt_twice(store, server, monkeypatch, when, what, nth):
    server.refuses = newer if nth > 1 else server.refuses
    replied, calls = Transport.handle_request, iter(range(1, 1000))

    def killing(self, request):
        parts = enumerate(request.url.path.removeprefix("/v1").split("/"))
        hit = what == f"{request.method} {'/'.join(part for n, part in parts if n != 2)}" and next(calls) == nth
        if hit and when == "before":
            raise Killed
        response = replied(self, request)
        if hit:
            response.close()
            raise Killed
        return response

    with monkeypatch.context() as patched:
        patched.setattr(Transport, "handle_request", killing)
        with pytest.raises((Killed, GraderError)):
            graded(store, ordered(server))
    done = graded(store, ordered(server))
    assert (done.state, done.done, records(store)) == ("done", 10, [])
    assert (sorted(server.paid.values()), server.chats.total()) == ([1] * 10, 0)


def test_a_job_that_goes_on_knows_how_the_model_takes_requests(store, server):
    server.refuses = newer
    graded(store, ordered(server), lambda: len(server.batches) == 2)
    assert graded(store, ordered(server, 15)).done == 15
    sizes = [(len(server.lines(one)), "max_tokens" in server.lines(one)[0]["body"]) for one in server.batches]
    assert (sorted(sizes), set(server.paid.values())) == ([(5, False), (10, False), (10, True)], {1})


@pytest.mark.thorough
def test_a_job_that_is_really_killed_at_ten_moments_pays_for_no_prompt_twice(store, server, tmp_path):
    del tmp_path
    command = [sys.executable, "-m", "exam_core", "--store", str(store.path), "grade", "c"]
    command += ["--backend", "openai", "--base-url", server.address, "--model", "m", "--batch", "--limit", "5"]
    for number, (when, what, nth) in enumerate(MOMENTS, 1):
        server.refuses, calls = newer if nth > 1 else (lambda _: ""), iter(range(1, 1000))
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def moment(now, child=child, wanted=f"{when} {what}", nth=nth, calls=calls):
            if now == wanted and next(calls) == nth:
                child.send_signal(signal.SIGKILL)
                child.wait()

        server.moment = moment
        assert child.wait(60) == -signal.SIGKILL
        server.moment = lambda _: None
        subprocess.run(command, check=True, capture_output=True, timeout=60)
        assert (sorted(server.paid.values()), server.chats.total()) == ([1] * 5 * number, 0)


@pytest.mark.parametrize("ends_as", ["expired", "cancelled"])
def test_what_a_batch_left_unanswered_is_counted_and_asked_again(store, server, ends_as):
    server.ends_as, server.answers = ends_as, 5
    done = graded(store, ordered(server))
    assert (done.done, done.failed, done.reasons, done.asked) == (5, 5, {"error": 5}, 10)
    assert ends_as in done.examples["error"]
    server.answers = 10
    assert graded(store, ordered(server, 5)).done == 5
    assert sorted(server.paid.values()) == [1] * 5 + [2] * 5


def test_prompts_that_fail_in_a_batch_have_their_reasons(store, server):
    turns = iter(range(100))

    def says(_text):
        match next(turns):
            case 1:
                return {"status": 400, "error": {"message": "x", "code": "context_length_exceeded"}}
            case 2:
                return completed("") | {"usage": None}
            case _:
                return completed("4")

    server.says = says
    done = graded(store, ordered(server))
    assert (done.done, done.reasons) == (8, {"context": 1, "empty": 1})
    [job] = jobs(store)
    assert sorted((one["reason"], one["said"]) for one in job.missing()) == [
        ("context", "HTTP 400: x"),
        ("empty", "the model's answer is empty"),
    ]
    assert all(one["query_id"] and one["doc_id"] and one["question_id"] for one in job.missing())


def test_a_batch_that_the_server_refuses_ends_the_job_and_costs_nothing(store, server):
    server.ends_as = "failed"
    with pytest.raises(GraderError, match="Enqueued token limit reached"):
        graded(store, ordered(server))
    server.ends_as = "completed"
    assert graded(store, ordered(server)).done == 10
    assert set(server.paid.values()) == {1}


class Full(io.FileIO):
    """A file without room."""

    def write(self, _):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("begun", [0, 1])
def test_where_temporary_files_have_no_room_the_job_says_so(store, server, tmp_path, monkeypatch, begun):
    files = [*[tempfile.TemporaryFile] * begun, partial(Full, tmp_path / "full", "w+")]
    with monkeypatch.context() as patched:
        patched.setattr(tempfile, "TemporaryFile", lambda: files.pop(0)())
        with pytest.raises(StoreError, match=r"temporary .* \(No space left on device\).\n.* TMPDIR"):
            graded(store, ordered(server))
    assert len(records(store)) == begun
    assert graded(store, ordered(server)).state == "done"


def test_a_job_that_is_stopped_leaves_its_batch_and_any_other_takes_it(store, server):
    server.looks = 10**9
    stopped = graded(store, ordered(server), lambda: bool(server.batches))
    assert stopped.state == "stopped"
    assert "10 prompts lie in batches" in " ".join(stopped.notes)
    assert len(records(store)) == 1
    # One that makes no batches asks the others at once, waits for these, and takes them when they are done.
    looked: list[float] = []

    def later():
        looked.append(time.monotonic())
        server.looks = 1 if len([one for one in server.asked if one == "POST /chat/completions"]) >= 5 else 10**9
        return time.monotonic() - looked[0] > 30

    done = graded(store, ordered(server, 15, batch=False), later)
    assert (done.state, done.done) == ("done", 15)
    assert (set(server.paid.values()), len(server.batches), records(store)) == ({1}, 1, [])


def test_batches_of_a_job_are_ended_at_the_server(store, server):
    server.looks, server.answers = 10**9, 2
    request = ordered(server)
    job, task = prepare_job(store, request)
    run_job(job, task, stopped=lambda: bool(server.batches))
    assert undoing.cancel_batches(store, job) == 1
    server.looks = 1
    done = graded(store, request)
    assert (done.done, done.failed, len(server.batches)) == (2, 8, 1)


def test_a_batch_holds_what_its_budget_allows_and_says_so(store, server):
    prices = {"price_in": 1_000.0, "price_out": 10_000.0, "max_output_tokens": 10}
    done = graded(store, replace(ordered(server, 40, **prices, budget=2.0)))
    spent = 0.05 * (done.prompt_tokens or 0) / 50 + 0.01 * (done.answer_tokens or 0)
    assert (done.state, done.over, done.spent) == ("stopped", True, pytest.approx(spent))
    assert 1.0 < spent <= 2.0
    assert len(server.batches) > 1  # the first one, whose cost nobody knew, held less
    assert set(server.paid.values()) == {1}

"""A job at a server that answers nothing, or never ends its answer, can be stopped, in a terminal by one Ctrl-C."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from grading.server import TRICKLES, Server, always, hangs, says

from exam_core.actions.grading_jobs import run
from exam_core.cli.running import NOT_DONE
from exam_core.grading.options import GradingOptions
from exam_core.jobs.ordering import Order
from exam_core.jobs.records import jobs
from exam_core.jobs.task import Task
from exam_core.store import Store
from exam_core.wings.servers.remote import Remote
from exam_core.wings.servers.replies import ServerTerms

ORDER = Order("demo", "self-rating", GradingOptions("fake"), bank="open")


def test_a_job_is_stopped_while_no_answer_comes(own_store, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Server(always(hangs)) as server:
        task = Task(Store(own_store), ORDER, model=Remote("m", server.address, ServerTerms(timeout=600)))
        assert run(task, stopped=lambda: bool(server.requests)).state == "stopped"


def test_one_ctrl_c_ends_a_job_whose_server_trickles(own_store):
    answers = iter([says("4")])
    with Server(lambda _text, _time: next(answers, TRICKLES["continue"])) as server:
        asked = ["--bank=open", "--model=m", "--backend=openai", f"--base-url={server.address}", "--timeout=600"]
        command = [sys.executable, "-m", "exam_core", "--store", str(own_store), "grade", "demo", *asked]
        # No variables of the shell lead elsewhere: a proxy, a key, a job that the dashboard started.
        process = subprocess.Popen(
            command,
            cwd=Path(__file__).parents[3],
            env={"PATH": os.environ["PATH"]},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        while len(server.requests) < 9 and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        said = "".join(process.communicate(timeout=30))
    assert (process.returncode, "Traceback" in said) == (NOT_DONE, False), said
    (job,) = jobs(Store(own_store))
    assert (job.progress().state, job.progress().asked) == ("stopped", 1)

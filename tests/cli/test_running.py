"""How a job in a terminal is stopped."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from exam_core.actions.jobs import create_job
from exam_core.cli.running import NOT_DONE, stopping
from exam_core.jobs.order import Order, Request
from exam_core.jobs.records import jobs
from exam_core.store import Store

from ..grading.server import TRICKLES, Server, says


def test_one_ctrl_c_ends_a_job_whose_server_trickles(demo_store: Path, tmp_path: Path) -> None:
    shutil.copytree(demo_store / "demo", tmp_path / "demo")
    answers = iter([says("4")])
    with Server(lambda _text, _time: next(answers, TRICKLES["continue"])) as server:
        asked = ["--bank=open", "--model=m", "--backend=openai", f"--base-url={server.address}", "--timeout=600"]
        command = [sys.executable, "-m", "exam_core", "--store", str(tmp_path), "grade", "demo", *asked]
        # No variables of the shell lead elsewhere: a proxy, a key, a job that the dashboard started.
        process = subprocess.Popen(
            command,
            cwd=Path(__file__).parents[2],
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
    (job,) = jobs(Store(tmp_path))
    assert (job.progress().state, job.progress().asked) == ("stopped", 1)


def test_ctrl_c_ends_a_job_at_once_that_still_loads_its_model(tmp_path: Path) -> None:
    job = create_job(Store(tmp_path), Request(Order("c")))
    with pytest.raises(KeyboardInterrupt), stopping(job):
        os.kill(os.getpid(), signal.SIGINT)
    with stopping(job) as stopped:
        assert not stopped()
        os.kill(os.getpid(), signal.SIGINT)
        assert stopped()

"""How a job in a terminal is stopped."""

import os
import signal

import pytest

from exam_core.actions.job_control import create_job
from exam_core.cli.running import stopping
from exam_core.jobs.ordering import JobRequest, Order
from exam_core.store import Store


def test_ctrl_c_ends_a_job_at_once_that_still_loads_its_model(tmp_path):
    job = create_job(Store(tmp_path), JobRequest(Order("c")))
    with pytest.raises(KeyboardInterrupt), stopping(job):
        os.kill(os.getpid(), signal.SIGINT)
    with stopping(job) as stopped:
        assert not stopped()
        os.kill(os.getpid(), signal.SIGINT)
        assert stopped()

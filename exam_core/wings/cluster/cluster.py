"""The same grader on a Ray cluster: a copy of the model on each device, kept for the whole job.

Machines may go and come meanwhile. Prompts of a lost one are asked again, and new ones are hired, by a process beside
this one (`ray_workers`). If that is lost, with the cluster's head, the job ends; what is answered is kept.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Any

from exam_core.errors import ExamboardError, GraderError
from exam_core.grading.backend import Kind
from exam_core.grading.options import GradingOptions
from exam_core.grading.prompt import ModelAnswer, Prompt, Workers
from exam_core.wings.cluster.ray_workers import Answered, Call, Load, Staff, Start, What
from exam_core.wording import duration

NONE_SECONDS = 900.0
"""A job ends when for so long no worker worked or loaded its model: a machine that Ray's autoscaler starts may take
some minutes."""
KEPT = "What is answered is kept: start the cluster's machines, and run the command again to go on."
END_SECONDS = 5.0
MOMENT = 0.5
NOBODY = Staff(0, 0, 0, {}, "")
_CREW = "import sys; from multiprocessing.connection import Connection as C; "
_CREW += "import exam_core.wings.cluster.ray_workers as workers; workers.main(C(int(sys.argv[1])))"


class Cluster:
    """An answerer (see `prompt.Answerer`) whose model runs on the machines of a Ray cluster.

    The cluster is the one that $RAY_ADDRESS names or that runs on this machine, else a new one of this machine alone.

    `load` loads the model where it is called, in the worker's process; `log` is a file for Ray's output, and machines
    that come and go; `waits` is called now and then until a first worker works, which may take minutes.

    Raises UsageError where Ray is missing or unreachable; GraderError where a worker can't load the model, or the
    machines hold different models.
    """

    def __init__(
        self,
        load: Load,
        options: GradingOptions,
        kind: Kind = "generate",
        log: Path | None = None,
        waits: Callable[[], object] = lambda: None,
    ) -> None:
        self._log = log
        self.about: dict[str, Any] = {}
        self._staff = NOBODY
        self._calls, self._most = 0, 0
        self._busy_at = time.monotonic()
        """When a worker last worked."""
        self._begin(Start(load, options, kind))
        while not self.about:
            waits()
            self._hear()

    @property
    def workers(self) -> Workers:
        """How many work now, of how many."""
        return Workers(self._staff.working, self._most)

    def lengths(self, prompts: Sequence[Prompt]) -> list[int]:
        """Return the tokens of each prompt after cutting."""
        counts = dict(filter(None, self._ask("lengths", prompts)))
        return [counts[place] for place in range(len(prompts))]

    def answers(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, ModelAnswer] | None]:
        """Yield the place of each prompt with its answer, request by request, long prompts first; None while they wait.

        Raises GraderError where the model can't go on; workers died too often at the same prompts; no worker was left
        for long.
        """
        return self._ask("answers", prompts)

    def close(self) -> None:
        """Give the workers' machines back."""
        self._end()

    def _ask(self, what: What, prompts: Sequence[Prompt]) -> Iterator[tuple[int, Any] | None]:
        left = dict(enumerate(prompts))
        self._calls += 1
        self._send(Call(self._calls, what, left))
        try:
            while left:
                answers = self._hear()
                if not isinstance(answers, Answered) or answers.call != self._calls:
                    yield None
                    continue
                for place, answer in answers.answers:
                    del left[place]
                    yield place, answer
        finally:
            if left:
                self._calls += 1
                self._send(Call(self._calls))

    def _begin(self, start: Start) -> None:
        """Start a crew, which hires; in a session of its own, so that Ctrl-C reaches this process alone."""
        ours, theirs = Pipe()
        with theirs, _opened(self._log) as log:
            process = subprocess.Popen(
                [sys.executable, "-P", "-c", _CREW, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._link = ours
        self._end = weakref.finalize(self, _ended, process, ours)
        self._send(start)

    def _send(self, message: Start | Call) -> None:
        with suppress(OSError):  # The next `_hear` notices that the crew is gone.
            self._link.send(message)

    def _hear(self) -> Answered | None:
        """Return answers of a worker; None after a moment, or for other messages of the crew.

        Raises GraderError where no worker worked for long, or the crew is gone.
        """
        message: Any = None
        try:
            if self._link.poll(MOMENT):
                message = self._link.recv()
        except (EOFError, OSError):
            self._end()
            raise GraderError(
                f"The process that connects to the Ray cluster ended, as when its head is gone.\n{KEPT}"
            ) from None
        if isinstance(message, Staff):
            self._staff, self._most = message, max(self._most, message.wanted)
            self.about = message.about
        elif isinstance(message, ExamboardError):
            self._end()
            raise message
        now = time.monotonic()
        if self._staff.working or self._staff.loading:
            self._busy_at = now
        elif now - self._busy_at > NONE_SECONDS:
            self._end()
            raise GraderError(f"The Ray cluster had no worker for {duration(NONE_SECONDS)}. {self._staff.lost}\n{KEPT}")
        return message if isinstance(message, Answered) else None


def _opened(log: Path | None) -> IO[bytes]:
    """Open the log, or where it can't be written, a null device."""
    try:
        return (log or Path(os.devnull)).open("ab")
    except OSError:
        return _opened(None)


def _ended(process: subprocess.Popen[bytes], link: Connection) -> None:
    """End a crew, and wait for it, so that the machines are free for the next one."""
    link.close()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


ENGINES = (("ray", Cluster),)

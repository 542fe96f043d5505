"""The same grader on a Ray cluster: a copy of the model on each device, kept for the whole job.

Machines may go and come meanwhile. What a lost one was asked is asked again, and those that come are hired; who does
so is a process beside this one (`ray_workers`). Where that is lost, with the cluster's head, another one is started.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Any

from exam_core.errors import ExamboardError, GraderError
from exam_core.grading.backend import Kind
from exam_core.grading.options import GradingOptions
from exam_core.grading.prompt import ModelAnswer, Prompt, Workers
from exam_core.wings.cluster.ray_messages import Answered, Call, Load, Staff, Start, What
from exam_core.wording import duration

NONE_SECONDS = 900.0
"""A job ends when for so long no worker was there, nor one that loads its model: a machine that Ray's autoscaler starts
may take some minutes."""
AGAIN_SECONDS = 10.0
"""How often is tried to reach a cluster that was lost."""
TRIES = (
    f"Start it again at the same address, or on this machine: the job goes on as soon as it is there, and tries for "
    f"{duration(NONE_SECONDS)}."
)
END_SECONDS = 5.0
MOMENT = 0.5
NOBODY = Staff(0, 0, 0, {}, {}, None, "")
_CREW = "import sys; from multiprocessing.connection import Connection as C; "
_CREW += "import exam_core.wings.cluster.ray_workers as workers; workers.main(C(int(sys.argv[1])))"


class Cluster:
    """An answerer (see `asking.Answerer`) whose model runs on the machines of a Ray cluster.

    The cluster is the one that $RAY_ADDRESS names or that runs on this machine, else a new one of this machine alone.
    `workers` says how many work now.

    Parameters
    ----------
    load : loads the model where it is called, in the worker's process
    log : a file for what Ray says, and who comes and goes; None: nobody keeps it
    waits : is called now and then until a first worker is there, which may take minutes

    Raises
    ------
    UsageError : Ray is missing or unreachable
    GraderError : a worker can't load the model; the machines hold different models
    """

    def __init__(
        self,
        load: Load,
        options: GradingOptions,
        kind: Kind = "generate",
        log: Path | None = None,
        waits: Callable[[], object] = lambda: None,
    ) -> None:
        self._start, self._log = Start(load, options, kind), log
        self.about: dict[str, Any] = {}
        self._staff = NOBODY
        self._calls, self._most, self._lost = 0, 0, ""
        self._busy_at = time.monotonic()
        """When a worker was last there."""
        self._begin()
        while not self.about:
            waits()
            self._hear()

    @property
    def trying(self) -> str:
        """What it tries now, if the cluster is lost."""
        return "tries to reach the Ray cluster again" if self.about and not self._staff.about else ""

    @property
    def workers(self) -> Workers:
        """How many work now, of how many."""
        return Workers(self._staff.working, self._most)

    def lengths(self, prompts: Sequence[Prompt]) -> list[int]:
        """Tokens of each prompt after cutting."""
        fields = dict(filter(None, self._asked("lengths", prompts)))
        return [fields[place] for place in range(len(prompts))]

    def answers(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, ModelAnswer] | None]:
        """The place of each prompt with its answer, request by request, long prompts first; None while they wait.

        Raises GraderError where the model can't go on; workers died too often at the same prompts; no worker was left
        for long.
        """
        return self._asked("answers", prompts)

    def close(self) -> None:
        """Give the workers' machines back."""
        self._end()

    def _asked(self, what: What, prompts: Sequence[Prompt]) -> Iterator[tuple[int, Any] | None]:
        left, connection = dict(enumerate(prompts)), None
        try:
            while left:
                if self._staff.about and connection is not self._link:
                    connection = self._link
                    self._calls += 1
                    self._say(Call(self._calls, what, left))
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
                self._say(Call(self._calls))

    def _begin(self) -> None:
        """Start a crew, which hires; in a session of its own, so that Ctrl-C is heard here alone."""
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
        self._say(self._start)

    def _begin_again(self, why: str) -> None:
        """Try to reach the cluster once more, after a pause; or be done with it, where nothing was ever asked."""
        self._end()
        if not self.about:
            raise GraderError(f"The Ray cluster can't be used. {why}\nLook at the cluster's log.")
        if self._staff.about:
            with _opened(self._log) as log:
                log.write(f"{time.ctime()}: the cluster is lost. {why} {TRIES}\n".encode())
        self._staff, self._lost = NOBODY, why
        self._start = replace(self._start, about=self.about, pause=AGAIN_SECONDS)
        self._begin()

    def _say(self, text: Start | Call) -> None:
        with suppress(OSError):  # Whoever hears next is told that it is gone.
            self._link.send(text)

    def _hear(self) -> Answered | None:
        """What came from a worker; None after a moment, or where the crew speaks of itself."""
        text: Any = None
        try:
            if self._link.poll(MOMENT):
                text = self._link.recv()
        except (EOFError, OSError):
            self._begin_again("The process that connects to it ended, as when the cluster's head is gone.")
        if isinstance(text, Staff):
            self._staff, self._most, self._lost = text, max(self._most, text.wanted), text.lost
            if text.about:
                self.about, self._start = text.about, replace(self._start, terms=text.terms, machines=text.machines)
        elif isinstance(text, ExamboardError):
            if self.about and not self._staff.about:
                self._begin_again(str(text).splitlines()[0])
            else:
                self._end()
                raise text
        self._refuse_to_wait_for_ever()
        return text if isinstance(text, Answered) else None

    def _refuse_to_wait_for_ever(self) -> None:
        now = time.monotonic()
        if self._staff.working or self._staff.loading:
            self._busy_at = now
        elif now - self._busy_at > NONE_SECONDS:
            self._end()
            raise GraderError(
                f"The Ray cluster had no worker for {duration(NONE_SECONDS)}. {self._lost}\n"
                "What is answered is kept: start the cluster's machines, and run the command again to go on."
            )


def _opened(log: Path | None) -> IO[bytes]:
    """The log, or where it can't be written, nowhere."""
    try:
        return (log or Path(os.devnull)).open("ab")
    except OSError:
        return _opened(None)


def _ended(process: subprocess.Popen[bytes], link: Connection) -> None:
    """Let a crew go, and wait for it: whoever comes next finds the machines free."""
    link.close()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()

"""The workers of a Ray cluster: asked of Ray, replaced when they are lost; in a process of their own.

Ray ends the process that speaks to it when the cluster's head is gone, and prints at will meanwhile. So the job
is another process, which talks to this one through a pipe (`cluster.Cluster`) and keeps its output in its log. Their
messages are declared here, and declaring them loads no Ray.

Workers are actors that stay for the whole job: a dataset pipeline would start them, and load the model, anew for every
block. Ray finds machines for them, or waits until some come, and its autoscaler starts missing ones. Prompts of a lost
worker go to others here: with Ray's retries they would wait until a machine comes in the lost one's place.
"""

from __future__ import annotations

import os
import queue
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any, Literal

from exam_core.errors import ExamboardError, GraderError, UsageError
from exam_core.grading.backend import Device, Kind
from exam_core.grading.options import GradingOptions
from exam_core.grading.prompt import Answerer, Prompt
from exam_core.installation import pip_install
from exam_core.wording import counted

LIVES = 5
"""Workers that may die at the same prompts before the job gives up."""
SMALLEST, LARGEST = 16, 1024
"""Prompts in one request to a worker."""
AHEAD = 2
"""Requests that wait at each worker, so that it never waits for us."""
CORES_EACH = 4
LOOK_SECONDS = 2.0
"""Seconds between two looks at the machines, and at missing workers."""
PAUSE_SECONDS = 30.0
"""Pause in hiring after a worker that could not load its model."""
LATE_SECONDS = 20.0
"""Wait of the first worker for those that come with it."""
END_SECONDS = 2.0
"""The process ends so long after the job, whatever Ray does."""
MOMENT = 0.1
What = Literal["lengths", "answers"]
Load = Callable[[GradingOptions, Kind], Answerer]


@dataclass(frozen=True)
class Start:
    """The first message to a crew."""

    load: Load
    options: GradingOptions
    kind: Kind


@dataclass(frozen=True)
class Call:
    """Prompts to be asked, by their places; earlier prompts need no answers any more."""

    number: int
    what: What = "answers"
    prompts: dict[int, Prompt] = field(default_factory=dict)


@dataclass(frozen=True)
class Answered:
    """A worker's answers to some prompts of a call, by their places."""

    call: int
    answers: list[tuple[int, Any]]


@dataclass(frozen=True)
class Staff:
    """The workers: those that can be asked, that load their model, and that were asked of Ray, or the most so far.

    `about` is of the model, before which nothing can be asked; `lost` says why the last worker went.
    """

    working: int
    loading: int
    wanted: int
    about: dict[str, Any]
    lost: str


@dataclass
class _Request:
    """Prompts that one worker is asked at once, and how many workers died at them."""

    call: int
    what: What
    places: list[int]
    prompts: list[Prompt]
    deaths: int = 0


class _Worker:
    """A model in a process of the cluster."""

    def __init__(self, load: Load, options: GradingOptions, kind: Kind) -> None:
        self._loading = load, options, kind

    def place(self) -> str:
        """Return its process and machine, before the model is loaded."""
        import ray

        return f"process {os.getpid()} on {_machine(socket.gethostname(), ray.get_runtime_context().get_node_id())}"

    def load(self) -> dict[str, Any]:
        load, options, kind = self._loading
        self._model = load(options, kind)
        return self._model.about

    def ask(self, what: What, prompts: Sequence[Prompt]) -> list[tuple[int, Any]]:
        if what == "lengths":
            return list(enumerate(self._model.lengths(prompts)))
        return list(filter(None, self._model.answers(prompts)))


class Crew:
    """Workers with the same model, and their requests; `tell` gets messages for the job: `Staff`, `Answered`.

    Raises GraderError, also from `step`, where no worker can load the model, or the machines hold different ones.
    """

    def __init__(self, ray: Any, start: Start, tell: Callable[[Any], None]) -> None:
        self._ray, self._tell = ray, tell
        self._limit, self._needs = start.options.workers, _needs(ray, start.options)
        # A worker sees its own card alone, whatever its number.
        device: Device = "cuda" if "num_gpus" in self._needs else "cpu"
        grading_options = replace(start.options, engine="local", device=device)
        actor = ray.remote(_Worker).options(max_restarts=0, max_task_retries=0, **self._needs)
        self._new: Callable[[], Any] = lambda: actor.remote(start.load, grading_options, start.kind)
        self._pending: dict[Any, Any] = {}
        """Workers that Ray has no place for yet, by the awaited answer; and so on."""
        self._loading: dict[Any, Any] = {}
        self._held: dict[Any, int] = {}
        """How many requests wait at each worker that can be asked."""
        self._names: dict[Any, str] = {}
        """All workers, and their machines."""
        self._running: dict[Any, tuple[Any, _Request]] = {}
        self._waiting: list[_Request] = []
        self._call = 0
        self._about: dict[str, Any] = {}
        self._opened = False
        self.connected = True
        """Whether the cluster still knows this machine; if not, it lets all workers go, and gives no new ones."""
        self._node = ray.get_runtime_context().get_node_id()
        self._machines: dict[str, str] = {}
        self._first, self._look_at, self._hire_at = 0.0, 0.0, 0.0
        self._wanted = self._limit or 0
        self._lost = f"Ray found no machine with {_in_words(self._needs)} free."
        self._said: Staff | None = None

    def call(self, call: Call) -> None:
        """Ask this, and drop earlier calls."""
        for request in self._running:
            self._ray.cancel(request, force=False)
        self._call = call.number
        # Requests of prompts of like length; the last is sent first, and has the longest.
        places = sorted(call.prompts, key=lambda place: len(call.prompts[place].context))
        workers = max(1, len(self._held))
        size = min(LARGEST, max(SMALLEST, -(-len(places) // (2 * AHEAD * workers))))
        parts = [places[start : start + size] for start in range(0, len(places), size)]
        self._waiting = [
            _Request(call.number, call.what, part, [call.prompts[place] for place in part]) for part in parts
        ]

    def step(self) -> None:
        """Hire, hand out, and take what arrives within a moment."""
        self._look_around()
        self._hand_out()
        self._open()
        awaited = [*self._pending, *self._loading, *self._running]
        ready = self._ray.wait(awaited, timeout=MOMENT)[0] if awaited else []
        for reply in ready:
            if reply in self._pending:
                self._place(self._pending.pop(reply), reply)
            elif reply in self._loading:
                self._welcome(self._loading.pop(reply), reply)
            else:
                self._take(reply, *self._running.pop(reply))
        self._wanted = max(self._wanted, len(self._held))
        about = self._about if self._opened else {}
        staff = Staff(len(self._held), len(self._loading), self._wanted, about, self._lost)
        if staff != self._said:
            self._said = staff
            self._tell(staff)

    @property
    def idle(self) -> bool:
        """Whether no reply is awaited."""
        return not (self._pending or self._loading or self._running or self._waiting)

    def close(self) -> None:
        """Give the workers' machines back."""
        for worker in self._names:
            with suppress(Exception):
                self._ray.kill(worker)

    def _look_around(self) -> None:
        """Note machines that came and went, and hire missing workers."""
        now = time.monotonic()
        if now < self._look_at:
            return
        self._look_at = now + LOOK_SECONDS
        nodes = (node for node in self._ray.nodes() if node["Alive"])
        machines = {node["NodeID"]: _machine(node["NodeManagerHostname"], node["NodeID"]) for node in nodes}
        for node in machines.keys() ^ self._machines.keys():
            self._note(
                f"machine {machines.get(node) or self._machines[node]} {'came' if node in machines else 'went'}."
            )
        self._machines, self.connected = machines, self._node in machines
        if not self.connected or now < self._hire_at:
            return
        needs, free = self._needs, self._ray.available_resources()
        room = int(free.get("GPU", 0) if "num_gpus" in needs else free.get("CPU", 0) // needs["num_cpus"])
        count = len(self._names)
        lacking = (self._limit or max(1, count + room - len(self._pending))) - count
        if lacking > 0:
            self._note(f"{counted({'workers': lacking})} asked of Ray, with {_in_words(needs)} each.")
        for _ in range(lacking):
            worker = self._new()
            self._names[worker] = "a worker"
            self._pending[worker.place.remote()] = worker

    def _open(self) -> None:
        """Let the first workers begin together, so that differing models are noticed before anything is asked."""
        coming = bool(self._pending or self._loading)
        late = self._first and time.monotonic() - self._first > LATE_SECONDS
        if not self._opened and not coming and not self._held:
            raise GraderError(f"No worker of the Ray cluster can begin. {self._lost}")
        self._opened = self._opened or (bool(self._held) and (not coming or bool(late)))

    def _note(self, what: str) -> None:
        """Write a line to the job's log."""
        print(f"{time.ctime()}: {what}", flush=True)

    def _place(self, worker: Any, ready: Any) -> None:
        try:
            self._names[worker] = self._ray.get(ready)
        except self._ray.exceptions.RayError as error:
            self._lose(worker, _reason(error))
        else:
            self._loading[worker.load.remote()] = worker

    def _welcome(self, worker: Any, ready: Any) -> None:
        """Take a worker that has loaded its model; or leave it out if it can't, or has another one."""
        try:
            about = self._ray.get(ready)
        except self._ray.exceptions.RayError as error:
            if not self._opened and isinstance(error, self._ray.exceptions.RayTaskError):
                raise _fault(error) from None
            self._leave_out(worker, f"It can't load the model: {_reason(error)}")
            return
        self._about = self._about or about
        if about == self._about:
            self._held[worker] = 0
            self._first = self._first or time.monotonic()
            self._note(f"{self._names[worker]} works; with it {len(self._held)} do.")
        elif self._opened:
            self._leave_out(worker, "It holds another model under the same name.")
        else:
            raise GraderError(
                f"The cluster's machines hold different models under the name {about.get('model')}.\n"
                "Name a folder that all of them share, or fill their model caches with the same revision."
            )

    def _leave_out(self, worker: Any, why: str) -> None:
        self._hire_at = time.monotonic() + PAUSE_SECONDS
        self._lose(worker, why)

    def _lose(self, worker: Any, why: str) -> None:
        """Part with a worker, once; its requests come back with errors of their own."""
        if (name := self._names.pop(worker, None)) is None:
            return
        self._held.pop(worker, None)
        self._lost = why
        with suppress(Exception):  # It may live where it can't be reached.
            self._ray.kill(worker)
        self._note(f"{name} is lost; {len(self._held)} work. {why}")

    def _hand_out(self) -> None:
        while self._waiting and self._held:
            worker = min(self._held, key=self._held.__getitem__)
            if self._held[worker] >= AHEAD:
                return
            request = self._waiting.pop()
            self._held[worker] += 1
            self._running[worker.ask.remote(request.what, request.prompts)] = (worker, request)

    def _take(self, ready: Any, worker: Any, request: _Request) -> None:
        """Take a reply: answers, an error of the model, or the loss of a worker, whose prompts others are asked."""
        wanted = request.call == self._call
        pairs: list[tuple[int, Any]] = []
        try:
            pairs = self._ray.get(ready)
        except self._ray.exceptions.TaskCancelledError:
            pass
        except self._ray.exceptions.RayTaskError as error:
            if wanted:
                raise _fault(error) from None
        except self._ray.exceptions.RayError as error:
            self._lose(worker, _reason(error))
            if wanted:
                request.deaths += 1
                if request.deaths >= LIVES:
                    raise GraderError(
                        f"{LIVES} workers of the Ray cluster died at the same prompts: {_reason(error)}\nLook at the "
                        "cluster's log; answers are kept, so run the command again to go on."
                    ) from None
                self._waiting.append(request)
            return
        if worker in self._held:
            self._held[worker] -= 1
        if wanted:
            self._tell(Answered(request.call, [(request.places[place], answer) for place, answer in pairs]))


def _needs(ray: Any, options: GradingOptions) -> dict[str, int]:
    """Return what Ray reserves for each worker in the present cluster."""
    if options.device == "cuda" or (options.device != "cpu" and ray.cluster_resources().get("GPU")):
        return {"num_gpus": 1, "num_cpus": 1}
    free = int(ray.available_resources().get("CPU", 0))
    largest = max(int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"])
    return {"num_cpus": max(1, min(free // (options.workers or max(1, free // CORES_EACH)), largest))}


def _in_words(needs: dict[str, int]) -> str:
    return counted({"GPUs": 1} if "num_gpus" in needs else {"cores": needs["num_cpus"]})


def _machine(host: str, node: str) -> str:
    """Return a machine's name, and Ray's for it: several may run on one host."""
    return f"{host} ({node[:8]})"


def _reason(error: Exception) -> str:
    return str(error).strip().splitlines()[-1].strip()


def _fault(error: Exception) -> ExamboardError:
    """Return the cause of a worker's error, if it is ours, or a GraderError."""
    cause = getattr(error, "cause", None)
    if isinstance(cause, ExamboardError):
        return cause
    return GraderError(
        f"A worker of the Ray cluster can't go on: {_reason(error)}\nLook at the cluster's log; answers are kept, so "
        "run the command again to go on."
    )


def _connected() -> Any:
    """Ray, connected to the cluster that $RAY_ADDRESS names or that runs here, else to a new one of this machine.

    Raises UsageError where Ray is missing, or the cluster can't be reached.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError:
        raise UsageError(f"--engine ray needs Ray. Install it: {pip_install('grader,ray')}") from None
    try:
        ray.init(log_to_driver=False, include_dashboard=False, configure_logging=False)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise UsageError(
            f"The Ray cluster can't be reached: {str(error).splitlines()[0]}\n"
            "Run this on a machine of the cluster, where `ray start` ran, and check $RAY_ADDRESS; or unset it to use "
            "this machine alone."
        ) from None
    return ray


def main(link: Connection) -> None:
    """Have a crew, until the job at the other end of the pipe goes."""
    calls: queue.SimpleQueue[Call | None] = queue.SimpleQueue()
    crew = None
    try:
        start = link.recv()
        Thread(target=_listen, args=(link, calls), daemon=True).start()
        crew = Crew(_connected(), start, link.send)
        while crew.connected:
            crew.step()
            with suppress(queue.Empty):
                while (call := calls.get(timeout=MOMENT) if crew.idle else calls.get_nowait()) is not None:
                    crew.call(call)
                return
    except ExamboardError as error:
        link.send(error)
    except (EOFError, OSError):
        return
    finally:
        if crew:
            crew.close()


def _listen(link: Connection, calls: queue.SimpleQueue[Call | None]) -> None:
    """Take messages as they come, so that the job never waits; None at the end."""
    with suppress(EOFError, OSError):
        while True:
            calls.put(link.recv())
    calls.put(None)
    time.sleep(END_SECONDS)
    os._exit(1)  # Ray may wait for minutes, for instance for a head that is gone.

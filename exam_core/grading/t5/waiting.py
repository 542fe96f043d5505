"""Prompts that wait for a device: those of like length together, as many as a budget of tokens allows."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")

TOKENS_PER_BEAM = 16
"""What following one hypothesis costs, in tokens of a prompt; keeps batches of very short prompts in bounds."""


@dataclass(frozen=True)
class PromptBatch:
    """Places of prompts that are answered together.

    Parameters
    ----------
    places : the longest prompt first
    patient : whether an answer may take as long as it takes; otherwise a few long ones may be left for later
    """

    places: list[int]
    patient: bool


class Waiting:
    """Prompts without an answer yet, the longest first; several threads may take from it.

    Parameters
    ----------
    lengths : tokens of each prompt
    budget : tokens in a batch, padding included
    beams : hypotheses that are followed for each prompt
    step : lengths are filled up to multiples of it
    """

    def __init__(self, lengths: Sequence[int], budget: int, beams: int, step: int = 1) -> None:
        self.budget = budget
        self._costs = [-(-length // step) * step + TOKENS_PER_BEAM * beams for length in lengths]
        self._lock = threading.Lock()
        self._places = deque(sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True))
        self._late: deque[int] = deque()

    def take(self) -> PromptBatch | None:
        """The next batch, of one prompt at least; what was put off comes last. None: nothing waits."""
        with self._lock:
            patient = not self._places
            waiting = self._late if patient else self._places
            if not waiting:
                return None
            count = min(len(waiting), max(1, self.budget // self._costs[waiting[0]]))
            return PromptBatch([waiting.popleft() for _ in range(count)], patient)

    def put_off(self, places: Iterable[int]) -> None:
        """Answer these at the end."""
        with self._lock:
            self._late = deque(sorted([*self._late, *places], key=self._costs.__getitem__, reverse=True))

    def put_back(self, batch: PromptBatch) -> None:
        """This batch was too large: it waits again, and batches are half as large from now on."""
        with self._lock:
            self.budget = min(self.budget, self._costs[batch.places[0]] * len(batch.places)) // 2
            (self._late if batch.patient else self._places).extendleft(reversed(batch.places))


def side_by_side(streams: Sequence[Iterator[T]]) -> Iterator[T]:
    """What several streams give, each drawn in a thread of its own; in the order it comes.

    The first error of a stream is raised here, and ends the others after what they are at.
    """
    if len(streams) == 1:
        yield from streams[0]
        return
    results: _Results[T] = queue.SimpleQueue()
    stop = threading.Event()
    threads = [threading.Thread(target=_draw, args=(stream, results, stop), daemon=True) for stream in streams]
    for thread in threads:
        thread.start()
    try:
        going = len(threads)
        while going:
            items, error = results.get()
            if error:
                raise error
            yield from items
            going -= not items
    finally:
        stop.set()
        for thread in threads:
            thread.join()


_Results = queue.SimpleQueue[tuple[list[T], BaseException | None]]
"""An item, or an error; neither where a stream has ended."""


def _draw(stream: Iterator[T], results: _Results[T], stop: threading.Event) -> None:
    try:
        for item in stream:
            results.put(([item], None))
            if stop.is_set():
                return
        results.put(([], None))
    except BaseException as error:  # raised where the results are read
        results.put(([], error))

"""Answers that are kept for all users, and computed once even when several ask at the same time."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from threading import Lock
from typing import Any

from exam_core.errors import ExamboardError


def key_of(function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]) -> Hashable:
    """What makes two questions the same: a method is known by what it belongs to, not by which copy of that it is."""
    owner = getattr(function, "__self__", None)
    return getattr(function, "__func__", function), owner, arguments, tuple(sorted(options.items()))


class Answers:
    """Results by key; the least recently used are forgotten.

    Parameters
    ----------
    most : how many are kept
    """

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, Lock()
        self._kept: OrderedDict[Hashable, Future[Any]] = OrderedDict()

    def get(self, key: Hashable, work: Callable[[], Any]) -> Any:
        """The result for the key; errors are not kept."""
        while True:
            with self._lock:
                future = self._kept.get(key)
                mine = future is None
                if future is None:
                    future = self._kept[key] = Future()
                self._kept.move_to_end(key)
                while len(self._kept) > self._most:
                    self._kept.popitem(last=False)
            if mine:
                self._work(key, future, work)
            try:
                return future.result()
            except BaseException as error:
                if mine or isinstance(error, ExamboardError):
                    raise
                # Streamlit interrupts whoever computes when that user moves on: then one of those who wait takes over.

    def _work(self, key: Hashable, future: Future[Any], work: Callable[[], Any]) -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            with self._lock:
                if self._kept.get(key) is future:
                    del self._kept[key]
            future.set_exception(error)

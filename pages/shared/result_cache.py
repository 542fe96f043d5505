"""Answers that are kept for all users, and computed once even when several ask at the same time."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Any

from exam_core.errors import ExamboardError
from exam_core.store.snapshot import Validity, ValueCache


def key_of(function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]) -> Hashable:
    """What makes two questions the same: a method is known by what it belongs to, not by which copy of that it is."""
    owner = getattr(function, "__self__", None)
    return getattr(function, "__func__", function), owner, arguments, tuple(sorted(options.items()))


class ResultCache:
    """Results by key; the least recently used are forgotten, and those of a collection that has changed.

    Parameters
    ----------
    most : how many are kept
    """

    def __init__(self, most: int) -> None:
        self._kept = ValueCache[Future[Any]](most)

    def get(self, key: Hashable, work: Callable[[], Any], validity: Validity) -> Any:
        """The result for the key, which holds for as long as the validity; errors are not kept."""
        while True:
            mine: Future[Any] = Future()
            future = self._kept.keep(key, mine, validity)
            if future is mine:
                self._work(key, future, work)
            try:
                return future.result()
            except BaseException as error:
                if future is mine or isinstance(error, ExamboardError):
                    raise
                # Streamlit interrupts whoever computes when that user moves on: then one of those who wait takes over.

    def _work(self, key: Hashable, future: Future[Any], work: Callable[[], Any]) -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            self._kept.drop(key, future)
            future.set_exception(error)

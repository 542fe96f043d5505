"""Results that are kept for as long as the collection that they are of stays as it was."""

from __future__ import annotations

import atexit
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from functools import update_wrapper
from threading import Lock
from typing import Any, Generic, ParamSpec, TypeVar
from weakref import WeakSet, finalize

P = ParamSpec("P")
T = TypeVar("T")

_ALL: WeakSet[ValueCache[Any]] = WeakSet()
OUTLIVING = 4
"""Stores that nobody has any more of whose snapshots results are kept still: whoever has a snapshot may ask on."""
MORE = 8
_left: deque[Mapping[str, Any]] = deque()


class Validity:
    """Whether a snapshot is still what its collection holds; one for it and all that are made from it."""

    def __init__(self) -> None:
        self.ended = False

    def end(self) -> None:
        """The collection has changed: let go of everything that is kept of how it was."""
        self.ended = True
        for kept in list(_ALL):
            kept.drop_ended()


class ValueCache(Generic[T]):
    """Values by key, for all threads; the least recently used go, and those of a snapshot that is superseded.

    Parameters
    ----------
    most : how many are kept, however large
    room : bytes up to which `MORE` times as many are kept, so that many grading modes beside each other are read once
    """

    def __init__(self, most: int, room: int = 0) -> None:
        self._most, self._room, self._lock = most, room, Lock()
        self._values: OrderedDict[Hashable, tuple[Validity, T]] = OrderedDict()
        _ALL.add(self)

    def find(self, key: Hashable) -> tuple[T] | None:
        """The value for the key, alone in a tuple; None if there is none."""
        with self._lock:
            found = self._values.get(key)
            if found is None:
                return None
            self._values.move_to_end(key)
            return (found[1],)

    def keep(self, key: Hashable, value: T, validity: Validity) -> T:
        """What is kept from now on: the value, or the one that somebody else gave meanwhile."""
        gone = []  # freed when nobody is kept waiting
        with self._lock:
            if validity.ended:
                return value
            known = self._values.setdefault(key, (validity, value))
            self._values.move_to_end(key)
            while len(self._values) > self._most and self._fills():
                gone.append(self._values.popitem(last=False))
        return known[1]

    def _fills(self) -> bool:
        """Whether what is kept has more bytes than there is room for."""
        more = bool(self._room) and len(self._values) <= MORE * self._most
        return not more or sum(size_of(value) for _, value in self._values.values()) > self._room

    def drop(self, key: Hashable, value: T) -> None:
        """Keep this value no longer."""
        with self._lock:
            known = self._values.get(key)
            if known and known[1] is value:
                del self._values[key]

    def drop_ended(self) -> None:
        """Keep nothing of superseded snapshots."""
        with self._lock:
            ended = [key for key, (validity, _) in self._values.items() if validity.ended]
            gone = [self._values.pop(key) for key in ended]
        del gone

    def clear(self) -> None:
        """Keep nothing."""
        with self._lock:
            values, self._values = self._values, OrderedDict()
        del values


class KeptResults(Generic[P, T]):
    """A function of a snapshot, or of what has one, that remembers its results; see `kept`."""

    def __init__(self, function: Callable[P, T], most: int, room: int) -> None:
        self._function, self._kept = function, ValueCache[T](most, room)
        update_wrapper(self, function)

    def __call__(self, *arguments: P.args, **options: P.kwargs) -> T:
        key = (arguments, tuple(options.items())) if options else arguments
        if found := self._kept.find(key):
            return found[0]
        value = self._function(*arguments, **options)
        return self._kept.keep(key, value, validity_of(*arguments))

    def clear(self) -> None:
        """Ask anew from now on."""
        self._kept.clear()


def kept(most: int, room: int = 0) -> Callable[[Callable[P, T]], KeptResults[P, T]]:
    """As `functools.lru_cache`, for functions of a snapshot: nothing is kept of one that is superseded.

    Parameters
    ----------
    most, room : as `ValueCache`, of all snapshots
    """
    return lambda function: KeptResults(function, most, room)


def size_of(value: Any) -> int:
    """Bytes of the arrays that a value is or has; whatever else it has is small."""
    held = tuple(vars(value).values()) if hasattr(value, "__dict__") and not hasattr(value, "nbytes") else [value]
    return sum(int(getattr(one, "nbytes", 0)) for one in held)


def validity_of(*arguments: Any) -> Validity:
    """Of the first snapshot among arguments, or of the first one that has a snapshot."""
    for argument in arguments:
        validity = getattr(getattr(argument, "snapshot", argument), "validity", None)
        if isinstance(validity, Validity):
            return validity
    raise TypeError("none of the arguments is of a snapshot")


def keep_while_held(store: object, snapshots: Mapping[str, Any]) -> None:
    """Keep results of a store's snapshots while somebody has the store, and of a few stores that nobody has any more.

    Each has a DuckDB with its threads, which results of its snapshots hold.
    """
    while len(_left) > OUTLIVING:
        with suppress(IndexError):  # another thread was faster
            for snapshot in _left.popleft().values():
                snapshot.validity.end()
    # It may be freed while a lock of the kept is held: so what ends is only noted then.
    finalize(store, _left.append, snapshots).atexit = False


@atexit.register
def let_go() -> None:
    """Keep nothing: DuckDB complains at the end of a process of what it can't free."""
    for one in list(_ALL):
        one.clear()

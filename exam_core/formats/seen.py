"""Which of very many keys have come before, in little memory."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

_LARGEST_RUN = 2**20
_Ints = npt.NDArray[np.int64]


class Seen:
    """Which keys came before, as 64 bits, each with its place and what its value hashes to: 24 bytes for each.

    Ids are told apart by what Python makes of them, which draws a key in every process.
    """

    def __init__(self) -> None:
        self._runs: list[tuple[_Ints, _Ints, _Ints]] = []

    def find(self, keys: _Ints) -> tuple[_Ints, _Ints]:
        """Of each key the place where it came before, -1 where it did not, and what its value hashed to."""
        place, said = np.full(len(keys), -1, np.int64), np.zeros(len(keys), np.int64)
        order = np.argsort(keys)
        ordered = keys[order]
        for there, places, texts in self._runs:
            at = np.minimum(np.searchsorted(there, ordered), len(there) - 1)
            found = there[at] == ordered
            place[order[found]], said[order[found]] = places[at[found]], texts[at[found]]
        return place, said

    def add(self, keys: _Ints, places: _Ints, said: _Ints) -> None:
        """Remember new ones. Sorted runs of like lengths are joined, up to a length that takes little more memory."""
        if not len(keys):
            return
        self._runs.append(_sorted(keys, places, said))
        while len(self._runs) > 1:
            (*_, before, last) = self._runs
            if len(before[0]) > 2 * len(last[0]) or len(before[0]) + len(last[0]) > _LARGEST_RUN:
                break
            self._runs[-2:] = [_sorted(*map(np.concatenate, zip(before, last, strict=True)))]


class SeenNumbers:
    """The same of keys that are whole numbers below a count: 16 bytes for each."""

    def __init__(self, count: int) -> None:
        self._places, self._said = np.full(count, -1, np.int64), np.zeros(count, np.int64)

    def find(self, keys: _Ints) -> tuple[_Ints, _Ints]:
        """As `Seen.find`."""
        return self._places[keys], self._said[keys]

    def add(self, keys: _Ints, places: _Ints, said: _Ints) -> None:
        """As `Seen.add`."""
        self._places[keys], self._said[keys] = places, said


def distinct(parts: Iterable[_Ints]) -> _Ints:
    """The distinct keys among very many, sorted; half as many more are held."""
    keys, count = np.zeros(_LARGEST_RUN, np.int64), 0
    for part in parts:
        if count + len(part) > len(keys):
            count = _first_distinct(keys[:count])
            keys.resize(max(len(keys), count * 3 // 2 + len(part)), refcheck=False)
        keys[count : count + len(part)] = part
        count += len(part)
    keys.resize(_first_distinct(keys[:count]), refcheck=False)
    return keys


def _first_distinct(keys: _Ints) -> int:
    """Sort keys so that distinct ones come first; returns how many they are."""
    keys.sort()
    new, count = np.ones(len(keys), bool), 0
    np.not_equal(keys[1:], keys[:-1], out=new[1:])
    for start in range(0, len(keys), _LARGEST_RUN):
        some = keys[start : start + _LARGEST_RUN][new[start : start + _LARGEST_RUN]]
        keys[count : count + len(some)] = some
        count += len(some)
    return count


def places_among(there: _Ints, keys: _Ints) -> _Ints:
    """The place of each key among distinct ones, which are sorted; -1 where it is none of them."""
    order = np.argsort(keys)
    ordered = keys[order]  # near ones are found in a quarter of the time
    at = np.searchsorted(there, ordered)
    found = at < len(there)
    found[found] = there[at[found]] == ordered[found]
    places = np.empty(len(keys), np.int64)
    places[order] = np.where(found, at, -1)
    return places


def _sorted(keys: _Ints, places: _Ints, said: _Ints) -> tuple[_Ints, _Ints, _Ints]:
    order = np.argsort(keys, kind="stable")
    return keys[order], places[order], said[order]

"""Which of very many keys have come before, in little memory."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain, compress, islice
from operator import itemgetter
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from exam_core.errors import BadInput, Problems, visible
from exam_core.formats.corpus_files import NO_TEXT, Passage, Passages, read_passages, some_at_a_time, with_title
from exam_core.formats.reading import LONGEST_ID, TOGETHER, fault_of_id
from exam_core.progress import Progress, no_progress, within
from exam_core.tables import PASSAGES

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
        place, counts = np.full(len(keys), -1, np.int64), np.zeros(len(keys), np.int64)
        order = np.argsort(keys)
        ordered = keys[order]
        for codes, places, texts in self._runs:
            at = np.minimum(np.searchsorted(codes, ordered), len(codes) - 1)
            result = codes[at] == ordered
            place[order[result]], counts[order[result]] = places[at[result]], texts[at[result]]
        return place, counts

    def add(self, keys: _Ints, places: _Ints, counts: _Ints) -> None:
        """Remember new ones. Sorted runs of like lengths are joined, up to a length that takes little more memory."""
        if not len(keys):
            return
        self._runs.append(_sorted(keys, places, counts))
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

    def add(self, keys: _Ints, places: _Ints, counts: _Ints) -> None:
        """As `Seen.add`."""
        self._places[keys], self._said[keys] = places, counts


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


def places_among(distinct_keys: _Ints, keys: _Ints) -> _Ints:
    """The place of each key among distinct ones, which are sorted; -1 where it is none of them."""
    order = np.argsort(keys)
    ordered = keys[order]  # near ones are found in a quarter of the time
    at = np.searchsorted(distinct_keys, ordered)
    is_among = at < len(distinct_keys)
    is_among[is_among] = distinct_keys[at[is_among]] == ordered[is_among]
    places = np.empty(len(keys), np.int64)
    places[order] = np.where(is_among, at, -1)
    return places


def _sorted(keys: _Ints, places: _Ints, digests: _Ints) -> tuple[_Ints, _Ints, _Ints]:
    order = np.argsort(keys, kind="stable")
    return keys[order], places[order], digests[order]


PART_ROWS, PART_CHARACTERS = 2**14, 2**22
"""A part has so many passages, or characters."""
_REMEMBERED = 2_000
"""Ids that are not wanted and are remembered, to say how they differ from those that are."""
_LINE = 40
"""Bits of a place that number a line; those above number the file."""
_CAUSE = "second text of a passage"


class Corpus:
    """Passages of files, or of Python, as they are read: those that are kept come in parts.

    Parameters
    ----------
    wanted : ids of the passages to keep; None, or none of them, keeps all
    titles : whether a title is put before its text

    Attributes
    ----------
    read, kept, blank, again : passages that were read, are kept, have no words, and repeat another one
    first_blank : where the first without words stands
    strangers : some ids that are not wanted
    """

    def __init__(self, wanted: Iterable[str] | None, *, titles: bool = True) -> None:
        self.read = self.kept = self.blank = self.again = self._textless = 0
        self.first_blank = ""
        self.strangers: list[str] = []
        ids, self._titles = iter(wanted or ()), titles
        keys = distinct(map(_keys, iter(lambda: list(islice(ids, TOGETHER)), [])))
        self._wanted = keys if len(keys) else None
        self._seen = SeenNumbers(len(keys)) if len(keys) else Seen()

    @property
    def keeps_all(self) -> bool:
        """Whether nobody said which passages are wanted."""
        return self._wanted is None

    def of_files(self, paths: Sequence[Path], progress: Progress = no_progress) -> Iterator[pd.DataFrame]:
        """Passages of files, which are read one after the other.

        Raises BadInput where a line is no passage, an id can't be kept, a passage has two texts, or no line has one.
        """
        sizes = [0, *accumulate(max(path.stat().st_size, 1) for path in paths)]

        def refuse(place: int, what: str, first: int | None, value: str) -> None:
            (number, line), path = divmod(place, 2**_LINE), paths[place >> _LINE]
            if first is not None:
                where = "" if first >> _LINE == number else f" of {paths[first >> _LINE]}"
                what += f"; the first is in line {first % 2**_LINE:,}{where}"
            problems.setdefault(path, Problems(path)).add(line, what, value, _REMEDY, cause=_CAUSE if first else "")

        def where(place: int) -> str:
            return f"{paths[place >> _LINE].name}:{place % 2**_LINE}"

        problems: dict[Path, Problems] = {}
        for number, path in enumerate(paths):
            its = within(progress, sizes[number] / sizes[-1], sizes[number + 1] / sizes[-1])
            passages = read_passages(path, progress=its)
            yield from self._parts(passages, number << _LINE, refuse, where)
            for faults in problems.values():
                faults.raise_if_any()
        self._refuse_textless(f"{paths[0]}:1" if paths else "")

    def of_given(self, passages: Iterable[Passage]) -> Iterator[pd.DataFrame]:
        """Passages that are in Python, numbered from 0; parts and errors as `of_files`."""

        def refuse(place: int, what: str, first: int | None, value: str) -> None:
            also = "" if first is None else f", the first is record {first}"
            raise BadInput(
                visible(f"The passages: {what} (record {place}{also}).\n  {value}\n{_REMEDY} Nothing was stored.")
            )

        yield from self._parts(some_at_a_time(passages), 0, refuse, "record {}".format)
        self._refuse_textless("The passages")

    def _refuse_textless(self, where: str) -> None:
        """Refuse a corpus of which no line has a text: its field has another name."""
        if self.read and self._textless == self.read:
            raise BadInput(
                visible(f"{where}: {NO_TEXT}.\nGive the field of the texts one of these names. Nothing was stored.")
            )

    def _parts(
        self, passages: Iterable[Passages], before: int, refuse: _Refuse, where: Callable[[int], str]
    ) -> Iterator[pd.DataFrame]:
        """Passages that are kept, some at a time."""
        for some in _joined(passages):
            self.read += len(some.ids)
            self._textless += some.texts.count(None)
            for start in range(0, len(some.ids), PART_ROWS):
                piece = some.taken(itemgetter(slice(start, start + PART_ROWS)))
                yield from self._part(piece, before, refuse, where)

    def _part(
        self, some: Passages, before: int, refuse: _Refuse, where: Callable[[int], str]
    ) -> Iterator[pd.DataFrame]:
        some, keys = self._wanted_of(some)
        if self._titles and any(some.titles):
            texts = [with_title(*title) for title in zip(some.titles, some.texts, strict=True)]
        else:
            texts = [text or "" for text in some.texts]
        unfit = set(self._faults(some.ids))
        for at in sorted(unfit):
            doc_id = some.ids[at]
            fault = f"the passage's id {fault_of_id(doc_id)}"
            refuse(before + some.lines[at], fault, None, visible(doc_id, line_ends=False)[:80])
        if not all(map(str.strip, texts)):
            blank = [at for at, text in enumerate(texts) if at not in unfit and not text.strip()]
            self.blank += len(blank)
            if blank and not self.first_blank:
                self.first_blank = where(before + some.lines[blank[0]])
            unfit.update(blank)
        fit = [at for at in range(len(texts)) if at not in unfit] if unfit else range(len(texts))
        places = np.fromiter((before + some.lines[at] for at in fit), np.int64, len(fit))
        yield from self._new(keys[fit], [some.ids[at] for at in fit], [texts[at] for at in fit], places, refuse)

    def _wanted_of(self, some: Passages) -> tuple[Passages, npt.NDArray[np.int64]]:
        """Those that are wanted, and their keys; some ids of others are remembered."""
        keys = _keys(some.ids)
        if self._wanted is None:
            return some, keys
        keys = places_among(self._wanted, keys)
        mine = keys >= 0
        self.strangers += [some.ids[at] for at in np.flatnonzero(~mine)[: _REMEMBERED - len(self.strangers)]]
        return (some if mine.all() else some.taken(lambda column: list(compress(column, mine)))), keys[mine]

    @staticmethod
    def _faults(ids: Sequence[str]) -> list[int]:
        """Places of ids that can't be kept."""
        if "".join(ids).isprintable() and all(map(str.strip, ids)) and max(map(len, ids), default=0) <= LONGEST_ID:
            return []
        return [at for at, doc_id in enumerate(ids) if fault_of_id(doc_id)]

    def _new(
        self,
        keys: npt.NDArray[np.int64],
        ids: Sequence[str],
        texts: Sequence[str],
        places: npt.NDArray[np.int64],
        refuse: _Refuse,
    ) -> Iterator[pd.DataFrame]:
        """Those that did not come before; one that did is refused where its text was another one."""
        digests = b"".join(hashlib.sha256(text.encode()).digest()[:8] for text in texts)
        hashes_of_texts = np.frombuffer(digests, np.int64)
        new = np.zeros(len(ids), bool)
        new[np.unique(keys, return_index=True)[1]] = True
        new &= self._seen.find(keys)[0] < 0
        self._seen.add(keys[new], places[new], hashes_of_texts[new])
        if not new.all():
            self.again += int((~new).sum())
            first, text_then = self._seen.find(keys)
            for at in np.flatnonzero(~new & (text_then != hashes_of_texts)).tolist():
                refuse(int(places[at]), f"second text of passage {ids[at]}", int(first[at]), texts[at])
        self.kept += int(new.sum())
        if new.any():
            hashed = digests.hex()
            hashes = [hashed[at : at + 16] for at in range(0, len(hashed), 16)]
            columns = {"doc_id": ids, "passage_text": texts, "text_hash": hashes}
            if not new.all():
                columns = {name: list(compress(values, new)) for name, values in columns.items()}
            yield PASSAGES.frame(columns)


def _joined(passages: Iterable[Passages]) -> Iterator[Passages]:
    """More of them at a time."""
    waiting, characters = list[Passages](), 0
    for some in passages:
        waiting.append(some)
        characters += sum(len(text) for text in some.texts if text)
        if characters >= PART_CHARACTERS or sum(len(item.ids) for item in waiting) >= PART_ROWS:
            yield _one_of(waiting)
            waiting, characters = [], 0
    if waiting:
        yield _one_of(waiting)


def _one_of(parts: Sequence[Passages]) -> Passages:
    lines, ids, titles, texts = (list(chain.from_iterable(columns)) for columns in zip(*parts, strict=True))
    return Passages(lines, ids, titles, texts)


def _keys(ids: Sequence[str]) -> npt.NDArray[np.int64]:
    return np.fromiter(map(hash, ids), np.int64, len(ids))


_REMEDY = "Keep the text that is right, and remove the other."
_Refuse = Callable[[int, str, int | None, str], None]
"""Says what is wrong with a passage: its place, what, the place of the first where it is a second one, its text."""

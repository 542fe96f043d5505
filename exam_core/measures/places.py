"""What is known of passages and of places of rankings: the one definition of what is missing from a board.

An *answer* is what a grader said of a passage on one question, or of the whole passage. It is **unreadable** where no
grade could be read from it. Under a query, by its answers on the questions that count, a passage is

- **ungraded** where it has none;
- **unreadable** where it has some, and none of them can be read;
- **graded** otherwise. Its unreadable answers are counted, and answer nothing.

A place within depth is **filled** where a run returned a passage, or where its file **left out** what stood there. It
is a **hole** where it is left out, or holds an ungraded passage or an unreadable one. Shares are of the filled places;
those that were never filled are counted apart.

A value is **undefined** where it rests on unreadable answers alone, so that it is never 0 for want of a grade (nugget
scores and Judged count what can't be read as no answer there, too):

- a query has none where some passage is unreadable and none is graded, whatever runs returned;
- a run has none for a query where it read an unreadable passage and no graded one;
- a run has none at all where it read an unreadable passage for some query and a graded one for no query.

A run's mean is over the queries for which it has a value.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from exam_core.measures.bit_words import PADDING
from exam_core.measures.gradebook import NOTHING, Gradebook
from exam_core.numbers.arrays import Bools, Floats, Ints
from exam_core.tables import UNGRADED, UNREADABLE

GRADED, UNREAD = 1, 2
"""Bits of what is known of a passage; one without a bit is ungraded."""


@dataclass(frozen=True)
class Places:
    """(K, R, Q) which places of rankings are filled, and which of these are holes, by kind.

    K is as deep as something was returned or left out, `depth` at most.
    """

    filled: Bools
    ungraded: Bools
    unreadable: Bools
    left_out: Bools

    @property
    def holes(self) -> Bools:
        """Places of any of the three kinds."""
        return self.ungraded | self.unreadable | self.left_out

    def shares(self, places: Bools | Ints | Floats, counted: Bools) -> Floats:
        """(R,) share of some places, (K, R, Q) flags or (R, Q) numbers, in those that a run filled on (R, Q) queries.

        NaN where it filled none.
        """
        counts = (places * counted).reshape(-1, *counted.shape).sum(axis=(0, 2))
        return _share(counts, (self.filled & counted).sum(axis=(0, 2)))


@dataclass(frozen=True)
class Gaps:
    """What the grades don't cover of the rankings that are read.

    Parameters
    ----------
    pairs, unreadable_pairs : distinct passages of a query that are ungraded, and that are unreadable
    unreadable, answers : answers that can't be read, of all that the ranked passages have on questions that count
    slots_missing : places that the runs' files left out
    slots_empty : places within depth that were never filled
    share_at_depth : share of the filled places that are ungraded or left out; NaN where none is filled
    unreadable_at_depth : share of the filled places that are unreadable
    """

    pairs: int
    unreadable_pairs: int
    unreadable: int
    answers: int
    slots_missing: int
    slots_empty: int
    share_at_depth: float
    unreadable_at_depth: float


def places_of(book: Gradebook, depth: int) -> Places:
    """The holes of all rankings down to a depth.

    What a file left out is appended to its ranking: what it lists moved up when it was cut, and where the others stood
    is not known.

    >>> from exam_core.measures.example import book
    >>> np.argwhere(places_of(book(), depth=3).holes).tolist()  # place 3 of run b
    [[2, 1, 0]]
    """
    ends = book.returned + book.missing
    deepest = max(min(depth, int(ends.max(initial=0))), min(depth, len(book.slots)))
    slots = book.slots[:depth]
    slots = np.pad(slots, ((0, deepest - len(slots)), (0, 0), (0, 0)), constant_values=NOTHING)
    known = _known(book)[slots]
    ungraded = (known == 0) & (slots != NOTHING)
    left_out = (slots == NOTHING) & (np.arange(deepest)[:, None, None] < ends)
    return Places((slots != NOTHING) | left_out, ungraded, known == UNREAD, left_out)


def undefined(book: Gradebook, depth: int | None = None) -> Bools:
    """(R, Q) whether a run's value on a query rests on unreadable answers alone, of what is read down to a depth.

    >>> from dataclasses import replace
    >>> from exam_core.measures.example import book
    >>> undefined(replace(book(), grades=np.full((3, 3), UNREADABLE, np.int8))).tolist()
    [[True], [True]]
    """
    shape = book.slots.shape[1:]
    if not book.has_unreadable:
        return np.zeros(shape, bool)
    known, met, at = _known(book), np.zeros(shape, np.uint8), np.empty(shape, np.uint8)
    for slots in book.slots[:depth]:
        met |= np.take(known, slots, out=at, mode="wrap")
    silent = (met & GRADED == 0).all(axis=1) & (met == UNREAD).any(axis=1)
    return (met == UNREAD) | unreadable_queries(book) | silent[:, None]


def counting_queries(book: Gradebook, *, needs_grades: bool = True) -> Bools:
    """(Q,) queries that count (`Gradebook.counted`) and, where the measure needs one, have a readable grade.

    >>> from exam_core.measures.example import book
    >>> counting_queries(book()).tolist()
    [True]
    """
    return book.counted & ~unreadable_queries(book) if needs_grades else book.counted


def unreadable_queries(book: Gradebook) -> Bools:
    """(Q,) queries of which some passage is unreadable and none is graded.

    >>> from dataclasses import replace
    >>> from exam_core.measures.example import book
    >>> unreadable_queries(replace(book(), grades=np.full((3, 3), UNREADABLE, np.int8))).tolist()
    [True]
    """
    if not book.has_unreadable:
        return np.zeros(len(book.query_ids), bool)
    met: npt.NDArray[np.uint8] = np.bitwise_or.reduceat(_known(book)[:-PADDING], book.pair_starts)
    return np.asarray(met == UNREAD)


def gaps_of(book: Gradebook) -> Gaps:
    """What the grades don't cover of the rankings that are read.

    >>> from exam_core.measures.example import book
    >>> gaps = gaps_of(book())
    >>> print(gaps.pairs, gaps.unreadable, round(gaps.share_at_depth, 3))  # d3, at one of six places
    1 0 0.167
    """
    places = places_of(book, book.depth or sys.maxsize)
    known = _known(book)
    ranked = np.zeros(len(known), bool)
    ranked[book.slots] = True
    pairs = np.flatnonzero(ranked[:-PADDING])
    answers, unreadable = answers_on(book, pairs)
    filled = int(places.filled.sum())
    deepest = book.depth or len(places.filled)
    return Gaps(
        pairs=book.ungraded_pairs + int((known[pairs] == 0).sum()),
        unreadable_pairs=int((known[pairs] == UNREAD).sum()),
        unreadable=unreadable,
        answers=answers,
        slots_missing=int(book.missing.sum()),
        slots_empty=deepest * book.returned.size - filled,
        share_at_depth=float(_share(places.ungraded.sum() + places.left_out.sum(), filled)),
        unreadable_at_depth=float(_share(places.unreadable.sum(), filled)),
    )


def answers_on(book: Gradebook, pairs: npt.NDArray[np.int64] | None = None) -> tuple[int, int]:
    """How many answers there are on enabled questions, and how many of them can't be read; of some pairs, or of all.

    >>> from exam_core.measures.example import book
    >>> answers_on(book())  # three passages, three questions
    (9, 0)
    """
    pairs = np.arange(len(book.grades)) if pairs is None else pairs
    answers = unreadable = 0
    for column in range(book.grades.shape[1]):
        grades = book.grades[pairs[book.enabled[book.pair_query[pairs], column]], column]
        answers += int((grades != UNGRADED).sum())
        unreadable += int((grades == UNREADABLE).sum())
    return answers, unreadable


def _share(part: npt.ArrayLike, whole: npt.ArrayLike) -> Floats:
    """Shares; NaN of nothing."""
    total = np.asarray(whole, float)
    return np.asarray(part, float) / np.where(total > 0, total, np.nan)


def _known(book: Gradebook) -> npt.NDArray[np.uint8]:
    """(P + 2,) what is known of each pair; the last two, which the places HOLE and NOTHING find, are ungraded."""
    known = np.zeros(len(book.grades) + PADDING, np.uint8)
    known[:-PADDING] = _KNOWN[book.best.view(np.uint8)]
    return known


_BYTES = np.arange(256, dtype=np.uint8).view(np.int8)
_KNOWN = np.select([_BYTES > UNREADABLE, _BYTES == UNREADABLE], [GRADED, UNREAD], 0).astype(np.uint8)
"""By a label's byte."""

"""Marks: what the rankings of a gradebook answer and hold, as bit masks, for all measures at once.

For each run, query and tau a ranking is a row of bits: bit j is set where the passage at place j has
a label of at least tau. The bits stand in chunks of ten places, so that what a measure needs of a
chunk (the sum of discounts, the first bit, ...) is looked up in a table of 1,024 entries: exact, and
a few nanoseconds for each ranking.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from exam_core.errors import NoQuestions
from exam_core.measures.bit_words import HIGHEST_TAU, PADDING, UInts, Words
from exam_core.measures.gradebook import Gradebook, Labels
from exam_core.numbers.arrays import Bools, Floats, Ints, slices

CHUNK = 10
"""Places of a ranking in a chunk."""
PER_WORD = 6
"""Levels (labels of at least 0 to 5) whose chunks share a machine word."""
QUERIES_AT_ONCE = 500
LabelMap = Mapping[int, int]


class Labelling:
    """The labels of a gradebook's pairs, ready to be read off by rankings.

    Parameters
    ----------
    book : the grades
    taus : smallest labels that count as relevant
    label_rank : a label is the N-th best grade
    label_map : other labels instead, for instance {5: 3, 4: 1}; a label that it does not name becomes 0
    labels : what these rules make of the grades, where it is known

    Attributes
    ----------
    labels : (P,) labels, mapped; negative where there is none
    levels : labels that are told apart: 0, every tau, and 1 to the largest label
    judged : index of level 0
    """

    def __init__(
        self,
        book: Gradebook,
        taus: tuple[int, ...],
        label_rank: int = 1,
        label_map: LabelMap | None = None,
        labels: Labels | None = None,
    ) -> None:
        self.book, self.taus = book, taus
        self.rule, self.label_rank = (taus, label_rank, label_map), label_rank
        self.labels = mapped(book.labels(label_rank), label_map) if labels is None else labels
        highest = max(int(self.labels.max(initial=0)), HIGHEST_TAU)
        self.levels = sorted({0, *taus, *range(1, highest + 1)})
        self.judged = self.levels.index(0)

    def of_queries(self, stays: slice, runs: slice = slice(None)) -> Labelling:
        """The same labels, of some of the queries, one after the other, and of runs."""
        if (self.book.query_ids[stays], self.book.run_ids[runs]) == (self.book.query_ids, self.book.run_ids):
            return self
        part = Labelling(self.book.of_queries(stays, runs), *self.rule, self.labels[self.book.pairs_of(stays)])
        part.levels, part.judged = self.levels, self.judged
        vars(part)["at_least"] = self.at_least[:, stays]
        return part

    @cached_property
    def spread(self) -> UInts:
        """(G, P + 2) for each pair a word with the lowest bit of a level's field set where the label reaches it."""
        groups = -(-len(self.levels) // PER_WORD)
        bits = np.zeros((groups, len(self.labels) + PADDING), np.uint64)
        for group in range(groups):
            reached = np.zeros(256, np.uint64)
            values = np.arange(256, dtype=np.uint8).view(np.int8)
            for field, level in enumerate(self.levels[group * PER_WORD : (group + 1) * PER_WORD]):
                reached |= np.where(values >= level, np.uint64(1) << np.uint64(CHUNK * field), np.uint64(0))
            bits[group, : len(self.labels)] = reached[self.labels.view(np.uint8)]
        return bits

    @cached_property
    def at_least(self) -> Ints:
        """(levels, Q) passages of each query whose label reaches each level."""
        place = np.searchsorted(self.levels, np.arange(256, dtype=np.uint8).view(np.int8), side="right")
        places = np.empty((len(self.levels), len(self.book.query_ids)), np.int64)
        for part in slices(len(self.book.query_ids), QUERIES_AT_ONCE):
            pairs, columns, width = self.book.pairs_of(part), places[:, part], len(self.levels) + 1
            query = self.book.pair_query[pairs].astype(np.int64) - part.start
            reached = place[self.labels[pairs].view(np.uint8)]
            counts = np.bincount(query * width + reached, minlength=columns.shape[1] * width).reshape(-1, width)
            columns[:] = counts[:, ::-1].cumsum(axis=1)[:, ::-1].T[1:]
        return places


def labelling(
    book: Gradebook, taus: tuple[int, ...], label_rank: int = 1, label_map: tuple[tuple[int, int], ...] | None = None
) -> Labelling:
    """The labels of a gradebook's pairs; kept with the gradebook, because every sweep needs them.

    >>> from exam_core.measures.example import book
    >>> labelling(book(), (4,), label_map=((5, 3), (4, 1))).labels.tolist()
    [3, 1, 0]
    """
    key = (taus, label_rank, label_map)
    if key not in book.labellings:
        book.labellings[key] = Labelling(book, taus, label_rank, dict(label_map) if label_map else None)
    return book.labellings[key]


class Marks:
    """The rankings of a gradebook with the labels and taus of a labelling; what a measure computes from."""

    def __init__(self, labelling: Labelling) -> None:
        self.book, self.labelling = labelling.book, labelling
        self.slots, self.taus = self.book.slots, labelling.taus
        self._covered: dict[int, UInts] = {}

    # Labels

    @cached_property
    def relevant(self) -> Ints:
        """(T, Q) passages of each query with a label of at least tau, ranked or not."""
        return self._of_taus(self.labelling.at_least)

    @cached_property
    def labelled(self) -> Ints:
        """(Q,) passages of each query with a label of 0 or more."""
        return self.labelling.at_least[self.labelling.judged]

    @cached_property
    def returned(self) -> Ints:
        """(R, Q) how many passages each run returned."""
        return self.book.returned

    @cached_property
    def levels(self) -> Ints:
        """(chunks, levels, R, Q) rankings as rows of bits, one chunk of ten places after the other."""
        places, runs, queries = self.slots.shape
        chunks, levels = max(1, -(-places // CHUNK)), self.labelling.levels
        masks = np.zeros((chunks, len(levels), runs, queries), np.int64)
        word, counts = (np.empty((runs, queries), np.uint64) for _ in range(2))
        for group, spread in enumerate(self.labelling.spread):
            fields = range(group * PER_WORD, min((group + 1) * PER_WORD, len(levels)))
            for chunk in range(chunks):
                word[:] = 0
                for bit, slots in enumerate(self.slots[chunk * CHUNK : (chunk + 1) * CHUNK]):
                    np.take(spread, slots, out=counts, mode="wrap")
                    word |= np.left_shift(counts, np.uint64(bit), out=counts)
                for place, field in enumerate(fields):
                    np.right_shift(word, np.uint64(CHUNK * place), out=counts)
                    np.bitwise_and(counts, np.uint64(2**CHUNK - 1), out=masks[chunk, field].view(np.uint64))
        return masks

    def relevance(self, depth: int | None = None) -> Ints:
        """(chunks, T, R, Q) rows of bits: the label reaches tau."""
        return within(self._of_taus(self.levels, axis=1), depth)

    def judged(self, depth: int | None = None) -> Ints:
        """(chunks, R, Q) rows of bits: the passage has a label of 0 or more."""
        return within(self.levels[:, self.labelling.judged], depth)

    def hits(self, depth: int | None = None) -> Ints:
        """(T, R, Q) number of places within depth whose label reaches tau."""
        return counted(self.relevance(depth))

    def _of_taus(self, values: Ints, axis: int = 0) -> Ints:
        places = [self.labelling.levels.index(tau) for tau in self.taus]
        if places == list(range(places[0], places[0] + len(places))):  # a view, not a copy
            return values[(slice(None),) * axis + (slice(places[0], places[-1] + 1),)]
        return values.take(places, axis=axis)

    # Questions

    @cached_property
    def questions(self) -> Ints:
        """(Q,) enabled questions of each query."""
        return self.book.enabled.sum(axis=1)

    def covered(self, depth: int | None) -> Ints:
        """(T, R, Q) number of questions that the passages within depth answer."""
        return self._count(self._union(depth), self._columns)

    def answerable(self) -> Ints:
        """(T, Q) number of questions that some graded passage of the query answers."""
        return self._count(self.book.answerable, self._columns)

    def answers(self, depth: int | None, tau: int, question: int) -> npt.NDArray[np.bool_]:
        """(R, Q) whether the passages within depth answer a question that counts, by its column."""
        return self.reaches(depth, tau, question) & self.book.enabled[:, question]

    def reaches(self, depth: int | None, tau: int, question: int) -> npt.NDArray[np.bool_]:
        """(R, Q) whether the passages within depth answer a question, by its column, whether it counts or not."""
        return self.book.words.has(self._union(depth), tau, question)

    def reaching(self, depth: int | None, grade: int, wanted: Bools) -> Ints:
        """(R, Q) number of the wanted (Q, S) questions on which a passage within depth has at least a grade."""
        columns = self.book.words.columns(wanted)
        return self.book.words.count(self._union(depth), grade, columns[:, None]).astype(np.int64)

    def asked(self, wanted: Bools) -> Ints:
        """(R, Q) number of the wanted (Q, S) questions on which a passage of the run has a grade, readable or not."""
        words = self.book.asked_words
        return words.count(self._asked, 1, words.columns(wanted)[:, None]).astype(np.int64)

    def grades_at(self, place: int) -> Labels:
        """(R, Q, S) grades of the passage at a place; negative where there is none or the question is off."""
        padded = self._padded_grades
        grades = padded[np.maximum(self.slots[place], -1)]
        return np.where(self.book.enabled, grades, np.int8(-1))

    @cached_property
    def _padded_grades(self) -> Labels:
        return np.vstack([self.book.grades, np.full((1, self.book.grades.shape[1]), -1, np.int8)])

    @cached_property
    def _asked(self) -> UInts:
        return self._united(self.book.asked_words, len(self.slots))

    @cached_property
    def _columns(self) -> UInts:
        return self.book.words.columns(self.book.enabled)

    def _union(self, depth: int | None) -> UInts:
        """(W, R, Q) what the passages within depth answer together."""
        require_questions(self.book)
        places = len(self.slots) if depth is None else min(depth, len(self.slots))
        if places not in self._covered:
            self._covered[places] = self._united(self.book.words, places)
        return self._covered[places]

    def _united(self, words: Words, places: int) -> UInts:
        """(W, R, Q) words of the first passages together."""
        union = np.zeros((len(words.bits), *self.slots.shape[1:]), np.uint64)
        counts = np.empty(self.slots.shape[1:], np.uint64)
        for number, bits in enumerate(words.bits):
            for slots in self.slots[:places]:
                union[number] |= np.take(bits, slots, out=counts, mode="wrap")
        return union

    def _count(self, words: UInts, columns: UInts) -> Ints:
        shaped = columns.reshape(len(columns), *[1] * (words.ndim - 2), -1)
        return np.stack([self.book.words.count(words, tau, shaped) for tau in self.taus])


def mapped(labels: Labels, label_map: LabelMap | None) -> Labels:
    """Labels with other values; what has no label keeps none, a label that the map leaves out becomes 0.

    >>> mapped(np.array([5, 4, 1, -1], np.int8), {5: 3, 4: 1}).tolist()
    [3, 1, 0, -1]
    """
    if label_map is None:
        return labels
    values = np.arange(256, dtype=np.uint8).view(np.int8)
    other = np.where(values >= 0, 0, values).astype(np.int8)
    for label, value in label_map.items():
        other[label] = value
    return other[labels.view(np.uint8)]


def within(masks: Ints, depth: int | None) -> Ints:
    """The rows of bits without what lies deeper than depth.

    >>> within(np.array([0b111]), depth=2).tolist()  # the lowest bit is the first place
    [3]
    """
    if depth is None or depth >= CHUNK * len(masks):
        return masks
    whole, rest = divmod(depth, CHUNK)
    cut = masks[: whole + bool(rest)]
    if not rest:
        return cut
    return np.concatenate([cut[:-1], cut[-1:] & (2**rest - 1)])


def counted(masks: Ints | Sequence[Ints]) -> Ints:
    """(...) number of bits of rows (chunks, ...).

    >>> counted(np.array([0b101, 0b001])).tolist()
    3
    """
    ones: Ints = np.bitwise_count(masks[0])
    for chunk in range(1, len(masks)):
        ones = np.add(ones, np.bitwise_count(masks[chunk]), dtype=np.int16 if len(masks) * CHUNK < 2**15 else np.int32)
    return ones


@lru_cache
def tables(kind: str, chunks: int, *parameters: float) -> Floats:
    """(chunks, 1024) what the rows of bits of a chunk are worth.

    `discounted` sums 1 / log2(place + 1), `reciprocal` sums 1 / place, `precise` sums n / place where n
    counts the chunk's bits so far, `first` is 1 / the first place, `persisting` sums p^(place - 1) for its
    parameter p; places count from 1.

    >>> tables("reciprocal", 1)[0, 0b101].round(3).tolist()  # 1/1 + 1/3
    1.333
    """
    made = np.zeros((chunks, 2**CHUNK))
    for chunk in range(chunks):
        for bits in range(2**CHUNK):
            places = [chunk * CHUNK + bit + 1 for bit in range(CHUNK) if bits >> bit & 1]
            made[chunk, bits] = _WORTH[kind](places, *parameters)
    return made


_WORTH: dict[str, Callable[..., float]] = {
    "discounted": lambda places: sum(1 / math.log2(place + 1) for place in places),
    "reciprocal": lambda places: sum(1 / place for place in places),
    "precise": lambda places: sum(n / place for n, place in enumerate(places, 1)),
    "first": lambda places: 1 / places[0] if places else 0.0,
    "persisting": lambda places, p: sum(p ** (place - 1) for place in places),
}


def looked_up(kind: str, masks: Ints, *parameters: float) -> Iterator[Floats]:
    """(...) the worth of rows of bits (chunks, ...), chunk by chunk.

    >>> [worth.tolist() for worth in looked_up("first", np.array([[0b100, 0b110]]))]  # 1/3 and 1/2
    [[0.3333333333333333, 0.5]]
    """
    for worth, mask in zip(tables(kind, len(masks), *parameters), masks, strict=True):
        yield np.take(worth, mask)


def require_questions(book: Gradebook) -> None:
    """Raise NoQuestions where a grader labels passages and has no questions.

    >>> from exam_core.measures.example import book
    >>> require_questions(book())  # it has questions, so nothing is raised
    """
    if not book.has_questions:
        raise NoQuestions(
            "This measure needs exam questions, and labels of whole passages have none. Choose one over labels, such "
            "as P@20, or grades on questions."
        )

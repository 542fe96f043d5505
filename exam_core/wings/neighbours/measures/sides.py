"""What a measure of texts compares: what runs wrote for queries, and the queries' nuggets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from exam_core.wings.neighbours.texts.segments import sentences


@dataclass(frozen=True)
class Nugget:
    """A fact that an answer should contain.

    Parameters
    ----------
    vital : whether an answer must have it; otherwise it is okay to have it
    weight : what it counts, for instance the share of assessors that hold it vital (pyramid)
    """

    nugget_id: str
    text: str
    vital: bool = True
    weight: float = 1.0


@dataclass(frozen=True)
class Sides:
    """The two sides of a comparison, for R runs and Q queries.

    Parameters
    ----------
    strings : by places of run and query the answer strings, in order; none where the run returned nothing
    nuggets : of each query; a query without nuggets has no value
    documents : the texts of the collection, for the frequencies of terms; read when a measure asks for them
    """

    run_ids: Sequence[str]
    query_ids: Sequence[str]
    strings: Mapping[tuple[int, int], Sequence[str]]
    nuggets: Sequence[Sequence[Nugget]]
    documents: Callable[[], Sequence[str]] = tuple

    def of_query(self, query: int) -> Iterator[tuple[int, int, str]]:
        """Run, place among its answer strings, and string: all of a query's, run by run."""
        for run in range(len(self.run_ids)):
            for place, string in enumerate(self.strings.get((run, query), ())):
                yield run, place, string


def sentences_of(string: str) -> Iterator[tuple[int, str]]:
    """The sentences of a string, each with where it begins.

    >>> list(sentences_of("Mars is red. It has two moons."))
    [(0, 'Mars is red. '), (13, 'It has two moons.')]
    """
    start = 0
    for sentence in sentences(string):
        yield start, sentence
        start += len(sentence)

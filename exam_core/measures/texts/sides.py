"""What a measure of texts compares: what runs wrote for queries, and the queries' nuggets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


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

"""POURPRE: which nuggets an answer has, by the terms that they share. Lin & Demner-Fushman 2005."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Annotated, Literal

import numpy as np

from exam_core.declared import Field
from exam_core.errors import UndefinedMeasure
from exam_core.measures.info import MeasureInfo
from exam_core.numbers.arrays import Bools, Floats, Ints
from exam_core.texts.scripts import united
from exam_core.texts.words import stem, word_places, words
from exam_core.wings.neighbours.sides import Nugget, Sides


@dataclass(frozen=True)
class Pourpre:
    """Options of POURPRE; the defaults are the variant that the paper finds best: macro, counts, unstemmed."""

    terms: Annotated[
        Literal["count", "idf"],
        Field("Weight of a term: 1, or log(N/c), where c of the collection's N passages have it (c = 1 if none has)."),
    ] = "count"
    stem: Annotated[
        Literal["none", "porter"],
        Field("Terms are compared as they are, or by Porter's stems; the paper: inconclusive."),
    ] = "none"
    average: Annotated[
        Literal["macro", "micro"],
        Field(
            "Mean of the queries' F (all queries weigh the same), or F over all nuggets (all nuggets weigh the same)."
        ),
    ] = "macro"
    beta: Annotated[
        float, Field("Weight of recall over precision: 3 as in TREC 2004, 5 as in 2003.", least=0.1, most=99)
    ] = 3.0
    weights: Annotated[
        Literal["vital", "pyramid"],
        Field("Recall of vital nuggets alone, or of all by their weights (Lin & Demner-Fushman 2006)."),
    ] = "vital"
    allowance: Annotated[
        int, Field("Characters, without white space, that each matched nugget allows an answer.", least=0, most=100_000)
    ] = 100


@dataclass(frozen=True)
class Matches:
    """How well R runs match the N nuggets of a query.

    `scores` are (R, N) shares of the nugget's term weight that the best string has, 0 where a run returned nothing; NaN
    for a nugget none of whose terms weighs anything: it can be matched by nothing and is left out. `lengths` are (R,)
    characters without white space.
    """

    scores: Floats
    lengths: Floats

    @property
    def possible(self) -> Bools:
        """(N,) which nuggets can be matched."""
        return np.asarray(~np.isnan(self.scores).any(axis=0))


@dataclass(frozen=True)
class NuggetMatch:
    """A nugget in one run's answer to a query.

    Parameters
    ----------
    score : 0 to 1; NaN where the nugget has no term that weighs anything
    string : place of the best string, the first of equals; None where no term matches
    terms : of the nugget that match, in its order, each once
    places : their places: string, and where the word begins and ends in it
    """

    nugget: Nugget
    score: float
    string: int | None
    terms: tuple[str, ...]
    places: tuple[tuple[int, int, int], ...]


def pourpre(sides: Sides, options: Pourpre = Pourpre()) -> Floats:
    """(R, Q) F of each run and query: nugget recall and precision, the match scores of terms in the place of judgments.

    A nugget's match score is the share of its terms that the answer string with most of them has; terms of different
    strings do not add up. Recall is the mean match score of the vital nuggets, precision 1 for an answer that is no
    longer than the allowance of 100 characters for each nugget, vital or okay, that is matched at all, and else 1 -
    (length - allowance) / length; F = (beta^2 + 1) P R / (beta^2 P + R).

    0 where the run returned nothing; NaN for a query without a vital nugget that can be matched (with pyramid weights:
    without one that weighs anything): its recall is undefined, so it is left out of means, as a query without questions
    is. Raises UndefinedMeasure for idf without the texts of a collection, and for averages over nuggets, in which a
    query has no share.

    Source: Lin & Demner-Fushman 2005, section 5; precision and F as in Voorhees 2003.

    >>> nuggets = [Nugget("n1", "water on mars"), Nugget("n2", "two moons", vital=False)]
    >>> sides = Sides(["run"], ["query"], {(0, 0): ["There is water.", "Mars has two moons."]}, [nuggets])
    >>> pourpre(sides).round(3).tolist()  # recall 1/3, precision 1: 10 / (9 + 1/3) * 1/3
    [[0.357]]
    """
    if options.average == "micro":
        raise UndefinedMeasure(
            "POURPRE(average=micro) takes the nuggets of all queries at once, so it has no value for a query: "
            "leave average=micro out."
        )
    values = np.full((len(sides.run_ids), len(sides.query_ids)), np.nan)
    for query, matched in enumerate(matches(sides, options)):
        weights = _weights(sides.nuggets[query], matched.possible, options)
        if weights.sum() > 0:
            recall = np.where(matched.possible, matched.scores, 0.0) @ weights / weights.sum()
            allowed = options.allowance * (matched.scores > 0).sum(axis=1)
            values[:, query] = f_score(recall, precision(matched.lengths, allowed), options.beta)
    return values


def pooled(sides: Sides, options: Pourpre = Pourpre()) -> Floats | None:
    """(R,) F where each nugget weighs the same, whichever its query; None where POURPRE is a mean of queries.

    Recall is the mean match score of all vital nuggets. The paper says no more; precision is taken of all answers of a
    run at once, too: their common length and allowance. NaN where there is no nugget to match.

    Raises UndefinedMeasure for idf without the texts of a collection.

    Source: Lin & Demner-Fushman 2005, section 5.

    >>> nuggets = [Nugget("n1", "water on mars"), Nugget("n2", "two moons")]
    >>> sides = Sides(["run"], ["q1", "q2"], {(0, 0): ["Water."], (0, 1): ["Two moons."]}, [nuggets[:1], nuggets[1:]])
    >>> print(pooled(sides), pooled(sides, Pourpre(average="micro")).round(3))  # R (1/3 + 1) / 2: 10 R / (9 + R)
    None [0.69]
    """
    if options.average != "micro":
        return None
    runs = len(sides.run_ids)
    gained, length, allowed, total = np.zeros(runs), np.zeros(runs), np.zeros(runs), 0.0
    for query, matched in enumerate(matches(sides, options)):
        weights = _weights(sides.nuggets[query], matched.possible, options)
        gained += np.where(matched.possible, matched.scores, 0.0) @ weights
        total += weights.sum()
        if matched.possible.any():
            length += matched.lengths
            allowed += options.allowance * (matched.scores > 0).sum(axis=1)
    recall = gained / total if total > 0 else np.full(runs, np.nan)
    return f_score(recall, precision(length, allowed), options.beta)


def precision(lengths: Floats, allowed: Floats) -> Floats:
    """Nugget precision: 1 up to the allowance, then the share of the length that is allowed. Voorhees 2003."""
    longer = np.maximum(lengths, 1)
    return np.where(lengths <= allowed, 1.0, 1 - (lengths - allowed) / longer)


def f_score(recall: Floats, precision: Floats, beta: float) -> Floats:
    """(beta^2 + 1) P R / (beta^2 P + R); 0 where both are 0, NaN where one is."""
    below = beta**2 * precision + recall
    return (beta**2 + 1) * precision * recall / np.where(below == 0, 1.0, below)


def matches(sides: Sides, options: Pourpre = Pourpre()) -> Iterator[Matches]:
    """Yield how well all runs match the nuggets of each query.

    Raises UndefinedMeasure for idf without the texts of a collection.
    """
    terms = _Terms(sides, options)
    yield from (_matches_of(sides, query, terms) for query in range(len(sides.query_ids)))


def find_nuggets(sides: Sides, run: int, query: int, options: Pourpre = Pourpre()) -> list[NuggetMatch]:
    """Return the match of each nugget of a query in one run's answer, for people to see.

    `run` and `query` are places in `sides`. Raises UndefinedMeasure for idf without the texts of a collection.
    """
    terms = _Terms(sides, options)
    key = terms.key(query)
    strings = [list(word_places(string)) for string in sides.strings.get((run, query), ())]
    numbers = [[terms[word] for *_, word in string] for string in strings]
    scores = key.shares(key.holding(numbers, max(len(numbers), 1)))
    nugget_matches = []
    for place, nugget in enumerate(sides.nuggets[query]):
        best = int(scores[:, place].argmax())
        score = float(scores[best, place])
        hits = set(numbers[best]).intersection(terms.nuggets[query][place]) if score > 0 else set()
        named = tuple(terms.names[number] for number in dict.fromkeys(terms.nuggets[query][place]) if number in hits)
        spans = [(start, end) for start, end, word in strings[best] if terms[word] in hits] if hits else []
        # Where words are threes of letters they overlap; those that do are one place.
        places = tuple((best, *span) for span in united(spans))
        nugget_matches.append(NuggetMatch(nugget, score, best if hits else None, named, places))
    return nugget_matches


class _Terms(dict[str, int]):
    """The number of each word's term, from 0; -1 for words that no nugget has. Each word is looked up once."""

    def __init__(self, sides: Sides, options: Pourpre) -> None:
        super().__init__()
        self.options = options
        self._numbers: dict[str, int] = {}
        self.nuggets = [[self._of_nugget(nugget.text) for nugget in nuggets] for nuggets in sides.nuggets]
        self.names = list(self._numbers)
        self._weights = self._idf(sides.documents()) if options.terms == "idf" else np.ones(len(self._numbers))

    def __missing__(self, word: str) -> int:
        term = self._term(word)
        self[word] = number = self._numbers.get(term, -1)
        return number

    def key(self, query: int) -> _Key:
        """Return the nuggets of a query as a table of terms."""
        nuggets = self.nuggets[query]
        own = np.unique(np.array([number for nugget in nuggets for number in nugget], np.int64))
        counts = np.zeros((len(nuggets), len(own)))
        for row, nugget in enumerate(nuggets):
            np.add.at(counts[row], np.searchsorted(own, nugget), 1)
        return _Key(own, counts * self._weights[own])

    def _term(self, word: str) -> str:
        return stem(word) if self.options.stem == "porter" else word

    def _of_nugget(self, text: str) -> list[int]:
        return [self._numbers.setdefault(term, len(self._numbers)) for term in map(self._term, words(text))]

    def _idf(self, documents: Sequence[str]) -> Floats:
        """Return log(N / c) of each term."""
        if not documents:
            raise UndefinedMeasure(
                "POURPRE(terms=idf) weighs terms by how many passages of the collection have them, and there is no "
                "passage with a text here: import texts, or take terms=count."
            )
        holding = np.zeros(len(self._numbers) + 1)  # the last is for words that no nugget has
        for text in documents:
            holding[list({self[word] for word in words(text)})] += 1
        return np.log(len(documents) / np.maximum(holding[:-1], 1))


@dataclass(frozen=True)
class _Key:
    """The N nuggets of a query as a table of their T terms.

    `numbers` are (T,) of the terms, ascending; `needed` (N, T) the weight of each nugget's terms, as often as it has
    them.
    """

    numbers: Ints
    needed: Floats

    def holding(self, numbers: Sequence[Sequence[int]], strings: int) -> Bools:
        """(S, T) which of S strings have which terms; `numbers` are those of the strings' words."""
        sizes = np.fromiter(map(len, numbers), np.int64, len(numbers))
        words = np.fromiter(chain.from_iterable(numbers), np.int64, int(sizes.sum()))
        string = np.repeat(np.arange(len(numbers)), sizes)
        column = np.searchsorted(self.numbers, words)
        column[column == len(self.numbers)] = 0
        own = self.numbers[column] == words if len(self.numbers) else np.zeros(len(words), bool)
        held = np.zeros((strings, len(self.numbers)), bool)
        held[string[own], column[own]] = True
        return held

    def shares(self, held: Bools) -> Floats:
        """(S, N) share of each nugget's weight that each string has; NaN for nuggets that weigh nothing."""
        gained, total = held @ self.needed.T, self.needed.sum(axis=1)
        # a sum of logarithms depends on its order, in the last bit
        return np.minimum(gained / np.where(total > 0, total, np.nan), 1.0)


def _matches_of(sides: Sides, query: int, terms: _Terms) -> Matches:
    """Return all runs' matches of a query. A string that several runs returned, as rankings do, is read once."""
    key = terms.key(query)
    scores, lengths = np.zeros((len(sides.run_ids), len(key.needed))), np.zeros(len(sides.run_ids))
    scores[:, key.needed.sum(axis=1) == 0] = np.nan
    strings: dict[str, int] = {}
    returned = [(run, strings.setdefault(string, len(strings))) for run, _, string in sides.of_query(query)]
    if not returned:
        return Matches(scores, lengths)
    owner, string_of = np.array(returned).T
    run, first = np.unique(owner, return_index=True)
    sizes = np.array([sum(map(len, unicodedata.normalize("NFC", string).split())) for string in strings])
    lengths[run] = np.add.reduceat(sizes[string_of], first)
    numbers = [list(map(terms.__getitem__, words(string))) for string in strings]
    scores[run] = np.maximum.reduceat(key.shares(key.holding(numbers, len(numbers)))[string_of], first)
    return Matches(scores, lengths)


def _weights(nuggets: Sequence[Nugget], possible: Bools, options: Pourpre) -> Floats:
    weights = [nugget.weight if options.weights == "pyramid" else float(nugget.vital) for nugget in nuggets]
    return np.where(possible, np.array(weights, float), 0.0)


ROWS = (
    MeasureInfo(
        name="POURPRE",
        order=210,
        of="texts",
        of_nuggets=True,
        cut="possible",
        meaning="F of the query's nuggets, each found as far as its terms stand in one answer string",
        formula=(
            "(beta^2 + 1) P R / (beta^2 P + R); R: mean over the vital nuggets of the largest share of a nugget's "
            "terms in one string; P: 1, or allowance / length of a longer answer; allowance: 100 characters for each "
            "nugget matched at all"
        ),
        source="Lin & Demner-Fushman 2005",
        compute=pourpre,
        pooled=pooled,
        tau_applies=False,
        options=Pourpre,
    ),
)

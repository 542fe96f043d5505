"""POURPRE: which nuggets an answer has, by the terms that they share. Lin & Demner-Fushman 2005."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Annotated, Literal

import numpy as np

from exam_core.declared import Field
from exam_core.errors import UndefinedMeasure
from exam_core.measures.info import MeasureInfo
from exam_core.numbers.arrays import Bools, Floats, Ints
from exam_core.texts.scripts import united
from exam_core.texts.words import STOP_WORDS, stem, word_places, words
from exam_core.wings.neighbours.sides import Nugget, Sides, sentences_of
from exam_core.wording import composed


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
    strings: Annotated[
        Literal["passages", "sentences", "whole"],
        Field("Text that must hold a nugget's terms: a passage, a sentence, or the whole answer."),
    ] = "passages"
    repeats: Annotated[
        Literal["each", "once", "clipped"],
        Field(
            "A term that a nugget has twice: counts twice if the string has it at all (as the paper's total number of "
            "terms), once, or as often as the string has it."
        ),
    ] = "each"
    stopwords: Annotated[
        Literal["kept", "removed"],
        Field("Words such as `the`, as terms or removed; the paper removes none.", label="Stop words"),
    ] = "kept"
    words: Annotated[
        Literal["letters", "blanks"],
        Field(
            "Where words end: at all but letters and digits (`moon's` is `moon`), or at white space alone (`x,` is "
            "not `x`). By letters, ideographs and hiragana are words, as are three letters of Thai, Lao, Khmer or "
            "Burmese."
        ),
    ] = "letters"
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
    string : place of the best string, the first of equals; None where no term matches, or all strings are one
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
    owners, parts = [], []
    for place, string in enumerate(sides.strings.get((run, query), ())):
        for start, part in _parts(string, options):
            owners.append(place)
            parts.append([(place, start + first, start + last, word) for first, last, word in _places(part, options)])
    if options.strings == "whole" and parts:
        parts = [[word for part in parts for word in part]]
    numbers = [[terms[word] for *_, word in part] for part in parts]
    scores = key.shares(key.term_counts(numbers, np.arange(len(numbers)), max(len(numbers), 1)))
    nugget_matches = []
    for place, nugget in enumerate(sides.nuggets[query]):
        best = int(scores[:, place].argmax())
        score = float(scores[best, place])
        hits = set(numbers[best]).intersection(terms.nuggets[query][place]) if score > 0 else set()
        named = tuple(terms.names[number] for number in dict.fromkeys(terms.nuggets[query][place]) if number in hits)
        by_string: dict[int, list[tuple[int, int]]] = {}
        for owner, start, end, word in parts[best] if hits else ():
            if terms[word] in hits:
                by_string.setdefault(owner, []).append((start, end))
        # Where words are threes of letters they overlap; those that do are one place.
        places = tuple((owner, *span) for owner, spans in by_string.items() for span in united(spans))
        best_string = owners[best] if hits and options.strings != "whole" else None
        nugget_matches.append(NuggetMatch(nugget, score, best_string, named, places))
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
        self[word] = number = -1 if term is None else self._numbers.get(term, -1)
        return number

    def key(self, query: int) -> _Key:
        """Return the nuggets of a query as a table of terms."""
        nuggets = self.nuggets[query]
        own = np.unique(np.array([number for nugget in nuggets for number in nugget], np.int64))
        counts = np.zeros((len(nuggets), len(own)))
        for row, nugget in enumerate(nuggets):
            np.add.at(counts[row], np.searchsorted(own, nugget), 1)
        return _Key(own, counts, self._weights[own], self.options.repeats)

    def _term(self, word: str) -> str | None:
        """Return the term of a word; None for a word that is left out."""
        if self.options.stopwords == "removed" and word in STOP_WORDS:
            return None
        return stem(word) if self.options.stem == "porter" else word

    def _of_nugget(self, text: str) -> list[int]:
        terms = filter(None, map(self._term, _words(text, self.options)))
        return [self._numbers.setdefault(term, len(self._numbers)) for term in terms]

    def _idf(self, documents: Sequence[str]) -> Floats:
        """Return log(N / c) of each term."""
        if not documents:
            raise UndefinedMeasure(
                "POURPRE(terms=idf) weighs terms by how many passages of the collection have them, and there is no "
                "passage with a text here: import texts, or take terms=count."
            )
        holding = np.zeros(len(self._numbers) + 1)  # the last is for words that no nugget has
        for text in documents:
            holding[list({self[word] for word in _words(text, self.options)})] += 1
        return np.log(len(documents) / np.maximum(holding[:-1], 1))


@dataclass(frozen=True)
class _Key:
    """The N nuggets of a query as a table of their T terms; `repeats` is as in `Pourpre`.

    `numbers` are (T,) of the terms, ascending; `counts` (N, T) how often each nugget has each term; `weights` (T,).
    """

    numbers: Ints
    counts: Floats
    weights: Floats
    repeats: str

    @cached_property
    def needed(self) -> Floats:
        """(N, T) weight of each nugget's terms."""
        return self.weights * (self.counts > 0 if self.repeats == "once" else self.counts)

    def term_counts(self, numbers: Sequence[Sequence[int]], owner: Ints, strings: int) -> Ints:
        """(S, T) how often each of S strings has each term.

        `numbers` are those of the words of parts of strings, `owner` the string of each part.
        """
        sizes = np.fromiter(map(len, numbers), np.int64, len(numbers))
        words = np.fromiter(chain.from_iterable(numbers), np.int64, int(sizes.sum()))
        string = np.repeat(owner, sizes)
        column = np.searchsorted(self.numbers, words)
        column[column == len(self.numbers)] = 0
        own = self.numbers[column] == words if len(self.numbers) else np.zeros(len(words), bool)
        cells = string[own] * len(self.numbers) + column[own]
        return np.bincount(cells, minlength=strings * len(self.numbers)).reshape(strings, len(self.numbers))

    def shares(self, places: Ints) -> Floats:
        """(S, N) share of each nugget's weight that each string has; NaN for nuggets that weigh nothing."""
        if self.repeats == "clipped":
            levels = range(1, int(self.counts.max(initial=0)) + 1)
            gained = np.zeros((len(places), len(self.counts)))
            for level in levels:
                gained += (places >= level) @ (self.weights * (self.counts >= level)).T
        else:
            gained = (places > 0) @ self.needed.T
        total = self.needed.sum(axis=1)
        # a sum of logarithms depends on its order, in the last bit
        return np.minimum(gained / np.where(total > 0, total, np.nan), 1.0)


def _matches_of(sides: Sides, query: int, terms: _Terms) -> Matches:
    """Return all runs' matches of a query. A string that several runs returned, as rankings do, is read once."""
    options, key = terms.options, terms.key(query)
    scores, lengths = np.zeros((len(sides.run_ids), len(key.counts))), np.zeros(len(sides.run_ids))
    scores[:, key.needed.sum(axis=1) == 0] = np.nan
    strings: dict[str, int] = {}
    returned = [(run, strings.setdefault(string, len(strings))) for run, _, string in sides.of_query(query)]
    if not returned:
        return Matches(scores, lengths)
    owner, string_of = np.array(returned).T
    run, first = np.unique(owner, return_index=True)
    sizes = np.array([sum(map(len, unicodedata.normalize("NFC", string).split())) for string in strings])
    lengths[run] = np.add.reduceat(sizes[string_of], first)
    parts = [[list(map(terms.__getitem__, _words(part, options))) for _, part in _parts(s, options)] for s in strings]
    numbers = list(chain.from_iterable(parts))
    counts = np.fromiter(map(len, parts), np.int64, len(parts))
    if options.strings == "whole":
        places = key.term_counts(numbers, np.repeat(np.arange(len(parts)), counts), len(parts))
        scores[run] = key.shares(np.add.reduceat(places[string_of], first))
    else:
        shares = key.shares(key.term_counts(numbers, np.arange(len(numbers)), len(numbers)))
        best = np.maximum.reduceat(shares, np.cumsum(counts) - counts)
        scores[run] = np.maximum.reduceat(best[string_of], first)
    return Matches(scores, lengths)


def _weights(nuggets: Sequence[Nugget], possible: Bools, options: Pourpre) -> Floats:
    weights = [nugget.weight if options.weights == "pyramid" else float(nugget.vital) for nugget in nuggets]
    return np.where(possible, np.array(weights, float), 0.0)


def _parts(string: str, options: Pourpre) -> Iterable[tuple[int, str]]:
    """Return the parts of an answer string in which a nugget's terms must stand together, each with its start."""
    return sentences_of(string) if options.strings == "sentences" and string else ((0, string),)


def _words(text: str, options: Pourpre) -> list[str]:
    return words(text) if options.words == "letters" else composed(text).split()


def _places(text: str, options: Pourpre) -> Iterable[tuple[int, int, str]]:
    """Return each word of a text with its begin and end."""
    if options.words == "letters":
        return word_places(text)
    return ((match.start(), match.end(), composed(match[0])) for match in re.finditer(r"\S+", text))


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

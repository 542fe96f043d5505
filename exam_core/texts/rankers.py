"""Lexical rankers: TF-IDF, BM25 and DPH over stemmed words without stop words.

Statistics are of the texts that are ranked together: nothing else is known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from exam_core.texts.words import STOP_WORDS, stem, words

Floats = npt.NDArray[np.float64]
K1, B = 1.2, 0.75
"""How much repetition and length count in BM25 and TF-IDF; as in Terrier and Lucene."""


def terms(text: str) -> list[str]:
    """Stems of a text's words without stop words, as often as they occur."""
    return [stem(word) for word in words(text) if word not in STOP_WORDS]


@dataclass(frozen=True)
class Counted:
    """How often a query's terms occur in N texts, and in all of them together.

    Attributes
    ----------
    wanted : (T,) how often each term is in the query
    counts : (N, T); lengths : (N,) terms of each text
    """

    wanted: Floats
    counts: Floats
    lengths: Floats

    @classmethod
    def of(cls, query: str, texts: Sequence[str]) -> Counted:
        """The counts of a query's terms in texts."""
        wanted, of_texts = Counter(terms(query)), [Counter(terms(text)) for text in texts]
        counts = np.array([[counter[term] for term in wanted] for counter in of_texts], float)
        lengths = np.array([counter.total() for counter in of_texts], float)
        return cls(np.array(list(wanted.values()), float), counts.reshape(len(of_texts), len(wanted)), lengths)

    def beside(self, other: Counted, place: int) -> Counted:
        """These texts and one of another's."""
        counts = np.vstack([self.counts, other.counts[place]])
        return Counted(self.wanted, counts, np.append(self.lengths, other.lengths[place]))

    @property
    def mean_length(self) -> float:
        """1 where no text has a word, so that one can divide by it."""
        return float(self.lengths.mean()) or 1.0


def saturated(counts: Floats, lengths: Floats, mean_length: float, k1: float = K1, b: float = B) -> Floats:
    """Term counts (N, T) whose repetitions count less and less, in long texts less than in short ones; below k1 + 1.

    Source: Robertson & Zaragoza 2009, eq. 3.15.
    """
    return counts * (k1 + 1) / (counts + k1 * (1 - b + b * lengths / mean_length))


def bm25_idf(n: int, values: Floats) -> Floats:
    """ln(1 + (n - df + 0.5) / (df + 0.5)), as in Lucene.

    It is above 0 for a term of most texts, too. Terrier's, log2((n - df + 0.5) / (df + 0.5)), is not, and few texts are
    ranked here, most of which have the query's terms.
    """
    return np.log(1 + (n - values + 0.5) / (values + 0.5))


def bm25(counted: Counted) -> Floats:
    """(N,) Okapi BM25 with k1 = 1.2 and b = 0.75.

    Source: Robertson & Zaragoza 2009, eq. 3.15, with Lucene's idf; a term counts as often as the query has it.
    """
    weights = saturated(counted.counts, counted.lengths[:, None], counted.mean_length)
    idf = bm25_idf(len(counted.lengths), (counted.counts > 0).sum(axis=0))
    return weights @ (counted.wanted * idf)


def tfidf(counted: Counted) -> Floats:
    """(N,) TF-IDF as Terrier has it: Robertson's term frequency times log2(N / df + 1).

    Source: Terrier 5, model TF_IDF, with k1 = 1.2 and b = 0.75.
    """
    frequency = saturated(counted.counts, counted.lengths[:, None], counted.mean_length) * K1 / (K1 + 1)
    documents = np.maximum((counted.counts > 0).sum(axis=0), 1)
    return frequency @ (counted.wanted * np.log2(len(counted.lengths) / documents + 1))


def dph(counted: Counted) -> Floats:
    """(N,) DPH, which has no parameters: how unlikely a term's frequency is by chance.

    Source: Amati, Ambrosi, Bianchi, Gaibisso & Gambosi 2007 (TREC), as in Terrier 5. There a text of one term alone has
    a share of 0.99999, so that it adds almost nothing instead of 0.
    """
    counts, lengths = counted.counts, counted.lengths[:, None]
    total = np.maximum(counts.sum(axis=0), 1)
    share = counts / np.maximum(lengths, 1)
    # A text of one term alone has share 1: its normalisation is 0, and so is what it adds.
    with np.errstate(divide="ignore", invalid="ignore"):
        norm = (1 - share) ** 2 / (counts + 1)
        surprise = counts * np.log2(counts * counted.mean_length / lengths * (len(lengths) / total))
        added = norm * (surprise + 0.5 * np.log2(2 * np.pi * counts * (1 - share)))
    return np.where((counts > 0) & (share < 1), added, 0.0) @ counted.wanted


RANKERS: Mapping[str, Callable[[Counted], Floats]] = {"tfidf": tfidf, "bm25": bm25, "dph": dph}
"""The rankers by their names."""


def places(
    ranker: str, query: str, documents: Sequence[str], answers: Sequence[str]
) -> tuple[npt.NDArray[np.int64], Floats]:
    """The place from 0 of each answer among the documents, ranked with them and with no other answer; and answers'
    scores.

    A document with the answer's score stands before it.
    """
    score = RANKERS[ranker]
    known, new = Counted.of(query, documents), Counted.of(query, answers)
    ranks, scores = np.zeros(len(answers), np.int64), np.zeros(len(answers))
    for place in range(len(answers)):
        *theirs, scores[place] = score(known.beside(new, place))
        # Rounded, because noise in the last bits breaks ties.
        ranks[place] = int((np.round(theirs, 9) >= np.round(scores[place], 9)).sum())
    return ranks, scores

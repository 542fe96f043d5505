"""POURPRE, ROUGE and shuffled nuggets on generated answers as long as those of TREC RAG 2024."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.timing import median, timed
from exam_core.defaults import SHUFFLES
from exam_core.measures import Measure
from exam_core.numbers.arrays import Floats
from exam_core.progress import Progress, no_progress
from exam_core.wings.neighbours.measures import variability
from exam_core.wings.neighbours.pourpre import matches
from exam_core.wings.neighbours.sides import Nugget, Sides

MEASURES = (
    "POURPRE",
    "POURPRE(stem=porter)",
    "POURPRE(terms=idf)",
    "ROUGE1",
    "ROUGE2",
    "ROUGEL",
    "ROUGES4",
    "ROUGESU4",
    "ROUGESU4(stem=wordnet,stopwords=removed)",
)
STRINGS, STRING_WORDS, NUGGETS, NUGGET_WORDS = 13.4, 22.8, 20.4, 5.2
"""Means of the answers of one system and of the nuggets of TREC RAG 2024, by topic and by string or nugget."""
VOCABULARY, TOPIC_WORDS, OF_TOPIC = 20_000, 150, 0.3
"""Words there are, by Zipf's law; rare ones of each topic; and how many of a topic's words are such."""


def benchmark(
    topics: int = 301, systems: int = 50, seed: int = 0, *, progress: Progress = no_progress
) -> dict[str, Any]:
    """Seconds of each measure of texts for all systems and topics, and of a thousand shuffles of vital and okay.

    Returns
    -------
    sizes; by measure, each computed once, `seconds` and `processor_s`, which other work on the machine doesn't
    lengthen; `variability_s`, median of several rounds
    """
    sides = generated(topics, systems, seed)
    load, seconds, processor = os.getloadavg()[0], {}, {}
    for place, name in enumerate(MEASURES):
        measure = Measure.parse(name)
        before = time.process_time()
        values, seconds[name] = timed(partial(measure.info.compute, sides, measure.options))
        processor[name] = time.process_time() - before
        assert values.shape == (systems, topics)
        progress((place + 1) / (len(MEASURES) + 1))
    credit = np.concatenate([found.scores for found in matches(sides)], axis=1)
    query = np.repeat(np.arange(topics), [len(nuggets) for nuggets in sides.nuggets])
    vital = np.array([nugget.vital for nuggets in sides.nuggets for nugget in nuggets])
    return {
        "topics": topics,
        "systems": systems,
        "nuggets": len(vital),
        "strings": sum(map(len, sides.strings.values())),
        "words": sum(len(string.split()) for strings in sides.strings.values() for string in strings),
        "load_before": load,
        "seconds": seconds,
        "processor_s": processor,
        "shuffles": SHUFFLES,
        "variability_s": median(lambda: variability(credit, query, vital)),
    }


def generated(topics: int, systems: int, seed: int = 0) -> Sides:
    """Answers and nuggets of random words; no two strings are alike, so nothing is read once for several systems."""
    rng = np.random.default_rng(seed)
    share = 1 / np.arange(1, VOCABULARY + 1)
    share /= share.sum()
    spelt = np.array([_spelt(number) for number in range(VOCABULARY)])
    strings: dict[tuple[int, int], list[str]] = {}
    nuggets = []
    for topic in range(topics):
        own = rng.integers(VOCABULARY // 100, VOCABULARY, TOPIC_WORDS)
        for system in range(systems):
            sizes = 1 + rng.poisson(STRING_WORDS - 1, 1 + rng.poisson(STRINGS - 1))
            strings[system, topic] = [f"{text.capitalize()}." for text in _texts(rng, sizes, share, own, spelt)]
        sizes = 1 + rng.poisson(NUGGET_WORDS - 1, 1 + rng.poisson(NUGGETS - 1))
        vital = rng.random(len(sizes)) < 0.58
        texts = _texts(rng, sizes, share, own, spelt)
        nuggets.append([Nugget(str(n), text, bool(vital[n])) for n, text in enumerate(texts)])
    return Sides(
        [f"system {number}" for number in range(systems)],
        [f"topic {number}" for number in range(topics)],
        strings,
        nuggets,
        lambda: [string for (system, _), found in strings.items() if system == 0 for string in found],
    )


def _texts(rng: np.random.Generator, sizes: Any, share: Floats, own: Any, spelt: Any) -> Iterator[str]:
    """Texts of so many words each, some of which are the topic's."""
    words = rng.choice(VOCABULARY, sizes.sum(), p=share)
    topical = rng.random(len(words)) < OF_TOPIC
    words[topical] = rng.choice(own, topical.sum())
    for part in np.split(spelt[words], np.cumsum(sizes)[:-1]):
        yield " ".join(part)


def _spelt(number: int) -> str:
    """A word that can be told from others: syllables for the digits of its number."""
    syllables = "ba de ki lo mu ran set tin por dur".split()
    return "".join(syllables[int(digit)] for digit in str(number))

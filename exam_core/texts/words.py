"""Words of a text, for matching: lower case, without stop words, stemmed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

import snowballstemmer

from exam_core.texts.scripts import word_list, words_in

_STEMMER = snowballstemmer.stemmer("porter")

STOP_WORDS = frozenset(
    """
    a about above after again against all also am an and any are as at be because been before being below
    between both but by can could did do does doing down during each either else etc ever every few for from
    further get gets had has have having he hence her here hers herself him himself his i if in into is it its
    itself just least less let like many may me might more most much must my myself neither no nor not now of
    off on once one only or other our ours ourselves out over own per rather same shall she should since so some
    such than that the their theirs them themselves then there these they this those though through thus to too
    toward under until up upon us use used using very via was we were while will with within without would yet
    you your yours yourself yourselves
    """.split()
)
"""Words that carry no content; our own list."""

NLTK_STOP_WORDS = frozenset(
    """
    i me my myself we our ours ourselves you you're you've you'll you'd your yours yourself yourselves he him his
    himself she she's her hers herself it it's its itself they them their theirs themselves what which who whom this
    that that'll these those am is are was were be been being have has had having do does did doing a an the and but
    if or because as until while of at by for with about against between into through during before after above below
    to from up down in out on off over under again further then once here there when where why how all any both each
    few more most other some such no nor not only own same so than too very s t can will just don don't should
    should've now d ll m o re ve y ain aren aren't couldn couldn't didn didn't doesn doesn't hadn hadn't hasn hasn't
    haven haven't isn isn't ma mightn mightn't mustn mustn't needn needn't shan shan't shouldn shouldn't wasn wasn't
    weren weren't won won't wouldn wouldn't
    """.split()
)
"""The 179 English stop words of NLTK's corpus `stopwords`, as it was when the authors graded (it has grown since)."""

QUESTION_WORDS = frozenset(
    """
    what which who whom whose when where why how explain describe name define differ difference example examples
    role play happen happens called known mean means contribute affect affects make makes kind type types part
    """.split()
)
"""Words that ask rather than say; left out of a question's content words."""


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """Porter's stem of a lower-case word; one of one or two letters stays as it is, as in Porter's own program."""
    return word if len(word) <= 2 else _STEMMER.stemWord(word)


def words(text: str) -> list[str]:
    """Lower-case words of a text in any script; an apostrophe's ending is cut off."""
    return word_list(text, endings=False)


def word_places(text: str) -> Iterator[tuple[int, int, str]]:
    """Where each word of a text begins and ends, with the word as `words` has it."""
    return words_in(text, endings=False)


def places(text: str) -> Iterator[tuple[int, int, str]]:
    """Where each word of a text begins and ends, with its stem."""
    for start, end, word in word_places(text):
        yield start, end, stem(word)


def content_stems(text: str, leave_out: frozenset[str] = STOP_WORDS) -> list[str]:
    """Stems of the words that carry content, each once, in order."""
    return list(dict.fromkeys(stem(word) for word in words(text) if word not in leave_out))


_VERDICTS = frozenset({"true", "fals", "ye", "no"})


def question_keys(question_text: object, gold_answers: object) -> list[list[str]]:
    """What to look for: the stems of each gold answer, or of the question's content words.

    A key that says only true or false tells nothing about the words of a passage; then the
    question's words are used.
    """
    answers = [answer for answer in gold_answers if answer] if isinstance(gold_answers, Iterable) else []
    keys = [content_stems(answer) for answer in answers]
    keys = [key for key in keys if key and not set(key) <= _VERDICTS]
    return keys or [content_stems(str(question_text or ""), STOP_WORDS | QUESTION_WORDS)]

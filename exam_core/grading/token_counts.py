"""Prompts that a server cut without a word: it counted clearly fewer tokens than it was sent."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np

from exam_core.texts.scripts import TOKENS_PER_WORD, about_tokens

FEWEST = 20
"""Prompts without which nothing is said: they say what is usual."""
CLEARLY = 0.6
"""Below this share of the usual, a count is clearly too small."""
LOOKED_AT, _NAMED = 100, 3
"""Of so many cut prompts it is looked which passages they are about, and so many passages are named."""


class TokenCounts:
    """Tokens that the server counted, beside an estimate of those that it was sent.

    The estimate is of words and, in scripts without blanks, of letters, so that a job may mix scripts. A server counts
    more or less than that by a factor of its own, the job's median.
    """

    def __init__(self) -> None:
        self._places, self._counted, self._ratios = array("q"), array("q"), array("d")

    def add(self, place: int, text: str, counted: int) -> None:
        """A prompt, whose place in the job may be any number."""
        self._places.append(place)
        self._counted.append(counted)
        self._ratios.append(counted / max(about_tokens(text, TOKENS_PER_WORD), 1.0))

    def cut(self) -> list[int]:
        """Places of those that the server cut, each once."""
        if len(self._ratios) < FEWEST:
            return []
        ratios = np.frombuffer(self._ratios)
        return list(dict.fromkeys(np.frombuffer(self._places, np.int64)[ratios < CLEARLY * np.median(ratios)].tolist()))

    def counted(self, place: int) -> tuple[int, int]:
        """Tokens that the server counted of a prompt, and that it would count of a whole one, about."""
        number = self._places.index(place)
        usual = float(np.median(np.frombuffer(self._ratios)))
        return self._counted[number], round(self._counted[number] / self._ratios[number] * usual)


def cut_words(count: int, names: Sequence[str], counted: tuple[int, int]) -> str:
    """That prompts were cut, which, and what helps."""
    different = list(dict.fromkeys(names))
    more = len(different) > _NAMED or count > len(names)
    few = "; ".join(different[:_NAMED]) + ("; ..." if more else "")
    return (
        f"The server cut {count:,} prompts: it counted {counted[0]:,} tokens of about {counted[1]:,} that it was "
        f"sent ({few}). Raise its context length (num_ctx of Ollama), or cut passages with --max-tokens."
    )

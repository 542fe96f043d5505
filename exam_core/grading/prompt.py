"""What a grading mode asks, and what answers it: the line between the words of the papers and the models."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, NamedTuple, Protocol

import msgspec

from exam_core.texts.scripts import TOKENS_PER_WORD, about_tokens


@dataclass(frozen=True)
class Prompt:
    """A prompt in parts: the passage is cut to the room that is left, everything else stays whole.

    Parameters
    ----------
    head : what stands before the passage, with instruction and question
    context : the passage
    tail : what stands after the passage
    question : the bare question, for models that take question and passage as a pair and no instruction
    sample : which answer is meant, from 0, where a prompt is asked several times
    """

    head: str
    context: str = ""
    tail: str = ""
    question: str = ""
    sample: int = 0

    @property
    def text(self) -> str:
        """All of it, for models that take text."""
        return self.head + self.context + self.tail


class Usage(NamedTuple):
    """Tokens of a prompt, and of its answer with thoughts, as the server counts them."""

    prompt: int
    answer: int


@dataclass(frozen=True)
class ModelAnswer:
    """What a model said.

    Parameters
    ----------
    text : its words; None where it failed, and then `failure` says why
    reason : why it failed, as a name of `reasons.REASONS`
    usage : what the server counted; None where nobody counts
    cut : whether the passage was cut to fit the model
    stopped : whether the model was stopped at the longest answer that it may give, so that its end is missing
    margin : how far the answer is ahead of the next best candidate, in units of the decoder's score; None if unknown
    likelihoods : log-likelihoods of this and other answers by their words; None where they are not known
    """

    text: str | None
    cut: bool = False
    failure: str = ""
    margin: float | None = None
    stopped: bool = False
    reason: str = ""
    usage: Usage | None = None
    likelihoods: Mapping[str, float] | None = None


@dataclass(frozen=True)
class Workers:
    """Processes of a cluster that hold a model: those that work now, and those that were asked for or were there."""

    working: int
    wanted: int


class Answerer(Protocol):
    """A model with its decoding options; local, on a cluster, or behind an address.

    `about` holds everything that its answers depend on (model, revision, decoding, precision) and nothing else:
    it names the part of the cache where the answers are kept.

    A job asks a model for more where it has it:

    - `workers`: who works at it now (`Workers`)
    - `meter`: tokens that were counted, prices and budget, and what is spent
    - `paid`: whether what it is asked may cost money, so that nothing is asked for a plan
    - `notes`, `trying`: sentences on how it was asked, and on what it is asked again for
    - `sends`: whether it leaves prompts with its backend, which answers within hours; `watched` says how many it has
      answered, `cancel` ends them
    - `write_beside(folder)`: where to write down what it left there, beside its answers
    - `says_likelihoods`: whether each answer has likelihoods
    - `fetched`: answers beside those that were asked for; `settle` is called when all are kept
    """

    about: dict[str, Any]

    def lengths(self, prompts: Sequence[Prompt]) -> list[int]:
        """Tokens of each prompt after cutting; for plans and for batches of equal length."""
        ...

    def answers(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, ModelAnswer] | None]:
        """The place of each prompt with its answer, each once, in whatever order they are done.

        A model that is waited for may give None now and then, so that whoever waits can look whether to go on.

        Raises GraderError where the model can't go on; the message says what to do.
        """
        ...


def workers_of(model: Answerer) -> Workers | None:
    """Who works at it now; None where it is in one place."""
    return getattr(model, "workers", None)


def cache_name(about: dict[str, Any]) -> str:
    """Folder of the cache where the answers of such an answerer are kept: its model, and a hash of all of `about`."""
    model = str(about.get("model", "model")).rstrip("/").split("/")[-1]
    return f"{model}.{_digest(about).hex()[:16]}"


def cache_key(prompt: Prompt) -> bytes:
    """16 bytes that are the same for equal prompts only."""
    parts: list[Any] = [prompt.head, prompt.context, prompt.tail, prompt.question]
    return _digest([*parts, prompt.sample] if prompt.sample else parts)


def _digest(value: Any) -> bytes:
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).digest()[:16]


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
        least = CLEARLY * median(self._ratios)
        places = zip(self._places, self._ratios, strict=True)
        return list(dict.fromkeys(place for place, ratio in places if ratio < least))

    def counted(self, place: int) -> tuple[int, int]:
        """Tokens that the server counted of a prompt, and that it would count of a whole one, about."""
        number = self._places.index(place)
        return self._counted[number], round(self._counted[number] / self._ratios[number] * median(self._ratios))


def cut_words(count: int, names: Sequence[str], counted: tuple[int, int]) -> str:
    """That prompts were cut, which, and what helps."""
    different = list(dict.fromkeys(names))
    more = len(different) > _NAMED or count > len(names)
    examples = "; ".join(different[:_NAMED]) + ("; ..." if more else "")
    return (
        f"The server cut {count:,} prompts: it counted {counted[0]:,} tokens of about {counted[1]:,} that it was "
        f"sent ({examples}). Raise its context length (num_ctx of Ollama), or cut passages with --max-tokens."
    )

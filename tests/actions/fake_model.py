"""Stands in for a language model: answers at once, from the letters of the prompt."""

import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from exam_core.grading.prompt import ModelAnswer, Prompt

SAID = ("0", "1", "2", "3", "4", "5", "no idea")


class FakeModel:
    """An answerer whose answers come in another order than the prompts, and that counts what it is asked."""

    def __init__(self, *, failing: Callable[[Prompt], bool] = lambda _: False, **about: Any) -> None:
        self.about = {"model": "fake", "revision": "1", **about}
        self.asked: list[Prompt] = []
        self._failing = failing

    def lengths(self, prompts: Sequence[Prompt]) -> list[int]:
        """Words."""
        return [len(prompt.context.split()) for prompt in prompts]

    def answers(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, ModelAnswer]]:
        """The last prompt first."""
        for place in reversed(range(len(prompts))):
            self.asked.append(prompts[place])
            if self._failing(prompts[place]):
                yield place, ModelAnswer(None, failure="no answer")
            else:
                yield place, ModelAnswer(said(prompts[place]), cut=len(prompts[place].context) > 60)


def said(prompt: Prompt) -> str:
    """What the fake model answers."""
    return SAID[zlib.crc32((prompt.head + prompt.context).encode()) % len(SAID)]

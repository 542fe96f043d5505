"""Tokens that a server counted, what they cost, and a budget that is kept."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock

from exam_core.grading.prompt import ModelAnswer

_MARGIN = 1.5
"""A prompt is taken to have so many times the tokens, for its bytes, of the densest one so far."""
_TELLING = 200
"""Bytes of a prompt that says how dense tokens are; in a short one what is put around it counts most."""
_AROUND = 50
"""Tokens that a server may put around a prompt."""


class Spent(Exception):  # noqa: N818
    """What is left of the budget does not suffice for one more request."""


@dataclass(frozen=True)
class Prices:
    """Of a million tokens of prompts, and of answers with their thoughts, in any currency."""

    prompt: float
    answer: float

    def of(self, prompt: float, answer: float) -> float:
        """What so many tokens cost."""
        return (prompt * self.prompt + answer * self.answer) / 1e6


class Meter:
    """Counts for all threads what a model's answers cost.

    Before a request is sent, the most that it can cost is held: each byte of the prompt as a token, until replies have
    told how many tokens a byte has, and the longest answer.

    Parameters
    ----------
    prices : None where nobody gave any
    budget : None for no limit
    system : text that goes with each prompt

    `before` is what earlier jobs have spent of the budget, `spent` what this one has; `prompt` and `answer` are its
    tokens.
    """

    def __init__(self, prices: Prices | None = None, budget: float | None = None, system: str = "") -> None:
        self.prices, self.budget = prices, budget
        self.before = self.spent = 0.0
        self.prompt = self.answer = 0
        self.counted = 0
        """Replies of which the server said how many tokens they took."""
        self._held, self._under_way = 0.0, 0
        self._around = _AROUND + len(system.encode())
        self._density: float | None = None
        self._lock = Lock()

    def hold(self, text: str, answer: int) -> float | None:
        """Hold what a request can cost at most; None where others have to be settled first.

        Raises Spent where it costs more than is left, and no other is under way.
        """
        if self.prices is None:
            return 0.0
        size = len(text.encode())
        most = size if self._density is None else min(1.0, _MARGIN * self._density) * size
        price = self.prices.of(most + self._around, answer)
        with self._lock:
            if self.budget is not None and self.before + self.spent + self._held + price > self.budget:
                if self._under_way:
                    return None
                raise Spent
            self._held += price
            self._under_way += 1
        return price

    def settle(self, held: float, text: str, said: ModelAnswer | None) -> None:
        """Count what a request cost instead of what was held; None: it brought nothing, and cost nothing.

        Where the server counts no tokens, what was held counts as spent.
        """
        with self._lock:
            self._under_way = max(0, self._under_way - 1)
            self._held = self._held - held if self._under_way else 0.0
            if said is None:
                return
            if said.usage is None:
                self.spent += held
                return
            used, size = said.usage, len(text.encode())
            self.counted += 1
            self.prompt += used.prompt
            self.answer += used.answer
            if size >= _TELLING:
                self._density = max(self._density or 0.0, used.prompt / size)
            if self.prices:
                self.spent += self.prices.of(used.prompt, used.answer)

"""How long prompts are, about, and how passages are cut to fit: no tokenizer of a server's model is known."""

from __future__ import annotations

import math
from dataclasses import replace

from exam_core.grading.prompt import Prompt
from exam_core.texts.scripts import TOKENS_PER_WORD, about_tokens, pieces
from exam_core.wings.servers.grading.replies import Excess

_STEP = 0.8
"""Share of a passage that is left where the server doesn't say how much is too long."""


def estimated(prompt: Prompt) -> int:
    """Tokens of a prompt, roughly."""
    return math.ceil(about_tokens(prompt.text, TOKENS_PER_WORD))


def first_tokens(text: str, room: float) -> tuple[str, bool]:
    """As many whole words from a text's beginning as have so many tokens, and whether anything was cut.

    A letter of a script without blanks is a word.
    """
    if about_tokens(text, TOKENS_PER_WORD) <= room:
        return text, False
    end, taken = len(text) - len(text.lstrip()), 0.0
    for piece in pieces(text):
        taken += about_tokens(piece, TOKENS_PER_WORD)
        if taken > room:
            break
        end += len(piece)
    return text[:end].rstrip(), True


def shortened(prompt: Prompt, excess: Excess, answer: int) -> Prompt | None:
    """The prompt with less of its passage, after a server refused it as too long; None where that can't help.

    Parameters
    ----------
    answer : tokens that the answer may have, which servers count where the prompt alone would fit
    """
    share = _STEP
    if excess.limit and excess.given:
        room = excess.limit if excess.given > excess.limit else excess.limit - answer
        share = min(0.95 * room / excess.given, 0.95)
    rest = about_tokens(prompt.head + prompt.tail, TOKENS_PER_WORD)
    context = about_tokens(prompt.context, TOKENS_PER_WORD)
    if not prompt.context or share * (rest + context) <= rest:
        return None
    kept = (share * (rest + context) - rest) / context
    text, _ = first_tokens(prompt.context, kept * context)
    if not text or text == prompt.context:  # one endless word
        text = prompt.context[: int(kept * len(prompt.context))]
    return replace(prompt, context=text) if text else None

"""Prompts as token ids that fit the model: the passage is cut to the room that is left, all else stays whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from exam_core.errors import GraderError
from exam_core.grading.prompt import Prompt

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

RESERVE = 5
"""Tokens that the papers' grader leaves free below the limit."""

_LAST_WORD = re.compile(r"\S*\Z")
_FIRST_WORD = re.compile(r"\A\S*")


@dataclass(frozen=True)
class Fitted:
    """A prompt as token ids, the end token last, and whether its context had to be cut."""

    ids: list[int]
    cut: bool


def fit_all(tokenizer: PreTrainedTokenizerBase, prompts: Sequence[Prompt], limit: int = 512) -> list[Fitted]:
    """Each prompt's token ids, at most `limit` less the papers' reserve of 5, the end token included.

    Texts that several prompts share (instruction and question of many passages, passage of many questions) are
    tokenised once. That is exact for vocabularies in which every word begins anew, as T5's: the ids are those of
    the whole text. A context in quotes is tokenised together with them.

    The authors' code cuts the context's ids at the same place, decodes all ids to text and tokenises that. For
    ordinary text this gives the same ids (the best split of a text, cut at a token, is the best split of what is
    left). It differs where decoding loses something: characters outside the vocabulary, which become the letters
    "<unk>" there, and passages that spell out the end token, which is left out here.

    Raises GraderError where head and tail leave no room for one token of the context; names the question.
    """
    parts = [_PromptParts.of(prompt) for prompt in prompts]
    ids_of = _tokenise(tokenizer, (piece for part in parts for piece in part.texts()))
    budget = limit - RESERVE - 1
    fitted = []
    for prompt, part in zip(prompts, parts, strict=True):
        ids = ids_of[part.head] + ids_of[part.before + part.context + part.after] + ids_of[part.tail]
        cut = len(ids) > budget
        if cut:
            ids = _cut(tokenizer, part, ids_of, budget, prompt.question or prompt.head)
        fitted.append(Fitted([*ids, tokenizer.eos_token_id], cut))
    return fitted


@dataclass(frozen=True)
class _PromptParts:
    """A prompt in pieces that begin and end at white space; `before` and `after` touch the context without any."""

    head: str
    before: str
    context: str
    after: str
    tail: str

    @classmethod
    def of(cls, prompt: Prompt) -> _PromptParts:
        last, first = _LAST_WORD.search(prompt.head), _FIRST_WORD.search(prompt.tail)
        before, after = last[0] if last else "", first[0] if first else ""
        head = prompt.head[: len(prompt.head) - len(before)]
        return cls(head, before, prompt.context, after, prompt.tail[len(after) :])

    def texts(self) -> tuple[str, ...]:
        """All that has to be tokenised, for the whole prompt and for a cut one."""
        context = self.before + self.context
        return self.head, context + self.after, self.tail, self.before, context, self.after + self.tail


def _tokenise(tokenizer: PreTrainedTokenizerBase, texts: Iterable[str]) -> dict[str, list[int]]:
    """Token ids of each different text, without special tokens."""
    different = list(dict.fromkeys(texts))
    if not different:
        return {}
    encoded = tokenizer(different, add_special_tokens=False, return_attention_mask=False, verbose=False)["input_ids"]
    # A passage may spell out "</s>" or "<pad>", and must not end the prompt with it.
    ends = {tokenizer.eos_token_id, tokenizer.pad_token_id}
    return {text: [i for i in ids if i not in ends] for text, ids in zip(different, encoded, strict=True)}


def _cut(
    tokenizer: PreTrainedTokenizerBase, part: _PromptParts, ids_of: dict[str, list[int]], budget: int, question: str
) -> list[int]:
    """At most `budget` ids: as much of the context as there is room for beside the whole head and tail."""
    head, tail = ids_of[part.head], ids_of[part.after + part.tail]
    room = budget - len(head) - len(tail)
    if room <= len(ids_of[part.before]):
        taken = len(head) + len(ids_of[part.before]) + len(tail)
        shown = question if len(question) <= 200 else f"{question[:200]} ..."
        raise GraderError(
            f"The prompt leaves no room for the passage: without it, it has {taken:,} tokens of the {budget:,} "
            f"that the model takes.\n  {shown}\n"
            "Shorten the question, or switch it off in the bank."
        )
    numbers = ids_of[part.before + part.context][:room]
    # A word that lost all but its beginning mark says nothing; decoded, as the authors do, it is gone too.
    if not str(tokenizer.decode(numbers[-1:])).strip():
        numbers.pop()
    return head + numbers + tail

"""Answers marked in the passage: a T5 that was tuned on SQuAD2 for extractive question answering."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from exam_core.errors import GraderError
from exam_core.grading.prompt import ModelAnswer, Prompt
from exam_core.grading.t5.engine import Batches, padded
from exam_core.grading.t5.models import Loaded
from exam_core.grading.t5.torch_settings import computing

OVERLAP = 128
"""Tokens of the passage that neighbouring windows share."""

LONGEST_ANSWER = 30
"""Tokens of the longest answer, as usual in evaluations on SQuAD."""


@dataclass(frozen=True)
class Window:
    """A part of a passage behind its question, as the model reads it.

    Parameters
    ----------
    place : of the prompt
    ids : question, end token, part of the passage, end token
    first : where in `ids` the passage begins
    offsets : begin and end in the passage's text of each of its tokens here
    """

    place: int
    ids: list[int]
    first: int
    offsets: list[tuple[int, int]]


@dataclass(frozen=True)
class AnswerSpan:
    """The best answer of a window, by its begin and end in the passage's text; scores are sums of two logits.

    `score` is minus infinity where there is no span; `null_score` is that of "the passage doesn't tell".
    """

    begin: int
    end: int
    score: float
    null_score: float


class Extractive:
    """An Answerer that marks the answer in the passage, or says that there is none.

    The model gets question and passage as a pair; of the prompt only `question` and `context` are read. Its
    answer is the span in the passage whose first token's start logit and last token's end logit have the
    greatest sum. A passage that doesn't fit is read in overlapping windows: the best span of all counts.

    T5 has no token of its own for "no answer". The model of the papers was given one, and its card asks to
    write `<cls>` before the question: the logits there are the score of no answer. The question begins the
    pair, so this is the first token; for a tokenizer without `<cls>` it is the question's first word, where
    training on SQuAD2 puts no answer then. With several windows, the one that doubts least speaks. No answer is
    an empty text, and is given when its score is greater than that of the best span.

    The papers used the question-answering pipeline of transformers. Its defaults were spans of at most 15 tokens
    and never "no answer"; here both are as the model was trained and evaluated, so answers can differ.

    Parameters
    ----------
    max_tokens : of question and window together
    batch_tokens : tokens of a batch, padding counted; None: as many as suit the device

    Source: Rajpurkar et al. 2018 (SQuAD 2.0); Farzi & Dietz 2024 (EXAM++), section 5.1; the card of
    sjrhuschlee/flan-t5-large-squad2.
    """

    def __init__(self, loaded: Loaded, *, max_tokens: int = 512, batch_tokens: int | None = None) -> None:
        if not loaded.tokenizer.is_fast:
            raise GraderError(f"The tokenizer of {loaded.name} does not tell where its tokens stand in the text.")
        self._loaded = loaded
        self._max_tokens = max_tokens
        self._batches = Batches(loaded.device, batch_tokens)
        decoding = {"kind": "span", "longest_answer": LONGEST_ANSWER, "overlap": OVERLAP}
        self.about = loaded.about(max_tokens, decoding=decoding)

    def lengths(self, prompts: Sequence[Prompt]) -> list[int]:
        """Tokens that the model reads for each prompt, over all its windows."""
        totals = [0] * len(prompts)
        for window in self.windows(prompts):
            totals[window.place] += len(window.ids)
        return totals

    def answers(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, ModelAnswer]]:
        """Each prompt's answer; its margin is the distance between the best span's score and that of no answer.

        Raises GraderError where a question leaves no room for the passage, or has no text.
        """
        windows = self.windows(prompts)
        unread = Counter(window.place for window in windows)
        groups: dict[int, list[AnswerSpan]] = {}

        def read(batch: list[int]) -> list[Tensor]:
            """Start and end logits, 2 x tokens, of each window."""
            rows = [windows[index].ids for index in batch]
            ids, mask = padded(rows, self._loaded.tokenizer.pad_token_id, self._loaded.device)
            with computing(self._loaded.precision):
                output = self._loaded.model(input_ids=ids, attention_mask=mask)
                both = torch.stack([output.start_logits, output.end_logits], dim=1).float().cpu()
            return [logits[:, : len(row)] for logits, row in zip(both, rows, strict=True)]

        for batch, logits in self._batches.of([len(window.ids) for window in windows], read):
            for index, (start, end) in zip(batch, logits, strict=True):
                place = windows[index].place
                groups.setdefault(place, []).append(best_span(windows[index], start, end))
                unread[place] -= 1
                if not unread[place]:
                    yield place, _answer(prompts[place].context, groups.pop(place))

    def windows(self, prompts: Sequence[Prompt]) -> list[Window]:
        """What the model reads: for each prompt one window, or several where the passage is long."""
        if not prompts:
            return []
        mark = self._loaded.tokenizer.cls_token or ""
        if empty := next((prompt for prompt in prompts if not prompt.question.strip()), None):
            raise GraderError(f"A prompt has no bare question, which an extractive model needs: {empty.head[:160]!r}")
        questions = self._tokens([mark + prompt.question for prompt in prompts])
        contexts = self._tokens([prompt.context for prompt in prompts])
        windows: list[Window] = []
        for place, prompt in enumerate(prompts):
            windows += self._windows_of(place, prompt, questions[mark + prompt.question][0], *contexts[prompt.context])
        return windows

    def _windows_of(
        self, place: int, prompt: Prompt, question: list[int], context: list[int], offsets: list[tuple[int, int]]
    ) -> Iterator[Window]:
        end = self._loaded.tokenizer.eos_token_id
        room = self._max_tokens - len(question) - 2
        if room < 1:
            raise GraderError(
                f"The question leaves no room for the passage: it has {len(question):,} tokens of the "
                f"{self._max_tokens:,} that the model reads.\n  {prompt.question[:200]}\n"
                "Shorten the question, or switch it off in the bank."
            )
        # A long question leaves windows so short that they can share at most half.
        step = room - min(OVERLAP, room // 2)
        for begin in range(0, max(len(context) - room, 0) + step, step):
            part = slice(begin, begin + room)
            yield Window(place, [*question, end, *context[part], end], len(question) + 1, offsets[part])

    def _tokens(self, texts: list[str]) -> dict[str, tuple[list[int], list[tuple[int, int]]]]:
        """Token ids and places of each different text."""
        different = list(dict.fromkeys(texts))
        encoded = self._loaded.tokenizer(
            different, add_special_tokens=False, return_offsets_mapping=True, verbose=False
        )
        pairs = zip(encoded["input_ids"], encoded["offset_mapping"], strict=True)
        return dict(zip(different, pairs, strict=True))


def best_span(window: Window, start: Tensor, end: Tensor) -> AnswerSpan:
    """The span of a window's passage with the greatest start logit + end logit, at most LONGEST_ANSWER tokens.

    `start` and `end` are the logits of each token of the window; the first token's are those of no answer.
    """
    null_score = float(start[0] + end[0])
    count = len(window.offsets)
    if not count:
        return AnswerSpan(0, 0, float("-inf"), null_score)
    starts = start[window.first : window.first + count].numpy()
    ends = np.full(count + LONGEST_ANSWER - 1, -np.inf, dtype=np.float32)
    ends[:count] = end[window.first : window.first + count].numpy()
    sums = starts[:, None] + np.lib.stride_tricks.sliding_window_view(ends, LONGEST_ANSWER)
    first, further = np.unravel_index(int(sums.argmax()), sums.shape)
    begin, last = window.offsets[first][0], window.offsets[first + further][1]
    return AnswerSpan(begin, last, float(sums[first, further]), null_score)


def _answer(context: str, spans: list[AnswerSpan]) -> ModelAnswer:
    """The best span's words, or none where no answer scores better."""
    # Equal scores: the earlier span, whichever batch came first.
    best = max(spans, key=lambda span: (span.score, -span.begin))
    ahead = best.score - min(span.null_score for span in spans)
    words = context[best.begin : best.end].strip() if ahead >= 0 else ""
    return ModelAnswer(words, margin=abs(ahead) if np.isfinite(ahead) else None)

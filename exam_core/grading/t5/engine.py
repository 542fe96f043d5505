"""T5 and FLAN-T5 as graders: five beams in fp32 as in the papers, exact, and fast.

An answer is, token for token, what transformers' `generate` gives for the prompt alone. (Sums are rounded in another
order, about 1e-6 of a score: where two answers are closer than that, either may come.) The speed comes from
prompts sorted by length, from `layers`, which make few passes over memory, from `decoder`, where the beams of a
prompt share its keys and values, and from `beams`, where a prompt leaves the batch as soon as its answer is certain.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from exam_core.errors import GraderError, UsageError
from exam_core.grading.prompt import ModelAnswer, Prompt
from exam_core.grading.t5.beams import BestAnswer, Search, search
from exam_core.grading.t5.decoder import Decoding
from exam_core.grading.t5.encoder import read
from exam_core.grading.t5.layers import Layers
from exam_core.grading.t5.models import Loaded
from exam_core.grading.t5.torch_settings import computing
from exam_core.grading.t5.truncation import Fitted, fit_all
from exam_core.grading.t5.waiting import PromptBatch, Waiting, side_by_side

R = TypeVar("R")
Work = Callable[[Layers, list[list[int]], bool], Sequence[tuple[int, R]]]
"""A model, token ids of prompts, and whether to be patient; gives rows with their results."""

RATINGS = ("0", "1", "2", "3", "4", "5")
LONGEST_ANSWER = 511
"""The authors' max_length of 512 counts the start token."""
PATIENCE = 24
"""Tokens after which the last few open answers of a batch are put off: one of 511 would hold up all the others."""
CPU_BATCH_TOKENS = 2048
"""flan-t5-base's shape on one core, prompts of 200 tokens: 1.9 a second in batches of 4 to 8, 1.8 in batches of 16."""
CUDA_BATCH_TOKENS = 131_072
NO_NUMBERS = "The model computed no numbers (NaN): its weights may be damaged."
_DTYPES = {"fp32": torch.float32, "tf32": torch.float32, "bf16": torch.bfloat16}


class T5:
    """An answerer (see `asking.Answerer`) that generates.

    Parameters
    ----------
    loaded : as `models.load` gives it, of kind generate; its precision is the answers'
    beams : 1 is greedy
    max_new_tokens : of an answer, the end token included
    early_stopping : see `beams.Search`
    max_tokens : of a prompt, the passage cut to fit
    batch_tokens : tokens in a batch, padding included; None: as many as suit the device
    devices : where copies of the model answer side by side; None: where it was loaded

    Raises
    ------
    UsageError : an option out of range; a model in half precision, or not in the one it is said to have
    """

    def __init__(
        self,
        loaded: Loaded,
        *,
        beams: int = 5,
        max_new_tokens: int = LONGEST_ANSWER,
        early_stopping: bool = True,
        max_tokens: int = 512,
        batch_tokens: int | None = None,
        devices: Sequence[str] | None = None,
    ) -> None:
        for name, value in [("beams", beams), ("max_new_tokens", max_new_tokens), ("batch_tokens", batch_tokens)]:
            if value is not None and value < 1:
                raise UsageError(f"{name} is {value}; it must be at least 1.")
        _refuse_half(loaded)
        self.about: dict[str, Any] = {
            "model": loaded.name,
            "revision": loaded.revision,
            "engine": "examboard",
            "decoding": {"beams": beams, "early_stopping": early_stopping, "max_new_tokens": max_new_tokens},
            "precision": loaded.precision,
            "max_tokens": max_tokens,
        }
        self.batch_tokens = batch_tokens or _fitting_batch(loaded.model)
        self._tokenizer = loaded.tokenizer
        self._precision = loaded.precision
        self._max_tokens = max_tokens
        self._models = _copies(loaded.model, devices or [loaded.device])
        config = loaded.model.config
        self._how = Search(
            beams, max_new_tokens, config.decoder_start_token_id, config.eos_token_id, early_stopping, PATIENCE
        )

    def lengths(self, prompts: Sequence[Prompt]) -> list[int]:
        """Tokens of each prompt after cutting, the end token included."""
        return [len(fitted.ids) for fitted in self._fit(prompts)]

    def answers(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, ModelAnswer]]:
        """The place of each prompt with its answer, batch by batch, long prompts first.

        Raises GraderError where a prompt leaves no room for its passage, or one alone does not fit into the memory.
        """
        fitted = self._fit(prompts)
        for place, found in self._results(fitted, partial(_searched, self._how)):
            yield place, self._answer(found, fitted[place].cut)

    def scores(self, prompts: Sequence[Prompt], continuations: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """Log-likelihood of each continuation after each prompt, all in one step of the decoder.

        Raises GraderError as `answers`.

        Parameters
        ----------
        continuations : token ids; with the end token, if the answer is to end there

        Returns
        -------
        array of (prompts, continuations), at most 0, in nats
        """
        scores = np.empty((len(prompts), len(continuations)))
        for place, row in self._results(self._fit(prompts), self._forced(continuations)):
            scores[place] = row
        return scores

    def _fit(self, prompts: Sequence[Prompt]) -> list[Fitted]:
        return fit_all(self._tokenizer, prompts, self._max_tokens)

    def _forced(self, continuations: Sequence[Sequence[int]]) -> Work[list[float]]:
        return partial(_forced, self._how.start, continuations)

    def _answer(self, found: BestAnswer, cut: bool) -> ModelAnswer:
        if math.isnan(found.score):
            return ModelAnswer(None, cut, NO_NUMBERS)
        # As the text2text pipeline of the authors decodes.
        text = self._tokenizer.decode(found.tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        stopped = len(found.tokens) >= self._how.limit and found.tokens[-1] != self._how.end
        return ModelAnswer(text, cut, margin=found.margin, stopped=stopped)

    def _results(self, fitted: Sequence[Fitted], work: Work[R]) -> Iterator[tuple[int, R]]:
        """The place of each prompt with what `work` makes of it, on all devices."""
        step = max(layers.length_step for layers in self._models)
        waiting = Waiting([len(prompt.ids) for prompt in fitted], self.batch_tokens, self._how.beams, step)
        for results in side_by_side([self._stream(layers, waiting, fitted, work) for layers in self._models]):
            yield from results
        self.batch_tokens = waiting.budget

    def _stream(
        self, layers: Layers, waiting: Waiting, fitted: Sequence[Fitted], work: Work[R]
    ) -> Iterator[list[tuple[int, R]]]:
        """What one device makes of the batches that it takes, one list each."""
        while batch := waiting.take():
            ids = [fitted[place].ids for place in batch.places]
            try:
                with computing(self._precision):
                    results = [(batch.places[row], result) for row, result in work(layers, ids, batch.patient)]
            except torch.OutOfMemoryError as error:
                _refuse_single(batch, str(error), self.about["model"], len(ids[0]))
                waiting.put_back(batch)
                results = []
            else:
                waiting.put_off(set(batch.places) - {place for place, _ in results})
            if results:
                yield results
            elif torch.cuda.is_available():  # only here has the error let go of the memory
                torch.cuda.empty_cache()


class ScoredT5(T5):
    """An answerer that compares a few given answers and takes the likeliest: one step of the decoder, no search.

    It is a grader of its own: the search may find another answer, or none of these.

    Parameters
    ----------
    loaded, max_tokens, batch_tokens, devices : as for T5
    choices : the answers that are compared, each followed by the end token
    """

    def __init__(self, loaded: Loaded, *, choices: Sequence[str] = RATINGS, **options: Any) -> None:
        if len(choices) < 2:
            raise UsageError(f"There is nothing to compare in {list(choices)}: give two answers or more.")
        super().__init__(loaded, **options)
        self.about["decoding"] = {"scored": list(choices)}
        self._choices = list(choices)
        self._continuations: list[list[int]] = loaded.tokenizer(self._choices)["input_ids"]

    def answers(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, ModelAnswer]]:
        """The likeliest choice for each prompt; its margin is in nats. Errors as `T5.answers`."""
        fitted = self._fit(prompts)
        for place, scores in self._results(fitted, self._forced(self._continuations)):
            second, best = sorted(range(len(scores)), key=scores.__getitem__)[-2:]
            if math.isnan(sum(scores)):
                yield place, ModelAnswer(None, fitted[place].cut, NO_NUMBERS)
            else:
                yield place, ModelAnswer(self._choices[best], fitted[place].cut, margin=scores[best] - scores[second])


def _searched(how: Search, layers: Layers, ids: list[list[int]], patient: bool) -> list[tuple[int, BestAnswer]]:
    """Rows with their best answers; see `beams.search`."""
    decoding = Decoding(layers, *read(layers, ids))
    return [(found.row, found) for found in search(decoding, replace(how, patience=None) if patient else how)]


def _forced(
    start: int, continuations: Sequence[Sequence[int]], layers: Layers, ids: list[list[int]], _patient: bool
) -> list[tuple[int, list[float]]]:
    """Rows with the log-likelihood of each continuation; all of them are fed side by side."""
    owner = [place for place, tokens in enumerate(continuations) for _ in tokens]
    time = [time for tokens in continuations for time in range(len(tokens))]
    fed = [token for tokens in continuations for token in (start, *tokens[:-1])]
    next_one = [token for tokens in continuations for token in tokens]
    owners, times, tokens, wanted = torch.tensor([owner, time, fed, next_one], device=layers.model.device)
    same = owners[:, None] == owners[None, :]
    visible = same & (times[None, :] <= times[:, None])
    logits = Decoding(layers, *read(layers, ids)).step(tokens.expand(len(ids), -1), times, visible[None])
    chances = torch.log_softmax(logits, dim=-1).gather(2, wanted[None, :, None].expand(len(ids), -1, 1))[:, :, 0]
    sums = chances.new_zeros(len(ids), len(continuations)).index_add_(1, owners, chances)
    return list(enumerate(sums.tolist()))


def _refuse_half(loaded: Loaded) -> None:
    dtype = loaded.model.dtype
    if dtype == torch.float16:
        raise UsageError("fp16: T5 overflows in half precision and answers nonsense. Use bf16, tf32 or fp32.")
    if dtype != _DTYPES[loaded.precision]:
        raise UsageError(
            f"{loaded.name} is declared as {loaded.precision} but its weights are {dtype}: load it with the "
            f"precision {loaded.precision}."
        )


def _refuse_single(batch: PromptBatch, error: str, model: str, tokens: int) -> None:
    """A batch of one can't be made smaller."""
    if len(batch.places) == 1:
        raise GraderError(
            f"One prompt of {tokens} tokens alone does not fit into the memory beside {model}: "
            f"{error.strip().splitlines()[0]}\n"
            "Free the device, choose another device, or take a smaller model, bf16 or fewer beams."
        )


def _fitting_batch(model: Any) -> int:
    """Tokens in a batch: on a CPU what was fastest, on a card what fills half of its free memory."""
    if model.device.type != "cuda":
        return CPU_BATCH_TOKENS
    config = model.config
    free, _ = torch.cuda.mem_get_info(model.device)
    free += torch.cuda.memory_reserved(model.device) - torch.cuda.memory_allocated(model.device)
    kept = 2 * config.num_decoder_layers * config.num_heads * config.d_kv + 4 * config.d_ff
    return min(CUDA_BATCH_TOKENS, max(1, int(free / 2 / (kept * model.dtype.itemsize))))


def _copies(model: Any, devices: Sequence[str]) -> list[Layers]:
    """A model for each device; devices that are the same share it."""
    places = [torch.empty(0, device=device).device for device in devices]
    copies: dict[torch.device, Layers] = {}
    for place in places:
        if place not in copies:
            copies[place] = Layers(model if place == model.device else copy.deepcopy(model).to(place))
    return [copies[place] for place in places]

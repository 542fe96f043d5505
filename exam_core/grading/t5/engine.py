"""T5's engine: prompts of like length are put together and answered."""

from __future__ import annotations

import copy
import math
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from exam_core.errors import GraderError, UsageError
from exam_core.grading.prompt import ModelAnswer, Prompt
from exam_core.grading.t5.decoder import BestAnswer, Decoding, Layers, Search, read, search
from exam_core.grading.t5.models import Loaded
from exam_core.grading.t5.torch_settings import computing
from exam_core.grading.t5.truncation import Fitted, fit_all

T = TypeVar("T")

TOKENS_PER_BEAM = 16
"""What following one hypothesis costs, in tokens of a prompt; keeps batches of very short prompts in bounds."""


@dataclass(frozen=True)
class PromptBatch:
    """Places of prompts that are answered together, the longest first; if not `patient`, long answers may be left for
    later.
    """

    places: list[int]
    patient: bool


class Waiting:
    """Prompts without an answer yet, the longest first; several threads may take from it.

    Parameters
    ----------
    lengths : tokens of each prompt
    budget : tokens in a batch, padding included
    beams : hypotheses that are followed for each prompt
    step : lengths are filled up to multiples of it
    """

    def __init__(self, lengths: Sequence[int], budget: int, beams: int, step: int = 1) -> None:
        self.budget = budget
        self._costs = [-(-length // step) * step + TOKENS_PER_BEAM * beams for length in lengths]
        self._lock = threading.Lock()
        self._places = deque(sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True))
        self._late: deque[int] = deque()

    def take(self) -> PromptBatch | None:
        """The next batch, of one prompt at least; what was put off comes last. None: nothing waits."""
        with self._lock:
            patient = not self._places
            waiting = self._late if patient else self._places
            if not waiting:
                return None
            count = min(len(waiting), max(1, self.budget // self._costs[waiting[0]]))
            return PromptBatch([waiting.popleft() for _ in range(count)], patient)

    def put_off(self, places: Iterable[int]) -> None:
        """Answer these at the end."""
        with self._lock:
            self._late = deque(sorted([*self._late, *places], key=self._costs.__getitem__, reverse=True))

    def put_back(self, batch: PromptBatch) -> None:
        """This batch was too large: it waits again, and batches are half as large from now on."""
        with self._lock:
            self.budget = min(self.budget, self._costs[batch.places[0]] * len(batch.places)) // 2
            (self._late if batch.patient else self._places).extendleft(reversed(batch.places))


def side_by_side(streams: Sequence[Iterator[T]]) -> Iterator[T]:
    """What several streams give, each drawn in a thread of its own; in the order it comes.

    The first error of a stream is raised here, and ends the others after what they are at.
    """
    if len(streams) == 1:
        yield from streams[0]
        return
    results: _Results[T] = queue.SimpleQueue()
    stop = threading.Event()
    threads = [threading.Thread(target=_draw, args=(stream, results, stop), daemon=True) for stream in streams]
    for thread in threads:
        thread.start()
    try:
        going = len(threads)
        while going:
            drawn, error = results.get()
            if error:
                raise error
            yield from drawn
            going -= not drawn
    finally:
        stop.set()
        for thread in threads:
            thread.join()


_Results = queue.SimpleQueue[tuple[list[T], BaseException | None]]
"""An item, or an error; neither where a stream has ended."""


def _draw(stream: Iterator[T], results: _Results[T], stop: threading.Event) -> None:
    try:
        for item in stream:
            results.put(([item], None))
            if stop.is_set():
                return
        results.put(([], None))
    except BaseException as error:  # raised where the results are read
        results.put(([], error))


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
    """An answerer (see `prompt.Answerer`) that generates.

    Parameters
    ----------
    loaded : of kind generate; its precision is the answers'
    beams : 1 is greedy
    max_new_tokens : of an answer, the end token included
    max_tokens : of a prompt, the passage cut to fit
    batch_tokens : tokens in a batch, padding included; None: as many as suit the device
    devices : where copies of the model answer side by side; None: where it was loaded

    Raises UsageError for an option out of range, or a model in half precision or not in the one it is said to have.
    """

    def __init__(
        self,
        loaded: Loaded,
        *,
        beams: int = 5,
        max_new_tokens: int = LONGEST_ANSWER,
        max_tokens: int = 512,
        batch_tokens: int | None = None,
        devices: Sequence[str] | None = None,
    ) -> None:
        for name, value in [("beams", beams), ("max_new_tokens", max_new_tokens), ("batch_tokens", batch_tokens)]:
            if value is not None and value < 1:
                raise UsageError(f"{name} is {value}; it must be at least 1.")
        if loaded.model.dtype == torch.float16:
            raise UsageError("fp16: T5 overflows in half precision and answers nonsense. Use bf16, tf32 or fp32.")
        if loaded.model.dtype != _DTYPES[loaded.precision]:
            raise UsageError(
                f"{loaded.name} is declared as {loaded.precision} but its weights are {loaded.model.dtype}: load it "
                f"with the precision {loaded.precision}."
            )
        decoding = {"beams": beams, "early_stopping": True, "max_new_tokens": max_new_tokens}
        self.about = loaded.about(max_tokens, engine="examboard", decoding=decoding)
        self.batch_tokens = batch_tokens or _fitting_batch(loaded.model)
        self._tokenizer = loaded.tokenizer
        self._precision = loaded.precision
        self._max_tokens = max_tokens
        self._models = _copies(loaded.model, devices or [loaded.device])
        config = loaded.model.config
        self._how = Search(beams, max_new_tokens, config.decoder_start_token_id, config.eos_token_id, PATIENCE)

    def lengths(self, prompts: Sequence[Prompt]) -> list[int]:
        """Tokens of each prompt after cutting, the end token included."""
        return [len(fitted.ids) for fitted in self._fit(prompts)]

    def answers(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, ModelAnswer]]:
        """The place of each prompt with its answer, batch by batch, long prompts first.

        Raises GraderError where a prompt leaves no room for its passage, or one alone does not fit into the memory.
        """
        fitted = self._fit(prompts)
        for place, best_answer in self._results(fitted, partial(_searched, self._how)):
            cut = fitted[place].cut
            if math.isnan(best_answer.score):
                yield place, ModelAnswer(None, cut, NO_NUMBERS)
                continue
            tokens = best_answer.tokens
            # As the text2text pipeline of the authors decodes.
            text = self._tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)
            stopped = len(tokens) >= self._how.limit and tokens[-1] != self._how.end
            yield place, ModelAnswer(text, cut, margin=best_answer.margin, stopped=stopped)

    def scores(self, prompts: Sequence[Prompt], continuations: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """Log-likelihood in nats of each continuation after each prompt, (prompts, continuations), in one step of the
        decoder.

        A continuation is token ids, with the end token if the answer is to end there. Raises GraderError as `answers`.
        """
        scores = np.empty((len(prompts), len(continuations)))
        for place, row in self._results(self._fit(prompts), self._forced(continuations)):
            scores[place] = row
        return scores

    def _fit(self, prompts: Sequence[Prompt]) -> list[Fitted]:
        return fit_all(self._tokenizer, prompts, self._max_tokens)

    def _forced(self, continuations: Sequence[Sequence[int]]) -> Work[list[float]]:
        return partial(_forced, self._how.start, continuations)

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
                    rows = [(batch.places[row], of_row) for row, of_row in work(layers, ids, batch.patient)]
            except torch.OutOfMemoryError as error:
                if len(batch.places) == 1:  # which can't be made smaller
                    raise GraderError(
                        f"One prompt of {len(ids[0])} tokens alone does not fit into the memory beside "
                        f"{self.about['model']}: {str(error).strip().splitlines()[0]}\n"
                        "Free the device, choose another device, or take a smaller model, bf16 or fewer beams."
                    ) from error
                waiting.put_back(batch)
                rows = []
            else:
                waiting.put_off(set(batch.places) - {place for place, _ in rows})
            if rows:
                yield rows
            elif torch.cuda.is_available():  # only here has the error let go of the memory
                torch.cuda.empty_cache()


class ScoredT5(T5):
    """An answerer that compares a few given answers and takes the likeliest: one step of the decoder, no search.

    It says how likely each of them is.

    It is a grader of its own: the search may find another answer, or none of these. Each of `RATINGS` is followed by
    the end token; the options are those of T5.
    """

    says_likelihoods = True

    def __init__(self, loaded: Loaded, **options: Any) -> None:
        super().__init__(loaded, **options)
        self.about["decoding"] = {"scored": list(RATINGS)}
        self._continuations: list[list[int]] = loaded.tokenizer(list(RATINGS))["input_ids"]

    def answers(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, ModelAnswer]]:
        """The likeliest choice for each prompt; its margin is in nats. Errors as `T5.answers`."""
        fitted = self._fit(prompts)
        for place, scores in self._results(fitted, self._forced(self._continuations)):
            second, best = sorted(range(len(scores)), key=scores.__getitem__)[-2:]
            if math.isnan(sum(scores)):
                yield place, ModelAnswer(None, fitted[place].cut, NO_NUMBERS)
            else:
                likelihoods = dict(zip(RATINGS, scores, strict=True))
                margin = scores[best] - scores[second]
                yield place, ModelAnswer(RATINGS[best], fitted[place].cut, margin=margin, likelihoods=likelihoods)


def _searched(how: Search, layers: Layers, ids: list[list[int]], patient: bool) -> list[tuple[int, BestAnswer]]:
    """Rows with their best answers; see `beams.search`."""
    how = replace(how, patience=None) if patient else how
    return [(best.row, best) for best in search(Decoding(layers, *read(layers, ids)), how)]


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


def _fitting_batch(model: Any) -> int:
    """Tokens in a batch: on a CPU what was fastest, on a card what fills half of its free memory."""
    if model.device.type != "cuda":
        return CPU_BATCH_TOKENS
    config = model.config
    free, _ = torch.cuda.mem_get_info(model.device)
    free += torch.cuda.memory_reserved(model.device) - torch.cuda.memory_allocated(model.device)
    per_token = 2 * config.num_decoder_layers * config.num_heads * config.d_kv + 4 * config.d_ff
    return min(CUDA_BATCH_TOKENS, max(1, int(free / 2 / (per_token * model.dtype.itemsize))))


def _copies(model: Any, devices: Sequence[str]) -> list[Layers]:
    """A model for each device; devices that are the same share it."""
    places = [torch.empty(0, device=device).device for device in devices]
    copies: dict[torch.device, Layers] = {}
    for place in places:
        if place not in copies:
            copies[place] = Layers(model if place == model.device else copy.deepcopy(model).to(place))
    return [copies[place] for place in places]


Result = TypeVar("Result")

BATCH_TOKENS = {"cpu": 4_096, "cuda": 32_768}


class Batches:
    """Batches for models that read each prompt once; `tokens` in a batch with padding, None: as suit the device."""

    def __init__(self, device: str, tokens: int | None = None) -> None:
        self.tokens = tokens or BATCH_TOKENS[device.partition(":")[0]]

    def of(self, lengths: Sequence[int], work: Callable[[list[int]], Result]) -> Iterator[tuple[list[int], Result]]:
        """Batches as places in `lengths`, the longest first, each with what `work` makes of it.

        Where the memory does not hold a batch (`work` raises torch.OutOfMemoryError), it is done in
        smaller ones, and so are all after it. A prompt longer than a batch is a batch of its own.

        Raises GraderError where the memory doesn't hold one prompt alone.
        """
        waiting = Waiting(lengths, self.tokens, beams=0)
        while batch := waiting.take():
            try:
                results = work(batch.places)
            except torch.OutOfMemoryError as error:
                if len(batch.places) == 1:
                    tokens = lengths[batch.places[0]]
                    raise GraderError(
                        f"One prompt of {tokens:,} tokens alone does not fit into the memory: {error}\n"
                        "Free the device, choose another one, or take a smaller model."
                    ) from error
                waiting.put_back(batch)
                self.tokens = waiting.budget
            else:
                yield batch.places, results
                continue
            # Only here has the error let go of the memory of the failed try.
            torch.cuda.empty_cache()


def padded(rows: Sequence[Sequence[int]], filler: int, device: str) -> tuple[Tensor, Tensor]:
    """Token ids of rows x longest, filled at the right, and the mask that is 1 where a token is."""
    longest = max(len(row) for row in rows)
    ids = torch.tensor([[*row, *[filler] * (longest - len(row))] for row in rows])
    mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows])
    return ids.to(device), mask.to(device)

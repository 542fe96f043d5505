"""Trials of speed: T5 models of published shapes with random weights, and the programs that answer with them.

The time of an answer depends on the lengths of prompt and answer and not on what the weights say, so a trial needs
no download. The end token never wins here: every answer has the same, given length.
"""

from __future__ import annotations

import ctypes
import gc
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor
from transformers import T5Config, T5ForConditionalGeneration, T5Tokenizer

from exam_core.errors import UsageError
from exam_core.grading.prompt import ModelAnswer, Prompt
from exam_core.grading.t5.decoder import Layers, read
from exam_core.grading.t5.engine import T5
from exam_core.grading.t5.models import Loaded
from exam_core.grading.t5.torch_settings import computing
from exam_core.grading.t5.truncation import RESERVE, fit_all

Result = TypeVar("Result")
Contestant = Callable[[Sequence[Prompt]], list[ModelAnswer]]
"""Answers prompts, in their order."""

VOCABULARY = 32_128
BEAMS = 5
LONGEST_PROMPT = 1024
QUESTIONS = 10
"""Questions about one passage."""
SPREAD = 3.0
"""Standard deviation of the scores of the next token: some are likely, none is certain."""


@dataclass(frozen=True)
class Shape:
    """Sizes of a T5 with gated GELU and a head of its own; `layers` of the encoder and as many of the decoder."""

    d_model: int
    d_ff: int
    layers: int
    heads: int
    d_kv: int
    vocabulary: int = VOCABULARY

    def gflop(self, tokens: float, answer_tokens: int) -> float:
        """Work of one prompt, in 10^9 operations, where nothing is done twice: a product and a sum count two.

        Encoder, keys and values for the decoder once, and the decoder's steps with five beams after the first.
        """
        inner = self.heads * self.d_kv
        feed_forward = 3 * self.d_model * self.d_ff
        encoder = tokens * (4 * self.d_model * inner + feed_forward) + 2 * tokens**2 * inner
        memory = tokens * 2 * self.d_model * inner
        fed = 1 + BEAMS * (answer_tokens - 1)
        decoder = fed * (6 * self.d_model * inner + feed_forward + 2 * tokens * inner)
        head = fed * self.d_model * self.vocabulary
        return 2 * (self.layers * (encoder + memory + decoder) + head) / 1e9


SHAPES = {
    "tiny": Shape(d_model=32, d_ff=64, layers=2, heads=4, d_kv=8, vocabulary=512),
    "base": Shape(d_model=768, d_ff=2048, layers=12, heads=12, d_kv=64),
    "large": Shape(d_model=1024, d_ff=2816, layers=24, heads=16, d_kv=64),
}
"""FLAN-T5's published configurations (Chung et al. 2022), and one for tests."""


def random_model(name: str, *, device: str = "auto", precision: str = "fp32", seed: int = 0) -> Loaded:
    """A model of a shape of `SHAPES`; equal seeds give equal weights.

    Raises
    ------
    UsageError : no such shape; a precision or a device that isn't there
    """
    if name not in SHAPES:
        raise UsageError(f"{name}: no such configuration. There are {', '.join(SHAPES)}.")
    where = device if device != "auto" else "cuda" if torch.cuda.is_available() else "cpu"
    if where.startswith("cuda") and not torch.cuda.is_available():
        raise UsageError(f"{device}: this machine has no CUDA device. Use --device cpu.")
    if precision not in ("fp32", "bf16", "tf32") or (precision == "tf32" and where == "cpu"):
        raise UsageError(f"{precision} on {where}: there are fp32 and bf16, and on NVIDIA cards tf32.")
    shape = SHAPES[name]
    torch.manual_seed(seed)
    model: Any = T5ForConditionalGeneration(_config(shape))
    head = torch.randn(shape.vocabulary, shape.d_model) * (SPREAD / shape.d_model**0.5)
    head[model.config.eos_token_id] = 0.0  # its score is 0, and some of the others are always above it
    model.lm_head.weight = torch.nn.Parameter(head)
    model.requires_grad_(False).eval()
    model.to(where, torch.bfloat16 if precision == "bf16" else torch.float32)
    return Loaded(model, _tokenizer(shape.vocabulary), where, f"random-t5-{name}", f"seed-{seed}", precision)


def _config(shape: Shape) -> T5Config:
    settings: dict[str, Any] = {
        "vocab_size": shape.vocabulary,
        "d_model": shape.d_model,
        "d_ff": shape.d_ff,
        "num_layers": shape.layers,
        "num_heads": shape.heads,
        "d_kv": shape.d_kv,
        "feed_forward_proj": "gated-gelu",
        "tie_word_embeddings": False,
        "decoder_start_token_id": 0,
    }
    return T5Config(**settings)


def _tokenizer(vocabulary: int) -> T5Tokenizer:
    """T5's special tokens, and a made-up word for each other token."""
    special = ["<pad>", "</s>", "<unk>", "▁"]
    words = [(f"▁{_word(place)}", -4.0) for place in range(len(special), vocabulary)]
    return T5Tokenizer(vocab=[*((piece, 0.0) for piece in special[:3]), ("▁", -6.0), *words], extra_ids=0)


def _word(token: int) -> str:
    return f"w{token}"


def random_prompts(loaded: Loaded, lengths: Sequence[int], seed: int = 0) -> list[Prompt]:
    """Prompts of so many tokens each, the end token included; neighbours of one length ask about one passage.

    Ten questions are asked about each, as in the papers, and two of a prompt's tokens are the question.
    """
    draw = random.Random(seed)
    vocabulary = loaded.model.config.vocab_size
    prompts: list[Prompt] = []
    for place, length in enumerate(lengths):
        words = [_word(draw.randrange(4, vocabulary)) for _ in range(length - 1)]
        same = place % QUESTIONS and lengths[place - 1] == length
        prompts.append(Prompt(" ".join(words[:2]) + " ", prompts[-1].context if same else " ".join(words[2:])))
    return prompts


def ours(loaded: Loaded, answer_tokens: int) -> Contestant:
    """Our engine, five beams."""
    return in_order(T5(loaded, beams=BEAMS, max_new_tokens=answer_tokens, max_tokens=LONGEST_PROMPT + RESERVE))


def encoder(loaded: Loaded) -> Contestant:
    """Our engine's encoder on the engine's batches, and nothing after it: no decoder makes that faster."""
    return in_order(_EncoderAlone(loaded, max_tokens=LONGEST_PROMPT + RESERVE))


def generate(loaded: Loaded, answer_tokens: int, batch: int) -> Contestant:
    """What transformers has, with five beams and early stopping, as the authors call it; batches in the order given."""

    def answers(prompts: Sequence[Prompt]) -> list[ModelAnswer]:
        ids = [fitted.ids for fitted in fit_all(loaded.tokenizer, prompts, LONGEST_PROMPT + RESERVE)]
        texts: list[str] = []
        with computing(loaded.precision):
            for first in range(0, len(ids), batch):
                tokens = _generated(loaded, ids[first : first + batch], answer_tokens)
                texts += loaded.tokenizer.batch_decode(tokens, skip_special_tokens=True)
        return [ModelAnswer(text) for text in texts]

    return answers


def _generated(loaded: Loaded, ids: list[list[int]], answer_tokens: int) -> Tensor:
    longest = max(map(len, ids))
    tokens = torch.tensor([row + [0] * (longest - len(row)) for row in ids], device=loaded.model.device)
    mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in ids], device=loaded.model.device)
    found: Tensor = loaded.model.generate(
        tokens, attention_mask=mask, num_beams=BEAMS, early_stopping=True, do_sample=False, max_new_tokens=answer_tokens
    )
    return found


def in_order(answerer: Any) -> Contestant:
    def answers(prompts: Sequence[Prompt]) -> list[ModelAnswer]:
        found = dict(answerer.answers(prompts))
        return [found[place] for place in range(len(prompts))]

    return answers


class _EncoderAlone(T5):
    def answers(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, ModelAnswer]]:
        for place, _ in self._results(self._fit(prompts), _read_only):
            yield place, ModelAnswer("")
        if torch.cuda.is_available():
            torch.cuda.synchronize()


def _read_only(layers: Layers, ids: list[list[int]], _patient: bool) -> list[tuple[int, None]]:
    read(layers, ids)
    return [(row, None) for row in range(len(ids))]


def device_name(loaded: Loaded) -> str:
    """The card's name, or cpu with the threads that are used."""
    if loaded.device != "cpu":
        return str(torch.cuda.get_device_name(loaded.model.device))
    return f"cpu, {torch.get_num_threads()} threads, no GPU used"


def weights_mib(loaded: Loaded) -> float:
    """Mebibytes of a model's weights."""
    size: int = sum(weight.nbytes for weight in loaded.model.parameters())
    return size / 2**20


def peak_mib(work: Callable[[], Result], device: str) -> tuple[Result, float | None]:
    """What the work returns, and the most mebibytes that it added to the device's memory.

    On a card this is what torch gave out, on a CPU what the process holds; None where the system doesn't say.
    """
    gc.collect()
    if device != "cpu":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats(device)
        before = torch.cuda.memory_allocated(device)
        result = work()
        return result, (torch.cuda.max_memory_allocated(device) - before) / 2**20
    status, reset = Path("/proc/self/status"), Path("/proc/self/clear_refs")
    if not sys.platform.startswith("linux") or not reset.exists():
        return work(), None
    if hasattr(libc := ctypes.CDLL(None), "malloc_trim"):
        libc.malloc_trim(0)  # what others freed must not be used here again, unseen
    reset.write_text("5")
    before = _status(status, "VmRSS")
    result = work()
    return result, (_status(status, "VmHWM") - before) / 2**10


def _status(file: Path, name: str) -> int:
    """Kibibytes that Linux says of this process."""
    return next(int(line.split()[1]) for line in file.read_text().splitlines() if line.startswith(name))

"""Prompts a second of the grader, beside transformers and the encoder alone, on random weights."""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np

from benchmarks import trial
from benchmarks.timing import timed
from exam_core.errors import GraderError
from exam_core.grading.prompt import ModelAnswer, Prompt
from exam_core.progress import Progress, no_progress

ANSWER_TOKENS = (4, 12)
"""A rating with its end ("0" alone is two tokens), and an answer in words."""
CLOSE = 1e-4
"""Mean log-likelihoods that are nearer than this may change places by rounding."""
CAR_Y3 = 853_290
"""Prompts of TREC CAR Y3: 85,329 passages, ten questions each."""
PASSAGE_WORDS = (6, 28, 33, 36, 39, 41, 43, 45, 46, 48, 50, 52, 54, 56, 60, 67, 75, 82, 90, 101, 185)
"""Quantiles 0, 0.05, ... 1 of the words of the passages that were graded for TREC DL 2019; their mean is 55.9."""
TOKENS_PER_WORD = 1.3
INSTRUCTION_TOKENS = 122
"""The self-rating prompt without its passage; with it, a prompt has about 195 tokens on average."""
CARD_TFLOPS = {"fp32": 67.0, "tf32": 494.0, "bf16": 790.0}
"""H100 SXM and H200: fp32 and tf32 by data sheet (dense), bf16 as measured on such a card. In 10^12 a second."""
RIVALS = {
    "times_batch_1": "generate, batch 1",
    "times_batch_10": "generate, batch 10",
    "share_of_encoder": "encoder alone",
}
GOALS = {"times_batch_10": 2.3, "share_of_encoder": 0.7}
OURS = "ours"
Rates = dict[str, list[float]]


def benchmark(
    config: str = "base",
    *,
    prompts: int = 24,
    device: str = "auto",
    precisions: Sequence[str] = ("fp32",),
    tokens: int | None = None,
    generated: int | None = None,
    rounds: int = 3,
    progress: Progress = no_progress,
) -> dict[str, Any]:
    """Let every program answer the same prompts, in turn, round after round.

    Parameters
    ----------
    config : tiny, base or large: FLAN-T5's published shapes
    precisions : of our engine; the first is also the others', and what the answers of the rest are compared with
    tokens : of every prompt; None: lengths as in TREC DL 2019
    generated : how many of the prompts generate answers, which takes long on a card; None: all

    Returns
    -------
    settings, and `answers`: one for each length of answer, with prompts per second (medians of the rounds), memory in
    MiB, ratios (medians of the rounds' ratios), how many answers are those of generate, and on a card the limit

    Raises
    ------
    UsageError : no such configuration, precision or device
    """
    before = _surroundings()
    models = {precision: trial.random_model(config, device=device, precision=precision) for precision in precisions}
    first = next(iter(models.values()))
    lengths = [tokens] * prompts if tokens else prompt_lengths(prompts)
    asked = trial.random_prompts(first, lengths)
    answers = []
    for number, answer_tokens in enumerate(ANSWER_TOKENS):

        def step(share: float, number: int = number) -> None:
            progress((number + share) / len(ANSWER_TOKENS))

        figures, rates = _raced(models, asked, asked[:generated], answer_tokens, rounds, step)
        work = float(np.mean([trial.SHAPES[config].gflop(length, answer_tokens) for length in lengths]))
        limits = {one: _of_precision(one, rates, work, first.device) for one in models}
        answers.append({"answer_tokens": answer_tokens, "gflop_per_prompt": work, **figures, "precisions": limits})
    return before | {
        "device": trial.device_name(first),
        "config": config,
        "precision": first.precision,
        "prompts": prompts,
        "generated": prompts if generated is None else min(generated, prompts),
        "prompt_tokens": float(np.mean(lengths)),
        "prompt_lengths": "fixed" if tokens else "TREC DL 2019",
        "rounds": rounds,
        "goals": GOALS,
        "answers": answers,
    }


def _raced(
    models: dict[str, Any],
    prompts: Sequence[Prompt],
    generated: Sequence[Prompt],
    answer_tokens: int,
    rounds: int,
    progress: Progress,
) -> tuple[dict[str, Any], Rates]:
    """What came out, and the rates; a card has no room for two races."""
    race = _Race(models, prompts, generated, answer_tokens)
    rates = race.run(rounds, progress)
    return race.figures(rates), rates


def _surroundings() -> dict[str, Any]:
    """Versions, and how busy the machine is before anything is timed."""
    return {
        "torch": version("torch"),
        "transformers": version("transformers"),
        "load_before": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
    }


def prompt_lengths(count: int, seed: int = 0) -> list[int]:
    """Tokens of so many prompts, spread over the lengths of TREC DL 2019's; ten for each passage, in random order."""
    passages = -(-count // trial.QUESTIONS)
    at = (np.arange(passages) + 0.5) / passages
    words = np.interp(at, np.linspace(0, 1, len(PASSAGE_WORDS)), PASSAGE_WORDS)
    lengths = np.rint(INSTRUCTION_TOKENS + TOKENS_PER_WORD * words).astype(int)
    shuffled: list[int] = np.random.default_rng(seed).permutation(lengths).repeat(trial.QUESTIONS).tolist()
    return shuffled[:count]


class _Race:
    """Programs that answer the same prompts; a first round, which isn't timed, says what memory each takes."""

    def __init__(
        self, models: dict[str, Any], prompts: Sequence[Prompt], generated: Sequence[Prompt], answer_tokens: int
    ) -> None:
        self.prompts, self.generated = prompts, generated
        self.memory: dict[str, float | None] = {}
        self.left_out: dict[str, str] = {}
        self._contestants: dict[str, trial.Contestant] = {}
        self._answers: dict[str, list[ModelAnswer]] = {}
        first = next(iter(models.values()))
        makers: dict[str, Callable[[], trial.Contestant]] = {
            OURS: partial(trial.ours, first, answer_tokens),
            "encoder alone": partial(trial.encoder, first),
            "generate, batch 10": partial(trial.generate, first, answer_tokens, 10),
            "generate, batch 1": partial(trial.generate, first, answer_tokens, 1),
        }
        for precision, loaded in list(models.items())[1:]:
            makers[_ours_in(precision)] = partial(trial.ours, loaded, answer_tokens)
        for name, make in makers.items():
            self._enter(name, make, first)

    def _enter(self, name: str, make: Callable[[], trial.Contestant], loaded: Any) -> None:
        def work() -> None:
            self._contestants[name] = make()
            self._answers[name] = self._contestants[name](self._given(name))

        try:
            _, added = trial.peak_mib(work, loaded.device)
        except GraderError as error:
            self.left_out[name] = str(error)
            return
        own_weights = name.startswith(f"{OURS}, ")
        self.memory[name] = None if added is None else added + (0 if own_weights else trial.weights_mib(loaded))

    def _given(self, name: str) -> Sequence[Prompt]:
        return self.generated if name.startswith("generate") else self.prompts

    def run(self, rounds: int, progress: Progress) -> Rates:
        """Prompts a second of each, round by round."""
        rates: Rates = {name: [] for name in self._contestants}
        for number in range(rounds):
            for name, contestant in self._contestants.items():
                given = self._given(name)
                _, seconds = timed(partial(contestant, given))
                rates[name].append(len(given) / seconds)
            progress((number + 1) / rounds)
        return rates

    def figures(self, rates: Rates) -> dict[str, Any]:
        """What came out at these rates."""
        return {
            "prompts_per_s": {name: statistics.median(rate) for name, rate in rates.items()},
            "ratios": _ratios(rates),
            "memory_mib": self.memory,
            **self.agreement(),
            "left_out": self.left_out,
        }

    def agreement(self) -> dict[str, Any]:
        """How many of our answers are generate's for the prompt alone; the others, decided by rounding or not."""
        alone, mine = self._answers["generate, batch 1"], self._answers[OURS]
        others = [place for place, answer in enumerate(alone) if mine[place].text != answer.text]
        close = [place for place in others if (mine[place].margin or 0.0) < CLOSE]
        said = {name: [one.text for one in answers] for name, answers in self._answers.items()}
        return {
            "answers_as_generate": len(alone) - len(others),
            "near_ties": [_differing(place, mine, alone) for place in close],
            "different": [_differing(place, mine, alone) for place in others if place not in close],
            "differ_from_ours": {
                name: sum(one != said[OURS][place] for place, one in enumerate(texts))
                for name, texts in said.items()
                if name not in (OURS, "encoder alone")
            },
        }


def _differing(place: int, mine: Sequence[ModelAnswer], theirs: Sequence[ModelAnswer]) -> dict[str, Any]:
    return {"prompt": place, "ours": mine[place].text, "generate": theirs[place].text, "margin": mine[place].margin}


def _ours_in(precision: str) -> str:
    return f"{OURS}, {precision}"


def _ratios(rates: Rates) -> dict[str, float]:
    """Medians of what our rate is to the others' in the same round: noise that lasts longer than a round cancels."""
    return {
        key: statistics.median(own / other for own, other in zip(rates[OURS], rates[name], strict=True))
        for key, name in RIVALS.items()
        if name in rates
    }


def _of_precision(precision: str, rates: Rates, work: float, device: str) -> dict[str, Any]:
    """Our rate in a precision as work done and time for a large collection; on a card, beside what it can do."""
    rate = statistics.median(rates.get(_ours_in(precision), rates[OURS]))
    said: dict[str, Any] = {"prompts_per_s": rate, "tflop_per_s": rate * work / 1e3, "car_y3_h": CAR_Y3 / rate / 3600}
    if device != "cpu":
        said["limit_prompts_per_s"] = CARD_TFLOPS[precision] * 1e3 / work
        said["share_of_limit"] = rate / said["limit_prompts_per_s"]
    return said

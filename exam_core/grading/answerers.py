"""From options to a model that answers: T5, a T5 that marks, CTranslate2, a server, or a cluster around one.

What runs a model is loaded when a model is: importing this loads neither torch nor Ray.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from exam_core.errors import UsageError
from exam_core.grading.asking import Answerer
from exam_core.grading.options import LONGEST, GradingOptions, RequestExtras, Writing, extra_of, refuse_impossible

SLOWEST = 10.0
"""Tokens that the slowest server writes in a second, where replies are long."""
Kind = Literal["generate", "extract"]


def answerer(
    options: GradingOptions,
    kind: Kind = "generate",
    writing: Writing | None = None,
    log: Path | None = None,
    beside: RequestExtras | None = None,
) -> Answerer:
    """The model, loaded and ready.

    Parameters
    ----------
    writing : where it is to write freely; None: a grade
    log : a file for what a cluster's programs say
    beside : what a server is told beside prompts for grades

    Raises
    ------
    GraderError : it can't be loaded; the message says what to do
    UsageError : options that don't go together
    """
    refuse_impossible(options, kind, writes=writing is not None)
    if writing and (options.engine == "ray" or options.decoding == "scored"):
        raise UsageError("--engine ray and --decoding scored are for grades: leave them out where a model writes.")
    if options.engine == "ray":
        from exam_core.grading.cluster import Cluster

        return Cluster(local, options, kind, log)
    return local(options, kind, writing, beside)


def local(
    options: GradingOptions,
    kind: Kind = "generate",
    writing: Writing | None = None,
    beside: RequestExtras | None = None,
) -> Answerer:
    """The model in this process, whatever `engine` says; errors as `answerer`."""
    if options.backend == "openai":
        return _remote(options, writing, beside)
    from exam_core.grading.t5.models import load

    size: dict[str, Any] = {"max_tokens": options.max_tokens or LONGEST, "batch_tokens": options.batch_tokens}
    if writing:
        size["max_new_tokens"] = options.max_output_tokens or writing.max_output_tokens
    if options.backend == "ctranslate2":
        from exam_core.grading.t5.ctranslate import CTranslate

        loaded = load(options.model, device=options.device)
        return CTranslate(loaded, precision=options.precision, beams=options.beams, **size)
    loaded = load(options.model, kind, device=options.device, precision=options.precision)
    if kind == "extract":
        from exam_core.grading.t5.extractive import Extractive

        return Extractive(loaded, **size)
    from exam_core.grading.t5.engine import T5, ScoredT5

    devices = _devices(loaded.device)
    if options.decoding == "scored":
        return ScoredT5(loaded, devices=devices, **size)
    return T5(loaded, beams=options.beams, devices=devices, **size)


def _remote(options: GradingOptions, writing: Writing | None, beside: RequestExtras | None) -> Answerer:
    from exam_core.grading.remote.batches import Batched
    from exam_core.grading.remote.meter import Prices
    from exam_core.grading.remote.model import Remote
    from exam_core.grading.remote.requesting import ServerTerms

    said: dict[str, Any] = {}
    if writing:
        said = {"max_output_tokens": writing.max_output_tokens, "schema": writing.schema, "whole": True}
    if options.max_output_tokens:
        said["max_output_tokens"] = options.max_output_tokens
    if said:
        said["timeout"] = max(120.0, 60 + said["max_output_tokens"] / SLOWEST)
    if options.timeout:
        said["timeout"] = options.timeout
    if options.temperature is not None:
        said |= {"temperature": options.temperature, "temperature_given": True}
    elif options.samples > 1:
        said["temperature"] = None
    if options.prices:
        said["prices"] = Prices(*options.prices)
    if beside:
        said |= vars(beside)
    terms = ServerTerms(
        concurrency=options.concurrency,
        requests_per_minute=options.requests_per_minute,
        tokens_per_minute=options.tokens_per_minute,
        max_tokens=options.max_tokens,
        effort="" if options.reasoning_effort == "default" else options.reasoning_effort,
        extra=extra_of(options),
        budget=options.budget,
        **said,
    )
    return Batched(Remote(options.model, options.base_url, terms), sends=options.batch)


def _devices(device: str) -> list[str]:
    """Every card of this machine, where a card was asked for without its number."""
    import torch

    count = torch.cuda.device_count() if device == "cuda" else 0
    return [f"cuda:{number}" for number in range(count)] if count > 1 else [device]

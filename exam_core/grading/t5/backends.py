"""The backend that runs T5 on this machine by PyTorch, as the authors' does."""

from __future__ import annotations

from typing import Any

from exam_core.errors import UsageError
from exam_core.grading.backend import BEAMS, LONGEST, Backend, Kind, ModelOptions, Writing
from exam_core.grading.prompt import Answerer


def _t5(options: ModelOptions, kind: Kind, writing: Writing | None, _: object) -> Answerer:
    import torch

    from exam_core.grading.t5.engine import T5, ScoredT5
    from exam_core.grading.t5.extractive import Extractive
    from exam_core.grading.t5.models import load

    loaded = load(options.model, kind, device=options.device, precision=options.precision)
    size: dict[str, Any] = {"max_tokens": options.max_tokens or LONGEST, "batch_tokens": options.batch_tokens}
    if writing:
        size["max_new_tokens"] = options.max_output_tokens or writing.max_output_tokens
    if kind == "extract":
        return Extractive(loaded, **size)
    # Every card of this machine, where a card was asked for without its number.
    count = torch.cuda.device_count() if loaded.device == "cuda" else 0
    devices = [f"cuda:{number}" for number in range(count)] if count > 1 else [loaded.device]
    if options.decoding == "scored":
        return ScoredT5(loaded, devices=devices, **size)
    return T5(loaded, beams=options.beams, devices=devices, **size)


def _refuse_t5(options: ModelOptions, kind: Kind, _: bool) -> None:
    if kind == "extract" and (options.backend != "t5" or options.decoding != "beams" or options.beams != BEAMS):
        raise UsageError(
            "This mode marks the answer in the passage: it needs --backend t5, and has no search to choose."
        )
    if options.decoding == "scored" and options.backend != "t5":
        raise UsageError("--decoding scored needs --backend t5.")


def _differences(options: ModelOptions) -> dict[str, str]:
    """What departs from the default and changes answers, for the name of the grader."""
    names: dict[str, str] = {}
    if options.precision != "fp32":
        names["precision"] = options.precision
    if options.decoding == "scored":
        names["decoding"] = "scored"
    elif options.beams != BEAMS:
        names["beams"] = "greedy" if options.beams == 1 else f"{options.beams}-beams"
    return names


ROWS = (Backend("t5", "T5 (PyTorch)", _t5, _differences, refuse=_refuse_t5),)

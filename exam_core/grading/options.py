"""How a model is asked: which program runs it, on what, in which precision, with which search.

The default (fp32, five beams) is the authors'. Whatever else changes answers makes another grader, with a name of
its own; what only changes the speed does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from exam_core.errors import UsageError

Backend = Literal["t5", "ctranslate2", "openai"]
Engine = Literal["local", "ray"]
Decoding = Literal["beams", "scored"]
Precision = Literal["fp32", "tf32", "bf16", "int8"]
Unreadable = Literal["null", "paper", "authors"]
"""What becomes of an answer that is no rating.

- null (default): nothing; it is stored without a grade and counted
- paper: 1, or 0 where it says that the question can't be answered (Farzi & Dietz 2024, EXAM++, 4.2.2)
- authors: what the released grades have, the reverse: 0, or 1 where it says that the question can't be answered
"""
BEAMS = 5
LONGEST = 512


@dataclass(frozen=True)
class Options:
    """A model and how it is asked.

    Parameters
    ----------
    model : hub id or folder; for an address, the name that it knows
    beams : 1 is greedy; `decoding` scored compares the six ratings in one step instead
    max_tokens : length of a prompt, the passage cut to fit
    batch_tokens : tokens in one batch; None: as many as suit the device
    workers : processes of a Ray cluster; None: one for each device
    base_url : address of an OpenAI-compatible server, with its limits per minute
    """

    model: str
    backend: Backend = "t5"
    engine: Engine = "local"
    device: str = "auto"
    precision: Precision = "fp32"
    decoding: Decoding = "beams"
    beams: int = BEAMS
    max_tokens: int = LONGEST
    batch_tokens: int | None = None
    workers: int | None = None
    base_url: str = ""
    concurrency: int = 8
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None

    def differences(self) -> dict[str, str]:
        """What departs from the default and changes answers, for the name of the grader."""
        said = {}
        if self.backend == "ctranslate2":
            said["engine"] = "ctranslate2"
        if self.backend != "openai":
            if self.precision != "fp32":
                said["precision"] = self.precision
            if self.decoding == "scored":
                said["decoding"] = "scored"
            elif self.beams != BEAMS:
                said["beams"] = "greedy" if self.beams == 1 else f"{self.beams}-beams"
            if self.max_tokens != LONGEST:
                said["max-tokens"] = f"{self.max_tokens}-tokens"
        return said


def refuse_impossible(options: Options, kind: Literal["generate", "extract"]) -> None:
    """Raise UsageError for options that don't go together."""
    if options.backend == "openai" and not options.base_url:
        raise UsageError("--backend openai needs --base-url, for instance http://127.0.0.1:8000/v1.")
    if options.backend != "openai" and options.base_url:
        raise UsageError("--base-url goes with --backend openai.")
    if options.precision == "int8" and options.backend != "ctranslate2":
        raise UsageError("int8 is a precision of CTranslate2: add --backend ctranslate2.")
    if options.backend == "ctranslate2" and options.precision not in ("fp32", "int8"):
        raise UsageError(f"CTranslate2 computes in fp32 or int8, not in {options.precision}.")
    if kind == "extract" and (options.backend != "t5" or options.decoding != "beams" or options.beams != BEAMS):
        raise UsageError(
            "This mode marks the answer in the passage: it needs --backend t5, and has no search to choose."
        )
    if options.decoding == "scored" and options.backend != "t5":
        raise UsageError("--decoding scored needs --backend t5.")
    if options.engine == "ray" and options.backend == "openai":
        raise UsageError("A server at an address needs no Ray: leave --engine ray out, and raise --concurrency.")

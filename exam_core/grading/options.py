"""How a model is asked: which program runs it, on what, in which precision, with which search.

The default (fp32, five beams) is the authors'. Whatever else changes answers makes another grader, with a name of
its own; what only changes the speed does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from exam_core.declared import Field
from exam_core.errors import UsageError

Backend = Literal["t5", "ctranslate2", "openai"]
Engine = Literal["local", "ray"]
Device = Literal["auto", "cpu", "cuda"]
Decoding = Literal["beams", "scored"]
Precision = Literal["fp32", "tf32", "bf16", "int8"]
Unreadable = Literal["null", "paper", "authors"]
"""What becomes of an answer that is no rating.

- null (default): nothing; it is stored without a grade and counted
- paper: 1, or 0 where it says that the question can't be answered (Farzi & Dietz 2024, EXAM++, 4.2.2)
- authors: what the released grades have, the reverse: 0, or 1 where it says that the question can't be answered
"""
PRECISIONS: dict[Backend, tuple[Precision, ...]] = {
    "t5": ("fp32", "tf32", "bf16"),
    "ctranslate2": ("fp32", "int8"),
    "openai": ("fp32",),
}
"""What each backend computes in; of a server nobody knows, and nothing is said."""
BEAMS = 5
LONGEST = 512


@dataclass(frozen=True)
class Options:
    """A model and how it is asked.

    Parameters
    ----------
    model : hub id or folder; for an address, the name that it knows; empty: the papers' for the mode
    decoding : scored compares the six ratings in one step instead of searching
    max_tokens : length of a prompt, the passage cut to fit
    """

    model: Annotated[
        str,
        Field(
            "Model: a folder or the hub's name; by default the papers' for this mode.",
            label="Model",
            explained="A folder, or a name of the Hugging Face hub; empty takes the papers' model for this mode.",
        ),
    ] = ""
    backend: Annotated[
        Backend,
        Field(
            "What runs the model.",
            label="Backend",
            explained="What runs the model. Other than T5 in fp32, grades differ a little from the authors': the "
            "grader gets a name of its own.",
            in_words={"t5": "T5 (PyTorch)", "ctranslate2": "CTranslate2", "openai": "A server (OpenAI's interface)"},
        ),
    ] = "t5"
    engine: Annotated[Engine, Field("This machine, or a Ray cluster.")] = "local"
    device: Annotated[
        Device,
        Field("What to compute on.", label="Device", explained="auto takes a GPU where there is one."),
    ] = "auto"
    precision: Annotated[
        Precision,
        Field(
            "Only fp32 gives the authors' grades.",
            label="Precision",
            explained="Numbers that the model computes with. Only fp32 gives the authors' grades.",
        ),
    ] = "fp32"
    decoding: Annotated[Decoding, Field("Search, or compare the six ratings in one step.")] = "beams"
    beams: Annotated[
        int,
        Field(
            "Width of the search; 1 is greedy.",
            least=1,
            most=64,
            label="Beams",
            explained="Width of the search for an answer; the authors use 5, and 1 is greedy.",
        ),
    ] = BEAMS
    max_tokens: Annotated[int, Field("Length of a prompt; the passage is cut to fit.", least=32)] = LONGEST
    batch_tokens: Annotated[int | None, Field("Tokens in a batch; by default as the device.", least=1)] = None
    workers: Annotated[int | None, Field("Workers of a Ray cluster; by default all devices.", least=1)] = None
    base_url: Annotated[
        str,
        Field(
            "Address of an OpenAI-compatible server. OPENAI_API_KEY is sent to the one that OPENAI_BASE_URL names "
            "alone, by default OpenAI's.",
            label="Base URL of the server",
            explained="For instance https://api.openai.com/v1; vLLM and others offer such an address too.",
        ),
    ] = ""
    concurrency: Annotated[int, Field("Requests at once to the server.", least=1)] = 8
    requests_per_minute: Annotated[float | None, Field("The server's limit.", least=0.1)] = None
    tokens_per_minute: Annotated[float | None, Field("The server's limit.", least=1)] = None
    timeout: Annotated[
        float | None,
        Field(
            "Seconds that one request to the server may take; by default longer for longer replies.",
            least=1,
            label="Longest wait (seconds)",
            explained="For one reply of the server; then it is asked again. Empty waits longer for longer replies.",
        ),
    ] = None

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


@dataclass(frozen=True)
class Writing:
    """What is asked for where a model writes freely, instead of a grade.

    Parameters
    ----------
    max_output_tokens : of an answer, thoughts included
    schema : JSON schema that a server is asked to keep to; one that refuses is asked without
    """

    max_output_tokens: int
    schema: Mapping[str, Any] | None = None


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

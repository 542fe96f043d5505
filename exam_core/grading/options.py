"""How a model is asked: which program runs it, on what, in which precision, with which search.

The default (fp32, five beams) is the authors'. Whatever else changes answers makes another grader, with a name of
its own; what only changes the speed does not.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from exam_core.declared import Field
from exam_core.errors import UsageError

Backend = Literal["t5", "ctranslate2", "openai"]
Engine = Literal["local", "ray"]
Device = Literal["auto", "cpu", "cuda"]
Decoding = Literal["beams", "scored"]
Effort = Literal["default", "minimal", "low", "medium", "high"]
Vote = Literal["majority", "median"]
Precision = Literal["fp32", "tf32", "bf16", "int8"]
Reading = Literal["auto", "flan-t5", "chat"]
"""How answers are read (`exam_core/readings`); auto: as the program writes them that runs the model."""
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
class GradingOptions:
    """A model and how it is asked.

    Parameters
    ----------
    model : hub id or folder; for an address, the name that it knows; empty: the papers' for the mode
    decoding : scored compares the six ratings in one step instead of searching
    max_tokens : length of a prompt, the passage cut to fit; None: 512 for T5, and whole passages for a server
    """

    model: Annotated[
        str,
        Field(
            "Model: a folder, or a name of the Hugging Face hub; by default the papers' model for this mode.",
            label="Model",
            explained="A folder, or a name of the Hugging Face hub. If empty: the papers' model for this mode.",
        ),
    ] = ""
    backend: Annotated[
        Backend,
        Field(
            "Program that runs the model.",
            label="Backend",
            explained="Program that runs the model. Only T5 in fp32 gives exactly the authors' grades; others give the "
            "grader a name of its own.",
            in_words={"t5": "T5 (PyTorch)", "ctranslate2": "CTranslate2", "openai": "A server (OpenAI's interface)"},
        ),
    ] = "t5"
    engine: Annotated[Engine, Field("This machine, or a Ray cluster.")] = "local"
    device: Annotated[
        Device,
        Field("Device of the model.", label="Device", explained="auto uses a GPU if there is one."),
    ] = "auto"
    precision: Annotated[
        Precision,
        Field(
            "Only fp32 gives the authors' grades.",
            label="Precision",
            explained="Precision of the model. Only fp32 gives the authors' grades.",
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
    max_tokens: Annotated[
        int | None,
        Field(
            "Length of a prompt; the passage is cut to fit. By default 512; for a server whole passages.",
            least=32,
            label="Longest prompt (tokens)",
            explained="Longer passages are cut to fit, at 1.3 tokens a word. If empty: sent whole, and cut if the "
            "server refuses them as too long.",
        ),
    ] = None
    batch_tokens: Annotated[int | None, Field("Tokens in a batch; by default by the device.", least=1)] = None
    workers: Annotated[int | None, Field("Workers of a Ray cluster; by default all devices.", least=1)] = None
    base_url: Annotated[
        str,
        Field(
            "Address of an OpenAI-compatible server. OPENAI_API_KEY is only sent to the server in OPENAI_BASE_URL, "
            "by default OpenAI's.",
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
            "Seconds until a request to the server times out; by default longer for longer replies.",
            least=1,
            label="Longest wait (seconds)",
            explained="Seconds until a request is sent again. If empty: longer for longer replies.",
        ),
    ] = None
    temperature: Annotated[
        float | None,
        Field(
            "Temperature of a server's model; by default 0, or the server's own if the model takes none.",
            least=0,
            most=2,
            label="Temperature",
            explained="If empty: 0, or the server's own if the model takes none or several answers are asked for.",
        ),
    ] = None
    max_output_tokens: Annotated[
        int | None,
        Field(
            "Longest answer of a server in tokens, reasoning included; by default 512 for a grade, 2,048 for "
            "questions.",
            least=1,
            most=200_000,
            label="Longest answer (tokens)",
            explained="Reasoning included, which may take thousands. If empty: 512 for a grade, 2,048 for questions "
            "(ten take some 300).",
        ),
    ] = None
    reasoning_effort: Annotated[
        Effort,
        Field(
            "Reasoning effort of a server's model; by default the server's own.",
            label="Reasoning effort",
            explained="Only some models take it.",
            in_words={"default": "the server's own"},
        ),
    ] = "default"
    samples: Annotated[
        int,
        Field(
            "Answers of a server to each prompt; --samples-by makes one grade of them.",
            least=1,
            most=99,
            label="Answers to each prompt",
            explained="Several answers, at a temperature above 0, make one grade. Raised later, only new ones are "
            "asked.",
        ),
    ] = 1
    samples_by: Annotated[
        Vote,
        Field(
            "Grade of several answers: the most frequent one, or the median; of two the lower.",
            label="Their grade",
            explained="Of two equally frequent or middle grades, the lower one. Unreadable answers don't count.",
            in_words={"majority": "the most frequent one", "median": "the median"},
        ),
    ] = "majority"
    extra: Annotated[
        str,
        Field(
            'More fields of each request to a server, as JSON: {"top_p": 0.9}.',
            label="More fields of a request (JSON)",
            explained='A JSON object, such as {"top_p": 0.9}, which each request is given besides.',
        ),
    ] = ""
    price_in: Annotated[
        float | None,
        Field(
            "Price of a million tokens of prompts; see your server's price list.",
            least=0,
            label="Price of a million tokens sent",
            explained="In any currency, from your server's price list. With both prices, plans and jobs show the cost.",
        ),
    ] = None
    price_out: Annotated[
        float | None,
        Field(
            "Price of a million tokens of answers, reasoning included.",
            least=0,
            label="Price of a million tokens answered",
            explained="Reasoning included, in the same currency.",
        ),
    ] = None
    budget: Annotated[
        float | None,
        Field(
            "Stop before prompts cost more than this, with those of earlier jobs for these grades (exit status 3).",
            least=0,
            label="Budget",
            explained="The job stops before its prompts, and those of earlier jobs for these grades, cost more than "
            "this. To go on, start it with a higher budget.",
        ),
    ] = None
    json_schema: Annotated[
        bool,
        Field(
            "Ask the server for JSON on the mode's scale; if it refuses, ask without.",
            option="--schema",
            label="Ask for JSON (response_format)",
            explained="May change answers, so the grader gets another name.",
        ),
    ] = False
    batch: Annotated[
        bool,
        Field(
            "Ask by OpenAI's batch interface: within a day, at a lower price.",
            label="By batches",
            explained="Sends all prompts at once; some servers answer such batches within a day at a lower price. A "
            "stopped job leaves its batches at the server and takes their answers when it starts again.",
        ),
    ] = False

    @property
    def prices(self) -> tuple[float, float] | None:
        """Of a million tokens of prompts and of answers; None where they aren't given."""
        return None if self.price_in is None or self.price_out is None else (self.price_in, self.price_out)

    def differences(self) -> dict[str, str]:
        """What departs from the default and changes answers, for the name of the grader."""
        said = {}
        if self.backend == "ctranslate2":
            said["engine"] = "ctranslate2"
        if self.backend == "openai":
            if self.json_schema:
                said["schema"] = "schema"
        else:
            if self.precision != "fp32":
                said["precision"] = self.precision
            if self.decoding == "scored":
                said["decoding"] = "scored"
            elif self.beams != BEAMS:
                said["beams"] = "greedy" if self.beams == 1 else f"{self.beams}-beams"
        if self.max_tokens not in (None, None if self.backend == "openai" else LONGEST):
            said["max-tokens"] = f"{self.max_tokens}-tokens"
        return said | self.of_a_server()

    def of_a_server(self) -> dict[str, str]:
        """What of it only a server takes, as `differences`."""
        said = {}
        if self.temperature is not None:
            said["temperature"] = f"temperature-{self.temperature:g}"
        if self.max_output_tokens:
            said["max-output-tokens"] = f"{self.max_output_tokens}-output-tokens"
        if self.reasoning_effort != "default":
            said["reasoning-effort"] = f"{self.reasoning_effort}-effort"
        if self.samples > 1:
            said["samples"] = f"{self.samples}-samples" + ("-median" if self.samples_by == "median" else "")
        if self.extra:
            said["extra"] = (
                "extra-" + hashlib.sha256(json.dumps(extra_of(self), sort_keys=True).encode()).hexdigest()[:6]
            )
        return said


LONGEST_REPLY = 2048
"""Tokens of what a model writes freely, where nobody says more: ten questions take some 300."""


@dataclass(frozen=True)
class Writing:
    """What is asked for where a model writes freely, instead of a grade.

    Parameters
    ----------
    max_output_tokens : of an answer, thoughts included
    schema : JSON schema that a server is asked to keep to; one that refuses is asked without
    """

    max_output_tokens: int = LONGEST_REPLY
    schema: Mapping[str, Any] | None = None


_OWN = {
    "model": "--model",
    "messages": "the grading mode",
    "temperature": "--temperature",
    "max_tokens": "--max-output-tokens",
    "max_completion_tokens": "--max-output-tokens",
    "reasoning_effort": "--reasoning-effort",
    "n": "--samples",
}
"""What of a request is said elsewhere."""


def extra_of(options: GradingOptions) -> dict[str, Any]:
    """The fields that `extra` gives each request.

    Raises
    ------
    UsageError : it is no JSON object, or has what is said elsewhere or what no answer could be read of
    """
    if not options.extra.strip():
        return {}
    try:
        found = json.loads(options.extra, parse_constant=_no_json)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"--extra is no JSON ({str(error)[:80]}). Write an object: --extra '{{\"top_p\": 0.9}}'"
        ) from None
    if not isinstance(found, dict):
        raise UsageError("--extra is no JSON object. Write one: --extra '{\"top_p\": 0.9}'")
    for name in found:
        if name in _OWN:
            raise UsageError(f"--extra has {name}, which {_OWN[name]} says: leave it out.")
    if found.get("stream"):
        raise UsageError("--extra asks for a stream, and answers are read as a whole: leave stream out.")
    return found


def _money(options: GradingOptions) -> dict[str, float]:
    """What is said of prices."""
    said = {"price-in": options.price_in, "price-out": options.price_out, "budget": options.budget}
    return {name: value for name, value in said.items() if value is not None}


def _no_json(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


@dataclass(frozen=True)
class RequestExtras:
    """What a server is told beside prompts for grades.

    Parameters
    ----------
    system : before each prompt
    schema : JSON schema that answers are asked to keep to
    """

    system: str = ""
    schema: Mapping[str, Any] | None = None


def refuse_impossible(options: GradingOptions, kind: Literal["generate", "extract"], *, writes: bool = False) -> None:
    """Raise UsageError for options that don't go together; `writes`: whether it is to write freely instead of grade."""
    if options.backend == "openai" and not options.base_url:
        raise UsageError("--backend openai needs --base-url, for instance http://127.0.0.1:8000/v1.")
    if options.backend != "openai" and options.json_schema:
        raise UsageError("--schema is asked of servers: it goes with --backend openai.")
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
    of_a_server = {**options.of_a_server(), **_money(options)} | ({"batch": True} if options.batch else {})
    said = [name for name in of_a_server if not (writes and name == "max-output-tokens")]
    if options.backend != "openai" and said:
        raise UsageError(f"--{', --'.join(said)}: goes with --backend openai.")
    if len(prices := [name for name in _money(options) if name != "budget"]) == 1 or (
        options.budget is not None and not prices
    ):
        raise UsageError("Give both prices, --price-in and --price-out, of a million tokens; a --budget needs them.")
    extra_of(options)
    if options.samples > 1 and options.temperature == 0:
        raise UsageError(
            "--samples asks for answers that differ, and --temperature 0 gives the same one again. Give a temperature "
            "above 0, or leave it out: then the server's own is used."
        )
    if options.engine == "ray" and options.backend == "openai":
        raise UsageError("A server at an address needs no Ray: leave --engine ray out, and raise --concurrency.")

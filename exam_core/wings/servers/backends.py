"""The backend of servers: an address that speaks as OpenAI's does."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from exam_core.declared import Field
from exam_core.errors import GraderError, UsageError
from exam_core.grading.backend import Backend, Kind, ModelOptions, Vote, Writing
from exam_core.grading.prompt import Answerer

Effort = Literal["default", "minimal", "low", "medium", "high"]
SLOWEST = 10.0
"""Tokens that the slowest server writes in a second, where replies are long."""


@dataclass(frozen=True)
class ServerOptions(ModelOptions):
    """A server's model and how it is asked."""

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
    timeout: Annotated[
        float | None,
        Field(
            "Seconds to wait for a reply before the request is sent again; by default longer for longer replies.",
            least=1,
            label="Longest wait (seconds)",
            explained="Seconds to wait for a reply before the request is sent again. If empty: longer for longer "
            "replies.",
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
            explained="Several answers, at a temperature above 0, make one grade. If you raise this later, only the "
            "additional answers are asked for.",
        ),
    ] = 1
    samples_by: Annotated[
        Vote,
        Field(
            "Grade of several answers: the most frequent one, the median, of two the lower, or the last answer alone.",
            label="Their grade",
            explained="Of two equally frequent or middle grades, the lower one; unreadable answers don't count. The "
            "last answer alone is a repetition, to compare with that of fewer answers: nothing is asked again.",
            in_words={"majority": "the most frequent one", "median": "the median", "last": "the last one alone"},
        ),
    ] = "majority"
    extra: Annotated[
        str,
        Field(
            'More fields of each request to a server, as JSON: {"top_p": 0.9}.',
            label="More fields of a request (JSON)",
            explained='A JSON object, such as {"top_p": 0.9}, that is added to each request.',
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


def _load(options: ServerOptions, _: Kind, writing: Writing | None, system: str) -> Answerer:
    from exam_core.wings.servers.batch_interface import Batched
    from exam_core.wings.servers.remote import Remote
    from exam_core.wings.servers.replies import Prices, ServerTerms

    fields: dict[str, Any] = {}
    if writing:
        fields = {"max_output_tokens": writing.max_output_tokens, "schema": writing.schema, "whole": True}
    if options.max_output_tokens:
        fields["max_output_tokens"] = options.max_output_tokens
    if fields:
        fields["timeout"] = max(120.0, 60 + fields["max_output_tokens"] / SLOWEST)
    if options.timeout:
        fields["timeout"] = options.timeout
    if options.temperature is not None:
        fields |= {"temperature": options.temperature, "temperature_given": True}
    elif options.samples > 1:
        fields["temperature"] = None
    if options.prices:
        fields["prices"] = Prices(*options.prices)
    terms = ServerTerms(
        concurrency=options.concurrency,
        max_tokens=options.max_tokens,
        effort="" if options.reasoning_effort == "default" else options.reasoning_effort,
        extra=extra_of(options.extra),
        budget=options.budget,
        system=system,
        **fields,
    )
    return Batched(Remote(options.model, _with_path(options.base_url), terms), sends=options.batch)


def _with_path(base_url: str) -> str:
    """Return the address below which a server lists models, if only its host and port are named: mostly /v1."""
    from exam_core.wings.servers.connection import listed_models

    if not urlsplit(base_url.strip()).path.strip("/"):
        with suppress(GraderError):
            return listed_models(base_url)[0]
    return base_url


def _refuse(options: ServerOptions, _: Kind, writes: bool) -> None:
    is_chosen = options.backend == SERVER.name
    if is_chosen and not options.base_url:
        raise UsageError("--backend openai needs --base-url, for instance http://127.0.0.1:8000/v1.")
    if not is_chosen and options.base_url:
        raise UsageError("--base-url goes with --backend openai.")
    only_here = {**_further(options), **_money(options)} | ({"batch": True} if options.batch else {})
    sentences = [name for name in only_here if not (writes and name == "max-output-tokens")]
    if not is_chosen and sentences:
        raise UsageError(f"--{', --'.join(sentences)}: goes with --backend openai.")
    if len(prices := [name for name in _money(options) if name != "budget"]) == 1 or (
        options.budget is not None and not prices
    ):
        raise UsageError("Give both prices, --price-in and --price-out, of a million tokens; a --budget needs them.")
    extra_of(options.extra)
    if options.samples > 1 and options.temperature == 0:
        raise UsageError(
            "--samples asks for answers that differ, and --temperature 0 gives the same one again. Give a temperature "
            "above 0, or leave it out: then the server's own is used."
        )
    if options.engine == "ray" and is_chosen:
        raise UsageError("A server at an address needs no Ray: leave --engine ray out, and raise --concurrency.")


def _environment(options: ServerOptions, confirmed: Collection[str]) -> Mapping[str, str]:
    from exam_core.wings.servers import allowed_servers

    address = options.base_url
    if address and not allowed_servers.is_named(address):
        if allowed_servers.is_confirmed(address, confirmed):
            return {allowed_servers.SERVERS: allowed_servers.servers_with(address)}
        allowed_servers.refuse_inner(address)
    return {}


def _further(options: ServerOptions) -> dict[str, str]:
    """Return the options that only a server takes and that change answers, as parts of a name."""
    names = {}
    if options.temperature is not None:
        names["temperature"] = f"temperature-{options.temperature:g}"
    if options.max_output_tokens:
        names["max-output-tokens"] = f"{options.max_output_tokens}-output-tokens"
    if options.reasoning_effort != "default":
        names["reasoning-effort"] = f"{options.reasoning_effort}-effort"
    if options.samples > 1:
        names["samples"] = f"{options.samples}-samples" + (
            "" if options.samples_by == "majority" else f"-{options.samples_by}"
        )
    if options.extra:
        names["extra"] = extra_name(options.extra)
    return names


def _money(options: ServerOptions) -> dict[str, float]:
    values = {"price-in": options.price_in, "price-out": options.price_out, "budget": options.budget}
    return {name: value for name, value in values.items() if value is not None}


SERVER = Backend(
    "openai",
    "A server (OpenAI's interface)",
    _load,
    _further,
    options=ServerOptions,
    refuse=_refuse,
    environment=_environment,
    meant_by="base_url",
    without_effect=(*("concurrency", "timeout", "batch"), *("price_in", "price_out", "budget")),
    reading="chat",
    longest=None,
    is_told_apart=True,
)
ROWS = (SERVER,)
_OWN = {
    "model": "--model",
    "messages": "the grading mode",
    "temperature": "--temperature",
    "max_tokens": "--max-output-tokens",
    "max_completion_tokens": "--max-output-tokens",
    "reasoning_effort": "--reasoning-effort",
    "n": "--samples",
}
"""Fields of a request that other options set."""


def extra_of(text: str) -> dict[str, Any]:
    """Return the fields that `--extra` adds to each request.

    Raises UsageError where the text is no JSON object, or has a field that another option sets.
    """
    if not text.strip():
        return {}
    try:
        record = json.loads(text, parse_constant=_no_json)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"--extra is not JSON ({str(error)[:80]}). Write an object: --extra '{{\"top_p\": 0.9}}'"
        ) from None
    if not isinstance(record, dict):
        raise UsageError("--extra is not a JSON object. Write one: --extra '{\"top_p\": 0.9}'")
    for name in record:
        if name in _OWN:
            raise UsageError(f"--extra has {name}, which {_OWN[name]} sets: leave it out.")
    return record


def extra_name(text: str) -> str:
    """Return the part of a grader's name that stands for such fields; errors as `extra_of`."""
    return "extra-" + hashlib.sha256(json.dumps(extra_of(text), sort_keys=True).encode()).hexdigest()[:6]


def _no_json(name: str) -> Any:
    raise ValueError(f"{name} is not a number of JSON")

"""On which terms a server is asked, and the requests that say so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from exam_core.errors import UsageError
from exam_core.wings.servers.grading.meter import Prices
from exam_core.wings.servers.grading.replies import Reply


@dataclass(frozen=True)
class ServerTerms:
    """On which terms a server is asked. Raises UsageError where one of them is out of range.

    Parameters
    ----------
    concurrency : requests under way at once, and threads
    requests_per_minute, tokens_per_minute : None for no limit. A request counts as the estimated tokens of its
        prompt plus `max_output_tokens`, as hosted services count it before it runs
    temperature : None leaves it out
    temperature_given : whether somebody asked for this one; else a model that refuses it is asked without
    timeout : seconds for one request, from start to the last byte
    retries : tries after the first; the pauses double from 1 to 60 s, each multiplied by a random number in [0, 1].
        At most 3 at an address that can't be connected to, or sends no completion, and has answered nothing yet
    max_tokens : of a prompt, estimated, its passage cut to fit; None for the whole passage
    schema : JSON schema that answers are asked to keep to, under the name answer; a server that refuses it is asked
        without. Many don't know it and ignore it, so no answer can be relied on to keep to it
    whole : whether thoughts and code fences stay in an answer
    system : what the model is told before each prompt; empty: nothing
    effort : of reasoning; empty leaves it out
    extra : more fields of each request
    prices, budget : of tokens, and what they may cost in all; None for no limit
    """

    concurrency: int = 8
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    max_output_tokens: int = 512
    temperature: float | None = 0.0
    temperature_given: bool = False
    timeout: float = 120.0
    retries: int = 8
    max_tokens: int | None = None
    schema: Mapping[str, Any] | None = None
    whole: bool = False
    system: str = ""
    effort: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    prices: Prices | None = None
    budget: float | None = None

    def __post_init__(self) -> None:
        limits = ("requests_per_minute", "tokens_per_minute", "max_output_tokens", "max_tokens")
        for name in ("concurrency", "timeout", *limits):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise UsageError(f"{name} is {value}. Give a number above 0.")

    def further(self) -> dict[str, Any]:
        """What answers depend on besides model, address, temperature and length, where it is not at its default."""
        told = {"schema": self.schema, "max_tokens": self.max_tokens, "effort": self.effort, "extra": dict(self.extra)}
        told["system"] = self.system
        return {name: value for name, value in told.items() if value}


@dataclass(frozen=True)
class RequestForm:
    """How a model takes requests, as far as its refusals have told.

    Parameters
    ----------
    limit : what the longest answer is called: reasoning models of OpenAI know the newer name only, older servers the
        other one
    temperature : None where it takes none
    schema : whether it is asked to keep to the schema
    """

    limit: str = "max_tokens"
    temperature: float | None = None
    schema: bool = False

    def after(self, reply: Reply, *, given: bool = False) -> RequestForm | None:
        """What to try after such a reply; None where the form is not at fault.

        It may be the schema that is refused; where it isn't, the next prompt asks for it again.

        Parameters
        ----------
        given : whether the temperature was asked for by somebody, so that it is not left out
        """
        if reply.said or reply.excess:
            return None
        if reply.status == 400 and self.limit == "max_tokens" and "max_completion_tokens" in reply.message:
            return replace(self, limit="max_completion_tokens")
        if self.temperature is not None and not given and reply.refuses("temperature"):
            return replace(self, temperature=None)
        if self.schema and reply.status in (400, 422):
            return replace(self, schema=False)
        return None


def request_of(model: str, text: str, terms: ServerTerms, form: RequestForm) -> dict[str, Any]:
    """The body of a request for a chat completion."""
    said = [{"role": "system", "content": terms.system}] if terms.system else []
    said.append({"role": "user", "content": text})
    asked: dict[str, Any] = {"model": model, "messages": said, form.limit: terms.max_output_tokens}
    if form.temperature is not None:
        asked["temperature"] = form.temperature
    if terms.effort:
        asked["reasoning_effort"] = terms.effort
    if form.schema:
        answer = {"name": "answer", "schema": terms.schema, "strict": True}
        asked["response_format"] = {"type": "json_schema", "json_schema": answer}
    return {**asked, **terms.extra}

"""Requests to an OpenAI-compatible server and its replies: answers, refusals, tokens and their price."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from threading import Lock
from typing import Any

import msgspec

from exam_core.errors import UsageError
from exam_core.grading.prompt import ModelAnswer, Usage
from exam_core.wings.servers.allowed_servers import harmless
from exam_core.wording import cut_at_word

LONGEST_COMPLAINT = 2**16
"""Bytes of a reply in which a server's message is sought."""
_NUMBER = re.compile(r"\d{1,15}(\.\d{1,9})?", re.ASCII)
_FENCE, _LANGUAGE = "```", re.compile(r"[\w+-]*")
_PASSING = {0, 200, 408, 409, 425, 429}
"""Statuses that another try may improve; 0: no reply, 200: a reply that is no completion."""
_BILLING = {
    *("insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "credit_balance_exhausted"),
    *("organization_spend_limit_exceeded", "organization_usage_limit_exceeded", "project_spend_limit_exceeded"),
}
_UNSUPPORTED = re.compile(
    r"support|deprecat|unknown|unrecogni|unexpected|extra inputs|not (allowed|permitted)|only|must be", re.IGNORECASE
)
_FILTERS = {"content_filter", "content_policy_violation", "data_inspection_failed"}
_TOO_LONG = re.compile(
    r"context[ _-]?(length|size|window)|maximum context|reduce the length|prompt is too long|input is too long"
    r"|tokens`? \+ `?max_new_tokens|must have less than \d+ tokens|longer than the (maximum )?model"
    r"|too many tokens|token count .*exceeds|exceeds? .*(maximum|available).*tokens",
    re.IGNORECASE,
)
_EXCEEDED = re.compile(r"exceeds?\b.{0,40}\bcontext|context (size|length|window) (has been )?exceeded", re.IGNORECASE)
"""The same where a server calls it a failure of its own (llama.cpp and what is made of it)."""
_LIMITS = (
    r"n_ctx: (\d+)",
    r"context[ _-]?(?:length|size|window)\D{0,40}(\d+)",
    r"\d+ tokens? > (\d+)",
    r"must be <= ?(\d+)",
    r"(\d+) maximum context",
    r"tokens allowed \((\d+)",
    r"less than (\d+) tokens",
    r"maximum model length of (\d+)",
    r"limit (?:is|of) (\d+)",
)
_GIVEN = (
    r"(\d+) (?:tokens )?in the (?:messages|prompt|input)",
    r"(\d+) `?inputs?`? tokens",
    r"(\d+) tokens? >",
    r"contains (\d+) tokens",
    r"first (\d+) tokens",
    r"token count \((\d+)",
    r"\b(?:request|input|prompt|tokens) \((?:(?:total )?length )?(\d+)",
    r"(\d+) tokens from the input",
    r"resulted in (\d+) tokens",
    r"n_keep: (\d+)",
    r"(?:too long:|Given:|length is) (\d+)",
    r"requested (\d+) tokens",
)
"""How servers word how long a prompt is, and how long it may be: OpenAI, vLLM, SGLang, TGI, llama.cpp (Ollama),
LM Studio, Mistral, Gemini, Cerebras."""
_TITLE = re.compile(r"<title[^<>]*>([^<>]{1,200})</title>", re.IGNORECASE)


@dataclass(frozen=True)
class Excess:
    """A prompt that is too long: tokens that the model reads, and that the prompt has; 0 where it isn't said."""

    limit: int = 0
    tokens: int = 0


@dataclass(frozen=True)
class Reply:
    """The outcome of one request: an answer, or a status (0: no reply) and the server's message.

    Parameters
    ----------
    unpaid : the account is empty, or at a limit of its own
    wait : seconds for which the server wants no request
    refused : the field of the request that is refused, where the server names it
    filtered : whether a filter refused the prompt
    excess : of a prompt that is too long for the model
    hollow : whether it came as a success and holds no completion
    """

    status: int
    answer: ModelAnswer | None = None
    message: str = ""
    unpaid: bool = False
    wait: float = 0.0
    refused: str = ""
    filtered: bool = False
    excess: Excess | None = None
    hollow: bool = False

    @property
    def passing(self) -> bool:
        """Whether another try may succeed."""
        return not self.excess and (self.status in _PASSING or self.status >= 500)

    @property
    def story(self) -> str:
        """The outcome, in half a sentence."""
        return f"HTTP {self.status}: {self.message}" if self.status else self.message

    def failed(self, more: str = "") -> ModelAnswer:
        """Return the prompt without an answer, and the reason."""
        reason = "context" if self.excess else "filter" if self.filtered else "error"
        return ModelAnswer(None, failure=self.story + more, reason=reason)

    def refuses(self, field: str) -> bool:
        """Return whether this field of the request may be refused."""
        if self.status not in (400, 422):
            return False
        # A message may quote the prompt, which may be about temperatures.
        match = field in self.message.lower() and _UNSUPPORTED.search(self.message)
        return self.refused == field or (not self.refused and bool(match))


def read_reply(
    status: int, headers: Mapping[str, str], body: bytes, max_output_tokens: int, *, whole: bool = False
) -> Reply:
    """Return the outcome of a chat completion, as `Connection.exchange` gives it; `whole` as of `read_completion`."""
    if status == 200 and (answer := read_completion(body, max_output_tokens, whole=whole)):
        return Reply(status, answer)
    message, error = _complaint(body)
    hollow = status == 200
    code = error.get("code")
    if 300 <= status < 400:
        message = f"moved to {harmless(headers.get('Location', ''))}"
    elif status == 200:
        message = f"no chat completion, but {message or 'nothing'}"
        if type(code) is int and 400 <= code < 600:  # gateways reply 200 with their provider's status in the body
            status = code
    if status in (429, 503):
        within = error.get("metadata")
        headers = (_lower(within.get("headers")) if isinstance(within, dict) else {}) | _lower(headers)
    names = {str(error.get(name)) for name in ("code", "type")}
    return Reply(
        status,
        message=_short(message),
        unpaid=bool(names & _BILLING) or status == 402,
        wait=seconds_to_wait(headers) if status in (429, 503) else 0.0,
        refused=str(error.get("param") or ""),
        filtered=bool(names & _FILTERS),
        excess=_excess(message, error, status) if status in (400, 413, 422, 500) else None,
        hollow=hollow,
    )


class _Part(msgspec.Struct):
    text: str | None = None
    type: str = "text"


class _Message(msgspec.Struct):
    content: str | list[_Part] | None = None
    refusal: str | None = None
    reasoning: Any = None
    reasoning_content: Any = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None
    logprobs: Any = None


class _Completion(msgspec.Struct):
    choices: list[_Choice]
    usage: Any = None


class _Delta(msgspec.Struct):
    content: str | None = None
    refusal: str | None = None
    reasoning_content: str | None = None


class _Piece(msgspec.Struct):
    delta: _Delta | None = None
    finish_reason: str | None = None


class _Event(msgspec.Struct):
    choices: list[_Piece] = []
    usage: Any = None


class _ListedModel(msgspec.Struct):
    id: str


class _Models(msgspec.Struct):
    data: list[_ListedModel]


def read_completion(body: bytes, max_output_tokens: int, *, whole: bool = False) -> ModelAnswer | None:
    """Return the answer in the body of a chat completion; None if the body is none, or broke off.

    `whole` keeps thoughts and code fences, for callers that read them better than `bare`.
    """
    try:
        completion = _completion(body)
    except (ValueError, RecursionError):
        return None
    used = _usage(completion.usage)

    def failed(failure: str, reason: str) -> ModelAnswer:
        return ModelAnswer(None, failure=failure, reason=reason, usage=used)

    if not completion.choices:
        return failed("the server sent no choice", "empty")
    message, end = completion.choices[0].message, completion.choices[0].finish_reason
    if message.refusal:
        return failed(f"the model refused: {_short(message.refusal)}", "refusal")
    if end == "content_filter":
        return failed("the server's content filter stopped it", "filter")
    content = message.content or ""
    if not isinstance(content, str):
        content = "".join(part.text or "" for part in content if part.type == "text")
    content = content.encode(errors="ignore").decode()  # not half of an emoji, where an answer was cut within it
    text = content.strip() if whole else bare(content)
    if text:
        likelihoods = likelihoods_of(completion.choices[0].logprobs, text)
        return ModelAnswer(text, stopped=end == "length", usage=used, likelihoods=likelihoods)
    if end == "length":
        return failed(f"no answer, stopped at max_output_tokens={max_output_tokens}", "length")
    thought = content.strip() or message.reasoning or message.reasoning_content
    return failed("the model wrote reasoning and no answer" if thought else "the model's answer is empty", "empty")


class _Candidate(msgspec.Struct):
    token: str
    logprob: float


class _Token(_Candidate):
    top_logprobs: list[_Candidate] = []


class _Logprobs(msgspec.Struct):
    content: list[_Token] = []


def likelihoods_of(logprobs: Any, answer: str) -> dict[str, float] | None:
    """Return log-likelihoods of the answer and of others that differ from it in one token, by their words.

    `logprobs` is what a completion has of the tokens (`"logprobs": true, "top_logprobs": 20` in the request). The token
    is the only one of the answer, or the only one with a digit. None where there is no such, or nothing is known.
    """
    try:
        tokens = msgspec.convert(logprobs, _Logprobs).content
    except msgspec.ValidationError:
        return None
    start = "".join(token.token for token in tokens).rfind(answer)
    words, end = list[tuple[int, _Token]](), 0
    for token in tokens:
        begin, end = end, end + len(token.token)
        if start >= 0 and end > start and begin < start + len(answer) and token.token.strip():
            words.append((begin - start, token))
    if len(words) != 1:
        words = [(at, token) for at, token in words if any(map(str.isdigit, token.token))]
    if len(words) != 1:
        return None
    at, token = words[0]
    likelihoods: dict[str, float] = {}
    for candidate in {item.token: item for item in (*token.top_logprobs, token)}.values():
        text = f"{answer[: max(at, 0)]}{candidate.token}{answer[at + len(token.token) :]}".strip()
        others = likelihoods.get(text, -math.inf)
        most = max(others, candidate.logprob)
        if most > -math.inf:
            likelihoods[text] = most + math.log(math.exp(others - most) + math.exp(candidate.logprob - most))
    return likelihoods


def _completion(body: bytes) -> _Completion:
    """Return a completion as JSON, perhaps as only Python reads it (NaN, halves of emoji), or as a stream of events.

    Raises ValueError where the body is none of these, or broke off.
    """
    if body.lstrip().startswith((b"data:", b": ", b"event:")):
        return _streamed(body)
    try:
        return msgspec.json.decode(body, type=_Completion)
    except ValueError:
        if len(body) > LONGEST_COMPLAINT:
            raise
        return msgspec.convert(json.loads(body.decode("utf-8-sig", "replace")), _Completion)


def _streamed(body: bytes) -> _Completion:
    """Return the completion that the events of a stream make. Raises ValueError where its end is missing."""
    contents = [line.removeprefix(b"data:").strip() for line in body.splitlines() if line.startswith(b"data:")]
    events = [msgspec.json.decode(content, type=_Event) for content in contents if content != b"[DONE]"]
    pieces = [event.choices[0] for event in events if event.choices]
    ends = [piece.finish_reason for piece in pieces if piece.finish_reason]
    if not ends:
        raise ValueError("the stream has no end")
    deltas = [piece.delta or _Delta() for piece in pieces]
    words: dict[str, Any] = {
        name: "".join(getattr(delta, name) or "" for delta in deltas)
        for name in ("content", "refusal", "reasoning_content")
    }
    usage = next((event.usage for event in reversed(events) if event.usage), None)
    return _Completion([_Choice(_Message(**words), ends[-1])], usage)


def _usage(text: Any) -> Usage | None:
    """Return tokens as the server counts them; None where it doesn't, or the numbers are impossible."""
    if isinstance(text, dict):
        prompt, answer = text.get("prompt_tokens"), text.get("completion_tokens", 0)
        if type(prompt) is int and type(answer) is int and 0 <= prompt < 2**31 and 0 <= answer < 2**31:
            return Usage(prompt, answer)
    return None


def bare(content: str) -> str:
    """Return the answer without the thoughts before it and the code fence around it; empty if the thoughts never end.

    Some servers put the opening <think> into the prompt, so that only the closing one is seen.
    """
    if "</think>" in content:
        content = content.rpartition("</think>")[2]
    elif content.lstrip().startswith("<think>"):
        return ""
    content = content.strip()
    if content.startswith(_FENCE) and content.find(_FENCE, len(_FENCE)) == len(content) - len(_FENCE):
        first, end, rest = content.removeprefix(_FENCE).removesuffix(_FENCE).partition("\n")
        return (rest if end and _LANGUAGE.fullmatch(first) else first + end + rest).strip()
    return content


def read_models(body: bytes) -> list[str]:
    """Return names of the models that a server lists; empty where the body is no list."""
    try:
        return [_short(model.id) for model in msgspec.json.decode(body, type=_Models).data]
    except (ValueError, RecursionError):
        return []


def seconds_to_wait(headers: Mapping[str, str]) -> float:
    """Return the seconds of Retry-After, a number or an HTTP date, or of X-RateLimit-Reset; 0 if unreadable.

    A date is taken against the server's own Date: the two clocks may differ. X-RateLimit-Reset is in seconds, or a
    time in seconds or milliseconds since 1970.
    """
    names = _lower(headers)
    value = names.get("retry-after", "").strip()
    if _NUMBER.fullmatch(value):
        return float(value)
    try:
        until, now = parsedate_to_datetime(value), parsedate_to_datetime(names.get("date", ""))
        return max(0.0, (until - now).total_seconds())
    except (ValueError, TypeError, OverflowError):
        pass
    value = names.get("x-ratelimit-reset", "").strip()
    if not _NUMBER.fullmatch(value):
        return 0.0
    reset = float(value) / (1000 if float(value) > 1e11 else 1)
    return max(0.0, reset - time.time()) if reset > 1e8 else reset


def _complaint(body: bytes) -> tuple[str, dict[str, Any]]:
    """Return the message in the body of an error, as OpenAI, vLLM, Ollama, FastAPI word it, and its other fields."""
    if body[:LONGEST_COMPLAINT].lstrip().startswith(b"<"):
        title = _TITLE.search(_start(body))
        return f"HTML ({title[1]})" if title else "HTML", {}
    try:
        # A long body is no error's: a million empty lists would take gigabytes.
        content = msgspec.json.decode(body) if len(body) <= LONGEST_COMPLAINT else _start(body)
    except (ValueError, RecursionError):
        content = _start(body)
    error = content.get("error", content) if isinstance(content, dict) else content
    message = str((error.get("message") or error.get("detail") or error) if isinstance(error, dict) else error)
    if message.startswith('{"error":') and message != _start(body):  # Ollama passes on what llama.cpp answered
        return _complaint(message.encode())
    return message, error if isinstance(error, dict) else {}


def _excess(message: str, error: Mapping[str, Any], status: int) -> Excess | None:
    """Return by how much a prompt is too long; None where something else is wrong."""
    codes = (error.get("code"), error.get("type"))
    known = "context_length_exceeded" in codes or "exceed_context_size_error" in codes
    if not known and not (_TOO_LONG if status < 500 else _EXCEEDED).search(message[:2000]):
        return None
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", message[:2000])
    limit, count = _first(_LIMITS, plain), _first(_GIVEN, plain)
    pair = error.get("n_ctx"), error.get("n_prompt_tokens")  # llama.cpp
    return Excess(*(pair if all(type(number) is int for number in pair) else (limit, count)))


def _first(patterns: tuple[str, ...], text: str) -> int:
    match = next(filter(None, (re.search(pattern, text, re.IGNORECASE) for pattern in patterns)), None)
    return int(match[1][:9]) if match else 0


def _lower(headers: Any) -> dict[str, str]:
    return {str(name).lower(): str(value) for name, value in headers.items()} if isinstance(headers, Mapping) else {}


def _start(body: bytes) -> str:
    return body[:LONGEST_COMPLAINT].decode(errors="replace")


def _short(text: str) -> str:
    return cut_at_word(" ".join(text[:LONGEST_COMPLAINT].split()), 200)


@dataclass(frozen=True)
class ServerTerms:
    """The terms of asking a server. Raises UsageError where one of them is out of range.

    Parameters
    ----------
    concurrency : requests under way at once, and threads
    temperature : None leaves it out
    temperature_given : whether somebody chose it; else a model that refuses it is asked without
    timeout : seconds for one request, from start to the last byte
    retries : tries after the first; the pauses double from 1 to 60 s, each multiplied by a random number in [0, 1].
        At most 3 at an address without a connection or a completion so far
    max_tokens : of a prompt, estimated, its passage cut to fit; None for the whole passage
    schema : JSON schema of answers, under the name answer; a server that refuses it is asked without. Many ignore it,
        so no answer can be relied on to keep to it
    whole : whether thoughts and code fences stay in an answer
    system : text before each prompt; empty for none
    effort : of reasoning; empty leaves it out
    extra : more fields of each request
    prices, budget : of tokens, and of all together; None for no limit
    """

    concurrency: int = 8
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
        for name in ("concurrency", "timeout", "max_output_tokens", "max_tokens"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise UsageError(f"{name} is {value}. Give a number above 0.")

    def further(self) -> dict[str, Any]:
        """Return what answers depend on besides model, address, temperature and length, unless it is the default."""
        fields = {"schema": self.schema, "max_tokens": self.max_tokens, "effort": self.effort}
        fields |= {"extra": dict(self.extra), "system": self.system}
        return {name: value for name, value in fields.items() if value}


@dataclass(frozen=True)
class RequestForm:
    """The form in which a model takes requests, as far as its refusals show.

    `limit` is the name of the longest answer: reasoning models of OpenAI know the newer one only, older servers the
    other. `temperature` is None where it takes none; `schema` is whether answers are asked to keep to the schema.
    """

    limit: str = "max_tokens"
    temperature: float | None = None
    schema: bool = False

    def after(self, reply: Reply, *, value: bool = False) -> RequestForm | None:
        """Return the next form to try after a reply; None where the form is not at fault.

        If the schema may be at fault, only this prompt goes without it. `value` is whether somebody chose the
        temperature, so that it is not left out.
        """
        if reply.answer or reply.excess:
            return None
        if reply.status == 400 and self.limit == "max_tokens" and "max_completion_tokens" in reply.message:
            return replace(self, limit="max_completion_tokens")
        if self.temperature is not None and not value and reply.refuses("temperature"):
            return replace(self, temperature=None)
        if self.schema and reply.status in (400, 422):
            return replace(self, schema=False)
        return None


def request_of(model: str, text: str, terms: ServerTerms, form: RequestForm) -> dict[str, Any]:
    """Return the body of a request for a chat completion."""
    records = [{"role": "system", "content": terms.system}] if terms.system else []
    records.append({"role": "user", "content": text})
    fields: dict[str, Any] = {"model": model, "messages": records, form.limit: terms.max_output_tokens}
    if form.temperature is not None:
        fields["temperature"] = form.temperature
    if terms.effort:
        fields["reasoning_effort"] = terms.effort
    if form.schema:
        answer = {"name": "answer", "schema": terms.schema, "strict": True}
        fields["response_format"] = {"type": "json_schema", "json_schema": answer}
    return {**fields, **terms.extra}


_MARGIN = 1.5
"""Tokens of a prompt are at most so many times its bytes by the densest prompt so far."""
_TELLING = 200
"""Bytes of a prompt that shows how dense tokens are; in a shorter one the text around it counts most."""
_AROUND = 50
"""Tokens that a server may put around a prompt."""


class Spent(Exception):  # noqa: N818
    """The rest of the budget does not suffice for one more request."""


@dataclass(frozen=True)
class Prices:
    """Of a million tokens of prompts, and of answers with their thoughts, in any currency."""

    prompt: float
    answer: float

    def of(self, prompt: float, answer: float) -> float:
        """Return the price of so many tokens."""
        return (prompt * self.prompt + answer * self.answer) / 1e6


class Meter:
    """Counts for all threads the costs of a model's answers.

    Before a request is sent, its highest possible price is held: each byte of the prompt as a token, until replies
    have shown how many tokens a byte has, and the longest answer.

    `system` is the text that goes with each prompt. `before` is what earlier jobs have spent of the budget, `spent`
    what this one has; `prompt` and `answer` are its tokens.
    """

    def __init__(self, prices: Prices | None = None, budget: float | None = None, system: str = "") -> None:
        self.prices, self.budget = prices, budget
        self.before = self.spent = 0.0
        self.prompt = self.answer = 0
        self.counted = 0
        """Replies with the server's count of tokens."""
        self._held, self._under_way = 0.0, 0
        self._around = _AROUND + len(system.encode())
        self._density: float | None = None
        self._lock = Lock()

    def hold(self, text: str, answer: int) -> float | None:
        """Return the highest price of a request, now held; None where others have to be settled first.

        Raises Spent where it costs more than is left, and no other is under way.
        """
        if self.prices is None:
            return 0.0
        size = len(text.encode())
        most = size if self._density is None else min(1.0, _MARGIN * self._density) * size
        price = self.prices.of(most + self._around, answer)
        with self._lock:
            if self.budget is not None and self.before + self.spent + self._held + price > self.budget:
                if self._under_way:
                    return None
                raise Spent
            self._held += price
            self._under_way += 1
        return price

    def settle(self, value: float, text: str, reply: ModelAnswer | None) -> None:
        """Count the cost of a request in place of the held price; without a reply it cost nothing.

        Where the server counts no tokens, the held price counts as spent.
        """
        with self._lock:
            self._under_way = max(0, self._under_way - 1)
            self._held = self._held - value if self._under_way else 0.0
            if reply is None:
                return
            if reply.usage is None:
                self.spent += value
                return
            used, size = reply.usage, len(text.encode())
            self.counted += 1
            self.prompt += used.prompt
            self.answer += used.answer
            if size >= _TELLING:
                self._density = max(self._density or 0.0, used.prompt / size)
            if self.prices:
                self.spent += self.prices.of(used.prompt, used.answer)

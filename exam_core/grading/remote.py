"""Any model behind an OpenAI-compatible address: vLLM, Ollama, a hosted service.

A prompt becomes one user message of a chat completion. The API key is read from the environment at every
request and kept nowhere. What may pass is tried again (no connection, a timeout, an overloaded server, a body that
broke off); what won't is not: a prompt that the server refuses fails alone, a refused key or an unknown model ends the
work with a GraderError. Where it isn't clear whether the prompt or the server is at fault, a trivial prompt decides.
"""

from __future__ import annotations

import base64
import math
import os
import random
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from itertools import islice
from queue import SimpleQueue
from threading import Event, Lock, Thread
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

import msgspec
import requests
import urllib3

from exam_core.errors import GraderError, UsageError
from exam_core.grading.asking import Answer, Answerer, Prompt

TOKENS_PER_WORD = 1.3
PATIENCE = 5
"""A prompt that is only told to slow down may try so many times as often as another."""
FIRST_CONTACT = 3
"""Retries at an address that has answered nothing yet: it may be mistyped, and somebody waits to hear so."""
LONGEST_PAUSE = 60.0
"""Seconds between two tries, at most, unless the server names a time."""
LONGEST_WAIT = 900.0
"""Seconds that a server may make everyone wait; if it wants more, the work ends and can be resumed later."""
LARGEST_BODY = 16 * 2**20
TRIVIAL = "Answer with one word: is water wet?"
KEPT = "Answers so far are kept."

_PASSING = {0, 200, 408, 409, 425, 429}
"""Statuses that another try may better; 0: nothing came, 200: what came is no completion."""
_BILLING = (
    "insufficient_quota",
    "billing_hard_limit_reached",
    "billing_not_active",
    "credit_balance_exhausted",
    "organization_spend_limit_exceeded",
    "organization_usage_limit_exceeded",
    "project_spend_limit_exceeded",
)
_TROUBLES: tuple[tuple[type[Exception], str], ...] = (
    (
        requests.exceptions.SSLError,
        "its certificate was not accepted (REQUESTS_CA_BUNDLE names a file of trusted ones)",
    ),
    (requests.exceptions.ProxyError, "the proxy did not pass the request on"),
    (requests.exceptions.Timeout, "no complete answer in time"),
    (urllib3.exceptions.TimeoutError, "no complete answer in time"),
    (requests.exceptions.ConnectionError, "no connection, or it broke off"),
)
"""Why nothing came back, in our words: those of the library quote the whole address."""


class Pace:
    """Spreads requests and tokens evenly over the minute: a token bucket that holds one request.

    So no 60 seconds hold more requests than allowed; a full bucket at the start would let twice as many pass.

    Parameters
    ----------
    requests_per_minute, tokens_per_minute : None where there is no limit
    now : seconds of a clock that never goes back
    """

    def __init__(
        self, requests_per_minute: float | None, tokens_per_minute: float | None, now: Callable[[], float]
    ) -> None:
        self._per_request = 60 / requests_per_minute if requests_per_minute else 0.0
        self._per_token = 60 / tokens_per_minute if tokens_per_minute else 0.0
        self._now = now
        self._free_at = -math.inf
        self._lock = Lock()

    def reserve(self, tokens: float) -> float:
        """Seconds until a request of so many tokens may start; its place is taken, so it must be made or lost."""
        with self._lock:
            now = self._now()
            start = max(now, self._free_at)
            self._free_at = start + max(self._per_request, tokens * self._per_token)
            return start - now

    def hold(self, seconds: float) -> None:
        """Let no request reserved from now on start within so many seconds."""
        with self._lock:
            self._free_at = max(self._free_at, self._now() + seconds)


@dataclass(frozen=True)
class _Said:
    """The model's words, or None; and what was wrong with them."""

    text: str | None
    fault: str = ""


@dataclass(frozen=True)
class _Reply:
    """What one request brought: words of the model, or a status (0: nothing came) and the server's message.

    unpaid : the account is empty, or at a limit of its own
    wait : seconds that the server wants to be left alone
    """

    status: int
    said: _Said | None = None
    message: str = ""
    unpaid: bool = False
    wait: float = 0.0

    @property
    def passing(self) -> bool:
        """Whether another try may bring more."""
        return self.status in _PASSING or self.status >= 500

    @property
    def story(self) -> str:
        """What happened, in half a sentence."""
        return f"HTTP {self.status}: {self.message}" if self.status else self.message


class _Stopped(Exception):  # noqa: N818
    """Nobody waits for the answer any more."""


class Remote(Answerer):
    """A model at an address that speaks the chat completions of OpenAI.

    No tokenizer is known, so a passage is cut only where `max_context_words` says so; what is too long for the model
    is refused by the server and fails alone. Thoughts in <think>...</think> before the answer and a code fence around
    it are removed. An answer that stopped at `max_output_tokens` counts as it is; an empty one, a refusal, a filtered
    one and thoughts without an answer are failures.

    Parameters
    ----------
    model : as the server calls it
    base_url : what stands before /chat/completions, usually ending in /v1; user:password@ and a query in it are sent
        but never shown
    api_key_env : the environment variable with the key; one that isn't set sends no key
    concurrency : requests under way at once, and threads
    requests_per_minute, tokens_per_minute : None for no limit. A request counts as the estimated tokens of its
        prompt plus `max_output_tokens`, as hosted services count it before it runs
    temperature : None leaves it out, for models that take none
    timeout : seconds for one request, from start to the last byte
    retries : tries after the first; the pauses double from 1 to 60 s, each multiplied by a random number in [0, 1].
        At most 3 at an address that can't be connected to and has answered nothing yet
    max_context_words : None for the whole passage
    now, wait : the clock of the rates and retries, for tests; `wait` sleeps for seconds, or until the event is set

    Raises
    ------
    UsageError : an option is out of range, the address is none, the key can't be sent
    """

    def __init__(
        self,
        model: str,
        base_url: str,
        *,
        api_key_env: str = "OPENAI_API_KEY",
        concurrency: int = 8,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        max_output_tokens: int = 512,
        temperature: float | None = 0.0,
        timeout: float = 120.0,
        retries: int = 8,
        max_context_words: int | None = None,
        now: Callable[[], float] = time.monotonic,
        wait: Callable[[Event, float], object] = Event.wait,
    ) -> None:
        _check_positive(
            concurrency=concurrency,
            requests_per_minute=requests_per_minute,
            tokens_per_minute=tokens_per_minute,
            max_output_tokens=max_output_tokens,
            timeout=timeout,
            max_context_words=max_context_words,
        )
        if retries < 0:
            raise UsageError(f"retries is {retries}. Give 0 or more.")
        if not _sendable(api_key_env):
            raise UsageError(f"The key in {api_key_env} has blanks or letters that no key has. Set it again.")
        self._url = _split(base_url)
        self._address = _shown(self._url)
        self._api_key_env = api_key_env
        self._concurrency = concurrency
        self._timeout = timeout
        self._retries = retries
        self._max_output_tokens = max_output_tokens
        self._max_context_words = max_context_words
        self._limit_name = "max_tokens"
        self._pace = Pace(requests_per_minute, tokens_per_minute, now)
        self._wait = wait
        self._answered = 0
        self._lock = Lock()
        self.about: dict[str, Any] = {
            "engine": "openai",
            "model": model,
            "base_url": self._address,
            "temperature": temperature,
            "max_output_tokens": max_output_tokens,
            "max_context_words": max_context_words,
        }

    def lengths(self, prompts: Sequence[Prompt]) -> list[int]:
        """An estimate, 1.3 tokens a word, as no tokenizer is known; of each prompt after cutting."""
        return [_estimate(self._message(prompt)[0]) for prompt in prompts]

    def answers(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, Answer]]:
        """The place of each prompt with its answer, each once, as they come.

        Closing the iterator, or Ctrl-C in whoever reads it, starts no new request and abandons those under way.

        Raises
        ------
        GraderError : the server can't be reached, refuses the key or knows no such model; what was yielded stays good
        """
        todo: SimpleQueue[int | None] = SimpleQueue()
        done: SimpleQueue[tuple[int, Answer] | BaseException] = SimpleQueue()
        stop = Event()
        workers = min(self._concurrency, len(prompts))
        places = iter(range(len(prompts)))
        try:
            for _ in range(workers):
                Thread(target=self._work, args=(prompts, todo, done, stop), daemon=True).start()
            # Twice as many as can be asked at once: a reader who is slow for a while keeps nobody idle,
            # one who has stopped reading pays for no more than these.
            for place in islice(places, 2 * workers):
                todo.put(place)
            for _ in prompts:
                came = done.get()
                if isinstance(came, BaseException):
                    raise came
                todo.put(next(places, None))
                yield came
        finally:
            stop.set()
            for _ in range(workers):
                todo.put(None)

    def complete(self, prompt: str) -> str:
        """What the model writes to a free-form prompt, whole.

        Raises
        ------
        GraderError : as for `answers`; also where the model refuses or stops at `max_output_tokens`
        """
        with self._session() as session:
            said = self._ask(session, prompt, Event())
        if said.text is None or said.fault:
            raise GraderError(f"{self.about['model']} at {self._address} gave no whole answer: {said.fault}.")
        return said.text

    def _work(
        self,
        prompts: Sequence[Prompt],
        todo: SimpleQueue[int | None],
        done: SimpleQueue[tuple[int, Answer] | BaseException],
        stop: Event,
    ) -> None:
        """One thread: answers places of `todo` until there is None."""
        try:
            with self._session() as session:
                while (place := todo.get()) is not None:
                    text, cut = self._message(prompts[place])
                    said = self._ask(session, text, stop)
                    done.put((place, Answer(said.text, cut, said.fault if said.text is None else "")))
        except _Stopped:
            pass
        except BaseException as error:  # whatever it is, the reader must not wait for ever
            done.put(error)

    def _message(self, prompt: Prompt) -> tuple[str, bool]:
        """The text that is sent, and whether the passage was cut."""
        context, cut = first_words(prompt.context, self._max_context_words)
        return prompt.head + context + prompt.tail, cut

    def _ask(self, session: requests.Session, text: str, stop: Event) -> _Said:
        """Send until the model answers, the prompt fails, or it is clear that none will be answered."""
        answered, tries = self._answered, 0
        while True:
            reply = self._send(session, text, stop)
            if reply.said:
                return reply.said
            self._raise_if_hopeless(session, reply, stop)
            if not reply.passing:
                return _Said(None, reply.story)
            tries += 1
            if tries > self._allowed(reply):
                if self._answered == answered and not self._lives(session, stop):
                    raise GraderError(self._unreachable(reply, tries))
                return _Said(None, f"{reply.story} ({tries} tries)")
            self._pause(random.uniform(0, min(LONGEST_PAUSE, 2.0 ** (tries - 1))), stop)

    def _allowed(self, reply: _Reply) -> int:
        """Retries after such a reply."""
        if reply.status == 429:
            return self._retries * PATIENCE
        if reply.status == 0 and not self._answered:
            return min(self._retries, FIRST_CONTACT)
        return self._retries

    def _send(self, session: requests.Session, text: str, stop: Event) -> _Reply:
        """One request in its turn; with the newer name of the length limit where the model takes no other."""
        self._pause(self._pace.reserve(_estimate(text) + self._max_output_tokens), stop)
        limit_name = self._limit_name
        reply = self._post(session, text, limit_name)
        if reply.status == 400 and limit_name == "max_tokens" and "max_completion_tokens" in reply.message:
            # Reasoning models of OpenAI know only this name, older servers only the other.
            trial = self._post(session, text, "max_completion_tokens")
            if trial.said:
                self._limit_name = "max_completion_tokens"
            reply = trial
        if reply.said:
            with self._lock:
                self._answered += 1
        if 0 < reply.wait <= LONGEST_WAIT:
            self._pace.hold(reply.wait)
        return reply

    def _pause(self, seconds: float, stop: Event) -> None:
        if seconds > 0:
            self._wait(stop, seconds)
        if stop.is_set():
            raise _Stopped

    def _post(self, session: requests.Session, text: str, limit_name: str) -> _Reply:
        asked = {
            "model": self.about["model"],
            "messages": [{"role": "user", "content": text}],
            limit_name: self._max_output_tokens,
        }
        if self.about["temperature"] is not None:
            asked["temperature"] = self.about["temperature"]
        status, headers, body = self._exchange(session, "POST", "/chat/completions", asked)
        if status == 200 and (said := read_completion(body, self._max_output_tokens)):
            return _Reply(status, said)
        message, unpaid = _complaint(body)
        if 300 <= status < 400:
            message = f"moved to {_harmless(headers.get('Location', ''))}"
        elif status == 200:
            message = f"no chat completion, but {message or 'nothing'}"
        wait = seconds_to_wait(headers) if status in (429, 503) else 0.0
        return _Reply(status, None, _short(message), unpaid or status == 402, wait)

    def _exchange(
        self, session: requests.Session, method: str, path: str, asked: dict[str, Any] | None = None
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Status, headers and body of one reply; status 0 and the reason where none came."""
        url = urlunsplit((self._url.scheme, _host(self._url), self._url.path + path, self._url.query, ""))
        deadline = time.monotonic() + self._timeout
        try:
            # A redirected POST would come out as a GET, and take the key along.
            with session.request(
                method, url, json=asked, timeout=self._timeout, stream=True, allow_redirects=False
            ) as response:
                return response.status_code, response.headers, self._without_key(response, _read(response, deadline))
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            words = next((words for kind, words in _TROUBLES if isinstance(error, kind)), "the answer broke off")
            return 0, {}, words.encode()

    def _raise_if_hopeless(self, session: requests.Session, reply: _Reply, stop: Event) -> None:
        """Raise GraderError where no try and no other prompt would be answered either."""
        if reply.unpaid:
            raise GraderError(f"{self._address} wants to be paid first ({reply.story}). {KEPT}")
        if reply.wait > LONGEST_WAIT:
            raise GraderError(
                f"{self._address} takes no request for {reply.wait / 60:.0f} minutes ({reply.story}). {KEPT}"
                " Start again then, or set limits for requests and tokens per minute."
            )
        if reply.status in (404, 405) or 300 <= reply.status < 400:
            raise GraderError(self._unknown(session, reply))
        # A firewall may answer 403 to one passage, and 400 may mean one prompt or every one.
        if reply.status == 401 or (reply.status == 403 and not self._lives(session, stop)):
            raise GraderError(self._locked_out(reply))
        if not reply.passing and not self._answered and not self._lives(session, stop):
            raise GraderError(
                f"{self._address} refuses even a trivial prompt for {self.about['model']} ({reply.story})."
                " Check the model and the options."
            )

    def _lives(self, session: requests.Session, stop: Event) -> bool:
        """Whether the model answers a trivial prompt now."""
        return self._send(session, TRIVIAL, stop).said is not None

    def _unreachable(self, reply: _Reply, tries: int) -> str:
        if reply.status == 429:
            return f"{self._address} kept asking to slow down ({reply.story}). {KEPT} Set a lower limit per minute."
        return (
            f"{self._address} can't be reached, or doesn't work: {reply.story} ({tries} tries). {KEPT}"
            " Check the address (it usually ends in /v1) and the server, then start again."
        )

    def _locked_out(self, reply: _Reply) -> str:
        if self._url.username is not None:
            return f"{self._address} refuses the user and password in its address ({reply.story}). Check them."
        if _key(self._api_key_env):
            return f"{self._address} refuses the key ({reply.story}). Check the variable {self._api_key_env}. {KEPT}"
        return f"{self._address} wants a key ({reply.story}). Set the environment variable {self._api_key_env}."

    def _unknown(self, session: requests.Session, reply: _Reply) -> str:
        """What to say to a 404: the models that the server has, if it tells."""
        model, names = self.about["model"], self._models(session)
        if names and model not in names:
            more = f" and {len(names) - 10} more" if len(names) > 10 else ""
            return f"{self._address} has no model {model!r}. It has: {', '.join(names[:10])}{more}."
        return (
            f"{self._address} has no chat completions of {model!r} ({reply.story})."
            " Check the address (it usually ends in /v1) and the model."
        )

    def _models(self, session: requests.Session) -> list[str]:
        """Names of the server's models; empty where it doesn't tell."""
        _, _, body = self._exchange(session, "GET", "/models")
        try:
            return [_short(model.id) for model in msgspec.json.decode(body, type=_Models).data]
        except (ValueError, RecursionError):
            return []

    def _without_key(self, response: requests.Response, body: bytes) -> bytes:
        """The body, without the key where the server repeats it.

        Stand-ins such as "EMPTY", which servers without keys are given, are no secret and may occur in an answer.
        """
        key = _key(self._api_key_env).encode()
        return body.replace(key, b"***") if len(key) >= 8 or (key and response.status_code != 200) else body

    def _session(self) -> requests.Session:
        session = requests.Session()
        session.auth = self._sign
        return session

    def _sign(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        """Put the password of the address or the key into the headers: the only place that sees them."""
        if self._url.username is not None:
            login = f"{unquote(self._url.username)}:{unquote(self._url.password or '')}"
            request.headers["Authorization"] = "Basic " + base64.b64encode(login.encode()).decode()
        elif _key(self._api_key_env):
            request.headers["Authorization"] = f"Bearer {_key(self._api_key_env)}"
        return request


class _Part(msgspec.Struct):
    text: str | None = None
    type: str = "text"


class _Message(msgspec.Struct):
    content: str | list[_Part] | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None


class _Completion(msgspec.Struct):
    choices: list[_Choice]


class _Model(msgspec.Struct):
    id: str


class _Models(msgspec.Struct):
    data: list[_Model]


def read_completion(body: bytes, max_output_tokens: int) -> _Said | None:
    """The model's words in the body of a chat completion; None if the body is none, or broke off."""
    try:
        choices = msgspec.json.decode(body, type=_Completion).choices
    except (ValueError, RecursionError):
        return None
    if not choices:
        return _Said(None, "the server sent no choice")
    message, reason = choices[0].message, choices[0].finish_reason
    if message.refusal:
        return _Said(None, f"the model refused: {_short(message.refusal)}")
    if reason == "content_filter":
        return _Said(None, "the server's content filter stopped it")
    content = message.content or ""
    if not isinstance(content, str):
        content = "".join(part.text or "" for part in content if part.type == "text")
    text = bare(content)
    full = f"stopped at max_output_tokens={max_output_tokens}" if reason == "length" else ""
    if not text:
        return _Said(None, f"no answer, {full}" if full else "the model's answer is empty")
    return _Said(text, full)


def bare(content: str) -> str:
    """The answer without the thoughts before it and the code fence around it; empty if the thoughts never end.

    Some servers put the opening <think> into the prompt, so that only the closing one is seen.
    """
    if "</think>" in content:
        content = content.rpartition("</think>")[2]
    elif content.lstrip().startswith("<think>"):
        return ""
    content = content.strip()
    if fenced := re.fullmatch(r"```(?:[\w+-]*\n)?((?:(?!```).)*)```", content, re.DOTALL):
        return fenced[1].strip()
    return content


def first_words(text: str, limit: int | None) -> tuple[str, bool]:
    """The text up to the end of its word number `limit`, and whether anything was cut; None cuts nothing."""
    if limit is None:
        return text, False
    words = list(islice(re.finditer(r"\S+", text), limit + 1))
    return (text[: words[limit - 1].end()], True) if len(words) > limit else (text, False)


def seconds_to_wait(headers: Mapping[str, str]) -> float:
    """What Retry-After says, in seconds or as an HTTP date; 0 where it says nothing that can be read.

    A date is taken against the server's own Date: the two clocks may differ.
    """
    value = headers.get("Retry-After", "").strip()
    if re.fullmatch(r"\d+(\.\d+)?", value, re.ASCII):
        return float(value)
    try:
        until, now = parsedate_to_datetime(value), parsedate_to_datetime(headers.get("Date", ""))
        return max(0.0, (until - now).total_seconds())
    except (ValueError, TypeError):
        return 0.0


def _read(response: requests.Response, deadline: float) -> bytes:
    """The body; a server that sends it drop by drop is cut off at the deadline, though no single read was late."""
    body = bytearray()
    while chunk := response.raw.read1(65536, decode_content=True):
        body += chunk
        if time.monotonic() > deadline:
            raise requests.Timeout
        if len(body) > LARGEST_BODY:
            raise requests.RequestException
    return bytes(body)


def _complaint(body: bytes) -> tuple[str, bool]:
    """The message in the body of an error, as OpenAI, vLLM, Ollama, FastAPI word it; and if it is about money."""
    if body.lstrip().startswith(b"<"):
        return "HTML", False
    try:
        found = msgspec.json.decode(body)
    except (ValueError, RecursionError):
        found = body.decode(errors="replace")
    error = found.get("error", found) if isinstance(found, dict) else found
    if not isinstance(error, dict):
        return str(error), False
    message = error.get("message") or error.get("detail") or error
    return str(message), any(error.get(name) in _BILLING for name in ("code", "type"))


def _estimate(text: str) -> int:
    return math.ceil(TOKENS_PER_WORD * len(text.split()))


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 200 else text[:200] + "..."


def _key(variable: str) -> str:
    return os.environ.get(variable, "").strip()


def _sendable(variable: str) -> bool:
    """Whether the key can stand in a header. Asked before it is sent: the libraries quote what they refuse."""
    return re.fullmatch(r"[!-~]*", _key(variable)) is not None


def _split(base_url: str) -> SplitResult:
    try:
        url = urlsplit(base_url.strip())
        if url.scheme in ("http", "https"):
            requests.Request("POST", _shown(url)).prepare()
            return url._replace(path=url.path.rstrip("/"))
    except (ValueError, requests.RequestException):
        pass
    raise UsageError(f"{_harmless(base_url)!r} is no address of a server. Write it like http://localhost:8000/v1.")


def _harmless(url: str) -> str:
    """What may be shown of something that should be an address."""
    return url.partition("?")[0].rpartition("@")[2]


def _host(url: SplitResult) -> str:
    """Host and port, without user and password."""
    return url.netloc.rpartition("@")[2]


def _shown(url: SplitResult) -> str:
    """The address without what may be secret."""
    return urlunsplit((url.scheme, _host(url), url.path, "", ""))


def _check_positive(**options: float | None) -> None:
    for name, value in options.items():
        if value is not None and not value > 0:
            raise UsageError(f"{name} is {value}. Give a number above 0.")

"""Any model behind an OpenAI-compatible address: vLLM, Ollama, a hosted service.

A prompt becomes one user message of a chat completion. The API key is read from the environment at every
request and kept nowhere. What may pass is tried again (no connection, a timeout, an overloaded server, a body that
broke off); what won't is not: a prompt that the server refuses fails alone, a refused key or an unknown model ends the
work with a GraderError. Where it isn't clear whether the prompt or the server is at fault, a trivial prompt decides.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from typing import Any, TypeVar

import requests

from exam_core.errors import GraderError, UsageError
from exam_core.grading.asking import Answer, Answerer, Prompt
from exam_core.grading.remote.connection import Connection
from exam_core.grading.remote.pace import Pace
from exam_core.grading.remote.replies import Reply, Said, read_models, read_reply
from exam_core.texts.scripts import TOKENS_PER_WORD, about_tokens, pieces

PATIENCE = 5
"""A prompt that is only told to slow down may try so many times as often as another."""
FIRST_CONTACT = 3
"""Retries at an address that has answered nothing yet: it may be mistyped, and somebody waits to hear so."""
LONGEST_PAUSE = 60.0
"""Seconds between two tries, at most, unless the server names a time."""
LONGEST_WAIT = 900.0
"""Seconds that a server may make everyone wait; if it wants more, the work ends and can be resumed later."""
LOOK = 0.5
"""Seconds without an answer after which whoever waits can look whether to go on."""
TRIVIAL = "Answer with one word: is water wet?"
KEPT = "Answers so far are kept."
T = TypeVar("T")


class _Stopped(Exception):  # noqa: N818
    """Nobody waits for the answer any more."""


@dataclass(frozen=True)
class Terms:
    """On which terms a server is asked.

    Parameters
    ----------
    api_key_env : the environment variable with the key; one that isn't set sends no key
    concurrency : requests under way at once, and threads
    requests_per_minute, tokens_per_minute : None for no limit. A request counts as the estimated tokens of its
        prompt plus `max_output_tokens`, as hosted services count it before it runs
    temperature : None leaves it out, for models that take none
    timeout : seconds for one request, from start to the last byte
    retries : tries after the first; the pauses double from 1 to 60 s, each multiplied by a random number in [0, 1].
        At most 3 at an address that can't be connected to and has answered nothing yet
    max_context_words : None for the whole passage
    schema : JSON schema that answers are asked to keep to, under the name answer; a server that refuses it is asked
        without. Many don't know it and ignore it, so no answer can be relied on to keep to it
    whole : whether thoughts and code fences stay in an answer

    Raises
    ------
    UsageError : one of them is out of range
    """

    api_key_env: str = "OPENAI_API_KEY"
    concurrency: int = 8
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    max_output_tokens: int = 512
    temperature: float | None = 0.0
    timeout: float = 120.0
    retries: int = 8
    max_context_words: int | None = None
    schema: Mapping[str, Any] | None = None
    whole: bool = False

    def __post_init__(self) -> None:
        for name in (
            *("concurrency", "requests_per_minute", "tokens_per_minute", "max_output_tokens", "timeout"),
            "max_context_words",
        ):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise UsageError(f"{name} is {value}. Give a number above 0.")
        if self.retries < 0:
            raise UsageError(f"retries is {self.retries}. Give 0 or more.")


@dataclass(frozen=True)
class Clock:
    """The clock of the rates and retries; tests have another one.

    Parameters
    ----------
    now : seconds, which never go back
    wait : sleeps for seconds, or until the event is set
    """

    now: Callable[[], float] = time.monotonic
    wait: Callable[[Event, float], object] = Event.wait


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

    Raises
    ------
    UsageError : the address is none, the key can't be sent
    """

    def __init__(self, model: str, base_url: str, terms: Terms | None = None, clock: Clock | None = None) -> None:
        self._terms, self._clock = terms or Terms(), clock or Clock()
        self._server = Connection(base_url, self._terms.api_key_env, self._terms.timeout)
        self._address = self._server.address
        self._limit_name = "max_tokens"
        limits = self._terms.requests_per_minute, self._terms.tokens_per_minute
        self._pace = Pace(*limits, self._clock.now)
        self._answered = 0
        self._lock = Lock()
        self.about: dict[str, Any] = {
            "engine": "openai",
            "model": model,
            "base_url": self._address,
            "temperature": self._terms.temperature,
            "max_output_tokens": self._terms.max_output_tokens,
            "max_context_words": self._terms.max_context_words,
        }
        self._asks_schema = self._terms.schema is not None
        if self._asks_schema:
            self.about["schema"] = self._terms.schema

    def lengths(self, prompts: Sequence[Prompt]) -> list[int]:
        """An estimate, 1.3 tokens a word, as no tokenizer is known; of each prompt after cutting."""
        return [_estimate(self._message(prompt)[0]) for prompt in prompts]

    def answers(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, Answer] | None]:
        """The place of each prompt with its answer, each once, as they come; None where none came for a while.

        Closing the iterator, or Ctrl-C in whoever reads it, starts no new request and abandons those under way.

        Raises
        ------
        GraderError : the server can't be reached, refuses the key or knows no such model; what was yielded stays good
        """
        todo: SimpleQueue[int | None] = SimpleQueue()
        done: SimpleQueue[tuple[int, Answer] | BaseException] = SimpleQueue()
        stop = Event()
        workers = min(self._terms.concurrency, len(prompts))
        places = iter(range(len(prompts)))
        try:
            for _ in range(workers):
                Thread(target=self._work, args=(prompts, todo, done, stop), daemon=True).start()
            # Twice as many as can be asked at once: a reader who is slow for a while keeps nobody idle,
            # one who has stopped reading pays for no more than these.
            for place in islice(places, 2 * workers):
                todo.put(place)
            for _ in prompts:
                while (came := _next(done)) is None:
                    yield None
                if isinstance(came, BaseException):
                    raise came
                todo.put(next(places, None))
                yield came
        finally:
            stop.set()
            for _ in range(workers):
                todo.put(None)

    def _work(
        self,
        prompts: Sequence[Prompt],
        todo: SimpleQueue[int | None],
        done: SimpleQueue[tuple[int, Answer] | BaseException],
        stop: Event,
    ) -> None:
        """One thread: answers places of `todo` until there is None."""
        try:
            with self._server.session() as session:
                while (place := todo.get()) is not None:
                    text, cut = self._message(prompts[place])
                    said = self._ask(session, text, stop)
                    failure = said.fault if said.text is None else ""
                    done.put((place, Answer(said.text, cut, failure, stopped=said.stopped)))
        except _Stopped:
            pass
        except BaseException as error:  # whatever it is, the reader must not wait for ever
            done.put(error)

    def _message(self, prompt: Prompt) -> tuple[str, bool]:
        """The text that is sent, and whether the passage was cut."""
        context, cut = first_words(prompt.context, self._terms.max_context_words)
        return prompt.head + context + prompt.tail, cut

    def _ask(self, session: requests.Session, text: str, stop: Event) -> Said:
        """Send until the model answers, the prompt fails, or it is clear that none will be answered."""
        answered, tries = self._answered, 0
        while True:
            reply = self._send(session, text, stop)
            if reply.said:
                return reply.said
            self._raise_if_hopeless(session, reply, stop)
            if not reply.passing:
                return Said(None, reply.story)
            tries += 1
            if tries > self._allowed(reply):
                if self._answered == answered and not self._lives(session, stop):
                    raise GraderError(self._unreachable(reply, tries))
                return Said(None, f"{reply.story} ({tries} tries)")
            self._pause(random.uniform(0, min(LONGEST_PAUSE, 2.0 ** (tries - 1))), stop)

    def _allowed(self, reply: Reply) -> int:
        """Retries after such a reply."""
        if reply.status == 429:
            return self._terms.retries * PATIENCE
        if reply.status == 0 and not self._answered:
            return min(self._terms.retries, FIRST_CONTACT)
        return self._terms.retries

    def _send(self, session: requests.Session, text: str, stop: Event) -> Reply:
        """One request in its turn; with the newer name of the length limit where the model takes no other."""
        self._pause(self._pace.reserve(_estimate(text) + self._terms.max_output_tokens), stop)
        limit_name = self._limit_name
        reply = self._post(session, text, limit_name)
        if reply.status == 400 and limit_name == "max_tokens" and "max_completion_tokens" in reply.message:
            # Reasoning models of OpenAI know only this name, older servers only the other.
            trial = self._post(session, text, "max_completion_tokens")
            if trial.said:
                self._limit_name = "max_completion_tokens"
            reply = trial
        if reply.status in (400, 422) and self._asks_schema:
            # It may be the schema that is refused; where it isn't, the next prompt asks for it again.
            trial = self._post(session, text, self._limit_name, with_schema=False)
            self._asks_schema = not trial.said
            reply = trial
        if reply.said:
            with self._lock:
                self._answered += 1
        if 0 < reply.wait <= LONGEST_WAIT:
            self._pace.hold(reply.wait)
        return reply

    def _pause(self, seconds: float, stop: Event) -> None:
        if seconds > 0:
            self._clock.wait(stop, seconds)
        if stop.is_set():
            raise _Stopped

    def _post(self, session: requests.Session, text: str, limit_name: str, *, with_schema: bool = True) -> Reply:
        asked: dict[str, Any] = {
            "model": self.about["model"],
            "messages": [{"role": "user", "content": text}],
            limit_name: self._terms.max_output_tokens,
        }
        if self.about["temperature"] is not None:
            asked["temperature"] = self.about["temperature"]
        if with_schema and self._asks_schema:
            form = {"name": "answer", "schema": self._terms.schema, "strict": True}
            asked["response_format"] = {"type": "json_schema", "json_schema": form}
        came = self._server.exchange(session, "POST", "/chat/completions", asked)
        return read_reply(*came, self._terms.max_output_tokens, whole=self._terms.whole)

    def _raise_if_hopeless(self, session: requests.Session, reply: Reply, stop: Event) -> None:
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
            raise GraderError(f"{self._server.locked_out(reply.story)} {KEPT}")
        if not reply.passing and not self._answered and not self._lives(session, stop):
            raise GraderError(
                f"{self._address} refuses even a trivial prompt for {self.about['model']} ({reply.story})."
                " Check the model and the options."
            )

    def _lives(self, session: requests.Session, stop: Event) -> bool:
        """Whether the model answers a trivial prompt now."""
        return self._send(session, TRIVIAL, stop).said is not None

    def _unreachable(self, reply: Reply, tries: int) -> str:
        if reply.status == 429:
            return f"{self._address} kept asking to slow down ({reply.story}). {KEPT} Set a lower limit per minute."
        return (
            f"{self._address} can't be reached, or doesn't work: {reply.story} ({tries} tries). {KEPT}"
            " Check the address (it usually ends in /v1) and the server, then start again."
        )

    def _unknown(self, session: requests.Session, reply: Reply) -> str:
        """What to say to a 404: the models that the server has, if it tells."""
        _, _, listed = self._server.exchange(session, "GET", "/models")
        model, names = self.about["model"], read_models(listed)
        if names and model not in names:
            more = f" and {len(names) - 10} more" if len(names) > 10 else ""
            return f"{self._address} has no model {model!r}. It has: {', '.join(names[:10])}{more}."
        return (
            f"{self._address} has no chat completions of {model!r} ({reply.story})."
            " Check the address (it usually ends in /v1) and the model."
        )


def _next(queue: SimpleQueue[T]) -> T | None:
    """What comes next; None where nothing comes for a while."""
    try:
        return queue.get(timeout=LOOK)
    except Empty:
        return None


def first_words(text: str, limit: int | None) -> tuple[str, bool]:
    """The text up to the end of its word number `limit`, and whether anything was cut; None cuts nothing.

    A letter of a script without blanks is a word.
    """
    words = pieces(text) if limit is not None else []
    if limit is None or len(words) <= limit:
        return text, False
    start = len(text) - len(text.lstrip())
    return text[: start + sum(map(len, words[:limit]))].rstrip(), True


def _estimate(text: str) -> int:
    """Tokens of a text, roughly."""
    return math.ceil(about_tokens(text, TOKENS_PER_WORD))

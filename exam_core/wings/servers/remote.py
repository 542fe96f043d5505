"""A grader at a server: many requests at once, retries, shortened prompts.

A prompt becomes one user message of a chat completion. The API key is read from the environment at every
request and kept nowhere. A passing fault is tried again (no connection, a timeout, an overloaded server, a body that
broke off). A refused prompt fails alone; a refused key or an unknown model ends the
work with a GraderError. Where it isn't clear whether the prompt or the server is at fault, a trivial prompt decides.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from exam_core.errors import GraderError
from exam_core.grading.failures import BUDGET
from exam_core.grading.prompt import Answerer, ModelAnswer, Prompt
from exam_core.texts.scripts import TOKENS_PER_WORD, about_tokens, pieces
from exam_core.wings.servers import replies
from exam_core.wings.servers.connection import Connection

if TYPE_CHECKING:
    from openai import OpenAI


_STEP = 0.8
"""Share of a passage that is left where the server names no limit."""


def estimated(prompt: Prompt) -> int:
    """Return about how many tokens a prompt has."""
    return math.ceil(about_tokens(prompt.text, TOKENS_PER_WORD))


def first_tokens(text: str, room: float) -> tuple[str, bool]:
    """Return as many whole words from a text's beginning as have so many tokens, and whether anything was cut.

    A letter of a script without blanks is a word.
    """
    if about_tokens(text, TOKENS_PER_WORD) <= room:
        return text, False
    end, taken = len(text) - len(text.lstrip()), 0.0
    for piece in pieces(text):
        taken += about_tokens(piece, TOKENS_PER_WORD)
        if taken > room:
            break
        end += len(piece)
    return text[:end].rstrip(), True


def shortened(prompt: Prompt, excess: replies.Excess, answer: int) -> Prompt | None:
    """Return the prompt with less of its passage, after a server refused it as too long; None where that can't help.

    `answer` is the longest answer in tokens, which servers count where the prompt alone would fit.
    """
    share = _STEP
    if excess.limit and excess.tokens:
        room = excess.limit if excess.tokens > excess.limit else excess.limit - answer
        share = min(0.95 * room / excess.tokens, 0.95)
    rest = about_tokens(prompt.head + prompt.tail, TOKENS_PER_WORD)
    context = about_tokens(prompt.context, TOKENS_PER_WORD)
    if not prompt.context or share * (rest + context) <= rest:
        return None
    left = (share * (rest + context) - rest) / context
    text, _ = first_tokens(prompt.context, left * context)
    if not text or text == prompt.context:  # one endless word
        text = prompt.context[: int(left * len(prompt.context))]
    return replace(prompt, context=text) if text else None


PATIENCE = 5
"""Tries of a prompt that the server only wants later, in tries of another."""
FIRST_CONTACT = 3
"""Retries at an address that has answered nothing yet: it may be mistyped, and somebody waits to hear so."""
LONGEST_PAUSE = 60.0
"""Seconds between two tries, at most, unless the server names a time."""
LONGEST_WAIT = 900.0
"""Longest wait in seconds that a server may ask for; for more, the work ends and can be resumed later."""
LOOK = 0.5
"""Seconds without an answer after which a caller can look whether to go on."""
TRIVIAL = Prompt("Answer with one word: is water wet?")
CUTS = 12
"""Times that a prompt is cut which the server refuses as too long."""
NO_ROOM = "there is no room for the passage"
KEPT = "Answers so far are kept."
WRONG, UNREACHED = "does not answer as it should", "can't be reached"
T = TypeVar("T")


class _Stopped(Exception):  # noqa: N818
    """Nobody waits for the answer any more."""


@dataclass(frozen=True)
class Clock:
    """The clock of the rates and retries, in seconds that never go back; tests have another one."""

    now: Callable[[], float] = time.monotonic
    wait: Callable[[Event, float], object] = Event.wait


class Remote(Answerer):
    """A model at an address that speaks the chat completions of OpenAI.

    No tokenizer is known, so a passage is cut to `max_tokens` by an estimate. A prompt that the server refuses as too
    long is sent again with less of its passage; the cut depends on the prompt and the server's message alone. Thoughts
    in <think>...</think> before the answer and a code fence around it are removed. An answer that stopped at
    `max_output_tokens` counts as it is; an empty one, a refusal, a filtered one and thoughts without an
    answer are failures, each with its reason.

    `base_url` is what stands before /chat/completions, usually ending in /v1; user:password@ and a query in it are sent
    but never shown. Raises UsageError where the address is none, or the key can't be sent.
    """

    paid = True

    def __init__(
        self, model: str, base_url: str, terms: replies.ServerTerms | None = None, clock: Clock | None = None
    ) -> None:
        self.terms, self._clock = terms or replies.ServerTerms(), clock or Clock()
        self.server = Connection(base_url, self.terms.timeout)
        self.address = self.server.address
        self.form = replies.RequestForm("max_tokens", self.terms.temperature, self.terms.schema is not None)
        """The form in which the model takes requests, as far as is known."""
        self.meter = replies.Meter(self.terms.prices, self.terms.budget, self.terms.system)
        self._free_at = -math.inf
        """Before this time of the clock, the server wants no request."""
        self._answered = 0
        self.trying = ""
        """The fault after which the server is asked again, in a sentence; empty once it has answered."""
        self._lock = Lock()
        self.about: dict[str, Any] = {
            "engine": "openai",
            "model": model,
            "base_url": self.address,
            "temperature": self.terms.temperature,
            "max_output_tokens": self.terms.max_output_tokens,
            "max_context_words": None,  # part of the names of caches that are there
        }
        self.about |= self.terms.further()

    @property
    def notes(self) -> list[str]:
        """Sentences about how it was asked."""
        if self.form.temperature == self.terms.temperature:
            return []
        return [f"{self.about['model']} takes no temperature: it was asked with its own."]

    def lengths(self, prompts: Sequence[Prompt]) -> list[int]:
        """An estimate, 1.3 tokens a word, as no tokenizer is known; of each prompt after cutting."""
        return [estimated(self.fitted(prompt)[0]) for prompt in prompts]

    def answers(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, ModelAnswer] | None]:
        """Yield the place of each prompt with its answer, each once, as they come; None where none came for a while.

        Closing the iterator, or Ctrl-C in its reader, starts no new request and abandons those under way.

        Raises GraderError where the server can't be reached, refuses the key or knows no such model; what was yielded
        stays good.
        """
        todo: SimpleQueue[int | None] = SimpleQueue()
        done: SimpleQueue[tuple[int, ModelAnswer] | BaseException] = SimpleQueue()
        stop = Event()
        workers = min(self.terms.concurrency, len(prompts))
        places = iter(range(len(prompts)))
        try:
            for _ in range(workers):
                work = self.server.client(), prompts, todo, done, stop
                Thread(target=self._work, args=work, daemon=True).start()
            # Twice as many as can be asked at once: a reader who is slow for a while keeps no thread idle,
            # and one who has stopped reading pays for no more than these.
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
        client: OpenAI,
        prompts: Sequence[Prompt],
        todo: SimpleQueue[int | None],
        done: SimpleQueue[tuple[int, ModelAnswer] | BaseException],
        stop: Event,
    ) -> None:
        """Answer places of `todo` in one thread, until there is None."""
        try:
            with client:
                while (place := todo.get()) is not None:
                    done.put((place, self._answer(client, prompts[place], stop)))
        except _Stopped:
            pass
        except BaseException as error:  # whatever it is, the reader must not wait for ever
            done.put(error)

    def fitted(self, prompt: Prompt) -> tuple[Prompt, bool]:
        """Return the prompt with as much of its passage as may be sent, and whether that was cut."""
        limit = self.terms.max_tokens
        if limit is None:
            return prompt, False
        context, cut = first_tokens(prompt.context, limit - estimated(replace(prompt, context="")))
        return replace(prompt, context=context), cut

    def _answer(self, client: OpenAI, prompt: Prompt, stop: Event) -> ModelAnswer:
        fitted, cut = self.fitted(prompt)
        if cut and not fitted.context:
            return ModelAnswer(None, True, f"{NO_ROOM} in {self.terms.max_tokens} tokens", reason="context")
        try:
            answer, excess = self._ask(client, fitted, stop)
            for _ in range(CUTS):
                shorter = excess and shortened(fitted, excess, self.terms.max_output_tokens)
                if not shorter:
                    break
                fitted, cut = shorter, True
                answer, excess = self._ask(client, fitted, stop)
        except replies.Spent:
            return ModelAnswer(None, reason=BUDGET)
        return replace(answer, cut=cut)

    def _ask(self, client: OpenAI, prompt: Prompt, stop: Event) -> tuple[ModelAnswer, replies.Excess | None]:
        """Send until the model answers, the prompt fails, perhaps as too long, or no prompt would be answered."""
        answered, tries = self._answered, 0
        while True:
            reply = self._send(client, prompt, stop)
            if reply.answer:
                return reply.answer, None
            self._raise_if_hopeless(client, reply, stop)
            if not reply.passing:
                return reply.failed(), reply.excess
            tries += 1
            if tries > self._allowed(reply):
                if self._answered == answered and not self._lives(client, stop):
                    if reply.status == 429:
                        raise GraderError(
                            f"{self.address} kept asking to slow down ({reply.story}). {KEPT} Set a lower concurrency."
                        )
                    raise GraderError(
                        f"{self.address} {WRONG if reply.status else UNREACHED}: {reply.story} ({tries} tries). {KEPT} "
                        "Check the address (it usually ends in /v1) and the server."
                    )
                return reply.failed(f" ({tries} tries)"), reply.excess
            self.trying = f"{self.address}: {reply.story}; asked again ({tries} of {self._allowed(reply)})"
            # Where the server says how long to wait, all requests do.
            self._pause(0.0 if reply.wait else random.uniform(0, min(LONGEST_PAUSE, 2.0 ** (tries - 1))), stop)

    def _allowed(self, reply: replies.Reply) -> int:
        if reply.status == 429:
            return self.terms.retries * PATIENCE
        if (reply.status == 0 or reply.hollow) and not self._answered:
            return min(self.terms.retries, FIRST_CONTACT)
        return self.terms.retries

    def _send(self, client: OpenAI, prompt: Prompt, stop: Event) -> replies.Reply:
        """Make one request in its turn, and anew without fields that the model refuses.

        Raises Spent where it could cost more than is left of the budget.
        """
        text, most = prompt.text, self.terms.max_output_tokens
        self._pause(self._free_at - self._clock.now(), stop)
        while (price := self.meter.hold(text, most)) is None:
            self._pause(LOOK / 5, stop)  # Others under way may cost less than they could.
        form, answer = self.form, None
        try:
            reply = self._post(client, text, form)
            while other := form.after(reply, value=self.terms.temperature_given):
                form = other
                reply = self._post(client, text, form)
            answer = reply.answer
        finally:
            self.meter.settle(price, text, answer)
        if answer:
            with self._lock:
                self._answered += 1
                self.trying = ""
                self.form = form
        if 0 < reply.wait <= LONGEST_WAIT:
            with self._lock:
                self._free_at = max(self._free_at, self._clock.now() + reply.wait)
        return reply

    def _pause(self, seconds: float, stop: Event) -> None:
        if seconds > 0:
            self._clock.wait(stop, seconds)
        if stop.is_set():
            raise _Stopped

    def request(self, text: str, form: replies.RequestForm) -> dict[str, Any]:
        """Return the body of a request."""
        return replies.request_of(str(self.about["model"]), text, self.terms, form)

    def _post(self, client: OpenAI, text: str, form: replies.RequestForm) -> replies.Reply:
        return self.read(*self.server.complete(client, self.request(text, form)))

    def read(self, status: int, headers: Mapping[str, str], body: bytes) -> replies.Reply:
        """Return a reply, read."""
        return replies.read_reply(status, headers, body, self.terms.max_output_tokens, whole=self.terms.whole)

    def form_of(self, fields: Mapping[str, Any]) -> replies.RequestForm:
        """Return a recorded form of requests; the present one where none was recorded."""
        return msgspec.convert(fields, replies.RequestForm) if fields else self.form

    def learn(self, *forms: Mapping[str, Any]) -> None:
        """Take over the form of requests from other jobs; the last one counts."""
        for form in map(self.form_of, filter(None, forms)):
            if form.temperature is not None or not self.terms.temperature_given:  # a chosen one is never left out
                self.form = form

    def _raise_if_hopeless(self, client: OpenAI, reply: replies.Reply, stop: Event) -> None:
        """Raise GraderError where no further try and no other prompt would be answered either."""
        if reply.unpaid:
            raise GraderError(f"{self.address} wants to be paid first ({reply.story}). {KEPT}")
        if reply.wait > LONGEST_WAIT:
            raise GraderError(
                f"{self.address} takes no request for {reply.wait / 60:.0f} minutes ({reply.story}). {KEPT}"
                " Start again then, perhaps with a lower concurrency."
            )
        if reply.status in (404, 405) or 300 <= reply.status < 400:
            raise GraderError(self._unknown(client, reply))
        if reply.status == 407:
            raise GraderError(
                f"A proxy wants a user and a password ({reply.story}). {KEPT} Write them into HTTP_PROXY and "
                "HTTPS_PROXY: http://user:password@host:port"
            )
        # A firewall may answer 403 to one passage, and 400 may mean one prompt or every one.
        if reply.status == 401 or (reply.status == 403 and not self._lives(client, stop)):
            raise GraderError(f"{self.server.locked_out(reply.story)} {KEPT}")
        if not reply.passing and not self._answered and not self._lives(client, stop):
            few = self.terms.max_output_tokens < 16
            hint = " Some servers want --max-output-tokens to be 16 or more." if few else ""
            raise GraderError(
                f"{self.address} refuses even a trivial prompt for {self.about['model']} ({reply.story})."
                f" Check the model and the options.{hint}"
            )

    def _lives(self, client: OpenAI, stop: Event) -> bool:
        return self._send(client, TRIVIAL, stop).answer is not None

    def _unknown(self, client: OpenAI, reply: replies.Reply) -> str:
        """Return the message for a 404, with the server's models if it lists them."""
        _, _, listed = self.server.exchange(client.models.with_raw_response.list)
        model, names = self.about["model"], replies.read_models(listed)
        if names and model not in names:
            more = f" and {len(names) - 10} more" if len(names) > 10 else ""
            return f"{self.address} has no model {model!r}. It has: {', '.join(names[:10])}{more}."
        return (
            f"{self.address} has no chat completions of {model!r} ({reply.story})."
            " Check the address (it usually ends in /v1) and the model."
        )


def _next(queue: SimpleQueue[T]) -> T | None:
    """Return the next entry; None where nothing comes for a while."""
    try:
        return queue.get(timeout=LOOK)
    except Empty:
        return None

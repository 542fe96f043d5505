"""OpenAI's batch interface: prompts are sent as a file, and their answers fetched hours later, at a lower price.

A batch is paid once it is made. So it has a record (`ledger.py`) before, and another one when the server has named
it. If nobody recorded the name, the batch is found in the server's list by its token. Any job that
needs a prompt of a batch takes the answer from there, with `--batch` or without.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import msgspec

from exam_core.errors import GraderError
from exam_core.grading.failures import BUDGET, LATER
from exam_core.grading.prompt import ModelAnswer, Prompt, cache_key
from exam_core.temporary import temporary_file
from exam_core.wings.servers.connection import SLOWEST_BYTES
from exam_core.wings.servers.ledger import Batch, Ledger
from exam_core.wings.servers.remote import KEPT, LOOK, Remote
from exam_core.wings.servers.replies import Reply, RequestForm, Spent, read_reply
from exam_core.wording import counted, cut_at_word

if TYPE_CHECKING:
    from openai import OpenAI

MOST_PROMPTS, MOST_BYTES = 50_000, 100 * 2**20
"""Of one batch; OpenAI allows as many prompts, and twice as many bytes."""
FIRST_LOOK, LONGEST_LOOK = 0.2, 60.0
"""Seconds between two looks at batches; they grow by half each time."""
TRIES, PAUSE = 3, 2.0
"""Requests for a batch that may just have been made, and for answers; seconds between."""
Came = Iterator[tuple[int, ModelAnswer] | None]
"""Place and answer of prompts; None where none came for a while."""
_ENDED = {"completed", "failed", "expired", "cancelled"}
_LINES = 2**24
"""Longest line of answers in bytes."""


class _Counts(msgspec.Struct):
    total: int = 0
    completed: int = 0
    failed: int = 0


class _Named(msgspec.Struct):
    """A file or a batch that the server has just made."""

    id: str = ""


class _State(msgspec.Struct):
    """A batch as the server describes it."""

    id: str
    status: str = ""
    input_file_id: str | None = None
    output_file_id: str | None = None
    error_file_id: str | None = None
    metadata: Any = None
    errors: Any = None
    request_counts: _Counts | None = None


class _Listed(msgspec.Struct):
    data: list[_State]
    has_more: bool = False


class _Answered(msgspec.Struct):
    status_code: int = 0
    body: msgspec.Raw = msgspec.Raw(b"null")


class _ReplyLine(msgspec.Struct):
    custom_id: str
    response: _Answered | None = None
    error: Any = None


@dataclass
class Watched:
    """Batches that a job waits for.

    `answered` is how many of the prompts the server has finished, `before` how many when the waiting began, at `since`
    of `time.monotonic`.
    """

    batches: int
    prompts: int
    answered: int = 0
    since: float = field(default_factory=time.monotonic)
    before: int | None = None

    @property
    def left(self) -> float | None:
        """Seconds left, by the speed so far; None without any."""
        done = self.answered - (self.before or 0)
        return None if done <= 0 else (time.monotonic() - self.since) / done * (self.prompts - self.answered)


class _Wanted:
    """Prompts that are asked for together, and their places, by their keys."""

    def __init__(self, prompts: Sequence[Prompt]) -> None:
        self.prompts = {cache_key(prompt): prompt for prompt in prompts}
        self.places = {cache_key(prompt): place for place, prompt in enumerate(prompts)}

    def fail(self, reasons: Mapping[bytes, str], failure: str = "") -> Came:
        """Yield those prompts that get no answer, with their reasons."""
        for key, reason in reasons.items():
            if key in self.places:
                yield self.places[key], ModelAnswer(None, failure=failure, reason=reason)


class Batched:
    """A server's model that takes answers of batches, and makes batches of other prompts if it `sends`.

    `ledger` is where batches are recorded; without one nothing is sent by batches. `fetched` are answers of batches to
    prompts that nobody asked for here, by their keys. A prompt that is refused because of the form of its request,
    which costs nothing, shows how the model takes requests, and is asked again so. No prompt is asked at once
    beforehand: if the job died meanwhile, nobody would have its answer.
    """

    paid = True

    def __init__(self, remote: Remote, *, sends: bool) -> None:
        self.remote, self.sends = remote, sends
        self.ledger: Ledger | None = None
        self.about, self.meter = remote.about, remote.meter
        self.fetched: dict[bytes, ModelAnswer] = {}
        self.watched: Watched | None = None
        self._again: dict[bytes, RequestForm] = {}
        self._had: set[bytes] = set()
        self._ended: list[Batch] = []
        self._looked: dict[str, float] = {}
        self._left_there = 0

    @property
    def notes(self) -> list[str]:
        """Sentences about how it was asked."""
        if not self._left_there:
            return self.remote.notes
        return [
            *self.remote.notes,
            f"{counted({'prompts lie': self._left_there})} in batches, which go on at the server. Start the job again "
            "to take their answers; nothing is paid twice. To end them: examboard jobs --cancel JOB",
        ]

    @property
    def trying(self) -> str:
        """As `Remote.trying`."""
        return self.remote.trying

    def lengths(self, prompts: Sequence[Prompt]) -> list[int]:
        """As `Remote.lengths`."""
        return self.remote.lengths(prompts)

    def answers(self, prompts: Sequence[Prompt]) -> Came:
        """Do as `Remote.answers`; prompts of unfinished batches come as `LATER` where it makes none itself."""
        batches = self.ledger.open() if self.ledger else []
        if self.ledger is None or not (batches or self.sends):
            yield from self.remote.answers(prompts)
            return
        wanted = _Wanted(prompts)
        with self.remote.server.client() as client:
            desk, open_ones = _Desk(self.remote, self.ledger, client), []
            for batch in batches:
                if wanted.prompts.keys().isdisjoint(batch.prompts):
                    continue
                if batch.is_being_made or desk.find(batch):
                    open_ones.append(batch)
            taken = {key for batch in open_ones for key in batch.prompts}
            rest = {key: prompt for key, prompt in wanted.prompts.items() if key not in taken}
            if self.sends:
                self.remote.learn(*(batch.form for batch in batches))
                yield from wanted.fail(desk.send(rest, open_ones))
                yield from self._all_of(desk, open_ones, wanted)
                return
            yield from self._at_once(desk, open_ones, wanted)
            rest |= self._refused(wanted)
        pairs = [(wanted.places[key], prompt) for key, prompt in rest.items()]
        for came in self.remote.answers([prompt for _, prompt in pairs]):
            yield came and (pairs[came[0]][0], came[1])

    def write_beside(self, folder: Path) -> None:
        """Record batches beside the answers that are kept in a folder."""
        self.ledger = Ledger(folder)

    def settle(self) -> None:
        """Forget the batches whose answers are all kept; to be called when they are."""
        for batch in self._ended:
            if self.ledger:
                self.ledger.end(batch)
        self._ended = []

    def cancel(self) -> int:
        """End all batches of this model at the server, and return how many; their answers can still be fetched."""
        if self.ledger is None:
            return 0
        with self.remote.server.client() as client:
            desk = _Desk(self.remote, self.ledger, client)
            return sum(desk.cancel(batch) for batch in self.ledger.open() if desk.find(batch))

    def _at_once(self, desk: _Desk, batches: list[Batch], wanted: _Wanted) -> Came:
        """Yield answers of batches that have ended; the others' prompts come later."""
        self._left_there = 0
        for batch in batches:
            now = time.monotonic()
            state = None
            if batch.batch and now - self._looked.get(batch.token, -LONGEST_LOOK) >= LONGEST_LOOK / 6:
                self._looked[batch.token] = now
                state = desk.state(batch)
            if state and state.status in _ENDED:
                yield from self._collected(desk, batch, state, wanted)
                continue
            self._left_there += len(batch.prompts)
            yield from wanted.fail(dict.fromkeys(batch.prompts, LATER))

    def _all_of(self, desk: _Desk, batches: list[Batch], wanted: _Wanted) -> Came:
        """Wait for all batches, and yield their answers as they end."""
        self._left_there = sum(len(batch.prompts) for batch in batches)
        self.watched = Watched(len(batches), self._left_there) if batches else None
        waiting, pause, done = list(batches), FIRST_LOOK, 0
        while waiting and self.watched:
            answered = done
            for batch in list(waiting):
                if not batch.batch and not desk.learn(batch):
                    waiting.remove(batch)
                    yield from wanted.fail(dict.fromkeys(batch.prompts, LATER))
                state = desk.state(batch) if batch.batch else None
                if state and state.request_counts:
                    answered += state.request_counts.completed + state.request_counts.failed
                if state and state.status in _ENDED:
                    yield from self._collected(desk, batch, state, wanted)
                    waiting.remove(batch)
                    done += len(batch.prompts)
                    yield from self._sent_again(desk, waiting, wanted)
            self.watched.answered = answered
            if self.watched.before is None:
                self.watched.before = answered
            yield None
            if waiting:
                yield from _waiting(pause)
                pause = min(1.5 * pause, LONGEST_LOOK)
        self.watched, self._left_there = None, 0

    def _refused(self, wanted: _Wanted) -> dict[bytes, Prompt]:
        """Return the prompts that were refused because of the form of their requests, which are to be asked again."""
        keys = [key for key in self._again if key in wanted.prompts and key not in self._had]
        self._again = {}
        return {key: wanted.prompts[key] for key in keys}

    def _sent_again(self, desk: _Desk, batches: list[Batch], wanted: _Wanted) -> Came:
        """Send prompts that were refused because of their form in another one, as further batches."""
        contents = self._had.union(*(batch.prompts for batch in batches))
        self._again = {key: form for key, form in self._again.items() if key not in contents}
        forms = list(dict.fromkeys(self._again.values()))
        keys = {form: [key for key, other in self._again.items() if other == form] for form in forms}
        rest = self._refused(wanted)
        for form in forms:
            again = {key: rest[key] for key in keys[form] if key in rest}
            yield from wanted.fail(desk.send(again, batches, form))

    def _collected(self, desk: _Desk, batch: Batch, state: _State, wanted: _Wanted) -> Came:
        """Yield the answers of a batch that has ended; those that nobody asked for go to `fetched`."""
        if state.status == "failed":
            if self.ledger:
                self.ledger.end(batch)
            data = state.errors.get("data") if isinstance(state.errors, dict) else None
            sentences = [str(fault.get("message")) for fault in data or [] if isinstance(fault, dict)]
            reason = cut_at_word("; ".join(sentences[:3]), 500) or "it doesn't say why"
            raise GraderError(f"{self.remote.address} refuses the batch ({reason}). Nothing was asked. {KEPT}")
        missing, sent = batch.prompts, self.remote.form_of(batch.form)
        for key, cut, reply in desk.read(state):
            if key not in missing:
                continue
            missing.discard(key)
            prompt, answer = wanted.prompts.get(key), replace(reply.answer or reply.failed(), cut=cut)
            self.meter.settle(0.0, prompt.text if prompt else "", answer)
            if answer.text is not None:
                self._had.add(key)
            if form := sent.after(reply, value=self.remote.terms.temperature_given):
                self._again[key] = form
            elif prompt:
                yield wanted.places[key], answer
            elif answer.text is not None:
                self.fetched[key] = answer
        for _ in missing:
            self.meter.settle(0.0, "", None)
        fault = f"the batch ended as {state.status} before this was answered"
        yield from wanted.fail(dict.fromkeys(missing, "error"), fault)
        self._ended.append(batch)


class _Desk:
    """Exchanges with the server about batches."""

    def __init__(self, remote: Remote, ledger: Ledger, client: OpenAI) -> None:
        self.remote, self.ledger, self._client = remote, ledger, client
        self._patient = client.with_options(max_retries=TRIES)
        """Retries by itself: for requests that may safely be repeated."""
        self._server = remote.server

    def trouble(self, reply: Reply, doing: str) -> GraderError:
        """Return the error for a request that the server does not fulfil."""
        if reply.status in (401, 403):
            return GraderError(f"{self._server.locked_out(reply.story)} {KEPT}")
        if reply.status in (404, 405):
            return GraderError(
                f"{self.remote.address} can't {doing} ({reply.story}). If the server has no batches, leave --batch "
                f"out; if they are of another account, use its key. {KEPT}"
            )
        return GraderError(f"{self.remote.address} can't {doing} now: {reply.story}. {KEPT} Start the job again.")

    def find(self, batch: Batch) -> bool:
        """Look for the server's name of a recorded batch; returns whether it was ever made."""
        if not batch.batch and not self._find_name(batch, tries=TRIES if time.time() - batch.made < 120 else 1):
            if batch.file:
                self._exchange(lambda: self._client.files.with_raw_response.delete(batch.file))
            self.ledger.end(batch)
        return bool(batch.batch)

    def learn(self, batch: Batch) -> bool:
        """Look up the name of a batch that another process is making; returns whether there is one."""
        known = next((stored for stored in self.ledger.open() if stored.token == batch.token), None)
        if known is None or not (known.is_being_made or self.find(known)):
            return False
        batch.batch, batch.file = known.batch, known.file
        return True

    def cancel(self, batch: Batch) -> bool:
        """End a batch; returns whether it went on until then."""
        reply, _ = self._exchange(lambda: self._client.batches.with_raw_response.cancel(batch.batch))
        if reply.status not in (200, 400, 409):  # 400 and 409: it has ended already
            raise self.trouble(reply, "cancel a batch")
        return reply.status == 200

    def send(
        self, prompts: Mapping[bytes, Prompt], batches: list[Batch], form: RequestForm | None = None
    ) -> dict[bytes, str]:
        """Make batches of prompts and add them to `batches`; returns those that are not sent, with the reason.

        By default, `form` is as the model is known to take requests.
        """
        unsent: dict[bytes, str] = {}
        form = form or self.remote.form
        waiting, sent = dict(prompts), 0
        while waiting:
            with temporary_file() as file:
                keys = self._write(file, waiting, unsent, form)
                if keys:
                    batch = self.ledger.begin(keys, asdict(form))
                    self._make(batch, file)
                    batches.append(batch)
                    sent += len(keys)
                for key in [*keys, *unsent]:
                    waiting.pop(key, None)
        if sent:  # What they cost will say how much of the budget is left.
            unsent = dict.fromkeys(unsent, LATER)
        return unsent

    def _write(
        self, file: BinaryIO, prompts: Mapping[bytes, Prompt], unsent: dict[bytes, str], form: RequestForm
    ) -> list[bytes]:
        """Write as many prompts as a batch takes into a file; returns their keys."""
        keys: list[bytes] = []
        for key, prompt in prompts.items():
            fitted, cut = self.remote.fitted(prompt)
            if cut and not fitted.context:
                unsent[key] = "context"
                continue
            line = msgspec.json.encode(
                {
                    "custom_id": key.hex() + (".cut" if cut else ""),
                    "method": "POST",
                    "url": "/v1/chat/completions",
                    "body": self.remote.request(fitted.text, form),
                }
            )
            if keys and (len(keys) >= MOST_PROMPTS or file.tell() + len(line) > MOST_BYTES):
                break
            try:
                if self.remote.meter.hold(fitted.text, self.remote.terms.max_output_tokens) is None:
                    raise Spent
            except Spent:
                unsent.update(dict.fromkeys(prompts.keys() - set(keys) - unsent.keys(), BUDGET))
                break
            file.write(line + b"\n")
            keys.append(key)
        file.seek(0)
        return keys

    def _make(self, batch: Batch, file: BinaryIO) -> None:
        """Upload the prompts and make the batch, whose name is recorded."""
        prompts = ("examboard.jsonl", file, "application/jsonl")
        seconds = self._server.timeout + os.fstat(file.fileno()).st_size / SLOWEST_BYTES
        reply, body = self._exchange(
            lambda: self._patient.files.with_raw_response.create(file=prompts, purpose="batch", timeout=seconds)
        )
        batch.file = _name_in(body)
        if reply.status != 200 or not batch.file:
            self.ledger.end(batch)
            raise self.trouble(reply, "take a file of prompts")
        self.ledger.write(batch)
        for _ in range(TRIES):
            reply, body = self._exchange(
                lambda: self._client.batches.with_raw_response.create(
                    input_file_id=batch.file,
                    endpoint="/v1/chat/completions",
                    completion_window="24h",
                    metadata={"examboard": batch.token},
                )
            )
            if name := _name_in(body) if reply.status == 200 else "":
                self._record_name(batch, name)
                return
            if not reply.passing:
                self.ledger.end(batch)
                raise self.trouble(reply, "make a batch")
            # It may be made all the same.
            if self._find_name(batch, tries=TRIES):
                return
        raise self.trouble(reply, "make a batch")

    def _find_name(self, batch: Batch, tries: int) -> bool:
        """Look in the server's list, the newest first, for the name of a batch, and record it; returns success."""
        for turn in range(tries):
            if turn:
                time.sleep(PAUSE)
            after, more = "", True
            while more:
                query = {"after": after} if after else {}
                page = partial(self._patient.batches.with_raw_response.list, limit=100, extra_query=query)
                reply, body = self._exchange(page)
                try:
                    listed = msgspec.json.decode(body, type=_Listed)
                except (ValueError, RecursionError):
                    raise self.trouble(reply, "list its batches") from None
                for state in listed.data:
                    token = state.metadata.get("examboard") if isinstance(state.metadata, dict) else None
                    if token == batch.token or (batch.file and state.input_file_id == batch.file):
                        self._record_name(batch, state.id)
                        return True
                if more := listed.has_more and bool(listed.data):
                    after = listed.data[-1].id
        return False

    def _record_name(self, batch: Batch, name: str) -> None:
        batch.batch = name
        self.ledger.write(batch)

    def _exchange(self, ask: Callable[[], Any]) -> tuple[Reply, bytes]:
        """Return a reply, read, and its body."""
        status, headers, body = self._server.exchange(ask)
        return read_reply(status, headers, body, 0), body

    def state(self, batch: Batch) -> _State | None:
        """Return the state of a batch; None where the server doesn't reply just now."""
        reply, body = self._exchange(lambda: self._client.batches.with_raw_response.retrieve(batch.batch))
        if reply.status != 200:
            if reply.passing:
                return None
            raise self.trouble(reply, f"find the batch {batch.batch}, written down as {self.ledger.name(batch)}")
        try:
            return msgspec.json.decode(body, type=_State)
        except (ValueError, RecursionError):
            return None

    def read(self, state: _State) -> Iterator[tuple[bytes, bool, Reply]]:
        """Yield key, whether the passage was cut, and the reply, of all lines of a batch's answers and errors."""
        for name in filter(None, (state.output_file_id, state.error_file_id)):
            with temporary_file() as file:
                for turn in range(TRIES + 1):
                    file.seek(0)
                    file.truncate()
                    status, body = self._server.download(name, file)
                    if status == 200:
                        break
                    reply = read_reply(status, {}, body, 0)
                    if not reply.passing or turn == TRIES:
                        raise self.trouble(reply, "send a batch's answers")
                    time.sleep(PAUSE)
                file.seek(0)
                while line := file.readline(_LINES):
                    if line.strip() and (answered := self._line(line)):
                        yield answered

    def _line(self, line: bytes) -> tuple[bytes, bool, Reply] | None:
        """Return a line of answers, read; None where it is none of ours."""
        try:
            reply_line = msgspec.json.decode(self._server.without_key(line), type=_ReplyLine)
            name, _, cut = reply_line.custom_id.partition(".")
            key = bytes.fromhex(name)
        except (ValueError, RecursionError):
            return None
        if reply_line.response is not None and reply_line.response.status_code:
            reply = self.remote.read(reply_line.response.status_code, {}, bytes(reply_line.response.body))
        else:
            reply = read_reply(500, {}, msgspec.json.encode({"error": reply_line.error}), 0)
        return key, cut == "cut", reply


def _name_in(body: bytes) -> str:
    try:
        return msgspec.json.decode(body, type=_Named).id
    except (ValueError, RecursionError):
        return ""


def _waiting(seconds: float) -> Iterator[None]:
    """Wait, and yield now and then, so that the caller can look whether to go on."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        time.sleep(min(left, LOOK))
        yield None

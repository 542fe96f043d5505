"""What the replies of an OpenAI-compatible server say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

import msgspec

from exam_core.grading.remote.servers import harmless

LONGEST_COMPLAINT = 2**16
"""Bytes of a reply in which a server's message is looked for."""
_FENCE, _LANGUAGE = "```", re.compile(r"[\w+-]*")
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


@dataclass(frozen=True)
class Said:
    """The model's words, or None; what was wrong with them; and whether it was stopped before their end."""

    text: str | None
    fault: str = ""
    stopped: bool = False


@dataclass(frozen=True)
class Reply:
    """What one request brought: words of the model, or a status (0: nothing came) and the server's message.

    Parameters
    ----------
    unpaid : the account is empty, or at a limit of its own
    wait : seconds that the server wants to be left alone
    """

    status: int
    said: Said | None = None
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


def read_reply(
    status: int, headers: Mapping[str, str], body: bytes, max_output_tokens: int, *, whole: bool = False
) -> Reply:
    """What came back for a chat completion, as `Connection.exchange` gives it; `whole` as `read_completion`."""
    if status == 200 and (said := read_completion(body, max_output_tokens, whole=whole)):
        return Reply(status, said)
    message, unpaid = _complaint(body)
    if 300 <= status < 400:
        message = f"moved to {harmless(headers.get('Location', ''))}"
    elif status == 200:
        message = f"no chat completion, but {message or 'nothing'}"
    wait = seconds_to_wait(headers) if status in (429, 503) else 0.0
    return Reply(status, None, _short(message), unpaid or status == 402, wait)


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


def read_completion(body: bytes, max_output_tokens: int, *, whole: bool = False) -> Said | None:
    """The model's words in the body of a chat completion; None if the body is none, or broke off.

    Parameters
    ----------
    whole : whether thoughts and fences stay, for whoever reads them better than `bare`
    """
    try:
        choices = msgspec.json.decode(body, type=_Completion).choices
    except (ValueError, RecursionError):
        return None
    if not choices:
        return Said(None, "the server sent no choice")
    message, reason = choices[0].message, choices[0].finish_reason
    if message.refusal:
        return Said(None, f"the model refused: {_short(message.refusal)}")
    if reason == "content_filter":
        return Said(None, "the server's content filter stopped it")
    content = message.content or ""
    if not isinstance(content, str):
        content = "".join(part.text or "" for part in content if part.type == "text")
    text = content.strip() if whole else bare(content)
    full = f"stopped at max_output_tokens={max_output_tokens}" if reason == "length" else ""
    if not text:
        return Said(None, f"no answer, {full}" if full else "the model's answer is empty")
    return Said(text, full, bool(full))


def bare(content: str) -> str:
    """The answer without the thoughts before it and the code fence around it; empty if the thoughts never end.

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
    """Names of the models that a server lists; empty where it doesn't tell."""
    try:
        return [_short(model.id) for model in msgspec.json.decode(body, type=_Models).data]
    except (ValueError, RecursionError):
        return []


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
    except (ValueError, TypeError, OverflowError):
        return 0.0


def _complaint(body: bytes) -> tuple[str, bool]:
    """The message in the body of an error, as OpenAI, vLLM, Ollama, FastAPI word it; and if it is about money."""
    if body[:LONGEST_COMPLAINT].lstrip().startswith(b"<"):
        return "HTML", False
    try:
        # A long body is no error's: a million empty lists would take gigabytes.
        found = msgspec.json.decode(body) if len(body) <= LONGEST_COMPLAINT else _start(body)
    except (ValueError, RecursionError):
        found = _start(body)
    error = found.get("error", found) if isinstance(found, dict) else found
    if not isinstance(error, dict):
        return str(error), False
    message = error.get("message") or error.get("detail") or error
    return str(message), any(error.get(name) in _BILLING for name in ("code", "type"))


def _start(body: bytes) -> str:
    return body[:LONGEST_COMPLAINT].decode(errors="replace")


def _short(text: str) -> str:
    text = " ".join(text[:LONGEST_COMPLAINT].split())
    return text if len(text) <= 200 else text[:200] + "..."

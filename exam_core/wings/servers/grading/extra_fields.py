"""Further fields of requests to a server, as `--extra` has them."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from exam_core.errors import UsageError

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


def extra_of(text: str) -> dict[str, Any]:
    """The fields that `--extra` gives each request, of its text.

    Raises
    ------
    UsageError : it is no JSON object, or has what is said elsewhere or what no answer could be read of
    """
    if not text.strip():
        return {}
    try:
        found = json.loads(text, parse_constant=_no_json)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"--extra is no JSON ({str(error)[:80]}). Write an object: --extra '{{\"top_p\": 0.9}}'"
        ) from None
    if not isinstance(found, dict):
        raise UsageError("--extra is no JSON object. Write one: --extra '{\"top_p\": 0.9}'")
    for name in found:
        if name in _OWN:
            raise UsageError(f"--extra has {name}, which {_OWN[name]} sets: leave it out.")
    if found.get("stream"):
        raise UsageError("--extra asks for a stream, and answers are read as a whole: leave stream out.")
    return found


def extra_name(text: str) -> str:
    """What such fields are called in the name of a grader; errors as `extra_of`."""
    return "extra-" + hashlib.sha256(json.dumps(extra_of(text), sort_keys=True).encode()).hexdigest()[:6]


def _no_json(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")

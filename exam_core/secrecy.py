"""What must not stand in a log: keys, tokens, cookies, passwords in addresses."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

HIDDEN = "***"
SHORTEST = 8
"""Characters of a secret: what is shorter occurs in any text."""
_NAMES = re.compile("key|token|secret|passw|credential", re.IGNORECASE)
_SAID = (
    (re.compile(r"://[^\s/@]+@"), f"://{HIDDEN}@"),
    (re.compile(r"\b(bearer|basic) +[\w.~+/=-]{6,}", re.IGNORECASE), rf"\1 {HIDDEN}"),
    (re.compile(r"\b(?:sk-|eyJ)[\w.-]{8,}"), HIDDEN),
    (re.compile(r"([?&](?:code|state|\w*token|\w*key|\w*secret|password)=)[^\s&'\"]+", re.IGNORECASE), rf"\1{HIDDEN}"),
    (re.compile(r"\b(cookie['\"]?\s*:\s*)[^\n]+", re.IGNORECASE), rf"\1{HIDDEN}"),
)


def without_secrets(text: str, secrets: Iterable[str] = ()) -> str:
    """A text without these secrets, those of the environment (`OPENAI_API_KEY` and the like), and what looks so."""
    own = (value for name, value in os.environ.items() if _NAMES.search(name))
    for secret in (*own, *secrets):
        if len(secret) >= SHORTEST:
            text = text.replace(secret, HIDDEN)
    for pattern, instead in _SAID:
        text = pattern.sub(instead, text)
    return text

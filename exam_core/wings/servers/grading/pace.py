"""Keeping to a server's limits per minute."""

from __future__ import annotations

import math
from collections.abc import Callable
from threading import Lock


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

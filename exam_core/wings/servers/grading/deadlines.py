"""Exchanges that end in time: connecting, the handshake, what is sent, headers and body together.

A socket has a time limit for each read and not for all of them, so a server that sends a byte now and then, or
`100 Continue` again and again, is never late. Here a read may take what is left of the whole exchange. The one wait
without a limit of ours is that for an address's name to be looked up.
"""

from __future__ import annotations

import http.client
import io
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ClassVar

import requests
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import NameResolutionError
from urllib3.util.connection import allowed_gai_family

_end: ContextVar[float] = ContextVar("end")


@contextmanager
def ending_at(end: float) -> Iterator[None]:
    """Let the exchange of this thread that begins here last until then at most, a time of `time.monotonic`."""
    before = _end.set(end)
    try:
        yield
    finally:
        _end.reset(before)


def time_left() -> float:
    """Seconds that this thread's exchange may still take. Raises TimeoutError where there are none."""
    left = _end.get() - time.monotonic()
    if left <= 0:
        raise TimeoutError("the exchange took too long")
    return left


class _Timed(io.RawIOBase):
    """What a socket receives, each time for as long as the exchange may still take."""

    def __init__(self, received: io.RawIOBase, connected: socket.socket) -> None:
        self._received, self._connected = received, connected

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int | None:
        """Fill a buffer with what has come; waits for the first byte alone."""
        self._connected.settimeout(time_left())
        return self._received.readinto(buffer)

    def close(self) -> None:
        """Let the socket go."""
        self._received.close()
        super().close()


class _Response(http.client.HTTPResponse):
    def __init__(self, sock: socket.socket, *parts: Any, **options: Any) -> None:
        super().__init__(sock, *parts, **options)
        self.fp = io.BufferedReader(_Timed(self.fp.detach(), sock))


class Connected(HTTPConnection):
    """A connection over HTTP."""

    response_class = _Response

    def _new_conn(self) -> socket.socket:
        try:
            found = socket.getaddrinfo(self.host, self.port, allowed_gai_family(), socket.SOCK_STREAM)
        except socket.gaierror as error:
            raise NameResolutionError(self.host, self, error) from error
        # One address after the other is tried, and one that hangs must leave time for the next.
        self.timeout = time_left() / len(found)
        connected = super()._new_conn()
        connected.settimeout(time_left())
        return connected

    def request(self, *parts: Any, **options: Any) -> None:
        """Send a request; a connection that is used again forgets how long the last one might take."""
        if self.sock is not None:
            self.sock.settimeout(time_left())
        super().request(*parts, **options)


class ConnectedSafely(Connected, HTTPSConnection):
    """A connection over HTTPS."""


def pools_of(plain: type[HTTPConnection], safe: type[HTTPSConnection]) -> dict[str, type[HTTPConnectionPool]]:
    """Pools of connections of these kinds, by the scheme of an address."""
    return {
        "http": type("PlainPool", (HTTPConnectionPool,), {"ConnectionCls": plain}),
        "https": type("SafePool", (HTTPSConnectionPool,), {"ConnectionCls": safe}),
    }


class TimedAdapter(HTTPAdapter):
    """Connections of a session, that to a proxy too."""

    pools: ClassVar = pools_of(Connected, ConnectedSafely)

    def init_poolmanager(self, *parts: Any, **options: Any) -> None:
        """As the library does, with connections of ours."""
        super().init_poolmanager(*parts, **options)
        self.poolmanager.pool_classes_by_scheme = self.pools

    def proxy_manager_for(self, proxy: str, **options: Any) -> Any:
        """As the library does, with connections of ours."""
        manager = super().proxy_manager_for(proxy, **options)
        if not proxy.lower().startswith("socks"):  # which has connections of its own
            manager.pool_classes_by_scheme = self.pools
        return manager


def timed_session(adapter: TimedAdapter | None = None) -> requests.Session:
    """A session whose exchanges end in time, for the requests of one thread."""
    session = requests.Session()
    for scheme in ("http://", "https://"):
        session.mount(scheme, adapter or TimedAdapter())
    return session

"""OpenAI's client for one address: its exchanges end in time, and only what is asked is sent.

The library's time limits are for each read, so they never stop a server that sends a byte now and then, or
`100 Continue` again and again. Here a read may take the rest of the whole exchange, from connecting to the last
byte of the body. The one wait without a limit is for an address's name to be looked up.

This module takes a second to load: it is imported where a server is asked.
"""

from __future__ import annotations

import math
import os
import socket
import ssl
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpcore2
import httpx2
import openai

from exam_core.errors import UsageError
from exam_core.wings.servers.allowed_servers import is_public

if TYPE_CHECKING:
    from exam_core.wings.servers.connection import Connection

_PIECE = 16384
"""Bytes that are sent between two looks at the clock."""
_HEADERS = {
    *(b"host", b"accept", b"accept-encoding", b"connection", b"user-agent"),
    *(b"content-type", b"content-length", b"transfer-encoding"),
}
"""All headers that a server gets. The library would add variables of the environment that are for OpenAI alone, and the
operating system's name."""
_BUNDLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
_TROUBLES: tuple[tuple[type[Exception], str], ...] = (
    (ssl.SSLError, f"its certificate was not accepted ({_BUNDLES[0]} names a file of trusted ones)"),
    (httpcore2.ProxyError, "the proxy did not pass the request on"),
    (httpcore2.TimeoutException, "no complete answer in time"),
    (httpx2.TransportError, "no connection, or it broke off"),
)
"""Reasons of a failed exchange, in our words: those of the libraries quote the whole address."""


def client_of(server: Connection, most: int, *, is_for_files: bool = False) -> openai.OpenAI:
    """Return a client for the requests of one thread, which has to close it.

    `most` is the largest reply in bytes, unzipped; `is_for_files` lets a success have any size.

    Raises UsageError where the environment names certificates or a proxy that are none.
    """
    http = httpx2.Client(transport=Transport(server, most, is_for_files=is_for_files), trust_env=False)
    # The transport signs requests, so the library needs no key; it would read it from the environment.
    return openai.OpenAI(
        api_key="none", base_url=server.address, timeout=server.timeout, max_retries=0, http_client=http
    )


def reply_of(ask: Callable[[], Any]) -> tuple[int, Mapping[str, str], bytes]:
    """Return status, headers and body of one reply; status 0 and the reason where none came.

    `ask` uses a client, and returns its raw response; None where it has read the body of a success itself.
    """
    try:
        reply = ask()
        if reply is None:
            return 200, {}, b""
        response = reply if isinstance(reply, httpx2.Response) else reply.http_response
    except openai.APIStatusError as error:
        response = error.response
    except (openai.APIConnectionError, httpx2.RequestError) as error:
        return 0, {}, _trouble(error).encode()
    return response.status_code, response.headers, response.content


class Transport(httpx2.BaseTransport):
    """Sends the requests of one thread, signed, and reads at most `most` bytes of each reply.

    An exchange may last as long as the request's time limit for a read.
    """

    def __init__(self, server: Connection, most: int, *, is_for_files: bool) -> None:
        self._server, self._most, self._is_for_files = server, most, is_for_files
        self._network = _Network(is_guarded=server.is_guarded)
        self._pool = _pool(server, self._network)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request; the body of its reply is read later, within the same time."""
        self._network.end = time.monotonic() + request.extensions["timeout"]["read"]
        query = b"&".join(filter(None, (self._server.query, request.url.query)))
        url = request.url.copy_with(query=query or None)
        sent = httpcore2.Request(
            request.method,
            httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=[header for header in request.headers.raw if header[0].lower() in _HEADERS] + self._server.login(),
            content=request.stream,
        )
        with _library_errors():
            reply = self._pool.handle_request(sent)
        most = math.inf if self._is_for_files and reply.status == 200 else self._most
        # The body is unzipped where it is read.
        headers = [
            header for header in reply.headers if header[0].lower() not in (b"content-encoding", b"content-length")
        ]
        return httpx2.Response(reply.status, headers=headers, stream=_Body(reply, most))

    def close(self) -> None:
        """Close its connections."""
        self._pool.close()


class _Body(httpx2.SyncByteStream):
    """The body of a reply, unzipped. Raises RequestError at its end or where it is longer than `most` bytes."""

    def __init__(self, reply: httpcore2.Response, most: float) -> None:
        self._reply, self._most = reply, most

    def __iter__(self) -> Iterator[bytes]:
        size, zipped = 0, httpx2.Response(200, headers=self._reply.headers, content=self._reply.iter_stream())
        with _library_errors():
            for piece in zipped.iter_bytes():
                size += len(piece)
                if size > self._most:
                    raise httpx2.DecodingError("the body is too long")
                yield piece

    def close(self) -> None:
        self._reply.close()


class _Network(httpcore2.SyncBackend):
    """Connects until `end`, a time of `time.monotonic`; a guarded one to public addresses only.

    A name is resolved anew here, and may lead elsewhere than when it was looked up.
    """

    def __init__(self, *, is_guarded: bool) -> None:
        self._is_guarded, self.end = is_guarded, 0.0

    def left(self) -> float:
        """Return the seconds left for the exchange; ReadTimeout where there are none."""
        left = self.end - time.monotonic()
        if left <= 0:
            raise httpcore2.ReadTimeout("the exchange took too long")
        return left

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        try:
            entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise httpcore2.ConnectError(str(error)) from error
        addresses = [str(entry[4][0]) for entry in entries]
        if self._is_guarded:
            addresses = list(filter(is_public, addresses))
        trouble: Exception = httpcore2.ConnectError("no address that may be asked")
        for number, address in enumerate(addresses):
            seconds = self.left() / (len(addresses) - number)  # One that hangs must leave time for the next.
            try:
                return _Stream(super().connect_tcp(address, port, seconds, local_address, socket_options), self)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                trouble = error
        raise trouble


class _Stream(httpcore2.NetworkStream):
    """A connection that waits as long as its network has time."""

    def __init__(self, plain: httpcore2.NetworkStream, network: _Network) -> None:
        self._plain, self._network = plain, network

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002
        return self._plain.read(max_bytes, self._network.left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002
        for start in range(0, len(buffer), _PIECE):
            self._plain.write(buffer[start : start + _PIECE], self._network.left())

    def close(self) -> None:
        self._plain.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002
    ) -> httpcore2.NetworkStream:
        return _Stream(self._plain.start_tls(ssl_context, server_hostname, self._network.left()), self._network)

    def get_extra_info(self, info: str) -> Any:
        return self._plain.get_extra_info(info)


def _pool(server: Connection, network: _Network) -> httpcore2.ConnectionPool:
    options: dict[str, Any] = {"ssl_context": _certificates(), "network_backend": network}
    if not server.proxy:
        return httpcore2.ConnectionPool(**options)
    try:
        proxy = httpx2.Proxy(server.proxy)
        kind = httpcore2.SOCKSProxy if proxy.url.scheme.startswith("socks") else httpcore2.HTTPProxy
        return kind(str(proxy.url), proxy_auth=proxy.raw_auth, **options)
    except (ValueError, RuntimeError, httpx2.InvalidURL):  # a scheme of its own; no package for SOCKS; no URL
        raise UsageError(
            f"The environment names the proxy {server.shown_proxy}, which can't be used. Write it like "
            "http://user:password@host:port; one of socks5:// needs the package socksio."
        ) from None


def _certificates() -> ssl.SSLContext:
    name = next(filter(os.environ.get, _BUNDLES), "SSL_CERT_FILE")
    path = os.environ.get(name)
    try:
        return ssl.create_default_context(cafile=path) if name in _BUNDLES else httpcore2.default_ssl_context()
    except OSError as error:
        raise UsageError(f"{path}, which {name} names, has no certificates that can be read ({error}).") from None


@contextmanager
def _library_errors() -> Iterator[None]:
    """Raise errors of the layer below as errors that the library knows."""
    try:
        yield
    except (httpcore2.TimeoutException, httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.ProxyError) as error:
        raise httpx2.TransportError(str(error)) from error


def _trouble(error: BaseException | None) -> str:
    causes = []
    while error:
        causes.append(error)
        error = error.__cause__ or error.__context__
    words = (words for kind, words in _TROUBLES if any(isinstance(cause, kind) for cause in causes))
    return next(words, "the answer broke off")

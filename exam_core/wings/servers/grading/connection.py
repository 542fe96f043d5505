"""Exchanges with a server over HTTP: its address, its key, and nothing of them in what is shown.

The key goes to the address that it is for (`addresses.has_the_key`) and to no other.
"""

from __future__ import annotations

import base64
import os
import re
import time
from collections.abc import Mapping
from typing import Any, BinaryIO
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

import requests
import urllib3

from exam_core.errors import UsageError
from exam_core.temporary import filling
from exam_core.wings.servers.grading import allowed_servers
from exam_core.wings.servers.grading.allowed_servers import KEY
from exam_core.wings.servers.grading.deadlines import ending_at, timed_session
from exam_core.wings.servers.grading.guarded import guarded_session

LARGEST_BODY = 4 * 2**20
"""Bytes of a reply that are read: an answer of a million tokens. Each request under way may take ten times that."""

LONGEST_DOWNLOAD = 3600.0
"""Seconds that a file may take."""
SLOWEST_BYTES = 100_000
"""Bytes in a second that are sent at least."""

_LATE = "no complete answer in time"
_TROUBLES: tuple[tuple[type[Exception], str], ...] = (
    (
        requests.exceptions.SSLError,
        "its certificate was not accepted (REQUESTS_CA_BUNDLE names a file of trusted ones)",
    ),
    (requests.exceptions.ProxyError, "the proxy did not pass the request on"),
    (requests.exceptions.Timeout, _LATE),
    (urllib3.exceptions.TimeoutError, _LATE),
    (requests.exceptions.ConnectionError, "no connection, or it broke off"),
)
"""Why nothing came back, in our words: those of the library quote the whole address."""


class Connection:
    """A server that several threads may ask, each in a session of its own.

    The key is read from the environment at every request and kept nowhere.

    Raises UsageError where the address is none, the key can't be sent, or a job of the dashboard may not ask there.

    Parameters
    ----------
    base_url : user:password@ and a query in it are sent but never shown
    timeout : seconds for one request, from start to the last byte
    """

    def __init__(self, base_url: str, timeout: float) -> None:
        # Asked before it is sent: the libraries quote what they refuse.
        if not re.fullmatch(r"[!-~]*", _key()):
            raise UsageError(f"The key in {KEY} has blanks or letters that no key has. Set it again.")
        self._url = _split(base_url)
        self._has_the_key = allowed_servers.has_the_key(self.address)
        self._guarded = allowed_servers.is_asked_by_a_visitor(self.address)
        if self._guarded:
            allowed_servers.refuse_inner(self.address)
        self._timeout = timeout

    @property
    def address(self) -> str:
        """What may be shown of the address."""
        return _shown(self._url)

    def session(self) -> requests.Session:
        """For the requests of one thread."""
        session = guarded_session() if self._guarded else timed_session()
        session.auth = self._sign
        return session

    def exchange(
        self, session: requests.Session, method: str, path: str, asked: dict[str, Any] | None = None
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Status, headers and body of one reply; status 0 and the reason where none came."""
        return self._reply(session, method, path, self._timeout, json=asked)

    def upload(
        self, session: requests.Session, path: str, file: BinaryIO, kind: str
    ) -> tuple[int, Mapping[str, str], bytes]:
        """As `exchange`, of a file of any size that is sent as it is.

        Parameters
        ----------
        kind : its Content-Type
        """
        seconds = self._timeout + os.fstat(file.fileno()).st_size / SLOWEST_BYTES
        return self._reply(session, "POST", path, seconds, data=file, headers={"Content-Type": kind})

    def download(self, session: requests.Session, path: str, target: BinaryIO) -> tuple[int, bytes]:
        """Write a reply of any size to a file.

        Returns
        -------
        the status, and the body where that is none of success; 0 and the reason where nothing came, or not all

        Raises StoreError where the file can't be written, which is none of the server's faults.
        """
        end = time.monotonic() + LONGEST_DOWNLOAD
        try:
            with ending_at(end), self._asked(session, "GET", path, LONGEST_DOWNLOAD) as response:
                if response.status_code != 200:
                    return response.status_code, self._without_key(response, _read(response))
                while chunk := response.raw.read1(1 << 20, decode_content=True):
                    with filling():
                        target.write(chunk)
                return 200, b""
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            return 0, _trouble(error, late=time.monotonic() >= end)

    def _reply(
        self, session: requests.Session, method: str, path: str, seconds: float, **sent: Any
    ) -> tuple[int, Mapping[str, str], bytes]:
        end = time.monotonic() + seconds
        try:
            with ending_at(end), self._asked(session, method, path, seconds, **sent) as response:
                return response.status_code, response.headers, self._without_key(response, _read(response))
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            return 0, {}, _trouble(error, late=time.monotonic() >= end)

    def _asked(
        self, session: requests.Session, method: str, path: str, seconds: float, **sent: Any
    ) -> requests.Response:
        query = "&".join(filter(None, (self._url.query, path.partition("?")[2])))
        place = self._url.path + path.partition("?")[0]
        url = urlunsplit((self._url.scheme, _host(self._url), place, query, ""))
        # A redirected POST would come out as a GET, and take the key along.
        return session.request(method, url, timeout=seconds, stream=True, allow_redirects=False, **sent)

    def locked_out(self, story: str) -> str:
        """What to say, and to do, where the server lets nobody in: whether a key was sent, and by which proxy."""
        proxy = self._proxy()
        way = f" The request went by the proxy {proxy}, which may be what refuses it: NO_PROXY={self._url.hostname}"
        return self._refused(story) + (f"{way} asks the server itself." if proxy else "")

    def _refused(self, story: str) -> str:
        if self._url.username is not None:
            return f"{self.address} refuses the user and password in its address ({story}). Check them."
        if self._key():
            return f"{self.address} refuses the key ({story}). {KEY} is set and was sent: check it."
        if self._has_the_key:
            return f"{self.address} wants a key ({story}). {KEY} is not set: set this environment variable."
        known = f"is set for {allowed_servers.address_of_the_key()} and was not sent" if _key() else "is not set"
        return (
            f"{self.address} wants a key ({story}). {KEY} {known}: to give this server its own, set "
            f"{allowed_servers.KEY_ADDRESS} to its address and {KEY} to its key."
        )

    def _proxy(self) -> str:
        """What may be shown of the proxy that requests go by; empty where they go straight to the server."""
        if self._guarded:
            return ""
        url = self.address
        proxy = requests.utils.select_proxy(url, requests.utils.get_environ_proxies(url))
        return _shown(urlsplit(proxy if "//" in proxy else f"http://{proxy}")) if proxy else ""

    def _key(self) -> str:
        """The key, where it is for this server."""
        return _key() if self._has_the_key else ""

    def _without_key(self, response: requests.Response, body: bytes) -> bytes:
        """The body, without the key where the server repeats it.

        Stand-ins such as "EMPTY", which servers without keys are given, are no secret and may occur in an answer.
        """
        return self.without_key(body, least=8 if response.status_code == 200 else 1)

    def without_key(self, body: bytes, least: int = 8) -> bytes:
        """The text without the key, where that has so many letters at least."""
        key = self._key().encode()
        return body.replace(key, b"***") if len(key) >= least else body

    def _sign(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        """Put the password of the address or the key into the headers: the only place that sees them."""
        if self._url.username is not None:
            login = f"{unquote(self._url.username)}:{unquote(self._url.password or '')}"
            request.headers["Authorization"] = "Basic " + base64.b64encode(login.encode()).decode()
        elif key := self._key():
            request.headers["Authorization"] = f"Bearer {key}"
        return request


def _trouble(error: Exception, *, late: bool) -> bytes:
    words = next((words for kind, words in _TROUBLES if isinstance(error, kind)), "the answer broke off")
    return (_LATE if late else words).encode()


def _key() -> str:
    return os.environ.get(KEY, "").strip()


def _read(response: requests.Response) -> bytes:
    body = bytearray()
    while chunk := response.raw.read1(65536, decode_content=True):
        body += chunk
        if len(body) > LARGEST_BODY:
            raise requests.RequestException
    return bytes(body)


def _split(base_url: str) -> SplitResult:
    try:
        url = urlsplit(base_url.strip())
        if url.scheme in ("http", "https"):
            requests.Request("POST", _shown(url)).prepare()
            return url._replace(path=url.path.rstrip("/"))
    except (ValueError, requests.RequestException):
        pass
    raise UsageError(
        f"{allowed_servers.harmless(base_url)!r} is no address of a server. Write it like http://localhost:8000/v1."
    )


def _host(url: SplitResult) -> str:
    return url.netloc.rpartition("@")[2]


def _shown(url: SplitResult) -> str:
    return urlunsplit((url.scheme, _host(url), url.path, "", ""))

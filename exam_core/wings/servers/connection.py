"""A server: its address, key and proxy, one exchange with it, and the models that it lists.

The key goes to the address that it is for (`allowed_servers.has_the_key`) and to no other.
"""

from __future__ import annotations

import base64
import ipaddress
import json
import os
import re
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, BinaryIO
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass

from exam_core.errors import GraderError, UsageError
from exam_core.installation import pip_install
from exam_core.temporary import filling
from exam_core.wings.servers import allowed_servers
from exam_core.wings.servers.allowed_servers import KEY
from exam_core.wings.servers.replies import read_models

if TYPE_CHECKING:
    from openai import OpenAI

LARGEST_BODY = 4 * 2**20
"""Bytes of a reply that are read: an answer of a million tokens. Each request under way may take ten times that."""
LONGEST_DOWNLOAD = 3600.0
"""Seconds that a file may take."""
SLOWEST_BYTES = 100_000
"""Least speed of sending in bytes a second."""


class Connection:
    """A server that several threads may ask, each by a client of its own.

    The key is read from the environment at every request and kept nowhere. `timeout` is seconds for one request, from
    start to the last byte; user:password@ and a query in `base_url` are sent but never shown.

    Raises UsageError where the address is none, the key can't be sent, or a job of the dashboard may not ask there;
    GraderError where the client is not installed.
    """

    def __init__(self, base_url: str, timeout: float) -> None:
        if find_spec("openai") is None:
            raise GraderError(f"This needs OpenAI's client. Install it: {pip_install('servers')}")
        # Checked before it is sent: the libraries quote what they refuse.
        if not re.fullmatch(r"[!-~]*", _key()):
            raise UsageError(f"The key in {KEY} has blanks or letters that no key has. Set it again.")
        self._url = _split(base_url)
        self._has_the_key = allowed_servers.has_the_key(self.address)
        self.is_guarded = allowed_servers.is_asked_by_a_visitor(self.address)
        """Whether only public addresses are asked, and never by a proxy, which would resolve names by itself."""
        if self.is_guarded:
            allowed_servers.refuse_inner(self.address)
        self.timeout = timeout

    @property
    def address(self) -> str:
        """The part of the address that may be shown."""
        return _shown(self._url)

    @property
    def query(self) -> bytes:
        """The query of the address, which goes with each request."""
        return self._url.query.encode()

    @property
    def proxy(self) -> str:
        """The proxy that requests go by; empty where they go straight to the server."""
        host, scheme, proxies = str(self._url.hostname), self._url.scheme, getproxies()
        if self.is_guarded or allowed_servers.is_here(self.address) or proxy_bypass(_host(self._url)):
            return ""  # A proxy's 127.0.0.1 is another machine.
        if _is_in_a_network(host, proxies.get("no", "")):
            return ""
        proxy = proxies.get(scheme) or proxies.get("all", "")
        return proxy if "//" in proxy or not proxy else f"http://{proxy}"

    @property
    def shown_proxy(self) -> str:
        """The part of the proxy that may be shown."""
        return _shown(urlsplit(self.proxy)) if self.proxy else ""

    def login(self) -> list[tuple[bytes, bytes]]:
        """Return the header with the address's password or with the key: only this method sees them."""
        if self._url.username is not None:
            login = f"{unquote(self._url.username)}:{unquote(self._url.password or '')}"
            return [(b"Authorization", b"Basic " + base64.b64encode(login.encode()))]
        key = self._key()
        return [(b"Authorization", f"Bearer {key}".encode())] if key else []

    def client(self) -> OpenAI:
        """Return a client for the requests of one thread; it has to be closed."""
        from exam_core.wings.servers.client import client_of

        return client_of(self, LARGEST_BODY)

    def exchange(self, ask: Callable[[], Any]) -> tuple[int, Mapping[str, str], bytes]:
        """Return status, headers and body of one reply; status 0 and the reason where none came.

        `ask` uses a client, and returns its raw response.
        """
        from exam_core.wings.servers.client import reply_of

        status, headers, body = reply_of(ask)
        # Stand-ins such as "EMPTY", for servers without keys, are no secret and may occur in an answer.
        return status, headers, self.without_key(body, least=8 if status == 200 else 1)

    def complete(self, client: OpenAI, fields: dict[str, Any]) -> tuple[int, Mapping[str, str], bytes]:
        """Do as `exchange`, for a chat completion with exactly these fields: servers take some that OpenAI lacks."""
        from httpx2 import Response

        body = json.dumps(fields).encode()
        return self.exchange(lambda: client.post("/chat/completions", cast_to=Response, content=body))

    def download(self, name: str, target: BinaryIO) -> tuple[int, bytes]:
        """Write a file of the server's, of any size, to one of ours; returns the status, and the body of a failure.

        The status is 0, with the reason, where nothing came, or not all. Raises StoreError where the file can't be
        written, which is no fault of the server's.
        """
        from exam_core.wings.servers.client import client_of

        def ask() -> Any:
            with client.files.with_streaming_response.content(name, timeout=LONGEST_DOWNLOAD) as response:
                if response.status_code != 200:  # a part of a file, say
                    response.read()
                    return response
                for piece in response.iter_bytes():
                    with filling():
                        target.write(piece)
            return None

        with client_of(self, LARGEST_BODY, is_for_files=True) as client:
            status, _, body = self.exchange(ask)
        return status, body

    def locked_out(self, story: str) -> str:
        """Return a message with remedy for a refused login: whether a key was sent, and by which proxy."""
        way = (
            f" The request went by the proxy {self.shown_proxy}, which may be what refuses it: "
            f"NO_PROXY={self._url.hostname} asks the server itself."
        )
        return self._refused(story) + (way if self.proxy else "")

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

    def _key(self) -> str:
        """Return the key, where it is for this server."""
        return _key() if self._has_the_key else ""

    def without_key(self, body: bytes, least: int = 8) -> bytes:
        """Return the text without the key, where that has so many letters at least."""
        key = self._key().encode()
        return body.replace(key, b"***") if len(key) >= least else body


def _key() -> str:
    return os.environ.get(KEY, "").strip()


def _is_in_a_network(host: str, networks: str) -> bool:
    """Return whether an IP address is in one of some networks (10.0.0.0/8), with commas between."""
    for network in filter(None, networks.replace(" ", "").split(",")):
        try:
            if ipaddress.ip_address(host) in ipaddress.ip_network(network, strict=False):
                return True
        except ValueError:  # a name
            continue
    return False


def _split(base_url: str) -> SplitResult:
    from httpx2 import URL, InvalidURL

    try:
        url = urlsplit(base_url.strip())
        base_url.encode()  # Its password is sent so.
        if url.scheme in ("http", "https") and re.fullmatch(r"\S+", url.hostname or ""):
            str(url.hostname).encode("idna")
            parsed = URL(urlunsplit((url.scheme, _host(url), url.path, url.query, "")))
            if parsed.host and url.port != 0:  # which reads them, and may fail
                return url._replace(path=url.path.rstrip("/"), query=parsed.query.decode())
    except (ValueError, InvalidURL):
        pass
    raise UsageError(
        f"{allowed_servers.harmless(base_url)!r} is not an address of a server. Write it like http://localhost:8000/v1."
    )


def _host(url: SplitResult) -> str:
    return url.netloc.rpartition("@")[2]


def _shown(url: SplitResult) -> str:
    return urlunsplit((url.scheme, _host(url), url.path, "", ""))


SECONDS = 3.0
"""Longest wait of a page for the list."""


def listed_models(base_url: str) -> tuple[str, list[str]]:
    """Return the address that lists models, and their names: Ollama, vLLM, LM Studio and llama.cpp do so below /v1.

    `base_url` may lack the /v1. Callers check which servers may be asked (`allowed_servers`).

    Raises UsageError where the address is none; GraderError where no server answers there, or it lists no model.
    """
    named, below = base_url.strip(), f"{base_url.strip().rstrip('/')}/v1"
    # Some list models at every path, but answer below /v1 alone.
    for address in (named, below) if urlsplit(named).path.strip("/") else (below, named):
        server = Connection(address, SECONDS)
        with server.client() as client:
            status, _, body = server.exchange(client.models.with_raw_response.list)
        if names := read_models(body):
            return address, names
        reason = body.decode(errors="replace") if status == 0 else f"HTTP {status}"
        if status == 0:
            break
    raise GraderError(f"{server.address} lists no models ({reason}). Start the server there, or type the model's name.")

"""Which server gets the key, and which servers a job of the dashboard may ask.

Whoever types a command may ask any address. Whoever opens the dashboard is perhaps not the one who runs it: from there,
addresses of this machine and of its private network are asked only where the environment names them, or where whoever
runs the dashboard for themselves confirms an address of this machine (`pages/servers/confirming.py`).
"""

from __future__ import annotations

import ipaddress
import os
import shlex
import socket
from collections.abc import Collection
from urllib.parse import urlsplit

from exam_core.errors import UsageError
from exam_core.installation import JOB, STARTED_BY
from exam_core.rights import ROLES_FILE

KEY = "OPENAI_API_KEY"
"""Environment variable with the key; where it isn't set, none is sent."""
KEY_ADDRESS = "OPENAI_BASE_URL"
"""Environment variable with the address that the key is for, as OpenAI's own client has it."""
OPENAI = "https://api.openai.com/v1"
SERVERS = "EXAMBOARD_SERVERS"
"""Environment variable with further addresses that the dashboard may ask, with blanks or commas between."""
STORE = "EXAMBOARD_STORE"
"""Environment variable with the store that is in use."""
HERE = ("127.0.0.1", "localhost", "::1")
"""Names of this machine that can be confirmed."""
_PORTS = {"http": 80, "https": 443}
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


def harmless(url: str) -> str:
    """What may be shown of something that should be an address."""
    return url.partition("?")[0].rpartition("@")[2]


def address_of_the_key() -> str:
    """What may be shown of the address that the key is for."""
    return harmless(_address_of_the_key())


def has_the_key(base_url: str) -> bool:
    """Whether the key is for this server: scheme, host and port are those of its address."""
    return _is_among(base_url, [_address_of_the_key()])


def is_named(base_url: str) -> bool:
    """Whether the environment names this server, by scheme, host and port; the dashboard may ask it."""
    return _is_among(base_url, [_address_of_the_key(), *os.environ.get(SERVERS, "").replace(",", " ").split()])


def is_asked_by_a_visitor(base_url: str) -> bool:
    """Whether this process is a job of the dashboard, and the server none that the environment names."""
    return JOB in os.environ and not is_named(base_url)


def refuse_inner(base_url: str) -> None:
    """Raise UsageError for a server of this machine or of a private network, whatever name leads there.

    Every way to write an address is resolved as a connection would.
    """
    shown = harmless(base_url)
    try:
        url = urlsplit(base_url.strip())
        result = socket.getaddrinfo(url.hostname, url.port, type=socket.SOCK_STREAM) if url.hostname else []
    except (OSError, ValueError):
        result = []
    if not result:
        raise UsageError(
            f"{shown!r} leads to no server. Check the address. Where only a proxy leads there, whoever runs the "
            f"dashboard can name it in {SERVERS}."
        )
    if not all(is_public(str(entry[4][0])) for entry in result):
        raise UsageError(
            f"{shown} is on this machine or in a private network, where the dashboard asks only servers that "
            f"{KEY_ADDRESS} or {SERVERS} in its environment name. Start it again with: {restart_line(base_url)}"
        )


def restart_line(base_url: str) -> str:
    """The line that starts the dashboard so that it may ask a server, besides those that it may ask now."""
    names = {STORE: os.environ.get(STORE, ""), SERVERS: servers_with(base_url)}
    before = [f"{name}={shlex.quote(value)}" for name, value in names.items() if value]
    return " ".join([*before, "examboard", os.environ.get(STARTED_BY) or _command()])


def _command() -> str:
    return "serve" if os.environ.get(ROLES_FILE) else "open"


def servers_with(base_url: str) -> str:
    """What `SERVERS` is to be so that it names one more: its origin alone, since blanks in an address name others."""
    return f"{os.environ.get(SERVERS, '')} {origin_of(base_url)}".strip()


def origin_of(base_url: str) -> str:
    """Scheme, host and port of an address; what may be shown of it where it is none."""
    origin = _origin(base_url)
    if origin is None:
        return harmless(base_url)
    scheme, host, port = origin
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"


def is_here(base_url: str) -> bool:
    """Whether an address names this machine, by one of `HERE`."""
    origin = _origin(base_url)
    return origin is not None and origin[1] in HERE


def is_confirmed(base_url: str, confirmed: Collection[str]) -> bool:
    """Whether an address is of this machine, and a visitor confirmed its scheme, host and port."""
    return is_here(base_url) and _is_among(base_url, confirmed)


def is_public(address: str) -> bool:
    """Whether an IP address is one of the internet: not of this machine, a private network, a link, a group."""
    result = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(result, ipaddress.IPv6Address):
        if result.ipv4_mapped:
            return is_public(str(result.ipv4_mapped))
        if result in _NAT64:
            return is_public(str(ipaddress.IPv4Address(int(result) & 0xFFFFFFFF)))
        if result.sixtofour or result.is_site_local:
            return False
    return result.is_global and not result.is_multicast and not result.is_reserved


def _address_of_the_key() -> str:
    return os.environ.get(KEY_ADDRESS, "").strip() or OPENAI


def _is_among(base_url: str, others: Collection[str]) -> bool:
    origin = _origin(base_url)
    return origin is not None and origin in map(_origin, others)


def _origin(base_url: str) -> tuple[str, str, int] | None:
    try:
        url = urlsplit(base_url.strip())
        port = url.port
    except ValueError:
        return None
    if url.scheme not in _PORTS or not url.hostname:
        return None
    return url.scheme, url.hostname.rstrip("."), port or _PORTS[url.scheme]

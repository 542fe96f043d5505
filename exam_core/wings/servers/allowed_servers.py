"""The server that gets the key, and the servers that a job of the dashboard may ask.

A person at a command line may ask any address. A visitor of the dashboard is perhaps not the person who runs it: from
there, addresses of this machine and of its private network are asked only where the environment names them, or where
somebody who runs the dashboard for themselves confirms an address of this machine (`pages/servers/added.py`).
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
"""Environment variable with the key; no key is sent without it."""
KEY_ADDRESS = "OPENAI_BASE_URL"
"""Environment variable with the address of the key, as OpenAI's own client has it."""
OPENAI = "https://api.openai.com/v1"
SERVERS = "EXAMBOARD_SERVERS"
"""Environment variable with further addresses that the dashboard may ask, with blanks or commas between."""
STORE = "EXAMBOARD_STORE"
"""Environment variable with the store in use."""
HERE = ("127.0.0.1", "localhost", "::1")
"""Names of this machine that can be confirmed."""
_PORTS = {"http": 80, "https": 443}
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


def harmless(url: str) -> str:
    """Return the part of a supposed address that may be shown."""
    return url.partition("?")[0].rpartition("@")[2]


def address_of_the_key() -> str:
    """Return the part of the key's address that may be shown."""
    return harmless(_address_of_the_key())


def has_the_key(base_url: str) -> bool:
    """Return whether the key is for this server: scheme, host and port are those of its address."""
    return _is_among(base_url, [_address_of_the_key()])


def is_named(base_url: str) -> bool:
    """Return whether the environment names this server, by scheme, host and port; the dashboard may ask it."""
    return _is_among(base_url, [_address_of_the_key(), *os.environ.get(SERVERS, "").replace(",", " ").split()])


def is_asked_by_a_visitor(base_url: str) -> bool:
    """Return whether this process is a job of the dashboard, and the server is not named by the environment."""
    return JOB in os.environ and not is_named(base_url)


def refuse_inner(base_url: str) -> None:
    """Raise UsageError for a server of this machine or of a private network, whatever name leads there.

    Every way to write an address is resolved as a connection would.
    """
    shown = harmless(base_url)
    try:
        url = urlsplit(base_url.strip())
        entries = socket.getaddrinfo(url.hostname, url.port, type=socket.SOCK_STREAM) if url.hostname else []
    except (OSError, ValueError):
        entries = []
    if not entries:
        raise UsageError(
            f"{shown!r} leads to no server. Check the address. Where only a proxy leads there, whoever runs the "
            f"dashboard can name it in {SERVERS}."
        )
    if not all(is_public(str(entry[4][0])) for entry in entries):
        raise UsageError(
            f"{shown} is on this machine or in a private network, where the dashboard asks only servers that "
            f"{KEY_ADDRESS} or {SERVERS} in its environment name. Start it again with: {restart_line(base_url)}"
        )


def restart_line(base_url: str) -> str:
    """Return the line that starts the dashboard so that it may ask a server, besides those that it may ask now."""
    names = {STORE: os.environ.get(STORE, ""), SERVERS: servers_with(base_url)}
    before = [f"{name}={shlex.quote(value)}" for name, value in names.items() if value]
    command = os.environ.get(STARTED_BY) or ("serve" if os.environ.get(ROLES_FILE) else "open")
    return " ".join([*before, "examboard", command])


def servers_with(base_url: str) -> str:
    """Return `SERVERS` with one more origin: blanks in an address would name others."""
    return f"{os.environ.get(SERVERS, '')} {origin_of(base_url)}".strip()


def origin_of(base_url: str) -> str:
    """Return scheme, host and port of an address; for anything else the part that may be shown."""
    origin = _origin(base_url)
    if origin is None:
        return harmless(base_url)
    scheme, host, port = origin
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"


def is_here(base_url: str) -> bool:
    """Return whether an address names this machine, by one of `HERE`."""
    origin = _origin(base_url)
    return origin is not None and origin[1] in HERE


def is_confirmed(base_url: str, confirmed: Collection[str]) -> bool:
    """Return whether an address is of this machine, and a visitor confirmed its scheme, host and port."""
    return is_here(base_url) and _is_among(base_url, confirmed)


def is_public(address: str) -> bool:
    """Return whether an IP address is of the internet: not of this machine, a private network, a link, a group."""
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped:
            return is_public(str(parsed.ipv4_mapped))
        if parsed in _NAT64:
            return is_public(str(ipaddress.IPv4Address(int(parsed) & 0xFFFFFFFF)))
        if parsed.sixtofour or parsed.is_site_local:
            return False
    return parsed.is_global and not parsed.is_multicast and not parsed.is_reserved


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

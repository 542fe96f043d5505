"""Where texts and bytes of servers enter."""

from __future__ import annotations

import socket
from typing import Any

from benchmarks.seams import Seam
from exam_core.wings.servers import allowed_servers
from exam_core.wings.servers.connection import Connection
from exam_core.wings.servers.replies import read_models, read_reply, seconds_to_wait

ADDRESSES = (
    "http://localhost:8000/v1",
    "https://u:p@api.example.org/v1?k=1",
    "http://[::1]:80/",
    "http://0x7f.1/",
    "https://8.8.8.8/v1",
)
COMPLETIONS = (
    b'{"choices":[{"message":{"content":"<think>a</think>4"},"finish_reason":"stop"}]}',
    b'{"choices":[{"message":{"content":[{"type":"text","text":"4"}],"refusal":null}}]}',
    b'{"error":{"message":"slow down","code":"insufficient_quota","type":"x"}}',
    b'{"data":[{"id":"m"}]}',
)
DATE = "Wed, 21 Oct 2026 07:28:00 GMT"


def numeric(host: Any, port: Any, **_: Any) -> Any:
    """Resolves addresses that are written as numbers; a name leads nowhere, and nobody is asked."""
    return ask_for_address(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)


ask_for_address = socket.getaddrinfo


def body(content: bytes) -> None:
    for status in (200, 404, 503):
        assert read_reply(status, {}, content, 10).status == status
    read_models(content)


def retry_after(text: str) -> None:
    for headers in ({"Retry-After": text}, {"Retry-After": text, "Date": text}, {"Retry-After": DATE, "Date": text}):
        assert seconds_to_wait(headers) >= 0


def server(text: str) -> None:
    assert "?" not in allowed_servers.harmless(text)
    Connection(text, 1.0)
    socket.getaddrinfo = numeric
    try:
        allowed_servers.refuse_inner(text)
    finally:
        socket.getaddrinfo = ask_for_address


SEAMS = {
    "reply of a server": Seam(body, COMPLETIONS),
    "Retry-After": Seam(retry_after, ("7", "1.5", DATE)),
    "address of a server": Seam(server, ADDRESSES, slow=True),
}

"""What the server says leaves at once.

A small packet is kept back while an earlier one is not confirmed (Nagle, RFC 896), and the other side may wait 40 ms
before it confirms. An answer is two packets, its headers and what it holds, and a page is many answers. Python's event
loop switches that off for sockets that say they are TCP; those that Streamlit 1.67 listens with do not say so.
"""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from pathlib import Path

OPEN = Path("/dev/fd")
"""What this process has open, by number; Windows has no such place, and the server is then as Streamlit has it."""


def at_once() -> None:
    """Let every connection that this process accepts from now on send at once: it has the options of its listener."""
    for number in [path.name for path in OPEN.iterdir()] if OPEN.is_dir() else ():
        with suppress(OSError):
            _of(int(number))


def _of(number: int) -> None:
    """Set the option where this is a socket that listens."""
    copy = os.dup(number)
    try:
        item = socket.socket(fileno=copy)
    except OSError:
        os.close(copy)
        return
    with item:
        if item.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            item.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

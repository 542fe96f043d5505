"""When the server starts: what it says leaves at once, and the first board is made while nobody waits for it.

A small packet is kept back while an earlier one is not confirmed (Nagle, RFC 896), and the other side may wait 40 ms
before it confirms. An answer is two packets, its headers and what it holds, and a page is many answers. Python's event
loop switches that off for sockets that say they are TCP; those that Streamlit 1.67 listens with do not say so.
"""

from __future__ import annotations

import inspect
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from threading import Thread

OPEN = Path("/dev/fd")
"""What this process has open, by number; Windows has no such place, and the server is then as Streamlit has it."""


def send_at_once() -> None:
    """Let every connection that this process accepts from now on send at once: it has the options of its listener."""
    for number in [path.name for path in OPEN.iterdir()] if OPEN.is_dir() else ():
        with suppress(OSError):
            copy = os.dup(int(number))
            try:
                listener = socket.socket(fileno=copy)
            except OSError:  # no socket
                os.close(copy)
                continue
            with listener:
                if listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


LOADED_LATER = ("exam_core.reports.board_lines", "PIL.Image")
"""What the Leaderboard loads besides, once it has a chart."""


@contextmanager
def rehearsing() -> Iterator[None]:
    """Make the first board while the server begins to listen; it does not end before the rehearsal.

    Python, DuckDB and Plotly take their time at the first one.
    """
    thread = Thread(target=_rehearse, name="rehearsal")
    thread.start()
    try:
        yield
    finally:
        thread.join()


def _rehearse() -> None:
    from pages.shared import data, wings

    with suppress(Exception):  # Whoever visits meets it again, and is told.
        data.rehearse()
    for name in (*LOADED_LATER, *(item for names in wings.declared("LOADED_LATER") for item in names)):
        import_module(name)
    inspect.stack()  # Streamlit looks at it before its first element; what Python reads for it is kept.

"""Connections that send at once."""

import socket
from pathlib import Path

from pages.mending import starting


def accepted(listener):
    """Whether a connection that is accepted now sends at once."""
    with socket.create_connection(listener.getsockname()), listener.accept()[0] as one:
        return one.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_connections_that_come_afterwards_send_at_once_and_the_listener_stays_open():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        before = accepted(listener)
        starting.send_at_once()
        assert (before, bool(accepted(listener))) == (0, True)


def test_where_a_process_cannot_see_what_it_has_open_nothing_is_done(monkeypatch):
    monkeypatch.setattr(starting, "OPEN", Path("/none"))
    starting.send_at_once()

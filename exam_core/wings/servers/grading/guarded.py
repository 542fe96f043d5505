"""Connections to public servers only.

A name is resolved anew when a connection is made, and may lead elsewhere than when it was looked up. So the other end
is asked for its address before anything is sent to it.
"""

from __future__ import annotations

import os
import socket
from typing import ClassVar

import requests
from urllib3.exceptions import NewConnectionError

from exam_core.wings.servers.grading.allowed_servers import is_public
from exam_core.wings.servers.grading.deadlines import Connected, ConnectedSafely, TimedAdapter, pools_of, timed_session


def guarded_session() -> requests.Session:
    """A session that reaches public addresses only, and none by a proxy, which would resolve names by itself."""
    session = timed_session(_Adapter())
    session.trust_env = False
    session.verify = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE") or True
    return session


class _Checked(Connected):
    def _new_conn(self) -> socket.socket:
        connected = super()._new_conn()
        if not is_public(str(connected.getpeername()[0])):
            connected.close()
            raise NewConnectionError(self, "the address is not public")
        return connected


class _CheckedHTTPS(_Checked, ConnectedSafely):
    pass


class _Adapter(TimedAdapter):
    pools: ClassVar = pools_of(_Checked, _CheckedHTTPS)

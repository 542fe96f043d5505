"""Connections to public servers only.

A name is resolved anew when a connection is made, and may lead elsewhere than when it was looked up. So the other end
is asked for its address before anything is sent to it.
"""

from __future__ import annotations

import os
import socket
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import NewConnectionError

from exam_core.grading.remote.servers import is_public


def guarded_session() -> requests.Session:
    """A session that reaches public addresses only, and none by a proxy, which would resolve names by itself."""
    session = requests.Session()
    session.trust_env = False
    session.verify = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE") or True
    for scheme in ("http://", "https://"):
        session.mount(scheme, _Adapter())
    return session


class _Checked(HTTPConnection):
    def _new_conn(self) -> socket.socket:
        connected = super()._new_conn()
        if not is_public(str(connected.getpeername()[0])):
            connected.close()
            raise NewConnectionError(self, "the address is not public")
        return connected


class _CheckedHTTPS(_Checked, HTTPSConnection):
    pass


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Checked


class _PoolHTTPS(HTTPSConnectionPool):
    ConnectionCls = _CheckedHTTPS


class _Adapter(HTTPAdapter):
    def init_poolmanager(self, *parts: Any, **options: Any) -> None:
        super().init_poolmanager(*parts, **options)
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _PoolHTTPS}

"""A real HTTP server that speaks chat completions and misbehaves as told."""

from __future__ import annotations

import gzip
import json
import sys
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Behaviour = Callable[["Handler"], None]
Plan = Callable[[str, int], Behaviour]
"""What to do with a prompt that comes for the n-th time, counted from 1."""


@dataclass(frozen=True)
class Request:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    connection: object

    @property
    def text(self) -> str:
        return str(self.body["messages"][-1]["content"])


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server

    def do_POST(self) -> None:
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        request = Request(self.path, dict(self.headers), body, self.client_address)
        with server.lock:
            server.requests.append(request)
            server.times[request.text] += 1
            time = server.times[request.text]
            server.active += 1
            server.most_active = max(server.most_active, server.active)
        try:
            server.plan(request.text, time)(self)
        finally:
            # Before the client can have read the last byte and asked again, the count may be one too high.
            with server.lock:
                server.active -= 1

    def do_GET(self) -> None:
        if self.server.models is None or not self.path.startswith(self.server.below):
            self.send(404, b"not found")
        else:
            self.send(200, json.dumps({"data": [{"id": name} for name in self.server.models]}).encode())

    def send(self, status: int, body: bytes, headers: dict[str, str] | None = None, length: int | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    """Runs in a thread from `with` to its end; `requests` are those to /chat/completions, in order of arrival."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, plan: Plan, models: list[str] | None = None) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.plan = plan
        self.models = models
        self.below = "/"
        self.connections = 0
        self.requests: list[Request] = []
        self.times: Counter[str] = Counter()
        self.active = self.most_active = 0
        self.lock = threading.Lock()
        self.closing = threading.Event()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def get_request(self) -> Any:
        self.connections += 1
        return super().get_request()

    def __enter__(self) -> Server:
        self.thread = threading.Thread(target=self.serve_forever, args=(0.01,))
        self.thread.start()
        return self

    def __exit__(self, *_args: object) -> None:
        self.closing.set()
        self.shutdown()
        self.thread.join()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):  # a client that has gone is no error
            super().handle_error(request, client_address)


def completion(content: object, finish_reason: str = "stop", usage: object = None, **message: object) -> bytes:
    message = {"role": "assistant", "content": content, **message}
    choice = {"index": 0, "message": message, "finish_reason": finish_reason}
    return json.dumps({"choices": [choice], "usage": usage}).encode()


def says(content: object, finish_reason: str = "stop", **message: object) -> Behaviour:
    return sends(completion(content, finish_reason, **message))


def sends(body: bytes, status: int = 200, **headers: str) -> Behaviour:
    return lambda handler: handler.send(
        status, body, {name.replace("_", "-"): value for name, value in headers.items()}
    )


def always(behaviour: Behaviour) -> Plan:
    return lambda _text, _time: behaviour


def fails(status: int, message: str = "no", code: str | None = None, **headers: str) -> Behaviour:
    return sends(json.dumps({"error": {"message": message, "type": "t", "code": code}}).encode(), status, **headers)


def zipped(content: str) -> Behaviour:
    return sends(gzip.compress(completion(content)), Content_Encoding="gzip")


def hangs(handler: Handler) -> None:
    handler.server.closing.wait(30)
    handler.close_connection = True


def hangs_up(handler: Handler) -> None:
    handler.close_connection = True


def breaks_off(handler: Handler) -> None:
    """Half of a body, then nothing."""
    body = completion("4")
    handler.send(200, body[: len(body) // 2], length=len(body))
    handler.close_connection = True


def drips(begin: bytes, drop: bytes) -> Behaviour:
    """A drop now and then after a beginning: no single one is late."""

    def drip(handler: Handler) -> None:
        handler.wfile.write(begin)
        while not handler.server.closing.wait(0.02):
            handler.wfile.write(drop)

    return drip


TRICKLES = {
    "status": drips(b"HTTP/1.1 200 O", b"K"),
    "continue": drips(b"", b"HTTP/1.1 100 Continue\r\nA: b\r\n\r\n"),
    "headers": drips(b"HTTP/1.1 200 OK\r\nServer: ", b"x"),
    "redirect": drips(b"HTTP/1.1 307 Temporary Redirect\r\nLocation: /", b"x"),
    "body": drips(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", b" "),
    "chunks": drips(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    "trailer": drips(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", b"A: b\r\n"),
}
"""Servers that are at it for ever, by what never ends."""

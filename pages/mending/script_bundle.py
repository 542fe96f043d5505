"""Where the browser has Plotly from: our own copy of its charts with axes, a third of all that Plotly can draw."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from exam_core.charts.plotly_code import PLOTLY
from pages.mending import PLAIN

SCRIPTS = Path(st.__file__).parent / "static" / "static" / "js"
_MAKES_PLOTLY_GLOBAL = b"window.Plotly="
_ALL_IS_CALLED = b"//# allFunctionsCalledOnLoad\n"


@cache
def libraries(scripts: Path = SCRIPTS) -> list[str]:
    """The files among Streamlit's scripts that may have Plotly: ours, unless it is off, and that of Streamlit's charts.

    Our server answers for the first (`script_bundle.py`). It is not there where a page is started by itself; then the
    second one, which is larger, is read.
    """
    paths = [path for path in scripts.glob("PlotlyChart.*.js") if _MAKES_PLOTLY_GLOBAL in path.read_bytes()]
    return [*([] if PLAIN else [PLOTLY.name]), *(path.name for path in paths)]


@cache
def script() -> bytes:
    """Our copy as it is sent: Chromium compiles all of it while the page does other things.

    Without the first line it skips each function then, and the page waits while it is read again. Others ignore it.
    """
    return _ALL_IS_CALLED + PLOTLY.read_bytes()


_RUN = [*(path.name for kind in ("BidiComponent", "Html") for path in SCRIPTS.glob(f"{kind}.*.js")), PLOTLY.name]
"""What charts and texts are drawn in and with, as Streamlit calls it; what it calls otherwise comes when it is met."""
STARTING = Path(__file__).with_name("starting.js").read_text(encoding="utf-8").replace("SCRIPTS", json.dumps(_RUN))
COMING = """<div class="coming"><h1>Examboard</h1><p>The dashboard is coming. The first visit loads 6 MB, the next ones
nearly nothing.</p></div>"""
_YEAR = {"cache-control": "public, immutable, max-age=31536000"}
_END = b"</head>"


class Scripts:
    """Answers for Streamlit where our Plotly is asked for, and adds to its page which scripts will be."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
        elif scope["path"].endswith(f"/static/js/{PLOTLY.name}"):
            await Response(script(), headers=_YEAR, media_type="text/javascript")(scope, receive, send)
        elif Headers(scope=scope).get("sec-fetch-dest") == "document":
            plain = [pair for pair in scope["headers"] if pair[0] != b"accept-encoding"]
            await self._app({**scope, "headers": plain}, receive, _Page(send))
        else:
            await self._app(scope, receive, send)


@cache
def style() -> str:
    """The styles of all pages."""
    return (Path(__file__).parents[1] / "shared" / "frame.css").read_text(encoding="utf-8")


class _Page:
    """Sends an answer on; if it is Streamlit's page, with our lines at the end of its head."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None
        self._parts: list[bytes] = []

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_page(message):
            self._start = message
        elif self._start is None:
            await self._send(message)
        else:
            self._parts.append(message.get("body", b""))
            if not message.get("more_body"):
                body = _with_our_lines(b"".join(self._parts))
                kept = [pair for pair in self._start["headers"] if pair[0].lower() not in (b"content-length", b"etag")]
                await self._send({**self._start, "headers": [*kept, (b"content-length", b"%d" % len(body))]})
                await self._send({"type": "http.response.body", "body": body})


def _with_our_lines(page: bytes) -> bytes:
    """Streamlit's page with our lines at the end of its head, our name, and words until its scripts have come.

    Our styles stand in its body: Streamlit writes its own into the head, and of two rules the later one counts.
    """
    for before, after in (
        (_END, f"<script>{STARTING}</script>".encode() + _END),
        (b"<title>Streamlit</title>", b"<title>Examboard</title>"),
        (b'<div id="root"></div>', f'<div id="root">{COMING}</div><style>{style()}</style>'.encode()),
    ):
        page = page.replace(before, after, 1)
    return page


def _is_page(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    return start["status"] == 200 and headers.get("content-type", "").startswith("text/html")

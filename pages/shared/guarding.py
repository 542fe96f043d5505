"""Who may work the dashboard: its own pages, opened under a name that it is served by, and in no frame.

A web site can give itself a name that leads to this machine, put the dashboard into a frame, or open its websocket
from a page of its own. Each request says in its headers, which no page can forge, which name was called and whose
page calls, so they are asked before Streamlit is. The names are `server.allowedHosts` of Streamlit's configuration.

This stands between server and Streamlit, so it looks at the beginning of a request and of an answer, never at
bodies or at the messages of a websocket.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from asyncio import create_task
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from urllib.parse import quote, urlsplit

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config
from streamlit.cli_util import open_browser
from streamlit.runtime.pages_manager import PagesManager
from streamlit.web.server.server_util import get_display_address, get_url

from exam_core import __version__
from exam_core.errors import ExamboardError
from exam_core.installation import HEALTH, STARTED_AS
from pages.mending import PLAIN, leaving, script_bundle, starting
from pages.shared import recording, visiting, wings
from pages.shared.moved import moved

NEEDED = ("pages.shared.frame", "pages.leaderboard.board", "scipy.special")
"""What the first chart is made with."""
_INDEX = Path(st.__file__).parent / "static" / "index.html"


def _digests() -> str:
    """The inline scripts that may run: those of Streamlit's page, of signing in, and our own, by their hashes."""
    code = re.findall(r"<script>(.*?)</script>", _INDEX.read_text(encoding="utf-8"), re.DOTALL)
    signing_in = (item.script for item in wings.declared("SIGN_IN"))
    digests = (hashlib.sha256(entry.encode()).digest() for entry in (*code, *signing_in, script_bundle.STARTING))
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)


HEADERS = {
    "Content-Security-Policy": "; ".join(
        (
            "default-src 'self'",
            f"script-src 'self' blob: {_digests()}",  # Streamlit loads components of our own as blobs
            "style-src 'self' 'unsafe-inline'",  # Streamlit and Plotly write styles while they draw
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "worker-src 'self' blob:",
            "object-src 'none'",
            "frame-src 'none'",
            "frame-ancestors 'none'",
            "base-uri 'self'",
            "form-action 'self'",
        )
    ),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Of every answer: in no frame, taken for nothing else, and not read into pages of others."""
CLOSED = ("/_stcore/metrics", "/_stcore/agent")
"""What nobody needs: how many visitors there are and what they hold; and Streamlit's way for programs to work a page,
which knows nobody who signed in."""
UPLOADS = "/_stcore/upload_file/"
PARTS = ("/_stcore/", "/media/", "/component/", "/static/")
"""Where no page is, so that nobody comes by a link."""


class Guard:
    """Refuses requests under other names and of other sites' pages; marks every answer as not to be framed."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it in a sentence."""
        if scope["type"] == "websocket":
            if refusal(scope):
                await send({"type": "websocket.close", "code": 1008})  # To the other side this is HTTP 403.
            else:
                await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._answer_or_say_why_not(scope, receive, _marking(send))
        else:
            await self._app(scope, receive, send)

    async def _answer_or_say_why_not(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; an error that nobody expected has an id, in the answer and in the log."""
        began = False

        async def sending(message: Message) -> None:
            nonlocal began
            began = True
            await send(message)

        try:
            await self._answer(scope, receive, sending)
        except Exception as error:
            # What follows the question mark holds a code when somebody signs in.
            name = recording.record(error, request=f"{scope['method']} {quote(scope['path'])}")
            if not began:
                await PlainTextResponse(f"Something went wrong: error {name} in the dashboard's log.", 500)(
                    scope, receive, send
                )

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if why := refusal(scope) or _upload_refusal(scope):
            await PlainTextResponse(why, 403)(scope, receive, send)
        elif any(path in scope["path"] for path in CLOSED):
            await PlainTextResponse("Not found", 404)(scope, receive, send)
        elif scope["path"] == HEALTH:
            names = await run_in_threadpool(health)
            await JSONResponse(names, 200 if names["store"] == READABLE else 503)(scope, receive, send)
        elif (name := os.environ.get(STARTED_AS)) and scope["path"] == f"{HEALTH}/{name}":
            await Response(status_code=204)(scope, receive, send)
        elif new := moved(scope["path"], scope.get("query_string", b"").decode("latin-1")):
            await RedirectResponse(new)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def _marking(send: Send) -> Send:
    """A way to answer that adds our headers."""

    async def marked(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(HEADERS)
        await send(message)

    return marked


MIDDLEWARE = [Middleware(Guard), *([] if PLAIN else [Middleware(script_bundle.Scripts)])]
READABLE = "readable"


def health() -> dict[str, str]:
    """What a monitor asks: which version runs, and whether it reads its store; nothing of what is in there."""
    from exam_core.store import Store, default_store  # DuckDB and pandas are nothing that a start waits for

    try:
        result = default_store().exists() and Store(default_store()).collections() is not None
    except (ExamboardError, OSError):
        result = False
    return {"version": __version__, "store": READABLE if result else "not readable"}


def _upload_refusal(scope: Scope) -> str:
    """Why a file is not taken: only who may import is asked for one, so only they may fill the memory with any."""
    _, is_upload, rest = scope["path"].partition(UPLOADS)
    return visiting.upload_refusal(rest.partition("/")[0], Request(scope)) if is_upload else ""


def refusal(scope: Scope) -> str:
    """Why a request is refused, for whoever sent it; empty where it is not."""
    headers = Headers(scope=scope)
    hosts, origins = headers.getlist("host"), headers.getlist("origin")
    if len(hosts) != 1 or not _is_served(hosts[0]):
        return (
            f"This dashboard is not served under the name {hosts[0] if hosts else ''!r}. "
            "Whoever runs it can allow that name in server.allowedHosts; see docs/how-to/serve-to-a-team.md."
        )
    if any(not _is_own(origin, hosts[0]) for origin in origins) or _comes_from_elsewhere(scope, headers):
        return "Only the dashboard's own pages may ask for this."
    return ""


def _is_served(host: str) -> bool:
    """Whether a Host header names the dashboard; its port may be that of a tunnel or proxy."""
    try:
        split_result = urlsplit(f"//{host}")
        name = (split_result.hostname or "").rstrip(".")
        _ = split_result.port  # Raises where it is none.
        if split_result.netloc != host or "@" in host:
            return False
    except ValueError:
        return False
    for allowed in st.get_option("server.allowedHosts") or visiting.HERE:
        allowed = allowed.strip().lower().rstrip(".")
        if allowed in ("*", name) or (allowed.startswith("*.") and name.endswith(allowed[1:])):
            return bool(name)
    return False


def _is_own(origin: str, host: str) -> bool:
    """Whether the page that asks is the dashboard's, or of an origin that the configuration names."""
    scheme, _, place = origin.lower().partition("://")
    own = scheme in ("http", "https") and place == host.lower()
    return own or origin in st.get_option("server.corsAllowedOrigins")


def _comes_from_elsewhere(scope: Scope, headers: Headers) -> bool:
    """Whether a browser says that a page of another site, or of another port, asks; a link to a page may."""
    if headers.get("sec-fetch-site") not in ("cross-site", "same-site"):
        return False
    if headers.get("origin"):
        return False  # It was looked at.
    request = (scope.get("method"), headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest"))
    base = "/" + st.get_option("server.baseUrlPath").strip("/")
    path = scope["path"].removeprefix(base.rstrip("/"))
    return request != ("GET", "navigate", "document") or path.startswith(PARTS)


@asynccontextmanager
async def opened(_app: st.App) -> AsyncIterator[dict[str, object]]:
    """While the server runs; it opens the browser, as `streamlit run` does for a script that is no server.

    What the first page needs is loaded before it listens: a visitor would wait for it, and longer.
    """
    PagesManager.uses_pages_directory = False  # Our folder `pages` is none of Streamlit's first kind of app.
    for name in NEEDED:
        import_module(name)
    if not st.get_option("server.headless"):
        named = config.is_manually_set("browser.serverAddress")
        address = st.get_option("browser.serverAddress" if named else "server.address") or "localhost"
        open_browser(get_url(get_display_address(address)))
    if PLAIN:
        yield {}
        return
    starting.send_at_once()
    watching = create_task(leaving.watch())
    try:
        with starting.rehearsing():
            yield {}
    finally:
        watching.cancel()

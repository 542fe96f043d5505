"""How long a reader waits: the dashboard in a real browser, from a key on the slider to the repainted chart."""

from __future__ import annotations

import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exam_core.installation import SERVED_WITH, home
from exam_core.progress import Progress, no_progress

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
_TIMED = """
import os, sys, time
sys.path.insert(0, '.')
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.runtime import Runtime
from streamlit.web.cli import main
noted = open(os.environ['EXAMBOARD_TIMES'], 'a', buffering=1)
def note(owner, name, sign):
    original = getattr(owner, name)
    def noting(*parts):
        noted.write(f'{sign} {time.perf_counter()}\\n')
        return original(*parts)
    setattr(owner, name, noting)
note(AppSession, 'handle_backmsg', '>')
note(Runtime, '_send_message', '<')
"""
"""Streamlit's server, noting when a request comes and when each message of the answer leaves."""
_AS_SHIPPED = """
import pages.mending.following as following
import pages.shared.data as data
data.settle = lambda page: None
following.hold = lambda places, **more: None
"""
"""The same app, without what we do about Streamlit's garbage collection, and without charts ahead of the server."""
_WATCH = """
window.seen = {got: [], painted: []};
const Original = window.WebSocket;
window.WebSocket = class extends Original {
  constructor(...parts) {
    super(...parts);
    this.addEventListener('message', () => window.seen.got.push(performance.now()));
  }
};
const paint = new MutationObserver((changes) => {
  if (changes.some((change) => change.target.closest?.('.js-plotly-plot'))) {
    requestAnimationFrame(() => {
      const plots = [...document.querySelectorAll('.js-plotly-plot')];
      const seen = plots.filter((plot) => plot.checkVisibility({visibilityProperty: true}));
      const points = seen.reduce((sum, plot) => sum + plot.querySelectorAll('.point').length, 0);
      window.seen.painted.push([performance.now(), points]);
    });
  }
});
document.addEventListener('DOMContentLoaded', () =>
  paint.observe(document.body, {subtree: true, childList: true, attributes: true, characterData: true}));
"""
_NOTE_KEY = """
addEventListener('keydown', () => { window.seen.key = performance.now(); }, {once: true, capture: true})
"""
SETTLED = 1000
"""Milliseconds after which a page has come to rest."""


@dataclass(frozen=True)
class Server:
    """A running dashboard."""

    address: str
    process: int


def benchmark(
    store: Path, collection: str, *, moves: int = 40, progress: Progress = no_progress, page: str = "leaderboard"
) -> dict[str, Any]:
    """Move tau with the keyboard, on the page as it is and with Streamlit as shipped, in turn.

    Parameters
    ----------
    moves : how often tau is moved in each of both

    Returns
    -------
    milliseconds: from the key to the repainted chart, and of that from the request to the last message of the answer,
    once as the browser's network sees it, which is busy painting by then, and once as the server alone does
    """
    answers = {}
    for number, name in enumerate(("examboard", "streamlit_as_shipped")):
        with tempfile.TemporaryDirectory() as folder:
            times = Path(folder) / "times.txt"
            with serving(store, as_shipped=number == 1, times=times) as server:
                answers[name] = _measure(f"{server.address}/{page}?collection={collection}", moves)
            answers[name]["server_alone_ms"] = statistics.median(_alone(times.read_text())[-moves:])
        progress((number + 1) / 2)
    ours, shipped = answers.values()
    return {
        "collection": collection,
        "page": page,
        "moves": moves,
        **answers,
        "server_to_streamlit_as_shipped": ours["server_alone_ms"] / shipped["server_alone_ms"],
    }


@contextmanager
def serving(
    store: Path,
    *,
    as_shipped: bool = False,
    times: Path | None = None,
    port: int | None = None,
    app: Path | None = None,
    log: Path | None = None,
) -> Iterator[Server]:
    """The dashboard on a port of this machine, a free one where none is named.

    Parameters
    ----------
    app : the folder of another app, served in its place
    times : the file in which the server notes its times
    log : the file for what the server says of itself; lost otherwise
    """
    port = port or free_port()
    launcher = _TIMED + (_AS_SHIPPED if as_shipped else "") + "main()"
    start = [sys.executable, *(["-c", launcher] if times else ["-m", "streamlit"])]
    ours = {} if as_shipped or app else SERVED_WITH
    with Path(log or os.devnull).open("wb") as said:
        process = subprocess.Popen(
            [*start, "run", "app.py", "--server.port", str(port), "--server.address", "127.0.0.1"],
            cwd=app or home(),
            env={**ours, **os.environ, "EXAMBOARD_STORE": str(store.resolve()), "EXAMBOARD_TIMES": str(times)},
            stdout=said,
            stderr=said,
        )
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{address}/_stcore/health")
        yield Server(address, process.pid)
    finally:
        process.terminate()
        process.wait()


def free_port() -> int:
    """A port of this machine on which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _wait_for(address: str, seconds: float = 60) -> None:
    started = time.monotonic()
    while True:
        try:
            with urllib.request.urlopen(address, timeout=2):
                return
        except OSError:
            if time.monotonic() - started > seconds:
                raise
            time.sleep(0.05)


def _until_painted(view: Any) -> None:
    """Wait until the page has painted its chart; what asks the page itself again and again is stopped by its policy."""
    until = time.monotonic() + 60
    while not view.evaluate("window.seen.painted.length > 0"):
        if time.monotonic() > until:
            raise TimeoutError("the chart was not painted within a minute")
        view.wait_for_timeout(100)


def _measure(address: str, moves: int) -> dict[str, float]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        view = browser.new_page(viewport={"width": 1400, "height": 1000})
        view.add_init_script(_WATCH)
        wire = _Wire(view)
        started = time.perf_counter()
        view.goto(address)
        _until_painted(view)
        first = time.perf_counter() - started
        _rest(view)
        slider = view.get_by_role("slider").first
        slider.focus()
        painted, server = [], []
        keys = ["ArrowLeft"] * 3 + ["ArrowRight"] * 3
        for move in range(moves + len(keys)):
            wire.clear()
            seen = _move(view, keys[move % len(keys)])
            if move >= len(keys):  # the first round computes what later ones find
                painted.append(seen)
                server.append(wire.milliseconds())
        browser.close()
    return {
        "first_page_s": first,
        "painted_ms": statistics.median(painted),
        "painted_90th_percentile_ms": statistics.quantiles(painted, n=10)[-1],
        "server_ms": statistics.median(server),
    }


def _alone(noted: str) -> list[float]:
    """Milliseconds from each request to the last message of its answer, from what the server noted."""
    found: list[list[float]] = []
    for line in noted.splitlines():
        sign, at = line.split()
        if sign == ">":
            found.append([float(at)])
        elif found:
            found[-1].append(float(at))
    return [1000 * (times[-1] - times[0]) for times in found if len(times) > 1]


def _rest(view: Any) -> None:
    """Let the page come to rest; asking it whether it has would keep it busy."""
    view.wait_for_timeout(SETTLED)


class _Wire:
    """When the browser's network saw messages to and from the server, however busy the page is."""

    def __init__(self, view: Any) -> None:
        self.clear()
        session = view.context.new_cdp_session(view)
        session.on("Network.webSocketFrameSent", lambda frame: self.sent.append(frame["timestamp"]))
        session.on("Network.webSocketFrameReceived", lambda frame: self.received.append(frame["timestamp"]))
        session.send("Network.enable")

    def clear(self) -> None:
        """Forget what was seen."""
        self.sent: list[float] = []
        self.received: list[float] = []

    def milliseconds(self) -> float:
        """From the first request to the last message of the answer."""
        return 1000 * (self.received[-1] - self.sent[0])


def _move(view: Any, key: str) -> float:
    """Milliseconds from a key to the first frame in which all points of the chart are drawn anew."""
    view.evaluate("window.seen.got = []; window.seen.painted = [];")
    view.evaluate(_NOTE_KEY)
    view.keyboard.press(key)
    _rest(view)
    while not (seen := view.evaluate("window.seen"))["painted"]:
        _rest(view)
    drawn = seen["painted"][-1][1]
    return float(next(at for at, points in seen["painted"] if points == drawn) - seen["key"])

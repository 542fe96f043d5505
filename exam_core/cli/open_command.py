"""`examboard open`: the dashboard, from wherever one is."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.request
import webbrowser
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.client import HTTPException
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer

from exam_core import rights
from exam_core.addresses import local_path
from exam_core.cli import common as cli
from exam_core.cli.keeping_errors import Keeping, usual_file
from exam_core.errors import ExamboardError, UsageError
from exam_core.installation import HEALTH, SERVED_WITH, STARTED_AS, STARTED_BY, home

HOME = home()
HOST, PORT, TRIED = "127.0.0.1", 8501, 100
"""This machine alone; the first port that is tried, and how many."""
EVERYWHERE = "0.0.0.0"
"""For a server that listens on all addresses of this machine."""
STARTING = 60.0
"""Seconds within which the dashboard answers."""
ENDING = 5.0
"""Seconds that are waited for the last of what it said: a process that it started may go on, and hold the line."""


def open_dashboard(
    shown: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[COLLECTION | FILES... | FOLDER]",
            help="A collection to show first; or files and folders to import and show; or an exported .duckdb file.",
            show_default=False,
        ),
    ] = None,
    port: Annotated[
        int | None, typer.Option(help=f"Port to listen on; by default {PORT}, or the next free one.", min=1, max=65535)
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the browser.")] = True,
    columns: cli.Columns = None,
) -> None:
    """Start the dashboard, print its address and open it in the browser; Ctrl-C ends it.

    Files are recognised and imported first, as by `examboard import FILES`, into a collection of their folder's name.

    Example: examboard open demo

    Example: examboard open mydata/

    Example: examboard open dl19 --port 8600 --no-browser
    """
    collection, page = _to_show(shown or [], columns or "")
    store = store_path(collection)
    run(port, store, f"{page}?collection={quote(collection, safe='')}" if collection else "", browser=browser)


def _to_show(shown: Sequence[str], columns: str) -> tuple[str | None, str]:
    """The collection to show first, and the page: files are imported, a `.duckdb` file is the store from now on."""
    paths = [local_path(Path(name)) for name in shown]
    if len(shown) == 1:
        is_file = paths[0].exists()
        if not is_file or shown[0] in cli.open_store().collections():
            return shown[0], ""
        if paths[0].suffix == ".duckdb":
            os.environ["EXAMBOARD_STORE"] = shown[0]
            return None, ""
    elif not shown:
        return None, ""
    from exam_core.cli.import_files import bring

    done = bring(paths, None, columns=columns)
    return done.collection, "leaderboard" if "runs" in done.counts else ""


def run(
    port: int | None,
    store: Path,
    query: str = "",
    *,
    browser: bool = False,
    options: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
    sentences: Sequence[str] = (),
) -> None:
    """Run the dashboard until Ctrl-C ends it; ExamboardError where it ends by itself.

    Parameters
    ----------
    port : None is the usual one, or the next that is free
    query : what the address ends with
    options, environment : for the server, beyond what is usual
    sentences : printed below the address
    """
    own = {"server.address": HOST} | dict(options or {})
    command = "serve" if options else f"open{'' if browser else ' --no-browser'}"
    environment = {STARTED_BY: command, **(environment or {})}
    before: dict[signal.Signals, Any] = {}
    try:
        for number in (signal.SIGTERM, signal.SIGHUP):
            before[number] = signal.signal(number, signal.default_int_handler)  # the server must not go on alone
        with _serving(port, store, own, environment) as (server, served_port):
            address = f"http://{own['server.address']}:{served_port}/{query}"
            path = _errors_file(store, served_port, environment)
            sentences = [*sentences, *([f"Log of errors: {path}"] if path else [])]
            cli.say("\n".join([f"Examboard: {address}", f"Store: {store}", *sentences, "Ctrl-C ends it."]))
            sys.stdout.flush()
            if browser and _has_screen(os.environ):
                webbrowser.open(address)
            if server.wait():
                raise ExamboardError(f"The dashboard ended by itself (exit status {server.returncode}).")
    except KeyboardInterrupt:
        cli.say("\nThe dashboard has ended.", err=True)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _errors_file(store: Path, port: int, environment: Mapping[str, str]) -> Path | None:
    """The file for errors; none where the store may not be changed."""
    return None if rights.read_only({**os.environ, **environment}) else usual_file(store, port)


@contextmanager
def _serving(
    port: int | None, store: Path, options: Mapping[str, Any], environment: Mapping[str, str]
) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The server once it answers, and its port; it ends with the block.

    A port that is free may be another program's a moment later. Then the next one is tried, unless one is asked for.

    Raises UsageError where the port is not free, or none is, and ExamboardError where the server does not start.
    """
    address = options["server.address"]
    while True:
        tried_port = _free_port(port, address)
        token, path = secrets.token_hex(8), _errors_file(store, tried_port, environment)
        started = {STARTED_AS: token, STARTED_BY: f"{environment.get(STARTED_BY, 'open')} --port {tried_port}"}
        server = _start(tried_port, store, options, {**environment, **started})
        keeping = Keeping(server.stderr, path) if server.stderr else None
        try:
            if keeping:
                keeping.start()
            if _answers(server, f"http://{HOST if address == EVERYWHERE else address}:{tried_port}{HEALTH}/{token}"):
                yield server, tried_port
                return
        finally:
            _end(server)
            if keeping:
                keeping.join(ENDING)
        if port is not None or _is_free(tried_port, address):
            raise ExamboardError(f"The dashboard could not start (exit status {server.returncode}); see above.")


def _has_screen(environment: Mapping[str, str]) -> bool:
    """Whether a browser has a window to open: in a terminal without one, a text browser would take the terminal."""
    return sys.platform != "linux" or any(map(environment.get, ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")))


def store_path(collection: str | None = None) -> Path:
    """The store's full path, because the dashboard runs elsewhere; a collection that is named is there."""
    from exam_core.store import default_store

    if collection is not None:
        cli.open_store().snapshot(collection)
    return default_store().absolute()


def _free_port(wanted: int | None, address: str) -> int:
    """The port that is asked for, or the next free one from the usual on.

    Raises UsageError where it is not free, or none is.
    """
    if wanted is not None:
        if _is_free(wanted, address):
            return wanted
        raise UsageError(f"--port {wanted}: another program listens on it, or it may not be used.")
    free = next((port for port in range(PORT, PORT + TRIED) if _is_free(port, address)), None)
    if free is None:
        raise UsageError(f"No port from {PORT} to {PORT + TRIED - 1} is free. Name another with --port.")
    return free


def _is_free(port: int, address: str) -> bool:
    with socket.socket() as trial:
        # As the server will: a port that was left a moment ago is free.
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((address, port))
        except OSError:
            return False
    return True


def _start(
    port: int, store: Path, options: Mapping[str, Any], environment: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    """The dashboard's server; what goes wrong in it comes through its standard error.

    Raises ExamboardError where the dashboard is not beside the package.
    """
    if not (HOME / "app.py").is_file():
        raise ExamboardError(
            f"The dashboard (app.py) is not in {HOME}: this installation has the command line alone.\n"
            "Install it again: make wheel in a copy of the repository, then pip install dist/examboard-*.whl"
        )
    arguments = []
    for name, value in {"server.port": port, "server.headless": "true", **options}.items():
        for each in value if isinstance(value, list) else [value]:
            arguments += [f"--{name}", str(each)]
    return subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", "app.py", *arguments],
        cwd=HOME,
        env={**SERVED_WITH, **os.environ, "EXAMBOARD_STORE": str(store), **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        process_group=0,  # Ctrl-C is for us: we end it
    )


def _answers(server: subprocess.Popen[bytes], name: str) -> bool:
    """Wait until this server, and no other, answers what it alone knows; false if it ends before.

    Raises ExamboardError where it takes too long.
    """
    request = urllib.request.Request(name, headers={"Host": HOST})
    until = time.monotonic() + STARTING
    while time.monotonic() < until:
        if server.poll() is not None:
            return False
        with suppress(OSError, HTTPException), urllib.request.urlopen(request, timeout=2) as answer:
            if answer.status == HTTPStatus.NO_CONTENT:
                return True
        time.sleep(0.05)
    raise ExamboardError(f"The dashboard did not answer within {STARTING:.0f} s. Try again, or another --port.")


def _end(server: subprocess.Popen[bytes]) -> None:
    """End the server, by force if it does not end by itself."""
    if server.poll() is not None:
        return
    server.send_signal(signal.SIGTERM)
    try:
        server.wait(5)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()

"""People who sign in at a provider of identities that believes everybody, and messages that no page of ours sends."""

import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from playwright.sync_api import Browser, Page
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.dashboard import free_port

ROOT = Path(__file__).parents[3]
KEEP_SOCKETS = """
window.sockets = [];
const Original = window.WebSocket;
window.WebSocket = class extends Original {
  constructor(...parts) { super(...parts); window.sockets.push(this); }
};
"""
SEND = "bytes => window.sockets.at(-1).send(new Uint8Array(bytes))"
STARTING = 60.0


@dataclass
class Served:
    """A dashboard at which people sign in.

    Attributes
    ----------
    roles : the file of roles
    said : file of what the server printed
    """

    url: str
    store: Path
    roles: Path
    said: Path
    secrets: tuple[str, ...]


@dataclass
class Visit:
    """Somebody's tab, with what the server sent to it."""

    page: Page
    widgets: dict[str, str] = field(default_factory=dict)
    shown: str = ""
    received: bytearray = field(default_factory=bytearray)

    def note(self, frame: bytes | str) -> None:
        """Remember a message, and the ids of the widgets that it draws, by their keys."""
        message = ForwardMsg()
        if isinstance(frame, str):
            return
        self.received += frame
        message.ParseFromString(frame)
        self.shown = message.navigation.page_script_hash or self.shown
        element = message.delta.new_element
        kind = element.WhichOneof("type")
        found = getattr(getattr(element, kind), "id", "") if kind else ""
        if found:
            self.widgets[found.split("-", 2)[-1]] = found

    def press(self, widget: str) -> None:
        """Tell the server that a button was pressed, whatever the page shows."""
        self._send(widget, trigger_value=True)

    def choose(self, widget: str, value: str | int) -> None:
        """Tell the server that a box was set to a value, whatever the page offers."""
        self._send(widget, **{"int_value" if isinstance(value, int) else "string_value": value})

    def _send(self, widget: str, **value: str | int) -> None:
        message = BackMsg()
        message.rerun_script.query_string = self.page.url.partition("?")[2]
        message.rerun_script.page_script_hash = self.shown
        state = message.rerun_script.widget_states.widgets.add(**value)
        state.id = widget
        self.page.evaluate(SEND, list(message.SerializeToString()))


@contextmanager
def serving_signed_in(store: Path, folder: Path, roles: dict[str, str]) -> Iterator[Served]:
    """A dashboard with `examboard serve`, and the provider that it asks who somebody is."""
    provider, own = free_port(), free_port()
    url = f"http://localhost:{own}"
    said = {
        "redirect_uri": f"{url}/oauth2callback",
        "cookie_secret": "5f2c" * 16,
        "client_id": "examboard",
        "client_secret": "told-by-nobody-else",
        "server_metadata_url": f"http://localhost:{provider}/.well-known/openid-configuration",
    }
    secrets, of_roles, log = (folder / name for name in ("secrets.toml", "roles.toml", "said.txt"))
    secrets.write_text("[auth]\n" + "".join(f'{name} = "{value}"\n' for name, value in said.items()))
    secrets.chmod(0o600)
    write_roles(of_roles, roles)
    serve = ["exam_core", "--store", str(store), "serve", "--roles", str(of_roles), "--secrets", str(secrets)]
    with (
        log.open("w") as printed,
        started(["oidc_provider_mock", "--port", str(provider)], said["server_metadata_url"], printed),
        started([*serve, "--port", str(own)], f"{url}/_stcore/health", printed),
    ):
        yield Served(url, store, of_roles, log, (said["cookie_secret"], said["client_secret"]))


def write_roles(path: Path, roles: dict[str, str]) -> None:
    """Say who has which role."""
    aside = path.with_suffix(".part")
    aside.write_text("[roles]\n" + "".join(f'"{who}" = "{role}"\n' for who, role in roles.items()))
    aside.replace(path)


@contextmanager
def started(module: list[str], answers: str, printed: IO[str]) -> Iterator[None]:
    """A process of Python, from when an address answers on."""
    process = subprocess.Popen(
        [sys.executable, "-m", *module], cwd=ROOT, stdout=printed, stderr=printed, env=os.environ | {"NO_COLOR": "1"}
    )
    try:
        until = time.monotonic() + STARTING
        while True:
            try:
                with urllib.request.urlopen(answers, timeout=2):
                    break
            except OSError:
                assert time.monotonic() < until
                assert process.poll() is None
                time.sleep(0.1)
        yield
    finally:
        process.terminate()
        process.wait(20)


def signing_in(browser: Browser, served: Served) -> Callable[[str, str], Visit]:
    """What opens a page of the dashboard for somebody: `visit("ann@example.org", "passages?collection=demo")`."""

    def visit(who: str, page: str) -> Visit:
        window = browser.new_context(viewport={"width": 1400, "height": 1000})
        window.add_init_script(KEEP_SOCKETS)
        tab = window.new_page()
        found = Visit(tab)
        tab.on("websocket", lambda socket: socket.on("framereceived", found.note))
        tab.goto(served.url)
        tab.get_by_role("button", name="Sign in").click()
        tab.locator("input[name=sub]").fill(who)
        tab.get_by_role("button", name="Authorize").click()
        tab.get_by_text("Signed in as").or_(tab.get_by_text("has no role here")).first.wait_for()
        tab.goto(f"{served.url}/{page}")
        return found

    return visit

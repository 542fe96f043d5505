"""A real dashboard server on real small data, and a real Chromium in front of it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from exam_core.actions.demo import build_demo
from exam_core.store import Store

ROOT = Path(__file__).parents[2]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@dataclass
class Server:
    """A running dashboard: where it listens and what it serves."""

    url: str
    store: Path


@pytest.fixture(scope="session")
def demo_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the embedded collections."""
    path = tmp_path_factory.mktemp("store")
    build_demo(Store(path))
    return path


@pytest.fixture(scope="session")
def server(demo_store: Path) -> Iterator[Server]:
    """The dashboard on the embedded collections."""
    with running(demo_store) as found:
        yield found


class running:  # noqa: N801
    """Context of a dashboard server of its own, on a free loopback port."""

    def __init__(self, store: Path) -> None:
        self.store = store

    def __enter__(self) -> Server:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)],
            cwd=ROOT,
            env=os.environ | {"EXAMBOARD_STORE": str(self.store)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        url = f"http://127.0.0.1:{port}"
        for _ in range(300):
            try:
                urllib.request.urlopen(f"{url}/_stcore/health").close()
                return Server(url, self.store)
            except OSError:
                time.sleep(0.1)
        self.__exit__()
        raise RuntimeError("the dashboard did not start within 30 seconds")

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(timeout=20)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium; the test is skipped where there is none."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("no Chromium on this machine: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """A fresh browser window, 1400 x 1000, without memory of earlier ones."""
    context = chromium.new_context(viewport={"width": 1400, "height": 1000})
    context.set_default_timeout(20_000)
    yield context.new_page()
    context.close()

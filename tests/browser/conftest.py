"""A real dashboard server on real small data, and a real Chromium in front of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from exam_core.bench.dashboard import ARGUMENTS, serving

REBOUND = "--host-resolver-rules=MAP evil.test 127.0.0.1"


@dataclass
class Server:
    """A running dashboard: where it listens and what it serves."""

    url: str
    store: Path


@pytest.fixture(scope="session")
def server(demo_store: Path) -> Iterator[Server]:
    """The dashboard on the embedded collections."""
    with serving(demo_store) as found:
        yield Server(found.address, demo_store)


@pytest.fixture(scope="session")
def dl19(dl19_store: Path) -> Iterator[Server]:
    """The dashboard on DL19."""
    with serving(dl19_store) as found:
        yield Server(found.address, dl19_store)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, for which evil.test is this machine; the test is skipped where there is none."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("no Chromium on this machine: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*ARGUMENTS, REBOUND])
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """A fresh browser window, 1400 x 1000, without memory of earlier ones."""
    context = chromium.new_context(viewport={"width": 1400, "height": 1000}, accept_downloads=True)
    context.set_default_timeout(20_000)
    yield context.new_page()
    context.close()

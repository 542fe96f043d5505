"""A real dashboard server on real small data, and a real Chromium in front of it."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from browser.dashboard import ASKING, PATIENCE
from playwright.sync_api import Browser, Page, Playwright, expect, sync_playwright
from playwright.sync_api import BrowserContext as Window

from benchmarks.dashboard import ARGUMENTS, serving
from exam_core.actions.demo import build_demo
from exam_core.store import Store
from tests.conftest import Once

CALLED = [*ARGUMENTS, "--host-resolver-rules=MAP evil.test 127.0.0.1"]
"""How Chromium is called: evil.test is this machine."""
expect.set_options(timeout=1000 * PATIENCE)


@dataclass
class Server:
    """A running dashboard: where it listens and what it serves."""

    url: str
    store: Path
    process: int


@pytest.fixture(scope="session")
def server(demo_store: Path) -> Iterator[Server]:
    """The dashboard on the embedded collections."""
    with serving(demo_store) as found:
        yield Server(found.address, demo_store, found.process)


@pytest.fixture(scope="session")
def dl19(dl19_store: Path) -> Iterator[Server]:
    """The dashboard on DL19."""
    with serving(dl19_store) as found:
        yield Server(found.address, dl19_store, found.process)


@pytest.fixture(scope="session")
def everything(once: Once, full_dl19_store: Path) -> Iterator[str]:
    """The address of a dashboard on DL19, with its nine grading modes, and the embedded collections; only to read."""

    def fill(folder: Path) -> None:
        shutil.copytree(full_dl19_store, folder, dirs_exist_ok=True)
        build_demo(Store(folder))

    with serving(once("everything", fill)) as found:
        yield found.address


@pytest.fixture(scope="session")
def own(demo_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The dashboard on a copy of the demo; what a test adds stays, or is taken back by it, and no other looks at it."""
    store = shutil.copytree(demo_store, tmp_path_factory.mktemp("own") / "store")
    with serving(store) as found:
        yield Server(found.address, store, found.process)


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """What drives the browsers."""
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def executable() -> str:
    """Debian's Chromium; the test is skipped where there is none."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("no Chromium on this machine: apt-get install chromium")
    return path


def patient(window: Window) -> None:
    """Let a window wait as long as a noisy machine takes, and note what its pages ask the server."""
    window.set_default_timeout(1000 * PATIENCE)
    window.add_init_script(path=ASKING)


@pytest.fixture(scope="session")
def chromium(playwright: Playwright, executable: str) -> Iterator[Browser]:
    """A Chromium for tests that need a fresh browser."""
    browser = playwright.chromium.launch(executable_path=executable, args=CALLED)
    browser.on("context", patient)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def window(playwright: Playwright, executable: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Window]:
    """A Chromium that keeps the dashboard's scripts, so that a page opens in half the time."""
    profile = tmp_path_factory.mktemp("profile")
    found = playwright.chromium.launch_persistent_context(profile, executable_path=executable, args=CALLED)
    patient(found)
    yield found
    found.close()


@pytest.fixture
def page(window: Window) -> Iterator[Page]:
    """A tab of 1400 x 1000 that knows nothing of earlier ones."""
    tab = window.new_page()
    tab.set_viewport_size({"width": 1400, "height": 1000})
    yield tab
    tab.evaluate("() => { try { localStorage.clear(); sessionStorage.clear(); } catch {} }")
    window.clear_cookies()
    tab.close()

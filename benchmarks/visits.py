"""A first visit: from a server that nobody has visited to the first chart, beside an empty page of Streamlit."""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.dashboard import ARGUMENTS, CHROMIUM, SETTLED, serving
from exam_core.installation import home
from exam_core.progress import Progress, no_progress

_EMPTY = {
    "app.py": """
import streamlit as st
pages = [st.Page("one.py", title="One", default=True), st.Page("two.py", title="Two")]
st.navigation(pages, position="top").run()
""",
    "one.py": "import streamlit as st\nst.title('One')\n",
    "two.py": "import streamlit as st\nst.title('Two')\n",
}
"""An app with two pages that hold their titles and nothing else."""
_WATCH = """
window.watched = {selector: SELECTOR};
const look = () => {
  const {selector, seen, title, titled} = window.watched;
  if (!seen && document.querySelector(selector)) window.watched.seen = performance.timeOrigin + performance.now();
  if (title && !titled && [...document.querySelectorAll('h1')].some((one) => one.textContent === title))
    window.watched.titled = performance.now();
};
const all = {subtree: true, childList: true, attributes: true, characterData: true};
document.addEventListener('DOMContentLoaded', () => new MutationObserver(look).observe(document, all));
"""
"""The page itself notes when something is there: who asks from outside asks twice a second."""
_CLICK = """
(one, title) => {
  Object.assign(window.watched, {title, titled: 0, clicked: performance.now()});
  one.click();
}
"""
_TURNS = (("Reliability", "Choose method and tau"), ("Results", "Leaderboard")) * 3
_EMPTY_TURNS = (("", "One"), ("", "Two")) * 3


def benchmark(store: Path, collection: str, *, rounds: int = 3, progress: Progress = no_progress) -> dict[str, Any]:
    """Open a deep link of both apps by turns, each with a server and a browser of its own, and turn pages.

    Parameters
    ----------
    rounds : how often both are opened

    Returns
    -------
    seconds, medians: from the start of the server until it listens, from the link to the first chart (of the empty
    page to its title), and from a click on a page's link to its title; the last two divided by those of the empty page
    """
    found: dict[str, list[dict[str, float]]] = {"examboard": [], "empty_page": []}
    with tempfile.TemporaryDirectory() as folder:
        for name, content in _EMPTY.items():
            Path(folder, name).write_text(content, encoding="utf-8")
        for number in range(rounds):
            chart = f"leaderboard?collection={collection}"
            found["examboard"].append(_visit(store, home(), chart, ".examboard-chart .point", _TURNS))
            found["empty_page"].append(_visit(store, Path(folder), "two", "h1", _EMPTY_TURNS))
            progress((number + 1) / rounds)
    medians = {
        app: {name: statistics.median(one[name] for one in visits) for name in visits[0]}
        for app, visits in found.items()
    }
    ours, empty = medians.values()
    ratios = {f"{name[:-2]}_to_empty_page": ours[name] / empty[name] for name in ("first_visit_s", "turn_s")}
    return {"collection": collection, "rounds": rounds, **medians, **ratios}


def _visit(store: Path, app: Path, link: str, seen: str, turns: tuple[tuple[str, str], ...]) -> dict[str, float]:
    """Seconds until the server listens, until `seen` is there, and of a page's turn, the median."""
    from playwright.sync_api import sync_playwright

    ready = _since()
    with serving(store, app=app) as server, sync_playwright() as playwright:
        listens = ready()
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        view = browser.new_page(viewport={"width": 1400, "height": 1000})
        view.add_init_script(_WATCH.replace("SELECTOR", json.dumps(seen)))
        visited = time.time()
        view.goto(f"{server.address}/{link}", wait_until="commit")
        view.locator(seen).first.wait_for(state="attached", timeout=60_000)
        first = view.evaluate("window.watched.seen") / 1000 - visited
        turned = [_turn(view, menu, title) for menu, title in turns]
        browser.close()
    return {"server_s": listens, "first_visit_s": first, "turn_s": statistics.median(turned)}


def _turn(view: Any, menu: str, title: str) -> float:
    """Seconds from a click on a page's link, in a menu or beside it, to the page's title."""
    view.wait_for_timeout(SETTLED)
    if menu:
        view.get_by_test_id("stTopNavSection").filter(has_text=menu).evaluate("one => one.click()")
    link = view.get_by_test_id("stTopNavDropdownLink" if menu else "stTopNavLink").get_by_text(title, exact=True)
    link.wait_for(state="attached")
    link.evaluate(_CLICK, title)
    view.get_by_role("heading", name=title, exact=True, level=1).wait_for()
    return float(view.evaluate("window.watched.titled - window.watched.clicked")) / 1000


def _since() -> Callable[[], float]:
    """A clock that tells the seconds since now."""
    start = time.perf_counter()
    return lambda: time.perf_counter() - start

"""What a user does with the dashboard, for the journeys: go somewhere, set a control, read the chart."""

import re
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Error, Locator, Page, expect

from pages.shared.help_texts import HOME
from pages.shared.menu import PAGES

CHART = ".js-plotly-plot"
PATIENCE = 60.0
"""Seconds that a page has for whatever is waited for: machines are noisy."""
ASKING = Path(__file__).with_name("asking.js")
"""What notes in a page whether the server still has to answer it."""
RESTS = """(async () => {
    const rests = () => !window.unanswered && !!document.querySelector(
        '[data-testid=stApp][data-test-script-state=notRunning]');
    if (!rests()) return false;
    await new Promise(later => setTimeout(later, 50));  // in which what was told last is shown
    return rests();
})()"""
"""Whether the script has run as often as the page asked for."""
WATCH = """window.stopped = [];
document.addEventListener('securitypolicyviolation', said =>
    window.stopped.push(said.violatedDirective + ' ' + said.blockedURI))"""
KNOWN = "script-src wasm-eval"
"""What Streamlit tries and goes on without: quicker numbers of 64 bits."""
BUTTONS = """[...document.querySelectorAll('button:enabled:not([aria-label^="Help for"])')].filter(one =>
    one.checkVisibility({visibilityProperty: true}) && !one.closest('[role=group], [role=radiogroup], [role=toolbar],' +
    '[data-testid=stNumberInputContainer]'))"""
"""The buttons that are seen, without those that the arrow keys reach within a box."""
Found = TypeVar("Found")


def open_leaderboard(page: Page, url: str, query: str = "") -> None:
    """Go to the leaderboard and wait until its chart is drawn."""
    page.goto(f"{url}/leaderboard{query}")
    settled(page)


def settled(page: Page) -> None:
    """Wait until the script has run and the chart is drawn, and then the bar, whose scripts come after it."""
    page.locator(f"{CHART} :is(.point, .hm)").first.wait_for(state="attached")
    until(page, RESTS)
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)


def chart(page: Page) -> list[dict[str, Any]]:
    """The series as the browser drew them: name, y values, error bars."""
    found: list[dict[str, Any]] = page.evaluate(
        """selector => document.querySelector(selector)._fullData.map(
            trace => ({name: trace.name, y: Array.from(trace.y), error: Array.from(trace.error_y.array || [])}))""",
        CHART,
    )
    return found


def soon(page: Page, read: Callable[[], Found], so: Callable[[Found], object] = bool) -> Found:
    """What is read once it is as it should be, else what it is in the end."""
    end = time.monotonic() + PATIENCE
    while not so(found := read()) and time.monotonic() < end:
        page.wait_for_timeout(50)
    return found


def chart_after(page: Page, before: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The series, once they differ from those before and have come to rest."""

    def rested() -> list[dict[str, Any]]:
        now = chart(page)
        until(page, RESTS)
        return now if now == chart(page) else before

    after = soon(page, rested, before.__ne__)
    assert after != before, "the chart did not change"
    return after


def shows(page: Page, expected: list[dict[str, Any]]) -> bool:
    """Whether the chart has these series, or has them soon: another page's may still stand there."""
    return soon(page, lambda: bool(page.locator(CHART).count()) and chart(page) == expected)


def select(page: Page, label: str, option: str) -> None:
    """Choose an option of a select box."""
    page.get_by_test_id("stSelectbox").filter(visible=True).get_by_role("combobox", name=label).click()
    # Of a long list the browser has those that are seen; typing brings the others.
    page.keyboard.insert_text(option)
    page.get_by_role("option", name=option, exact=True).click()


def add(page: Page, label: str, option: str) -> None:
    """Add an option to a multiple choice."""
    page.get_by_test_id("stMultiSelect").filter(visible=True).get_by_role("combobox", name=label).click()
    page.get_by_role("option", name=option, exact=True).click()
    page.keyboard.press("Escape")


def open_more(page: Page, box: str = "more") -> None:
    """Unfold a box of the bar, and wait until it has stopped moving."""
    fold, heights = page.locator(f".st-key-{box}"), [0]
    fold.locator("summary").click()

    def rests() -> bool:
        page.wait_for_timeout(200)
        heights.append(int(fold.evaluate("fold => fold.offsetHeight")))
        return heights[-1] == heights[-2]

    assert soon(page, rests), "what was unfolded did not come to rest"


def set_tau(page: Page, tau: int) -> None:
    """Move the tau slider by the keyboard, and wait until the page speaks of the new tau."""
    thumb = page.get_by_test_id("stSlider").filter(has_text="tau").get_by_role("slider")
    thumb.focus()
    now = int(thumb.input_value())
    for _ in range(abs(tau - now)):
        page.keyboard.press("ArrowRight" if tau > now else "ArrowLeft")
    expect(page.get_by_text(f"tau = {tau}", exact=False).first).to_be_visible()
    settled(page)


def shaken(line: socket.socket, host: str, origin: str | None) -> str:
    """The status that a websocket's handshake over a connection gets."""
    head = ["GET /_stcore/stream HTTP/1.1", f"Host: {host}", *([] if origin is None else [f"Origin: {origin}"])]
    head += ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
    line.sendall("\r\n".join([*head, "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", ""]).encode())
    return line.recv(100).decode().split()[1]


def errors(page: Page) -> int:
    """Number of error boxes on the page."""
    return page.get_by_test_id("stException").count()


def open_page(page: Page, url: str, name: str, query: str = "") -> None:
    """Go to a page by its address and wait until its script has run."""
    page.goto(f"{url}/{name}{query}")
    page.get_by_role("heading", level=1).wait_for()
    done(page)


def done(page: Page) -> None:
    """Wait until the script has run, and again where the page asks for it: a slider does when it is left alone."""
    until(page, "new Promise(later => setTimeout(later, 250, true))")  # as the page has time: no busy one is overtaken
    until(page, RESTS)


def drawn(page: Page) -> None:
    """Wait until every chart is drawn, and what fades in has done so."""
    charts = "[...document.querySelectorAll('.examboard-chart')]"
    until(page, f"{charts}.every(chart => chart.querySelector('.main-svg'))")
    until(page, "new Promise(later => setTimeout(later, 300, true))")


def until(page: Page, said: str) -> None:
    """Wait until an expression of JavaScript is true: Playwright's own way needs what the pages' policy forbids."""

    def true() -> bool:
        with suppress(Error):  # what it speaks of is not there yet, or the page is being left
            return bool(page.evaluate(said))
        return False

    assert soon(page, true), f"not so within {PATIENCE:g} seconds: {said}"


def go_to(page: Page, title: str) -> None:
    """Turn to another page by the links on top."""
    _link(page, title).click()
    headed(page, title)


def headed(page: Page, title: str) -> None:
    """Wait until a page is there and its script has run."""
    heading = HOME if title == "Home" else title
    expect(page.get_by_role("heading", name=heading, exact=True, level=1)).to_be_visible()
    done(page)


def _link(page: Page, title: str) -> Locator:
    """The link to a page; the menu that it is in is opened."""
    group = next(page.group for page in PAGES if page.title == title)
    if not group:
        return page.get_by_test_id("stTopNavLink").get_by_text(title, exact=True)
    page.get_by_test_id("stTopNavSection").filter(has_text=group).evaluate("menu => menu.click()")
    return page.get_by_test_id("stTopNavDropdownLink").get_by_text(title, exact=True)


def table(page: Page, heading: str) -> list[dict[str, str]]:
    """The rows of the first table that has a column of that heading, as a screen reader finds them."""
    page.locator("[data-testid=stDataFrame] th").filter(has_text=re.compile(f"^{re.escape(heading)}$")).first.wait_for(
        state="attached"
    )
    rows: list[dict[str, str]] = page.evaluate(
        """heading => {
            const titles = table => [...table.querySelectorAll('th')].map(cell => cell.textContent);
            const tables = [...document.querySelectorAll('[data-testid=stDataFrame] table')];
            const table = tables.find(table => titles(table).includes(heading));
            const names = titles(table);
            return [...table.querySelectorAll('tbody tr')].map(row => Object.fromEntries(
                [...row.querySelectorAll('td')].map((cell, place) => [names[place], cell.textContent])));
        }""",
        heading,
    )
    return rows


def text(page: Page) -> str:
    """All that the page says."""
    return page.get_by_test_id("stMain").inner_text()


def turn_early(page: Page, address: str, title: str, wait: float) -> None:
    """Open an address and click a link to a page so many seconds after there is one."""
    page.goto(address, wait_until="commit")
    page.get_by_test_id("stTopNavSection").first.wait_for(state="attached")
    page.wait_for_timeout(1000 * wait)
    _link(page, title).evaluate("link => link.click()")
    headed(page, title)


def lasting(page: Page, find: Callable[[], list[Any]]) -> list[Any]:
    """What is found wrong, and is wrong after some seconds still: a page may be moving."""
    for _ in range(10):
        if not (found := find()):
            break
        page.wait_for_timeout(1000)
    return found


def barriers(page: Page) -> list[Any]:
    """What axe finds serious, and still finds after some seconds: words that fade in or out have little contrast."""
    return lasting(page, lambda: _barriers(page))


def _barriers(page: Page) -> list[Any]:
    """Not in the links of a narrow page, where Streamlit puts headings among a list's items."""
    found = Axe().run(page, context={"exclude": [["[data-testid=stSidebarNavItems]"]]}).response["violations"]
    return [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")]


def click_point(page: Page, number: int) -> str:
    """Click a point of the first chart, and say what it stands for."""
    name: str = page.evaluate(f"document.querySelector('{CHART}')._fullData[0].customdata[{number}].at(-1)")
    press_point(page, number)
    return name


def press_point(page: Page, number: int) -> None:
    """Click a point of the first chart."""
    page.locator(f"{CHART} .point").nth(number).scroll_into_view_if_needed()
    box = page.locator(f"{CHART} .point").nth(number).bounding_box()
    assert box
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(middle[0] - 3, middle[1] - 3)
    page.mouse.move(*middle, steps=3)
    page.mouse.click(*middle)
    done(page)


class Clicks:
    """A tab that begins on Home and counts the mouse's clicks, as the browser tells them from those of scripts."""

    def __init__(self, page: Page, url: str) -> None:
        self.page, self.url = page, url
        page.set_viewport_size({"width": 1366, "height": 768})
        page.add_init_script(
            "window.clicks = 0; addEventListener('pointerdown', told => { window.clicks += told.isTrusted; }, true);"
        )

    def home(self) -> None:
        """Open Home anew, with nothing chosen and no click so far."""
        open_page(self.page, self.url, "")
        drawn(self.page)

    def on(self, what: Locator) -> None:
        """Click, and wait until the page rests."""
        what.click()
        done(self.page)

    def menu(self, group: str, title: str) -> None:
        """Choose a page of a menu."""
        self.page.get_by_test_id("stTopNavSection").filter(has_text=group).click()
        self.page.get_by_test_id("stTopNavDropdownLink").get_by_text(title, exact=True).click()
        headed(self.page, title)

    @property
    def made(self) -> int:
        """Clicks since Home was opened."""
        return int(self.page.evaluate("window.clicks"))


def stopped(page: Page) -> list[str]:
    """What the pages' policy stopped, where the page began with `WATCH`."""
    found = page.evaluate("window.stopped")
    return [one for one in found if not one.startswith(KNOWN)]


def faults(page: Page) -> list[Any]:
    """Error boxes, a page wider than the window, and buttons that Tab does not come to."""
    drawn(page)
    is_cut_off = "document.documentElement.scrollWidth > innerWidth"
    passed = f"{BUTTONS}.filter(one => one.tabIndex < 0).map(one => one.innerText)"
    return ["error"] * errors(page) + lasting(
        page, lambda: ["cut off"] * page.evaluate(is_cut_off) + page.evaluate(passed)
    )

"""What a user does with the dashboard, for the journeys: go somewhere, set a control, read the chart."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page, expect

CHART = "[data-testid=stPlotlyChart] .js-plotly-plot"


def open_leaderboard(page: Page, url: str, query: str = "") -> None:
    """Go to the leaderboard and wait until its chart is drawn."""
    page.goto(f"{url}/leaderboard{query}")
    settled(page)


def settled(page: Page) -> None:
    """Wait until the script has run and the chart is drawn."""
    page.locator(f"{CHART} .point").first.wait_for(state="attached")
    expect(page.locator("[data-testid=stApp][data-test-script-state=notRunning]")).to_be_visible()


def chart(page: Page) -> list[dict[str, Any]]:
    """The series as the browser drew them: name, y values, error bars."""
    found: list[dict[str, Any]] = page.evaluate(
        """selector => document.querySelector(selector)._fullData.map(
            trace => ({name: trace.name, y: Array.from(trace.y), error: Array.from(trace.error_y.array || [])}))""",
        CHART,
    )
    return found


def chart_after(page: Page, before: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The series, once they differ from those before and have come to rest."""
    last = before
    for _ in range(50):
        page.wait_for_timeout(400)
        now = chart(page)
        if now != before and now == last:
            return now
        last = now
    raise AssertionError("the chart did not change within twenty seconds")


def select(page: Page, label: str, option: str) -> None:
    """Choose an option of a select box."""
    box = page.get_by_test_id("stSelectbox").filter(has_text=label)
    box.locator("input").click()
    page.get_by_role("option", name=option, exact=True).click()


def add(page: Page, label: str, option: str) -> None:
    """Add an option to a multiple choice."""
    box = page.get_by_test_id("stMultiSelect").filter(has_text=label)
    box.locator("input").click()
    page.get_by_role("option", name=option, exact=True).click()
    page.keyboard.press("Escape")


def set_tau(page: Page, tau: int) -> None:
    """Move the tau slider by the keyboard, and wait until the page speaks of the new tau."""
    thumb = page.get_by_test_id("stSlider").filter(has_text="tau").get_by_role("slider")
    thumb.focus()
    now = int(thumb.input_value())
    for _ in range(abs(tau - now)):
        page.keyboard.press("ArrowRight" if tau > now else "ArrowLeft")
    expect(page.get_by_text(f"tau = {tau}", exact=False).first).to_be_visible()
    settled(page)


def errors(page: Page) -> int:
    """Number of error boxes on the page."""
    return page.get_by_test_id("stException").count()

"""A user's way through what the bar chooses, in a real browser."""

from __future__ import annotations

import re

import pytest
from browser.conftest import Server
from browser.dashboard import CHART, add, chart, chart_after, open_leaderboard, set_tau, settled
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser


def scores_shown(page: Page) -> list[float]:
    """The ends of the chart's axis of scores."""
    found: list[float] = page.evaluate("s => document.querySelector(s)._fullLayout.yaxis.range", CHART)
    return found


def test_what_is_zoomed_to_stays_when_tau_moves(page: Page, server: Server) -> None:
    open_leaderboard(page, server.url, "?collection=demo&bank=open&tau=3")
    before, whole = chart(page), scores_shown(page)
    box = page.locator(f"{CHART} .nsewdrag").first.bounding_box()
    assert box
    page.mouse.move(box["x"] + 60, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 60, box["y"] + box["height"] / 2, steps=8)
    page.mouse.up()
    page.wait_for_timeout(500)
    zoomed = scores_shown(page)
    assert zoomed[0] > whole[0] + 0.3
    set_tau(page, 4)
    chart_after(page, before)
    assert scores_shown(page) == zoomed


def test_a_run_that_is_left_out_is_in_the_address_and_stays_out_after_a_reload(page: Page, server: Server) -> None:
    open_leaderboard(page, server.url, "?collection=demo&bank=open&tau=3")
    before = chart(page)
    add(page, "Leave out runs", "bm25")
    chosen = chart_after(page, before)
    expect(page).to_have_url(re.compile("without=bm25"))
    assert len(chosen[0]["y"]) == len(before[0]["y"]) - 1
    page.reload()
    settled(page)
    assert chart(page) == chosen

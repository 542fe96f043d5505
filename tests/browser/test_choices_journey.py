"""A user's way through what the bar chooses, in a real browser."""

import re

import pytest
from browser.dashboard import (
    CHART,
    chart,
    chart_after,
    done,
    go_to,
    open_leaderboard,
    open_more,
    open_page,
    set_tau,
    soon,
)
from playwright.sync_api import expect

from pages.shared.help_texts import tau_label

pytestmark = pytest.mark.browser


def scores_shown(page):
    """The ends of the chart's axis of scores."""
    return page.evaluate("s => document.querySelector(s)._fullLayout.yaxis.range", CHART)


@pytest.mark.thorough
def test_what_is_zoomed_to_stays_when_tau_moves(page, server):
    open_leaderboard(page, server.url, "?collection=demo&bank=open&tau=3")
    before, whole = chart(page), scores_shown(page)
    box = page.locator(f"{CHART} .nsewdrag").first.bounding_box()
    assert box
    page.mouse.move(box["x"] + 60, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 60, box["y"] + box["height"] / 2, steps=8)
    page.mouse.up()
    zoomed = soon(page, lambda: scores_shown(page), lambda now: now[0] > whole[0] + 0.3)
    assert zoomed[0] > whole[0] + 0.3
    set_tau(page, 4)
    chart_after(page, before)
    assert scores_shown(page) == zoomed


def bar(page):
    """The controls that are displayed, by their labels, with what is folded away."""
    labels = "[data-testid=stSidebar] :is([data-testid=stWidgetLabel], summary)"
    shown = page.locator(labels).evaluate_all(
        "all => all.filter(one => one.checkVisibility()).map(one => one.innerText.trim().split('\\n').at(-1))"
    )
    return [label for label in dict.fromkeys(shown) if label]


def test_the_bar_shows_what_a_page_uses_and_the_address_keeps_the_rest(page, server):
    open_leaderboard(page, server.url, "?collection=demo&depth=10&scores=raw&tau=3")
    assert soon(page, lambda: {"More", tau_label()} <= set(bar(page)))
    said = "getComputedStyle(document.querySelector('.st-key-more summary p'), '::after').content"
    assert page.evaluate(said) == '" (1 changed)"'
    go_to(page, "Collections")
    assert soon(page, lambda: bar(page), ["Collection"].__eq__) == ["Collection"]
    for kept in ("depth=10", "scores=raw", "tau=3"):
        expect(page).to_have_url(re.compile(kept))
    page.reload()
    done(page)
    go_to(page, "Reliability")
    open_more(page)
    expect(page.get_by_label("Depth k", exact=True)).to_have_value("10")
    expect(page.get_by_label("Judged relevant from", exact=True)).to_be_hidden()
    assert soon(page, lambda: tau_label() in bar(page))
    open_leaderboard(page, server.url, "?collection=demo-nuggets&measure=POURPRE")
    assert soon(page, lambda: "Measure" in bar(page))
    assert not {tau_label(), "Grading modes"} & set(bar(page))


def test_on_a_telephone_the_open_bar_is_closed_by_its_own_button(page, server):
    page.set_viewport_size({"width": 400, "height": 800})
    open_page(page, server.url, "leaderboard", "?collection=demo")
    bar = page.get_by_test_id("stSidebar").get_by_role("combobox", name="Collection", exact=True)
    page.get_by_test_id("stExpandSidebarButton").click()
    expect(bar).to_be_in_viewport()
    page.get_by_test_id("stSidebarCollapseButton").get_by_role("button").click(timeout=10_000)
    expect(bar).not_to_be_in_viewport()

"""Charts that stay while their figure changes, in a real browser."""

import pytest
from browser.dashboard import (
    CHART,
    chart,
    chart_after,
    click_point,
    errors,
    open_leaderboard,
    open_more,
    set_tau,
    until,
)
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
WIDTHS = "document.querySelector('.js-plotly-plot').clientWidth, document.querySelector('.main-svg').clientWidth"
GROUND = """[getComputedStyle(document.querySelector('.stApp')).backgroundColor,
             getComputedStyle(document.querySelector('.main-svg')).backgroundColor]"""


def layout(page, size):
    return page.evaluate(f"document.querySelector('{CHART}').layout.{size}")


def press(page, button):
    page.locator(CHART).first.hover()
    page.locator(f'{CHART} .modebar-btn[data-title="{button}"]').first.click(force=True)


@pytest.mark.thorough
def test_the_chart_is_as_wide_as_the_window_allows(page, server):
    open_leaderboard(page, server.url, "?collection=demo")
    wide = layout(page, "width")
    page.set_viewport_size({"width": 1000, "height": 1000})
    until(page, f"document.querySelector('{CHART}').layout.width < {wide}")
    until(page, f"new Set([{WIDTHS}]).size === 1")


@pytest.mark.thorough
def test_the_chart_has_the_ground_of_the_page_in_light_and_dark(page, server):
    open_leaderboard(page, server.url, "?collection=demo")
    light, ground = page.evaluate(GROUND)
    assert light == ground
    page.emulate_media(color_scheme="dark")
    until(page, f"new Set(['{light}', ...{GROUND}]).size === 2 && {GROUND}[0] === {GROUND}[1]")


def test_a_chart_that_is_clicked_moved_and_enlarged_stays_and_a_slide_has_no_tool_bar(page, server):
    open_leaderboard(page, server.url, "?collection=demo&tau=4")
    page.evaluate(f"document.querySelector('{CHART}').dataset.mark = 'same'")
    expect(page.locator(".modebar-btn")).to_have_count(8)
    titles = page.locator(".modebar-btn").evaluate_all("all => all.map(button => button.dataset.title)")
    assert titles == ["Download plot", "Zoom", "Pan", "Zoom in", "Zoom out", "Autoscale", "Reset axes", "Fullscreen"]
    run = page.get_by_role("combobox", name="Run", exact=True)
    for point in (3, 6):
        name = click_point(page, point)
        expect(run).to_have_value(name)
        expect(run).to_be_in_viewport()
    before = chart(page)
    set_tau(page, 1)
    chart_after(page, before)
    open_more(page)
    page.get_by_text("first series", exact=True).click()
    expect(page.get_by_role("figure", name="sorted by the first")).to_be_visible()
    height = layout(page, "height")
    press(page, "Fullscreen")
    until(page, f"document.querySelector('{CHART}').layout.height === innerHeight")
    press(page, "Close fullscreen")
    until(page, f"document.querySelector('{CHART}').layout.height === {height}")
    assert page.evaluate("document.fullscreenElement") is None
    expect(page.locator(f"{CHART}[data-mark=same]")).to_be_visible()
    for width in (1366, 400):
        page.set_viewport_size({"width": width, "height": 1000})
        page.mouse.move(0, 0)
        buttons = page.locator(f"{CHART} .modebar-group").first
        expect(buttons).to_have_css("opacity", "0")
        page.locator(CHART).first.hover()
        expect(buttons).to_have_css("opacity", "1")
        lower, upper = (page.locator(one).first.bounding_box() for one in (f"{CHART} .modebar", CHART))
        assert lower["y"] + lower["height"] <= upper["y"]
    assert errors(page) == 0
    open_leaderboard(page, server.url, "?collection=demo&present=1")
    expect(page.locator(".modebar-btn")).to_have_count(0)

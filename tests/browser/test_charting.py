"""Charts that stay while their figure changes, in a real browser."""

import pytest
from browser.dashboard import CHART, chart, chart_after, open_leaderboard, open_more, set_tau, until
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
WIDTHS = "document.querySelector('.js-plotly-plot').clientWidth, document.querySelector('.main-svg').clientWidth"
GROUND = """[getComputedStyle(document.querySelector('.stApp')).backgroundColor,
             getComputedStyle(document.querySelector('.main-svg')).backgroundColor]"""


def layout(page, size):
    return page.evaluate(f"document.querySelector('{CHART}').layout.{size}")


def press(page, button):
    page.locator(CHART).first.hover()
    page.locator(f'.modebar-btn[data-title="{button}"]').click(force=True)


def test_the_chart_stays_while_its_points_and_words_change(page, server):
    open_leaderboard(page, server.url, "?collection=demo&tau=4")
    page.evaluate(f"document.querySelector('{CHART}').dataset.mark = 'same'")
    before = chart(page)
    set_tau(page, 1)
    chart_after(page, before)
    open_more(page)
    page.get_by_text("first series", exact=True).click()
    expect(page.get_by_role("figure", name="sorted by the first")).to_be_visible()
    expect(page.locator(f"{CHART}[data-mark=same]")).to_be_visible()


@pytest.mark.thorough
def test_the_chart_is_as_wide_as_the_window_allows(page, server):
    open_leaderboard(page, server.url, "?collection=demo")
    wide = layout(page, "width")
    page.set_viewport_size({"width": 1000, "height": 1000})
    until(page, f"document.querySelector('{CHART}').layout.width < {wide}")
    until(page, f"new Set([{WIDTHS}]).size === 1")


def test_the_chart_fills_the_screen_and_comes_back(page, server):
    open_leaderboard(page, server.url, "?collection=demo")
    height = layout(page, "height")
    press(page, "Fullscreen")
    until(page, f"document.querySelector('{CHART}').layout.height === innerHeight")
    press(page, "Close fullscreen")
    until(page, f"document.querySelector('{CHART}').layout.height === {height}")
    assert page.evaluate("document.fullscreenElement") is None


@pytest.mark.thorough
def test_no_button_of_a_chart_sends_it_away(page, server):
    open_leaderboard(page, server.url, "?collection=demo")
    buttons = page.locator(".modebar-btn")
    expect(buttons).to_have_count(8)
    titles = buttons.evaluate_all("buttons => buttons.map(button => button.dataset.title)")
    assert titles == ["Download plot", "Zoom", "Pan", "Zoom in", "Zoom out", "Autoscale", "Reset axes", "Fullscreen"]


@pytest.mark.thorough
def test_the_chart_has_the_ground_of_the_page_in_light_and_dark(page, server):
    open_leaderboard(page, server.url, "?collection=demo")
    light, ground = page.evaluate(GROUND)
    assert light == ground
    page.emulate_media(color_scheme="dark")
    until(page, f"new Set(['{light}', ...{GROUND}]).size === 2 && {GROUND}[0] === {GROUND}[1]")


def test_the_tool_bar_stands_above_its_chart_is_seen_on_hover_alone_and_on_no_slide(page, server):
    open_leaderboard(page, server.url, "?collection=demo")
    for width in (1366, 400):
        page.set_viewport_size({"width": width, "height": 1000})
        page.mouse.move(0, 0)
        buttons = page.locator(f"{CHART} .modebar-group").first
        expect(buttons).to_have_css("opacity", "0")
        page.locator(CHART).first.hover()
        expect(buttons).to_have_css("opacity", "1")
        lower, upper = (page.locator(one).first.bounding_box() for one in (f"{CHART} .modebar", CHART))
        assert lower["y"] + lower["height"] <= upper["y"]
    open_leaderboard(page, server.url, "?collection=demo&present=1")
    expect(page.locator(".modebar-btn")).to_have_count(0)

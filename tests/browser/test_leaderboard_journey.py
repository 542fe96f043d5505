"""A user's way through the leaderboard, in a real browser."""

import re

import pytest
from browser.dashboard import chart, chart_after, go_to, open_leaderboard, select, set_tau, shows
from playwright.sync_api import expect

from benchmarks.dashboard import serving
from exam_core.store import Store
from pages.shared.menu import PAGES, filled

pytestmark = pytest.mark.browser


def test_the_choice_is_in_the_address_and_survives_a_reload_home_and_back_and_a_fresh_browser(page, server, chromium):
    open_leaderboard(page, server.url)
    before = chart(page)
    select(page, "Measure", "nCover")
    before = chart_after(page, before)
    set_tau(page, 2)
    chosen = chart_after(page, before)
    expect(page).to_have_url(re.compile("tau=2"))
    page.reload()
    assert shows(page, chosen)
    go_to(page, "Home")
    go_to(page, "Leaderboard")
    assert shows(page, chosen)
    go_to(page, "Home")
    page.go_back()
    expect(page.get_by_role("heading", name="Leaderboard", exact=True, level=1)).to_be_visible()
    assert shows(page, chosen)
    with chromium.new_context() as context:
        other = context.new_page()
        other.goto(page.url)
        assert shows(other, chosen)


def test_a_deep_link_to_a_server_that_nobody_visited_yet_shows_the_whole_frame(page, demo_store):
    with serving(demo_store) as fresh:
        open_leaderboard(page, fresh.address, "?collection=car-y3-published")
        menus = page.get_by_test_id("stTopNavSection")
        of_store = {page.title for page in PAGES if page.of_store}
        shown = filled(Store(demo_store).snapshot("car-y3-published")) | of_store
        filled_menus = list(dict.fromkeys(one.group for one in PAGES if one.group and one.title in shown))
        assert [menu.inner_text().split("\n")[0] for menu in menus.all()] == filled_menus
        links = page.get_by_test_id("stTopNavLink").all_inner_texts()
        opened = page.get_by_test_id("stTopNavDropdownLink")
        for menu in menus.all():
            menu.click()
            expect(opened).not_to_have_count(0)
            links += opened.all_inner_texts()
            page.keyboard.press("Escape")
            expect(opened).to_have_count(0)
    assert [link.split("\n")[-1] for link in links] == [one.title for one in PAGES if one.title in shown]

"""Every page in light and dark, wide and narrow: no error, nothing cut off or stopped, readable by all.

axe looks at the dark and narrow pages.
"""

import re

import pytest
from browser.dashboard import BUTTONS, WATCH, barriers, done, drawn, faults, go_to, open_page, stopped, until
from playwright.sync_api import expect
from thoroughly import thoroughly

from exam_core.store import Store
from pages.shared.menu import PAGES, filled

pytestmark = pytest.mark.browser
GROUND = "getComputedStyle(document.querySelector('.stApp')).backgroundColor"


@pytest.mark.parametrize("of", [3, *thoroughly(1)], ids=["every third, every ninth in dark", "every page in both"])
def test_every_page_is_whole_in_light_and_wide_and_in_dark_and_narrow(page, server, of):
    page.add_init_script(WATCH)
    open_page(page, server.url, "", "?collection=demo")
    assert str(page.locator("link[rel='shortcut icon']").get_attribute("href")).startswith("data:image/svg+xml")
    expect(page.get_by_test_id("stSidebarLogo")).to_be_visible()
    found, in_menu = {}, filled(Store(server.store).snapshot("demo"))
    for place, one in enumerate(PAGES[::of]):
        title = one.title
        if title in in_menu:
            go_to(page, title)
        else:
            open_page(page, server.url, one.name, "?collection=demo")
        found[title, "light"] = faults(page) + stopped(page)
        if place % of:
            continue
        light = page.evaluate(GROUND)
        page.emulate_media(color_scheme="dark")
        page.set_viewport_size({"width": 400, "height": 900})
        until(page, f"{GROUND} !== '{light}'")
        done(page)
        found[title, "dark"] = faults(page) + barriers(page)
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": 1400, "height": 1000})
        until(page, f"{GROUND} === '{light}'")
    assert {where: wrong for where, wrong in found.items() if wrong} == {}


def test_tab_comes_to_every_button_and_help_is_shown_and_read_there(page, server):
    open_page(page, server.url, "grading", "?collection=demo")
    drawn(page)
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    names = page.evaluate(f"{BUTTONS}.map(one => one.innerText)")
    reached = []
    while (page.keyboard.press("Tab"), page.evaluate("document.activeElement !== document.body"))[1]:
        reached.append(page.evaluate("document.activeElement.innerText"))
    assert {"Plan", "Start"} <= {name.split()[-1] for name in names if name.strip()}
    assert [name for name in names if name not in reached] == []
    box = page.get_by_label("Model", exact=True)
    expect(box).to_have_accessible_description(re.compile("^A folder, or a name of the Hugging Face hub"))
    page.get_by_role("radio", name="FLAN-T5 on this machine").focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("tooltip")).to_contain_text("A folder, or a name of the Hugging Face hub.")
    box.press("x")
    expect(page.get_by_role("tooltip")).to_have_count(0)

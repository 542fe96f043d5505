"""Every page in light and dark, wide and narrow: no error, nothing cut off or stopped, readable by all.

axe looks at the dark and narrow pages.
"""

import pytest
from browser.dashboard import WATCH, barriers, done, faults, go_to, open_page, stopped, until
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

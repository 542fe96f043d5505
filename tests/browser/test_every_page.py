"""Every page in light and dark, wide and narrow, and presented: no error, nothing cut off, readable by all.

axe looks at the dark and narrow pages, and at the presented ones, which are light.
"""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser.conftest import Server
from browser.dashboard import done, drawn, errors, go_to, open_page
from playwright.sync_api import Page, expect

from pages.shared.frame import PAGES

pytestmark = pytest.mark.browser
GROUND = "getComputedStyle(document.querySelector('.stApp')).backgroundColor"


def faults(page: Page) -> list[Any]:
    """Error boxes, and a page wider than the window."""
    drawn(page)
    cut_off = ["cut off"] if page.evaluate("document.documentElement.scrollWidth > innerWidth") else []
    return [*["error"] * errors(page), *cut_off]


def barriers(page: Page) -> list[Any]:
    """What axe finds serious; not in the links of a narrow page, where Streamlit puts headings among a list's items."""
    found = Axe().run(page, context={"exclude": [["[data-testid=stSidebarNavItems]"]]}).response["violations"]
    return [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")]


def test_every_page_is_whole_in_light_and_wide_and_in_dark_and_narrow(page: Page, server: Server) -> None:
    open_page(page, server.url, "", "?collection=demo")
    found = {}
    for _, title, _ in PAGES:
        go_to(page, title)
        found[title, "light"] = faults(page)
        light = page.evaluate(GROUND)
        page.emulate_media(color_scheme="dark")
        page.set_viewport_size({"width": 400, "height": 900})
        page.wait_for_function(f"{GROUND} !== '{light}'")
        done(page)
        found[title, "dark"] = faults(page) + barriers(page)
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": 1400, "height": 1000})
        page.wait_for_function(f"{GROUND} === '{light}'")
    assert {where: wrong for where, wrong in found.items() if wrong} == {}


@pytest.mark.thorough
def test_every_page_is_whole_and_accessible_when_it_is_presented(page: Page, server: Server) -> None:
    open_page(page, server.url, "", "?collection=demo&present=1")
    found = {}
    for _, title, _ in PAGES:
        expect(page.get_by_role("heading", name=title, exact=True, level=1)).to_be_visible()
        done(page)
        found[title] = faults(page) + barriers(page)
        page.keyboard.press("ArrowRight")
    assert {title: wrong for title, wrong in found.items() if wrong} == {}

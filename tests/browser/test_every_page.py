"""Every page in light and dark, wide and narrow, and presented: no error, nothing cut off, readable by all.

axe looks at the dark and narrow pages, and at the presented ones in both looks.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pytest
from browser.conftest import Server
from browser.dashboard import barriers, done, drawn, errors, go_to, open_page, until
from playwright.sync_api import Page, expect
from thoroughly import thoroughly

from exam_core.analysis.figures import figures_of
from exam_core.slides.making import titles
from exam_core.store import Store
from pages.shared.menu import PAGES, filled
from pages.shared.presenting import CLOSING

pytestmark = pytest.mark.browser
OTHERS = (
    ("compare", "Compare", "collection=demo&compare_what=Two+runs"),
    ("compare", "Compare", "collection=car-y3-published&compare_what=Two+runs"),
    ("nuggets", "Nuggets", "collection=demo-nuggets&modes=nuggetizer"),
    ("generated", "Generated answers", "collection=demo-answers"),
    ("reproduce", "Reproduce", "collection=dl19-published"),
)
"""Slides that the demo has none of as it opens."""
GROUND = "getComputedStyle(document.querySelector('.stApp')).backgroundColor"


def faults(page: Page) -> list[Any]:
    """Error boxes, and a page wider than the window."""
    drawn(page)
    cut_off = ["cut off"] if page.evaluate("document.documentElement.scrollWidth > innerWidth") else []
    return [*["error"] * errors(page), *cut_off]


@pytest.mark.parametrize("of", [3, *thoroughly(1)], ids=["every third, every ninth in dark", "every page in both"])
def test_every_page_is_whole_in_light_and_wide_and_in_dark_and_narrow(page: Page, server: Server, of: int) -> None:
    open_page(page, server.url, "", "?collection=demo")
    found, in_menu = {}, filled(Store(server.store).snapshot("demo"))
    for place, (path, title, _) in enumerate(PAGES[::of]):
        if title in in_menu:
            go_to(page, title)
        else:
            open_page(page, server.url, Path(path).stem, "?collection=demo")
        found[title, "light"] = faults(page)
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


@pytest.mark.thorough
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_slide_is_whole_and_accessible(page: Page, server: Server, scheme: Literal["light", "dark"]) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 1920, "height": 1080})
    open_page(page, server.url, "", "?collection=demo&present=1")
    found = {}
    for title in (*titles(figures_of(Store(server.store).snapshot("demo"))), CLOSING):
        expect(page.get_by_role("heading", name=title, exact=True, level=1)).to_be_visible()
        found[title] = slide_faults(page)
        page.keyboard.press("PageDown")
    for name, title, asked in OTHERS:
        open_page(page, server.url, name, f"?{asked}&present=1")
        expect(page.get_by_role("heading", name=title, exact=True, level=1)).to_be_visible()
        found[title, asked] = slide_faults(page)
        page.keyboard.press("t")
        expect(page.locator(".stage-table tbody tr")).not_to_have_count(0)
        found[title, asked, "figures"] = slide_faults(page)
    assert {title: wrong for title, wrong in found.items() if wrong} == {}


def slide_faults(page: Page) -> list[Any]:
    """Those of a page and what axe finds; and what is below the fold, or beside the box of figures."""
    done(page)
    below = page.evaluate("document.documentElement.scrollHeight > innerHeight")
    boxes = page.locator(".stage-table, .stage-table div")
    beside = boxes.evaluate_all("boxes => boxes.some(box => box.scrollWidth > box.clientWidth)")
    return faults(page) + barriers(page) + ["below the fold"] * below + ["figures are cut off"] * beside

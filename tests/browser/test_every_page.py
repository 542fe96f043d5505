"""Every page in light and dark, wide and narrow, and presented: no error, nothing cut off, readable by all."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser.conftest import Server
from browser.dashboard import errors, open_page
from playwright.sync_api import Browser

from pages.shared.frame import PAGES

pytestmark = pytest.mark.browser
NAMES = ["", *(path.removeprefix("pages/").removesuffix(".py") for path, _, _ in PAGES[1:])]
WAYS = {
    "light and wide": ("light", 1400, ""),
    "dark and narrow": ("dark", 400, ""),
    "presented": ("light", 1400, "&present=1"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_whole_and_accessible(chromium: Browser, server: Server, name: str, way: str) -> None:
    scheme, width, query = WAYS[way]
    context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    open_page(page, server.url, name, f"?collection=demo{query}")
    page.wait_for_timeout(1000)
    found = Axe().run(page).response["violations"]
    serious = [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")]
    cut_off = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    wrong = errors(page)
    context.close()
    assert (wrong, cut_off, serious) == (0, False, [])

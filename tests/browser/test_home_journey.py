"""First screens: what of Home and of Collections is seen without scrolling, and that nothing jumps on any page."""

import pytest
from browser.dashboard import CHART, chart, chart_after, drawn, open_page
from playwright.sync_api import expect
from thoroughly import thoroughly

from benchmarks.dashboard import serving

pytestmark = pytest.mark.browser
DESK, PHONE = (1366, 768), (400, 800)
SHIFTS = """window.shifted = 0; new PerformanceObserver(list => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
}).observe({type: 'layout-shift', buffered: true})"""
MOST = 0.1
"""The sum of layout shifts that is called good (web.dev/cls)."""


@pytest.fixture(scope="module")
def new(tmp_path_factory):
    """The dashboard on an empty store: the first visit builds the demo."""
    with serving(tmp_path_factory.mktemp("new")) as found:
        yield found.address


def sized(page, size):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    return page


def seen(page, *shown):
    """Which of the elements are whole within the window."""
    height = page.viewport_size["height"]
    boxes = {one: page.locator(one).first.bounding_box() for one in shown}
    return [one for one, box in boxes.items() if box and box["y"] >= 0 and box["y"] + box["height"] <= height]


@pytest.mark.parametrize("size", [DESK, *thoroughly(PHONE)])
def test_a_new_store_shows_tau_and_the_demo_s_board_at_once_and_tau_moves_it(page, new, size):
    open_page(sized(page, size), new, "")
    drawn(page)
    slider, steps = ".st-key-home_tau", [f".st-key-first_{name}" for name in ("home_upload", "home_trec")]
    wanted = [slider, f".st-key-home_board {CHART}", *(steps if size == DESK else [])]
    assert seen(page, *wanted) == wanted
    before = chart(page)
    page.locator(slider).get_by_role("slider").focus()
    page.keyboard.press("ArrowLeft")
    chart_after(page, before)
    expect(page.locator("ol.strip")).to_contain_text("At tau = 3")
    for button, shown in (("Add files", "home_upload"), ("A TREC collection", "home_trec")):
        page.get_by_role("button", name=button, exact=True).click()
        expect(page.locator(f".st-key-{shown}")).to_be_in_viewport(ratio=1)


COLLECTIONS = ["demo", *thoroughly("dl19", "car-y3-published", "demo-nuggets", "demo-answers")]


@pytest.mark.parametrize("size", [PHONE, *thoroughly(DESK)])
@pytest.mark.parametrize("collection", COLLECTIONS)
def test_the_first_screen_has_the_board_and_its_best_run_and_nothing_jumps(chromium, everything, collection, size):
    context = chromium.new_context(viewport={"width": size[0], "height": size[1]})
    page = context.new_page()
    page.add_init_script(SHIFTS)
    open_page(page, everything, "", f"?collection={collection}")
    drawn(page)
    wanted = [f".st-key-home_board {CHART}", *([".st-key-known a"] if size == DESK else [])]
    found, shifted = seen(page, *wanted), page.evaluate("window.shifted")
    context.close()
    assert found == wanted
    assert shifted < MOST


PLACES = ["leaderboard", *thoroughly("agreement", "outliers", "questions", "compare", "reliability", "collections")]


@pytest.mark.parametrize("place", PLACES)
def test_nothing_of_a_page_jumps_while_it_comes(chromium, everything, place):
    context = chromium.new_context(viewport={"width": DESK[0], "height": DESK[1]})
    page = context.new_page()
    page.add_init_script(SHIFTS)
    open_page(page, everything, place, "?collection=dl19")
    drawn(page)
    shifted = page.evaluate("window.shifted")
    context.close()
    assert shifted < MOST

"""A meeting: views are pinned, put in order, presented by a remote control's keys, and taken home as a file."""

import re

import pytest
from browser.dashboard import barriers, done, faults, lasting, open_leaderboard, open_page
from playwright.sync_api import expect

from exam_core.analysis.figures import figures_of
from exam_core.store import Store
from exam_core.wings.stage.slides import titles
from exam_core.wings.stage.story import STORY as KIND
from pages.stage.presenting import CLOSING

pytestmark = pytest.mark.browser
STORY = "meeting"
OTHERS = (
    ("compare", "Compare", "collection=demo&compare_what=Two+runs"),
    ("compare", "Compare", "collection=car-y3-published&compare_what=Two+runs"),
    ("nuggets", "Nuggets", "collection=demo-nuggets&modes=nuggetizer"),
    ("generated", "Generated answers", "collection=demo-answers"),
    ("reliability", "Reproduce", "collection=dl19-published&reliability_part=Reproduce"),
)
"""Slides that the demo has none of as it opens."""


@pytest.fixture(autouse=True)
def story(server):
    """The story of a test is gone afterwards."""
    yield
    Store(server.store).catalogue.remove(KIND, STORY, "demo")


def title(page):
    return page.locator("h1").inner_text()


def from_menu(page, action):
    """Choose what the menu of *Present* has."""
    page.get_by_role("button", name="Present", exact=True).click()
    page.get_by_role("option", name=action).or_(page.get_by_role("menuitem", name=action)).click()


def pin(page, server, name, heading):
    open_page(page, server.url, name, "?collection=demo&tau=3")
    from_menu(page, "Pin this view")
    page.get_by_role("textbox", name="Title").first.fill(heading)
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Pin this view").click()
    expect(page.get_by_text(f". {heading}")).to_be_visible()
    done(page)


@pytest.mark.thorough
def test_a_story_is_pinned_ordered_presented_and_taken_home(page, server, chromium, tmp_path):
    for name, heading in (("leaderboard", "Standing"), ("outliers", "Moved"), ("agreement", "Judges")):
        pin(page, server, name, heading)
    page.get_by_role("button", name="Up", exact=True).nth(2).click()
    expect(page.get_by_text("2. Judges")).to_be_visible()
    page.get_by_role("button", name="Remove", exact=True).first.click()
    expect(page.get_by_text("1. Judges")).to_be_visible()
    page.get_by_role("button", name=re.compile("Undo")).click()
    expect(page.get_by_text("1. Standing")).to_be_visible()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the story").click()
    saved.value.save_as(tmp_path / "story.html")
    page.get_by_role("button", name="Present the story").click()
    expect(page.get_by_role("heading", level=1, name="Standing")).to_be_visible()
    done(page)
    for key, heading in (("PageDown", "Judges"), ("Space", "Moved"), ("PageUp", "Judges"), ("End", "Take it along")):
        page.keyboard.press(key)
        expect(page.get_by_role("heading", level=1, name=heading)).to_be_visible()
    expect(page.get_by_alt_text("QR code of the link")).to_be_visible()
    expect(page.get_by_text("leads to this machine alone")).to_be_visible()
    context = chromium.new_context(offline=True)
    home = context.new_page()
    home.goto((tmp_path / "story.html").as_uri())
    expect(home.locator(".js-plotly-plot")).to_have_count(3)
    assert home.locator("h2").all_inner_texts()[:3] == ["1. Standing", "2. Judges", "3. Moved"]
    context.close()


def _switch_off(page):
    page.get_by_role("combobox", name="Switch questions off").last.click()
    page.get_by_role("option").filter(has_text="demo-01").first.click()
    page.keyboard.press("Escape")
    expect(page.get_by_text("A: the leaderboard as it is.")).to_be_visible()


def _spearman(page):
    page.get_by_role("radio", name="Spearman's rho").click()
    expect(page).to_have_url(re.compile("stability_coefficient"))


@pytest.mark.parametrize(
    ("name", "query", "choose", "part", "said"),
    [
        pytest.param(
            *("compare", "?collection=demo&compare_what=Other+questions", _switch_off, ".stage-said"),
            "Without 1 of 80",
            id="questions",
        ),
        pytest.param(
            *("reliability", "?collection=demo&stability_view=Fewer+queries", _spearman, ".ytitle", "Spearman's rho"),
            id="coefficient",
            marks=pytest.mark.thorough,
        ),
    ],
)
def test_what_is_chosen_on_a_page_is_on_its_slide(page, server, name, query, choose, part, said):
    open_page(page, server.url, name, query)
    choose(page)
    done(page)
    from_menu(page, "Present this view")
    expect(page.locator(".stage-said")).to_be_visible()
    expect(page.locator(f".st-key-stage {part}").first).to_contain_text(said)


def test_keys_turn_slides_and_move_tau_also_after_a_click_into_the_chart(page, server):
    page.set_viewport_size({"width": 1920, "height": 1080})
    open_leaderboard(page, server.url, "?collection=demo&present=1")
    said = page.locator(".stage-said")
    expect(said).to_contain_text("(tau 4)")
    kendall = page.locator(".stage-ticks div").filter(has_text="Kendall").locator("dd")
    before = kendall.inner_text()
    page.locator(".js-plotly-plot .nsewdrag").first.click(position={"x": 300, "y": 200})
    page.keyboard.press("ArrowDown")
    expect(said).to_contain_text("(tau 3)")
    expect(kendall).not_to_have_text(before)
    expect(page).to_have_url(re.compile("tau=3"))
    expect(page.locator(".stage-behind")).to_have_count(0)
    page.keyboard.press("ArrowDown")
    expect(page.locator(".stage-behind")).to_have_count(1)
    page.keyboard.press("ArrowDown")
    expect(said).to_contain_text("(tau 1)")
    page.keyboard.press("t")
    expect(page.locator(".stage-table tbody tr")).to_have_count(15)
    page.keyboard.press("Escape")
    expect(page.locator(".stage-table")).to_have_count(0)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    page.locator(".js-plotly-plot .nsewdrag").first.click(position={"x": 300, "y": 200})
    page.keyboard.press("Space")
    expect(page.get_by_role("heading", level=1, name="Compare")).to_be_visible()
    expect(said).to_contain_text("P@20, tau 1")
    page.keyboard.press("ArrowUp")
    expect(said).to_contain_text("P@20, tau 2")
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile(r"/leaderboard\?.*tau=2"))
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    expect(page).not_to_have_url(re.compile("present=1|slide="))


SIZES = """(part) => [...document.querySelectorAll(`.st-key-stage ${part}`)]
    .filter((one) => one.getClientRects().length).map((one) => Number.parseFloat(getComputedStyle(one).fontSize))"""
LABELS = (".xtick text", ".ytick text", ".legendtext", ".stage-ticks dt", ".stage-table td")


def test_labels_are_read_from_the_back_of_the_room_and_no_turn_is_an_error(page, server):
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(error.message))
    page.set_viewport_size({"width": 1920, "height": 1080})
    open_page(page, server.url, "outliers", "?collection=demo&bank=open&present=1")
    expect(page.locator(".st-key-stage .ytick")).to_have_count(12)
    page.keyboard.press("t")
    expect(page.locator(".stage-table td").first).to_be_visible()
    assert {part: min(page.evaluate(SIZES, part)) >= 26 for part in LABELS} == dict.fromkeys(LABELS, True)
    page.keyboard.press("Escape")
    expect(page.locator(".stage-table")).to_have_count(0)
    for heading in ("Choose method and tau", "Correlation", "Reliability", "Significantly different pairs"):
        page.keyboard.press("ArrowDown")  # while the chart still glides the slide is turned
        page.keyboard.press("PageDown")
        expect(page.get_by_role("heading", level=1, name=heading)).to_be_visible()
    done(page)
    assert wrong == []


@pytest.mark.thorough
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_slide_is_whole_and_accessible(page, server, scheme):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 1920, "height": 1080})
    open_page(page, server.url, "", "?collection=demo&present=1")
    found = {}
    for title in (
        *titles(figures_of((store := Store(server.store)).snapshot("demo")), collections=len(store.collections())),
        CLOSING,
    ):
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


def slide_faults(page):
    """Those of a page and what axe finds; and what is below the fold, or beside the box of figures."""
    done(page)
    below = "document.documentElement.scrollHeight > innerHeight"
    boxes = page.locator(".stage-table, .stage-table div")
    beside = "boxes => boxes.some(box => box.scrollWidth > box.clientWidth)"
    return (
        faults(page)
        + barriers(page)
        + lasting(
            page,
            lambda: ["below the fold"] * page.evaluate(below) + ["figures are cut off"] * boxes.evaluate_all(beside),
        )
    )

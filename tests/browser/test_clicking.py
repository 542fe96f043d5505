"""What a click on a chart or a table opens, in a real browser."""

import re

import pytest
from browser.dashboard import (
    CHART,
    Clicks,
    click_point,
    done,
    drawn,
    errors,
    open_leaderboard,
    open_page,
    press_point,
    set_tau,
    settled,
    table,
    until,
)
from playwright.sync_api import expect

from benchmarks.dashboard import serving
from exam_core.store import Store
from tests import newcomer

pytestmark = pytest.mark.browser
ROW = 35
"""Pixels of a row of a table."""


def run_box(page):
    """The box that names the opened run."""
    return page.get_by_role("combobox", name="Run", exact=True)


def click_row(page, name, number, *, across=0.6):
    """Click in the middle of a row of a table, away from its left edge."""
    grid = page.locator(f".st-key-{name}_table canvas").first
    grid.scroll_into_view_if_needed()
    box = grid.bounding_box()
    assert box
    page.mouse.click(box["x"] + across * box["width"], box["y"] + (number + 1.5) * ROW)
    done(page)


def test_a_click_before_the_browser_has_built_the_bar_loses_no_choice(page, server):
    late = []
    page.route(re.compile(r"/(Slider|Multiselect|Selectbox)\."), lambda route: late.append(route))
    page.goto(f"{server.url}/leaderboard?collection=demo&tau=2&bank=open")
    page.locator(f"{CHART} .point").first.wait_for(state="attached")
    drawn(page)
    click_point(page, 3)
    expect(page).to_have_url(re.compile("leaderboard_run="))
    for script in late:
        script.continue_()
    settled(page)
    modes = page.get_by_role("toolbar", name="Grading modes").get_by_role("button", pressed=True)
    expect(modes).to_contain_text("Lexical match")
    expect(run_box(page)).to_have_value(click_point(page, 6))  # with it the browser tells what it shows
    expect(modes).to_contain_text("Lexical match")
    assert "tau=2" in page.url


@pytest.mark.thorough
def test_a_click_anywhere_in_a_row_opens_its_run_and_shows_it_once(page, server):
    open_leaderboard(page, server.url, "?collection=demo&tau=4")
    name = table(page, "Δ rank")[2]["Run"]
    click_row(page, "leaderboard_scores", 2)
    expect(run_box(page)).to_have_value(name)
    expect(run_box(page)).to_be_in_viewport()
    # What is read elsewhere later stays in view.
    until(page, "window.examboardShown === 1")
    page.wait_for_timeout(300)
    page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, 0)")
    set_tau(page, 2)
    done(page)
    assert page.get_by_test_id("stMain").evaluate("main => main.scrollTop") == 0
    expect(run_box(page)).to_have_value(name)


@pytest.mark.thorough
def test_a_ranked_passage_leads_to_its_evidence(page, server):
    open_page(page, server.url, "leaderboard", "?collection=demo&leaderboard_run=bm25&leaderboard_query=demo-01")
    passage = table(page, "for the first time")[1]["Passage"]
    click_row(page, "leaderboard_passages", 1)
    page.get_by_role("link", name=re.compile(r"Passage \d+ of query demo-01")).click()
    expect(page.get_by_role("heading", level=1, name="Passages")).to_be_visible()
    expect(page.get_by_text(f"Passage {passage} for query demo-01", exact=False)).to_be_visible()


def test_a_click_on_a_cell_of_the_matrix_lists_its_passages_and_a_second_click_takes_it_back(page, server):
    open_page(page, server.url, "agreement", "?collection=demo")
    settled(page)
    box = page.get_by_role("combobox", name="Passages in a cell", exact=True)
    cells = page.locator(f".st-key-agreement_binary {CHART} .nsewdrag")
    cells.wait_for(state="attached")
    for expected in (re.compile("^only predicted$"), re.compile("^$")):
        cells.scroll_into_view_if_needed()
        at = cells.bounding_box()
        assert at
        # two columns of cells and one of sums: the right edge of the second cell, in the first of three rows
        x, y = at["x"] + at["width"] * 0.64, at["y"] + at["height"] * 0.3
        page.mouse.move(x - 5, y)
        page.mouse.click(x, y)
        done(page)
        expect(box).to_have_value(expected)
        until(page, "window.examboardShown === 1")  # it was scrolled to, and nothing moves under the next click


def test_what_most_come_for_takes_at_most_four_clicks_from_home(page, everything):
    counted, dl19, sidebar = Clicks(page, everything), ".st-key-door_dl19 button", page.get_by_test_id("stSidebar")

    counted.home()
    counted.on(page.locator(dl19))
    for mode in ("Sun", "Thomas"):
        counted.on(sidebar.get_by_role("button", name=mode, exact=True))
    counted.on(page.get_by_role("button", name="Switch to P@20"))
    until(page, f"document.querySelector('{CHART}')._fullData.length >= 3")
    assert counted.made == 4, "three modes of DL19 on one board"

    counted.home()
    counted.on(page.locator(dl19))
    counted.menu("Results", "Outliers")
    drawn(page)
    points = f"[...document.querySelectorAll('{CHART} .point')]"
    press_point(page, page.evaluate(f"{points}.findIndex(one => one.__data__.data?.at(-2) === 'idst_bert_p1')"))
    expect(page.get_by_role("combobox", name="Explain run")).to_have_value("idst_bert_p1")
    expect(page.get_by_role("combobox", name="By", exact=True)).to_have_value(re.compile("Cover"))
    expect(page.get_by_role("region", name="Ranking of idst_bert_p1")).to_be_visible()
    assert counted.made == 4, "the explanation of a flagged run"
    page.get_by_role("button", name="Back to the chart").press("Enter")
    expect(page.locator(".st-key-outliers_chart")).to_be_focused()
    expect(page.locator(".st-key-outliers_chart")).to_be_in_viewport()


def test_own_files_are_a_judged_board_in_three_clicks_and_graded_by_a_server_with_a_prompt_of_ones_own_in_six(
    page, tmp_path
):
    files = sorted(newcomer.write(tmp_path / "mydata", 60).iterdir())
    with newcomer.rater() as address, serving(tmp_path / "store") as server:
        counted = Clicks(page, server.address)
        counted.home()
        with page.expect_file_chooser() as chooser:
            page.get_by_test_id("stFileUploader").locator("button").filter(has_text="Upload").click()
        chooser.value.set_files(files)
        importing = page.get_by_role("button", name="Import", exact=True)
        assert importing.bounding_box()["y"] < 400, "in view, whatever the number of files"
        counted.on(importing)
        settled(page)
        expect(page.get_by_role("heading", name="Leaderboard", level=1)).to_be_visible()
        expect(page.get_by_test_id("stSidebar").get_by_text("Human judgments", exact=True)).to_be_visible()
        assert counted.made <= 3, "the board of the judgments"

        open_page(page, server.address, "", "?collection=mydata")
        counted.on(page.get_by_role("button", name="A server", exact=True))
        page.get_by_label("Base URL of the server", exact=True).click()
        page.keyboard.type(address)
        page.keyboard.press("Enter")
        counted.on(page.get_by_role("button", name=f"Ask {address.removesuffix('/v1')}"))
        expect(page.get_by_role("combobox", name="Model", exact=True)).to_have_value("rater")
        counted.on(page.get_by_text("A prompt of your own", exact=True))
        page.get_by_label("Prompt", exact=True).click()
        page.keyboard.press("Control+Home")
        page.keyboard.type("Be strict. ")
        page.keyboard.press("Control+Enter")
        done(page)
        expect(page.get_by_text("The grades are shown as my prompt, rater.")).to_be_visible()
        counted.on(page.get_by_role("button", name="Start", exact=True))
        told = page.get_by_text("✓ done", exact=False).filter(visible=True)
        expect(told.first).to_be_in_viewport(timeout=60_000)
        assert counted.made == 6
        assert len(Store(tmp_path / "store").snapshot("mydata").frame("grades")) == 84
        assert errors(page) == 0

"""A user's way through what the bar chooses, in a real browser."""

import re

import pytest
from browser.dashboard import (
    CHART,
    add,
    chart,
    chart_after,
    done,
    go_to,
    open_leaderboard,
    open_more,
    open_page,
    set_tau,
    shows,
    soon,
)
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def scores_shown(page):
    """The ends of the chart's axis of scores."""
    return page.evaluate("s => document.querySelector(s)._fullLayout.yaxis.range", CHART)


@pytest.mark.thorough
def test_what_is_zoomed_to_stays_when_tau_moves(page, server):
    open_leaderboard(page, server.url, "?collection=demo&bank=open&tau=3")
    before, whole = chart(page), scores_shown(page)
    box = page.locator(f"{CHART} .nsewdrag").first.bounding_box()
    assert box
    page.mouse.move(box["x"] + 60, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 60, box["y"] + box["height"] / 2, steps=8)
    page.mouse.up()
    zoomed = soon(page, lambda: scores_shown(page), lambda now: now[0] > whole[0] + 0.3)
    assert zoomed[0] > whole[0] + 0.3
    set_tau(page, 4)
    chart_after(page, before)
    assert scores_shown(page) == zoomed


def test_a_run_that_is_left_out_is_in_the_address_and_stays_out_after_a_reload(page, server):
    open_leaderboard(page, server.url, "?collection=demo&bank=open&tau=3")
    before = chart(page)
    open_more(page, "some_runs")
    add(page, "Leave out", "bm25")
    chosen = chart_after(page, before)
    expect(page).to_have_url(re.compile("without=bm25"))
    assert len(chosen[0]["y"]) == len(before[0]["y"]) - 1
    page.reload()
    assert shows(page, chosen)
    open_more(page, "some_runs")
    page.get_by_role("textbox", name="Show", exact=True).fill("lsa tfidf*")
    page.keyboard.press("Enter")
    filtered = chart_after(page, chosen)
    expect(page).to_have_url(re.compile(r"runs=lsa"))
    expect(page.get_by_text("of 14 runs are hidden by the filter")).to_be_visible()
    assert 0 < len(filtered[0]["y"]) < len(chosen[0]["y"])


def test_home_explains_by_an_example_that_follows_tau_and_its_doors_lead_on(page, server):
    open_page(page, server.url, "", "?collection=demo")
    strip = page.locator("ol.strip")
    expect(strip).to_contain_text("4 is at least 4: the passage answers the question")
    page.locator(f"{CHART} .point").first.wait_for(state="attached")
    means = "s => document.querySelector(s)._fullData[0].x.join()"
    before = page.evaluate(means, CHART)
    page.get_by_role("slider").press("ArrowRight")
    expect(strip).to_contain_text("4 is below 5: the passage does not answer the question")
    expect(page).to_have_url(re.compile("tau=5"))
    assert soon(page, lambda: page.evaluate(means, CHART), before.__ne__) != before
    known = page.locator(".st-key-known")
    expect(known.get_by_role("link")).to_have_count(4)
    page.get_by_role("button", name="car-y3-published").click()
    expect(page.get_by_role("heading", level=1, name="Leaderboard")).to_be_visible()
    expect(page).to_have_url(re.compile("collection=car-y3-published"))
    expect(page).to_have_url(re.compile("tau=5"))


def bar(page):
    """The controls that are displayed, by their labels, with what is folded away."""
    labels = "[data-testid=stSidebar] :is([data-testid=stWidgetLabel], summary)"
    shown = page.locator(labels).evaluate_all(
        "all => all.filter(one => one.checkVisibility()).map(one => one.innerText.trim().split('\\n').at(-1))"
    )
    return [label for label in dict.fromkeys(shown) if label]


def test_the_bar_shows_what_a_page_uses_and_the_address_keeps_the_rest(page, server):
    open_leaderboard(page, server.url, "?collection=demo&depth=10&scores=raw&tau=3")
    assert soon(page, lambda: {"More", "Grade cutoff tau"} <= set(bar(page)))
    said = "getComputedStyle(document.querySelector('.st-key-more summary p'), '::after').content"
    assert page.evaluate(said) == '" (1 changed)"'
    go_to(page, "Collections")
    assert soon(page, lambda: bar(page), ["Collection"].__eq__) == ["Collection"]
    for kept in ("depth=10", "scores=raw", "tau=3"):
        expect(page).to_have_url(re.compile(kept))
    page.reload()
    done(page)
    go_to(page, "How sure is the order?")
    open_more(page)
    expect(page.get_by_label("Depth k", exact=True)).to_have_value("10")
    expect(page.get_by_label("Judged relevant from", exact=True)).to_be_hidden()
    assert soon(page, lambda: "Grade cutoff tau" in bar(page))
    open_leaderboard(page, server.url, "?collection=demo-nuggets&measure=POURPRE")
    assert soon(page, lambda: "Measure" in bar(page))
    assert not {"Grade cutoff tau", "Grading modes"} & set(bar(page))

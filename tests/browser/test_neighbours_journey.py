"""A user's way through the neighbour methods, POURPRE, nugget scores and NRP, in a real browser on the demo."""

import re

import pytest
from browser.dashboard import (
    chart,
    chart_after,
    done,
    errors,
    open_leaderboard,
    open_page,
    select,
    settled,
    table,
    text,
)
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


@pytest.mark.thorough
def test_pourpre_leads_from_the_board_to_the_words_of_a_nugget(page, server):
    open_leaderboard(page, server.url, "?collection=demo-nuggets")
    before = chart(page)
    select(page, "Measure", "POURPRE")
    board = chart_after(page, before)
    assert [trace["name"] for trace in board] == ["POURPRE@20"]
    page.get_by_text("Options of the measure", exact=True).click()
    page.get_by_label("Stem", exact=True).click()
    page.keyboard.insert_text("porter")
    page.keyboard.press("Enter")
    chart_after(page, board)
    expect(page).to_have_url(re.compile("option_stem=porter"))
    select(page, "Run", "gen-chatty")
    settled(page)
    select(page, "Query", "demo-03")
    done(page)
    page.get_by_role("link", name=re.compile("Nuggets: what gen-chatty wrote for demo-03")).click()
    page.get_by_role("heading", name="Nuggets in one answer").wait_for()
    done(page)
    rows = table(page, "Terms found")
    assert {row["Importance"] for row in rows} == {"vital", "okay"}
    assert float(rows[0]["Match"]) >= float(rows[1]["Match"])
    assert page.locator("mark").count() > 0
    assert "POURPRE(stem=porter)@20" in text(page)
    assert errors(page) == 0


def test_nugget_scores_and_what_they_owe_to_importance(page, server):
    open_page(page, server.url, "nuggets", "?collection=demo-nuggets&modes=nuggetizer")
    rows = table(page, "Vital, strict")
    assert rows[0]["Run"] == "gen-careful"
    assert all(float(row["Vital, strict"]) <= float(row["Vital"]) for row in rows)
    page.get_by_role("tab", name="If other nuggets were vital").click()
    page.get_by_text("random permutations of vital and okay").wait_for()
    assert errors(page) == 0

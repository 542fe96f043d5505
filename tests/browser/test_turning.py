"""Pages are turned: no choice is lost on the way, and Back leads to the page before as it was."""

import random
import re
from urllib.parse import urlencode

import pytest
from browser.dashboard import done, errors, go_to, headed, open_page, select, turn_early
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
CHOICES = {"bank": "manual", "measure": "P", "tau": "2", "depth": "10", "scores": "raw"}
TURNS = 2


@pytest.mark.thorough
def test_choices_survive_a_link_that_is_clicked_as_soon_as_it_is_there(page, server):
    moments = random.Random(19)
    for number in range(TURNS):
        start = moments.choice(["leaderboard", "compare", "questions"])
        title = ("Home", "Passages")[number % 2]
        turn_early(page, f"{server.url}/{start}?{urlencode(CHOICES)}", title, moments.random())
        for name, value in CHOICES.items():
            expect(page).to_have_url(re.compile(rf"[?&]{name}={value}(&|$)"))


@pytest.mark.thorough
def test_a_page_turn_is_one_step_back_and_the_page_before_has_its_choices(page, server):
    open_page(page, server.url, "compare", "?collection=demo&tau=3")
    page.get_by_text("Change A or B").click()
    select(page, "Measure B", "nDCG")
    expect(page).to_have_url(re.compile("=nDCG"))  # by which the history is as long as it gets
    done(page)
    before = page.evaluate("history.length")
    go_to(page, "Leaderboard")
    page.wait_for_timeout(1500)
    assert page.evaluate("history.length") == before + 1
    page.go_back()
    expect(page.get_by_role("heading", level=1, name="Compare")).to_be_visible()
    done(page)
    box = page.get_by_test_id("stSelectbox").filter(has_text="Measure B").locator("input")
    expect(box).to_have_value("nDCG")
    assert errors(page) == 0


def test_an_address_of_an_earlier_version_leads_to_its_page_with_what_it_says(page, server):
    page.goto(f"{server.url}/order?v=1&collection=demo&tau=3&present=1")  # as in a report or a story that was saved
    headed(page, "Reliability")
    expect(page).to_have_url(re.compile(r"/reliability\?.*present=1"))

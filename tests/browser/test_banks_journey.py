"""A bank from nothing to a version that somebody else can read: by hand and by a model, in a real browser."""

import json
import re

import pytest
from browser.dashboard import done, errors, open_page, select, soon
from grading.server import Server, fails, hangs, hangs_up, says
from playwright.sync_api import expect

from benchmarks.dashboard import serving
from exam_core.store import Store
from exam_core.wings.banks.versions import questions_of

pytestmark = pytest.mark.browser
REPLY = (
    "<think>The user wants questions.</think>Sure! Here they are:\n\n"
    "1. What is the epidermis made of?\n2. How thick is the dermis?\n3. Which layer of the skin sto"
)
QUERY = "demo-01"


TABLE = "[data-testid=stDataFrame]"


def cell(page, row):
    """Choose the words of a question in the table, which is a canvas: rows have 35 pixels, below a head of as many."""
    box = page.locator(TABLE).first.bounding_box()
    page.mouse.click(box["x"] + 120, box["y"] + 35 * row + 52)


def write(page, row, words):
    """Write a question's words over, or those of a new one in the row below the last."""
    field = page.locator("#portal textarea")

    def opened():
        cell(page, row)
        page.keyboard.press("Enter")
        page.wait_for_timeout(500)
        return field.count()

    assert soon(page, opened), "no cell of the table can be written into"
    field.fill(words)
    page.keyboard.press("Enter")
    done(page)


def save(page, reason, version):
    page.get_by_role("button", name="Save", exact=False).first.click()
    page.get_by_label("Reason", exact=True).fill(reason)
    page.get_by_role("button", name="Save a new version").click()
    expect(page.get_by_text(f"{version} is stored.")).to_be_visible()
    done(page)


def grade(page, says):
    page.get_by_role("button", name="Grade by words").click()
    expect(page.get_by_text(says, exact=False)).to_be_visible(timeout=20_000)
    done(page)


@pytest.mark.thorough
def test_a_bank_is_made_by_hand_and_by_a_model_edited_committed_gone_back_to_and_exported(
    page, own_store, tmp_path, monkeypatch
):
    behaviours = [fails(429, Retry_After="0"), hangs_up, hangs, says(REPLY, finish_reason="length")]
    with Server(lambda _, time: behaviours[min(time, 4) - 1]) as model:
        monkeypatch.setenv("EXAMBOARD_SERVERS", model.address)
        with serving(own_store) as dashboard:
            open_page(page, dashboard.address, "questions", "?collection=demo&bank_view=Edit")
            _from_nothing(page)
            _by_a_model(page, model.address)
            _edited(page)
            _gone_back_to(page, tmp_path)
            assert errors(page) == 0
    versions = {number: questions_of(Store(own_store).snapshot("demo"), "mine", number) for number in (1, 2, 3, 4)}
    assert [len(versions[number]) for number in versions] == [1, 3, 2, 1]
    assert versions[4] == versions[1]


def _from_nothing(page):
    """A question is written, saved, and graded by words."""
    page.get_by_role("button", name="New bank").click()
    page.get_by_label("Name of the bank").fill("mine")
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_text("New bank mine: 0 questions, 0 in use.")).to_be_visible()
    done(page)
    write(page, 0, "What are the layers of the skin?")
    expect(page.get_by_text("New bank mine: 1 question, all in use. Not saved: 1 added.")).to_be_visible()
    save(page, "a beginning", "mine@1")
    grade(page, "1 graded questions count")


def _by_a_model(page, address):
    """A model is asked: it wants to be left alone, hangs up, never answers, and is cut off in a question."""
    page.get_by_text("Generate", exact=True).click()
    page.get_by_label("Model", exact=True).fill("small")
    page.keyboard.press("Enter")
    page.get_by_label("Base URL of the server", exact=True).fill(address)
    page.keyboard.press("Enter")
    page.get_by_label("Queries", exact=True).fill(QUERY)
    page.keyboard.press("Enter")
    done(page)
    page.get_by_text("More options", exact=True).click()
    page.get_by_label("Longest wait (seconds)", exact=True).fill("1")
    page.keyboard.press("Enter")
    done(page)
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_text("2 questions were read: 2 are new in mine@2.")).to_be_visible(timeout=90_000)
    expect(page.get_by_text(re.compile("cut off", re.IGNORECASE)).first).to_be_visible()


def _edited(page):
    """The new questions are graded; one is removed, the board moves, and that is saved."""
    page.get_by_text("Edit", exact=True).click()
    done(page)
    expect(page.get_by_text("mine, version 2: 3 questions, all in use.")).to_be_visible()
    grade(page, "3 graded questions count")
    box = page.locator(TABLE).first.bounding_box()
    page.mouse.click(box["x"] + 15, box["y"] + 35 * 2 + 52)
    page.keyboard.press("Delete")
    expect(page.get_by_text("mine, version 2: 2 questions, all in use. Not saved: 1 removed.")).to_be_visible()
    expect(page.get_by_text("2 graded questions count, 3 before.")).to_be_visible()
    expect(page.get_by_text(re.compile(r"\d+ scores? and \d+ ranks? change|No run moves"))).to_be_visible()
    save(page, "one is too easy", "mine@3")


def _gone_back_to(page, folder):
    """Back to the first version, which is written as a NuggetBank v3."""
    page.get_by_text("Versions", exact=True).click()
    done(page)
    select(page, "From", "1")
    done(page)
    page.get_by_role("button", name="Go back to mine@1").click()
    page.get_by_label("Reason", exact=True).fill("the first was enough")
    page.get_by_role("button", name="Go back", exact=True).click()
    expect(page.get_by_text("mine@4 is equal to mine@1.")).to_be_visible()
    done(page)
    select(page, "Format", "NuggetBank v3")
    done(page)
    with page.expect_download() as coming:
        page.get_by_role("button", name="Download", exact=True).click()
    coming.value.save_as(folder / "bank.jsonl")
    (line,) = (folder / "bank.jsonl").read_text(encoding="utf-8").splitlines()
    bank = json.loads(line)
    assert (bank["format_version"], bank["query_id"]) == ("v3", QUERY)
    assert list(bank["nugget_bank"]) == ["What are the layers of the skin?"]


def test_words_are_written_over_in_the_table_and_saved(page, own):
    open_page(page, own.url, "questions", "?collection=demo&bank=open&bank_view=Edit")
    write(page, 0, "Really?")
    expect(page.get_by_text("Not saved: 1 reworded.")).to_be_visible()
    expect(page.get_by_text("Not graded yet", exact=False)).to_be_visible()
    save(page, "shorter", "open@2")
    questions = questions_of(Store(own.store).snapshot("demo"), "open", 2)
    assert [next(iter(questions.values())).text, len(questions)] == ["Really?", 80]

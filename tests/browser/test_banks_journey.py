"""A bank from nothing to a version that somebody else can read: by hand, by a model, by keyboard, in a real browser."""

import json
import re

import pytest
from browser.dashboard import done, errors, open_page, select, soon
from grading.server import Server, fails, hangs, hangs_up, says
from playwright.sync_api import expect

from benchmarks.dashboard import serving
from exam_core.store import Store
from exam_core.wings.banks import actions
from exam_core.wings.banks.analysis.versions import questions_of

pytestmark = pytest.mark.browser
REPLY = (
    "<think>The user wants questions.</think>Sure! Here they are:\n\n"
    "1. What is the epidermis made of?\n2. How thick is the dermis?\n3. Which layer of the skin sto"
)
QUERY = "demo-01"


def press(page, keys):
    """Press a shortcut, where no field has the keyboard and the page is drawn to its end."""
    expect(page.get_by_role("button", name="Grade with a model")).to_be_visible()
    done(page)
    page.get_by_role("heading", level=1).click()
    page.keyboard.press(keys)
    done(page)


def commit(page, reason, version):
    page.get_by_role("button", name="Commit", exact=False).first.click()
    page.get_by_label("Reason", exact=True).fill(reason)
    page.get_by_role("button", name="Commit a new version").click()
    expect(page.get_by_text(f"{version} is stored.")).to_be_visible()
    done(page)


def write(page, words):
    """A new question, by keyboard."""
    field = page.get_by_label("New question")
    field.fill(words)
    field.press("Enter")
    expect(page.get_by_text("Not graded yet", exact=False).or_(page.get_by_text("Nobody has graded"))).to_be_visible()
    done(page)


@pytest.mark.thorough
def test_a_bank_is_made_by_hand_and_by_a_model_edited_committed_gone_back_to_and_exported(
    page, own_store, tmp_path, monkeypatch
):
    behaviours = [fails(429, Retry_After="0"), hangs_up, hangs, says(REPLY, finish_reason="length")]
    with Server(lambda _, time: behaviours[min(time, 4) - 1]) as model:
        monkeypatch.setenv("EXAMBOARD_SERVERS", model.address)
        with serving(own_store) as dashboard:
            open_page(page, dashboard.address, "banks", "?collection=demo")
            _from_nothing(page)
            _by_a_model(page, model.address)
            _seen_after_a_reload(page)
            _gone_back_to(page, tmp_path)
            assert errors(page) == 0
    versions = {number: questions_of(Store(own_store).snapshot("demo"), "mine", number) for number in (1, 2, 3, 4)}
    assert [len(versions[number]) for number in versions] == [1, 3, 3, 1]
    assert versions[4] == versions[1]


def _from_nothing(page):
    """Two questions in nearly the same words are written, merged by a key, graded by words, and committed."""
    page.get_by_role("button", name="New bank").click()
    page.get_by_label("Name of the bank").fill("mine")
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_text("New bank mine: 0 questions, 0 on.")).to_be_visible()
    done(page)
    write(page, "What are the layers of the skin?")
    write(page, "What are the layers of human skin?")
    press(page, "Alt+1")
    expect(page.get_by_text("New bank mine: 1 question, 1 on.")).to_be_visible()
    press(page, "Alt+l")
    expect(page.get_by_text("1 graded questions count.")).to_be_visible(timeout=20_000)
    commit(page, "a beginning", "mine@1")


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


def _seen_after_a_reload(page):
    """The new questions are graded; one is switched off, the board moves, and a reload keeps the draft."""
    page.get_by_text("Edit", exact=True).click()
    done(page)
    expect(page.get_by_text("mine@2: 3 questions, 3 on.")).to_be_visible()
    press(page, "Alt+l")
    expect(page.get_by_text("3 graded questions count", exact=False)).to_be_visible(timeout=20_000)
    press(page, "Alt+o")
    expect(page.get_by_text("2 graded questions count, 3 before.")).to_be_visible()
    expect(page.get_by_text(re.compile(r"\d+ runs change|No run moves"))).to_be_visible()
    expect(page).to_have_url(re.compile("draft="))
    page.reload()
    expect(page.get_by_text("mine@2 with 1 change: 3 questions, 2 on.")).to_be_visible(timeout=20_000)
    expect(page.get_by_text("2 graded questions count, 3 before.")).to_be_visible()
    done(page)
    press(page, "Control+z")
    expect(page.get_by_text("mine@2: 3 questions, 3 on.")).to_be_visible()
    press(page, "Control+y")
    expect(page.get_by_text("mine@2 with 1 change: 3 questions, 2 on.")).to_be_visible()
    commit(page, "one is too easy", "mine@3")


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


def test_words_are_in_the_draft_as_they_are_typed_and_a_killed_dashboard_loses_none(page, own_store):
    with serving(own_store) as dashboard:
        open_page(page, dashboard.address, "banks", "?collection=demo&bank=open")
        words = page.get_by_role("textbox", name="Words")
        words.click()
        words.press("End")
        words.press_sequentially(" Really?", delay=40)
        expect(page.get_by_text("open@1 with 1 change", exact=False)).to_be_visible()
        # Nothing is pressed: neither Enter nor a button.
        expect(page.get_by_text("Not graded yet", exact=False)).to_be_visible()
        done(page)
        typed = words.input_value()
        (draft,) = actions.open_drafts(Store(own_store), "demo")
        found = soon(
            page,
            lambda: actions.open_draft(Store(own_store), "demo", draft.draft_id),
            lambda known: next(iter(known.bank.values())).text == typed,
        )
    assert next(iter(found.bank.values())).text == typed
    assert typed.endswith(" Really?")
    assert len(found.steps) == 1

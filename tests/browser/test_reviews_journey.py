"""Two people review in two browsers, without the mouse, and the server is killed while they do."""

import os
import re
import signal
import statistics
from contextlib import contextmanager

import pytest
from browser.dashboard import done, errors, open_page
from browser.test_every_page import barriers, faults
from playwright.sync_api import expect

from benchmarks.dashboard import free_port, serving
from exam_core.store import Store
from exam_core.wings.reviews.records import reviews_of
from exam_core.wings.reviews.review import standing
from tests.wings.reviews.queues import a_queue

pytestmark = pytest.mark.browser
EACH = 30
ANN, BOB = "Ann <b>B.</b>", "Bob"
TIMED = """
() => {
  window.times ??= [];
  let pressed = 0;
  addEventListener('keydown', () => { pressed = performance.now(); }, {capture: true});
  const drawn = () => requestAnimationFrame(() => window.times.push(performance.now() - pressed));
  new MutationObserver(drawn).observe(document.querySelector('.examboard-review .names'), {childList: true});
}
"""
"""Notes the milliseconds from a key to the frame in which the next item is drawn."""


def of(store, name):
    """The reviews of somebody, in the order in which they were written."""
    found = Store(store)
    return [one for one in reviews_of(found, found.snapshot("demo")).rows if one.reviewer == name]


class Reviewer:
    """Somebody in a browser of their own; what they did is noted as it should be in the store."""

    def __init__(self, page, address, name):
        self.page, self.name = page, name
        self.did: list[tuple[int | None, str | None]] = []
        open_page(page, address, "reviews", "?collection=demo")
        page.get_by_label("Your name", exact=True).fill(name)
        page.keyboard.press("Enter")
        self.is_there()

    @property
    def item(self):
        return self.page.locator(".examboard-review .names")

    def _press(self, key):
        before = self.item.inner_text()
        self.page.keyboard.press(key)
        expect(self.item).not_to_have_text(before)

    def answer(self, times):
        """So many items, each with the next answer of the scale."""
        for _ in range(times):
            answer = len(self.did) % 4
            self._press(str(answer))
            self.did.append((answer, None))

    def undo(self):
        self._press("u")
        self.did.append((None, "taken back"))

    def skip(self):
        before = self.item.inner_text()
        self.page.keyboard.press("s")
        self.page.keyboard.type("it is cut off")
        self.page.keyboard.press("Enter")
        expect(self.item).not_to_have_text(before)
        self.did.append((None, "it is cut off"))

    def is_there(self):
        self.item.wait_for(timeout=60_000)
        self.page.evaluate(TIMED)

    def leave(self):
        """Turn to an empty page, and tell where they were."""
        here = self.page.url
        self.page.goto("about:blank")
        return here

    def is_saved(self):
        expect(self.page.locator(".examboard-review .kept")).to_have_text("All saved", timeout=60_000)


def _looks(page):
    """What is cut off or out of somebody's reach, on a dark and narrow page with its keys shown."""
    page.keyboard.press("?")
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 400, "height": 900})
    done(page)
    return faults(page) + barriers(page)


def _agree(page, address):
    """How far the two agree with the grader and with each other, with how many items that is of."""
    open_page(page, address, "reviews", "?collection=demo&bank=open&review_view=Agreement")
    expect(page.get_by_text("Alpha of reviewers", exact=True)).to_be_visible()
    expect(page.get_by_text(re.compile(r"95% \[.+\], n = \d+ items")).first).to_be_visible()
    done(page)
    assert errors(page) == 0


def _corrected(page, address):
    """What the corrected leaderboard says."""
    open_page(page, address, "reviews", "?collection=demo&bank=open&measure=P&tau=3&review_view=Corrected leaderboard")
    told = page.get_by_text(re.compile("passages reviewed by 2 reviewers"))
    expect(told).to_be_visible()
    done(page)
    assert errors(page) == 0
    return told.inner_text()


@contextmanager
def two(browser):
    """Browsers that know nothing of each other."""
    contexts = []

    def opened():
        contexts.append(browser.new_context(viewport={"width": 1400, "height": 1000}))
        return contexts[-1].new_page()

    yield opened
    for context in contexts:
        context.close()


@pytest.mark.thorough
def test_two_review_by_keys_while_the_server_is_killed_and_nothing_is_lost_or_doubled(chromium, own_store):
    queue = a_queue(own_store, "demo", "relevance", n=70, shared=12)
    port = free_port()
    with two(chromium) as opened:
        with serving(own_store, port=port) as server:
            ann, bob = (Reviewer(opened(), server.address, name) for name in (ANN, BOB))
            ann.answer(10)
            ann.undo()
            ann.answer(5)
            bob.answer(12)
            # Others' answers to what everybody gets are told after one's own, and names are letters.
            expect(bob.page.locator(".examboard-review .said")).to_contain_text(f"{ANN}: ")
            bob.skip()
            for one in (ann, bob):
                one.is_saved()
            os.kill(server.process, signal.SIGKILL)
        acknowledged = {one.review_id for name in (ANN, BOB) for one in of(own_store, name)}
        ann.answer(4)  # nobody is there to take them
        bob.answer(3)
        left = bob.leave()
        with serving(own_store, port=port):
            bob.page.goto(left)
            for one in (ann, bob):
                one.is_there()
                one.is_saved()
            ann.answer(EACH - 18)
            bob.answer(EACH - 16)
            for one in (ann, bob):
                one.is_saved()
                assert [(found.answer, found.skipped) for found in of(own_store, one.name)] == one.did
                assert errors(one.page) == 0
            times = [time for one in (ann, bob) for time in one.page.evaluate("window.times")]
            _agree(ann.page, server.address)
            before = _corrected(ann.page, server.address)
            bob.answer(5)
            bob.is_saved()
            assert _corrected(ann.page, server.address) != before
            assert _looks(bob.page) == []
    rows = of(own_store, ANN) + of(own_store, BOB)[:-5]
    assert acknowledged <= {one.review_id for one in rows}
    assert len({one.review_id for one in rows}) == len(rows)
    assert len(standing(rows)) == 2 * EACH - 1  # one was skipped
    first = queue.reviewed_item(queue.items[0])
    assert [one.reviewer for one in rows if one.about == first] == [ANN, BOB]
    print(f"key to next item: median {statistics.median(times):.1f} ms, largest {max(times):.1f} ms of {len(times)}")
    assert statistics.median(times) < 100  # milliseconds; a rest for noisy machines is in the median

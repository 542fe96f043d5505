"""The chart is ahead of the server, and ends where the server says, in a real browser."""

import os
import signal
from contextlib import contextmanager

import pytest
from browser.dashboard import chart, done, open_leaderboard, settled, soon
from playwright.sync_api import expect

from exam_core.analysis.choice import TAUS
from exam_core.analysis.choosing import choose
from exam_core.analysis.leaderboard import leaderboard
from exam_core.request import Request
from exam_core.store import Store
from pages.mending import PLAIN

pytestmark = pytest.mark.browser
ALL_AT_TAU_1 = """document.querySelector('.examboard-chart').addEventListener('follow', ({detail: {held}}) =>
    Object.keys(held).forEach((tau) => { held[tau] = held[1]; }), {capture: true})"""

HELD = """new Promise((told) => {
    document.querySelector('.examboard-chart').addEventListener('follow',
        ({detail: {held}}) => told(Object.keys(held).length), {once: true});
    document.body.setAttribute('aria-valuetext', 'as if it moved');
    setTimeout(told, 1000, 0);
})"""
"""How many charts the browser holds."""


@contextmanager
def standing_still(server):
    """While the server answers nobody."""
    os.kill(server.process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(server.process, signal.SIGCONT)


def press(page, keys):
    """Press arrows on the slider, as quickly as they come."""
    page.get_by_test_id("stSlider").filter(has_text="tau").get_by_role("slider").focus()
    for key in keys:
        page.keyboard.press({"<": "ArrowLeft", ">": "ArrowRight"}[key])


def points(server, tau):
    snapshot = Store(server.store).snapshot("demo")
    board = leaderboard(snapshot, choose(snapshot, Request(measure="Cover@20", bank="open", tau=tau)))
    return board.rows.sort_values(["reference_rank", "rank", "run_id"])["mean"].tolist()


def drawn(page, expected):
    """Whether the chart has these points, or has them soon."""
    return soon(page, lambda: chart(page)[0]["y"] == expected)


def opened(page, server):
    def holds_all():  # a busy machine makes some of the charts the second time
        open_leaderboard(page, server.url, "?collection=demo&bank=open&tau=4&scores=raw&whole_axis=true")
        done(page)
        return page.evaluate(HELD) == len(TAUS)

    assert soon(page, holds_all) or PLAIN
    assert drawn(page, points(server, 4))


def test_eight_quick_moves_are_drawn_before_the_server_answers_and_end_at_its_numbers(page, server):
    opened(page, server)
    with standing_still(server):
        press(page, "<<<>><><")
        assert PLAIN or drawn(page, points(server, 2))
        expect(page.get_by_text("Cover@20, tau = 4", exact=False)).to_be_visible()
    expect(page.get_by_text("Cover@20, tau = 2", exact=False)).to_be_visible()
    settled(page)
    assert drawn(page, points(server, 2))
    if PLAIN:
        return
    page.evaluate(ALL_AT_TAU_1)
    with standing_still(server):
        press(page, ">")
        assert drawn(page, points(server, 1)), "where the server's answer differs"
    assert drawn(page, points(server, 3))

"""What the pages' Content-Security-Policy stops, and what works under it, in a real browser."""

import subprocess
import sys

import pytest
from browser.dashboard import WATCH, done, open_page, soon, stopped
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.thorough]
INJECT = """() => {
    const script = document.createElement('script');
    script.textContent = 'window.ran = true';
    document.body.append(script);
    document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.ran = true">');
    document.body.insertAdjacentHTML('beforeend', '<img src="https://evil.test/pixel.png">');
    return new Promise(resolve => setTimeout(() => resolve(window.ran === true), 500));
}"""


def test_a_presentation_is_drawn_under_the_policy(page, server):
    page.add_init_script(WATCH)
    page.goto(f"{server.url}/leaderboard?collection=demo&present=1")
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    assert stopped(page) == []


def test_what_came_into_a_page_runs_no_script_and_asks_no_other_server(page, server):
    page.add_init_script(WATCH)
    open_page(page, server.url, "collections", "?collection=demo")
    done(page)
    assert page.evaluate(INJECT) is False
    wanted = {"script-src-elem", "script-src-attr", "img-src"}
    assert soon(page, lambda: {one.split()[0] for one in stopped(page)}, wanted.__eq__) == wanted


def test_a_saved_report_draws_its_charts_and_runs_nothing_else(page, demo_store, tmp_path):
    file = tmp_path / "report.html"
    command = ["--store", str(demo_store), "export", "report", "demo", str(file), "--bank", "open", "--static"]
    subprocess.run([sys.executable, "-m", "exam_core", *command], check=True, capture_output=True)
    page.add_init_script(WATCH)
    page.goto(file.as_uri())
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    assert page.evaluate("window.stopped") == []
    assert page.evaluate(INJECT) is False

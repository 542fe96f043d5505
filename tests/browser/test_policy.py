"""What the pages' Content-Security-Policy stops, and what works under it, in a real browser."""

import subprocess
import sys

import pytest
from browser.dashboard import done, drawn, open_leaderboard, open_page
from playwright.sync_api import expect

from pages.shared.menu import PAGES

pytestmark = [pytest.mark.browser, pytest.mark.thorough]
WATCH = """window.stopped = [];
document.addEventListener('securitypolicyviolation', said =>
    window.stopped.push(said.violatedDirective + ' ' + said.blockedURI))"""
KNOWN = "script-src wasm-eval"
"""What Streamlit tries and goes on without: quicker numbers of 64 bits."""
INJECT = """() => {
    const script = document.createElement('script');
    script.textContent = 'window.ran = true';
    document.body.append(script);
    document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.ran = true">');
    document.body.insertAdjacentHTML('beforeend', '<img src="https://evil.test/pixel.png">');
    return new Promise(resolve => setTimeout(() => resolve(window.ran === true), 500));
}"""


def stopped(page):
    found = page.evaluate("window.stopped")
    return [one for one in found if not one.startswith(KNOWN)]


@pytest.mark.parametrize("name", [page.name for page in PAGES])
def test_a_page_needs_nothing_that_the_policy_stops(page, server, name):
    page.add_init_script(WATCH)
    open_page(page, server.url, name, "?collection=demo&bank=open")
    drawn(page)
    assert stopped(page) == []
    assert str(page.locator("link[rel='shortcut icon']").get_attribute("href")).startswith("data:image/svg+xml")


def test_a_presentation_is_drawn_under_the_policy(page, server):
    page.add_init_script(WATCH)
    page.goto(f"{server.url}/leaderboard?collection=demo&present=1")
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    assert stopped(page) == []


def test_a_table_is_saved_under_the_policy(page, server):
    page.add_init_script(WATCH)
    open_leaderboard(page, server.url, "?collection=demo&bank=open")
    page.get_by_role("button", name="Export", exact=True).first.click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="CSV").first.click()
    assert b"run_id" in saved.value.path().read_bytes()
    assert stopped(page) == []


def test_what_came_into_a_page_runs_no_script_and_asks_no_other_server(page, server):
    page.add_init_script(WATCH)
    open_page(page, server.url, "collections", "?collection=demo")
    done(page)
    assert page.evaluate(INJECT) is False
    assert {one.split()[0] for one in stopped(page)} == {"script-src-elem", "script-src-attr", "img-src"}


def test_a_saved_report_draws_its_charts_and_runs_nothing_else(page, demo_store, tmp_path):

    file = tmp_path / "report.html"
    command = ["--store", str(demo_store), "export", "report", "demo", str(file), "--bank", "open", "--static"]
    subprocess.run([sys.executable, "-m", "exam_core", *command], check=True, capture_output=True)
    page.add_init_script(WATCH)
    page.goto(file.as_uri())
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    assert page.evaluate("window.stopped") == []
    assert page.evaluate(INJECT) is False

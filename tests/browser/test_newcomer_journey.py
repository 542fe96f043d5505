"""From one's own files to a leaderboard, kappa and a correlation by page: eight clicks, two boxes to fill in."""

import pytest
from browser.dashboard import done, errors, go_to, open_page, settled, text
from playwright.sync_api import expect

from benchmarks.dashboard import serving
from exam_core.store import Store
from tests import newcomer

pytestmark = pytest.mark.browser


def test_own_files_become_grades_a_leaderboard_kappa_and_a_correlation(page, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    files = sorted(newcomer.write(tmp_path / "mydata", 200).iterdir())
    with newcomer.rater() as address, serving(tmp_path / "store") as server:
        open_page(page, server.address, "")
        page.get_by_test_id("stFileUploader").locator("input[type=file]").set_input_files(files)
        page.get_by_label("Name of the new collection", exact=True).fill("mydata")
        page.keyboard.press("Tab")
        bring = page.get_by_role("button", name="Import", exact=True)
        assert bring.bounding_box()["y"] < 400
        bring.click()
        expect(page.get_by_text("6 files are imported into mydata")).to_be_visible()
        page.get_by_role("button", name="A server", exact=True).click()
        page.get_by_label("Base URL of the server", exact=True).fill(address)
        page.keyboard.press("Tab")
        page.get_by_role("button", name=f"Ask {address.removesuffix('/v1')}").click()
        expect(page.get_by_role("combobox", name="Model", exact=True)).to_have_value("rater")
        done(page)
        page.get_by_role("button", name="Start", exact=True).click()
        expect(page.get_by_text("✓ done", exact=False).filter(visible=True).first).to_be_visible(timeout=60_000)
        assert len(Store(tmp_path / "store").snapshot("mydata").frame("grades")) == 204
        go_to(page, "Leaderboard")
        settled(page)
        assert "bm25" in text(page)
        go_to(page, "Agreement")
        settled(page)
        assert "kappa" in text(page)
        go_to(page, "Choose method and tau")
        settled(page)
        assert errors(page) == 0

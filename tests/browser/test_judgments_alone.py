"""A newcomer's first minute: runs and judgments are dropped on Home, and two clicks later there is a board."""

import pytest
from browser.dashboard import chart, open_page, settled
from playwright.sync_api import expect

from benchmarks.dashboard import serving
from exam_core.store import Store

pytestmark = pytest.mark.browser


@pytest.mark.thorough
def test_runs_and_judgments_alone_are_a_board_in_two_clicks(page, judged_store, tmp_path):
    known = Store(judged_store).snapshot("mine")
    lines = {"mine.qrels": []}
    for row in known.frame("rankings").itertuples():
        lines.setdefault(f"{row.run_id}.run", []).append(
            f"{row.query_id} Q0 {row.doc_id} {row.rank} {row.score} {row.run_id}"
        )
    for row in known.frame("judgments").itertuples():
        lines["mine.qrels"].append(f"{row.query_id} 0 {row.doc_id} {row.relevance:g}")
    files = []
    for name in ("bm25.run", "lsa-8.run", "mine.qrels"):
        files.append(tmp_path / name)
        files[-1].write_text("\n".join(lines[name]) + "\n")
    with serving(tmp_path / "store") as server:
        open_page(page, server.address, "")
        page.get_by_test_id("stFileUploader").locator("input[type=file]").set_input_files(files)
        page.get_by_role("button", name="Import", exact=True).click()
        expect(page.get_by_text("nDCG@10, judged relevant from 2")).to_be_visible()
        settled(page)
        assert [len(series["y"]) for series in chart(page)] == [2]
        expect(page.get_by_text("Choose at least one grading mode")).to_have_count(0)

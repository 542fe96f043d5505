"""A grading job from the button to its end, in a real browser that follows it and may come back later."""

import pytest
from browser.dashboard import errors, open_page, soon, table
from playwright.sync_api import expect

from benchmarks.dashboard import serving
from exam_core.actions.job_control import create_job, write_progress
from exam_core.jobs.ordering import JobRequest, Order
from exam_core.jobs.records import JobProgress
from exam_core.store import Store

pytestmark = pytest.mark.browser


@pytest.mark.thorough
def test_a_job_of_another_process_is_followed_and_stopped(page, own_store):
    job = create_job(Store(own_store), JobRequest(Order("demo", bank="open")))
    write_progress(job, JobProgress(state="running", total=100, done=20, asked=20, seconds=10, left=40))
    with serving(own_store) as server:
        open_page(page, server.address, "grading", "?collection=demo&bank=open")
        expect(page.get_by_text("▶ running · 20 of 100 · 2.0 prompts/s · 40 s left")).to_be_visible()
        expect(page.get_by_text("This job runs already; see below.")).to_be_visible()
        write_progress(job, JobProgress(state="running", total=100, done=60, asked=60, seconds=30, left=20))
        expect(page.get_by_text("▶ running · 60 of 100 · 2.0 prompts/s · 20 s left")).to_be_visible()
        page.get_by_role("button", name="Stop", exact=True).click()
        expect(page.get_by_text("stops as soon as its answers are kept")).to_be_visible()
        assert job.stopping
        write_progress(job, JobProgress(state="stopped", total=100, done=70, asked=70, seconds=35))
        expect(page.get_by_text("■ stopped · 70 of 100")).to_be_visible()
        # Nothing runs any more: the form is back, and the page has come to rest.
        expect(page.get_by_role("button", name="Start", exact=True)).to_be_visible()
        assert soon(page, lambda: table(page, "State")[0]["State"] == "■ stopped")
        assert errors(page) == 0

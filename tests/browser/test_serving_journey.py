"""Who signed in does what their role lets them, by whatever route; a role taken away is gone in an open page, too."""

import re
import shutil
from pathlib import Path

import msgspec
import pytest
from browser.dashboard import barriers, done, soon
from playwright.sync_api import expect
from test_read_only import hashed

from exam_core import rights, wings
from exam_core.actions import importing_runs
from exam_core.grading.options import GradingOptions
from exam_core.jobs.ordering import JobRequest, Order
from exam_core.rights import Visitor
from exam_core.store import Store
from exam_core.store.aliases_and_tags import ORDER, JobOrder
from exam_core.store.files import write_once
from tests.wings.serving.signing import serving_signed_in, signing_in, write_roles

pytestmark = [pytest.mark.browser, pytest.mark.thorough]
ANN, BOB, EVE = "ann@example.org", "bob@example.org", "eve@example.org"
ROLES = {ANN: "editor", BOB: "viewer", EVE: "editor"}


@pytest.fixture(scope="module")
def served(demo_store, tmp_path_factory):
    folder = tmp_path_factory.mktemp("signing in")
    store = Path(shutil.copytree(demo_store, folder / "store"))
    with serving_signed_in(store, folder, ROLES) as found:
        yield found


@pytest.fixture
def visit(chromium, served):
    write_roles(served.roles, ROLES)
    yield signing_in(chromium, served)
    for window in chromium.contexts:
        window.close()


def of_ann(served, act):
    """What Ann did, on another machine with the same store."""
    rights.known_by(lambda: Visitor(ANN, "editor"))
    try:
        return act(Store(served.store))
    finally:
        rights.known_by(lambda: None)


@pytest.mark.parametrize("look", ["light", "dark"])
def test_whoever_has_not_signed_in_sees_nothing_but_a_button_that_can_be_read(chromium, served, look):
    with chromium.new_context(color_scheme=look) as window:
        page = window.new_page()
        page.goto(f"{served.url}/leaderboard?collection=demo")
        page.get_by_role("button", name="Sign in").wait_for()
        done(page)
        assert "demo" not in page.locator("body").inner_text()
        assert barriers(page) == []


def test_a_viewer_changes_nothing_by_hand_made_messages_that_an_editors_page_would_send(visit, served):
    run = served.store.parent / "new.run"
    run.write_text("demo-01 Q0 skin-01 1 2.5 new\n", encoding="utf-8")
    (done_so,) = of_ann(served, lambda store: importing_runs.import_run(store, "demo", run)).import_ids
    key, address = f"overview_undo_demo_{done_so}", "collections?collection=demo"
    bob, ann = visit(BOB, address), visit(ANN, address)
    for one in (bob, ann):
        one.page.get_by_text("new.run, imported").wait_for()
        done(one.page)
    before = hashed(served.store)
    missing = {name for name in ann.widgets.keys() - bob.widgets.keys() if name.startswith("overview_")}
    assert key in missing
    for name in missing:
        bob.press(ann.widgets[name])
    done(bob.page)
    bob.page.wait_for_timeout(1000)
    assert hashed(served.store) == before
    ann.press(ann.widgets[key])
    left = soon(
        ann.page, lambda: "new" in set(Store(served.store).snapshot("demo").frame("rankings")["run_id"]), False.__eq__
    )
    assert left is False, "the same message of an editor does something"


@pytest.mark.skipif("banks" not in wings.WINGS, reason="there is no editor")
def test_a_viewer_is_offered_neither_uploads_nor_jobs_nor_the_editor(visit, served):
    bob = visit(BOB, "collections?collection=demo")
    expect(bob.page.get_by_text("needs the role editor").locator("visible=true").first).to_be_visible()
    assert bob.page.get_by_test_id("stFileUploader").count() == 0
    bob.page.goto(f"{served.url}/grading?collection=demo")
    expect(bob.page.get_by_text("needs the role editor").locator("visible=true").first).to_be_visible()
    address = "banks?collection=demo&bank=open"
    bob.page.goto(f"{served.url}/{address}")
    expect(bob.page.get_by_text("needs the role editor").locator("visible=true").first).to_be_visible()
    assert bob.page.get_by_role("button", name="Discard").count() == 0
    expect(visit(ANN, address).page.get_by_role("button", name="Discard")).to_be_visible()


def test_an_editors_file_is_taken_and_none_that_another_editor_sends_to_the_same_session(visit, served):
    ann, eve = visit(ANN, "collections?collection=demo").page, visit(EVE, "").page
    chooser = ann.locator("input[type=file]").first
    chooser.wait_for(state="attached")
    with ann.expect_response(lambda answer: answer.request.method == "PUT") as sent:
        chooser.set_input_files({"name": "new.run", "mimeType": "text/plain", "buffer": b"q1 Q0 d1 1 1.0 new\n"})
    assert sent.value.status == 204
    expect(ann.get_by_text("new.run").first).to_be_visible()
    token = next(one["value"] for one in eve.context.cookies() if "xsrf" in one["name"])
    refused = eve.request.put(
        sent.value.url,
        headers={"Origin": served.url, "X-Xsrftoken": token},
        multipart={"file": {"name": "b.run", "mimeType": "text/plain", "buffer": b"b"}},
    )
    assert (refused.status, refused.text()) == (403, "Only whoever has this session may send files to it.")


def test_a_right_that_is_taken_away_is_gone_in_an_open_page_within_a_minute(visit, served):
    ann = visit(ANN, "grading?collection=demo").page
    expect(ann.get_by_role("button", name="Start", exact=True)).to_be_visible()
    write_roles(served.roles, ROLES | {ANN: "viewer"})
    expect(ann.get_by_text("needs the role editor").locator("visible=true").first).to_be_visible(timeout=60_000)
    write_roles(served.roles, {BOB: "viewer"})
    expect(ann.get_by_text("has no role here").locator("visible=true").first).to_be_visible(timeout=60_000)
    assert ann.get_by_role("button", name="Start", exact=True).count() == 0


def test_the_server_prints_no_secret_and_no_address_has_one(visit, served):
    bob = visit(BOB, "leaderboard?collection=demo").page
    done(bob)
    printed = served.said.read_text() + bob.url + bob.content()
    assert [secret for secret in served.secrets if secret in printed] == []


def test_whoever_signs_in_is_back_at_the_page_and_choices_that_they_opened(chromium, served):
    with chromium.new_context() as window:
        page = window.new_page()
        page.goto(f"{served.url}/leaderboard?tau=3&depth=5")
        page.get_by_role("button", name="Sign in").click()
        page.locator("input[name=sub]").fill(BOB)
        page.get_by_role("button", name="Authorize").click()
        page.get_by_role("heading", level=1, name="Leaderboard").wait_for()
        for choice in ("depth=5", "tau=3"):
            expect(page).to_have_url(re.compile(rf"[?&]{choice}(&|$)"))
        done(page)
        page.evaluate("sessionStorage.setItem('examboard: address to return to', '//evil.test/leaderboard')")
        page.reload()
        page.get_by_role("heading", level=1, name="Leaderboard").wait_for()
        done(page)
        assert page.url.startswith(f"{served.url}/leaderboard")


def test_a_viewer_sees_what_a_job_is_and_not_its_command_line(visit, served):
    request = JobRequest(Order("demo", "self-rating", GradingOptions(model="/secret/place"), bank="open"))
    store = Store(served.store)
    folder = store.jobs / "20260101-000000-abcd"
    store.catalogue.put(ORDER, folder.name, JobOrder("order", msgspec.to_builtins(request)))
    write_once(folder / "log.txt", b"/secret/place is no model\n")
    bob = visit(BOB, "grading?collection=demo").page
    expect(bob.get_by_text("users who may start jobs see them").locator("visible=true").first).to_be_visible()
    done(bob)
    assert "/secret/place" not in bob.content()
    ann = visit(ANN, "grading?collection=demo").page
    expect(ann.get_by_text("/secret/place is no model").first).to_be_visible()

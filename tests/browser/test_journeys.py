"""Whole journeys through the dashboard, in a real browser."""

import json
import re
from xml.etree import ElementTree

import pandas as pd
import pytest
from browser.dashboard import chart, done, go_to, open_leaderboard, open_page, select, settled, soon, until
from playwright.sync_api import expect
from typer.testing import CliRunner

from exam_core.cli.tree import app
from exam_core.formats.trec import read_qrels
from exam_core.store import Store

pytestmark = pytest.mark.browser


def command_line(server, *arguments):
    """What a command prints as JSON about the server's store."""
    answer = CliRunner().invoke(app, ["--store", str(server.store), *arguments, "--format", "json"])
    assert answer.exit_code == 0, answer.output
    return json.loads(answer.stdout)


def saved(page, button):
    """The file that a button saves."""
    with page.expect_download() as download:
        page.get_by_role("button", name=button, exact=True).click()
    return download.value


@pytest.mark.thorough
def test_a_pasted_link_opens_the_same_page(page, dl19, chromium):
    open_leaderboard(page, dl19.url, "?collection=dl19&tau=2&measure=nDCG&order=first+series")
    page.get_by_role("button", name="Share", exact=True).click()
    link = page.get_by_test_id("stCode").first.inner_text().strip()
    assert re.search(r"[?&]v=1(&|$)", link)
    named = ("depth=20", "bank=genq%401", "modes=", "collection=dl19", "data=")
    assert [part for part in named if part not in link] == [], "what is at its default is in the link too"
    context = chromium.new_context()
    other = context.new_page()
    other.goto(link)
    settled(other)
    found = chart(other)
    context.close()
    assert found == chart(page)


def test_a_table_is_saved_as_csv_and_latex(page, server, tmp_path):
    board = command_line(server, "leaderboard", "demo", "--bank", "open", "--measure", "Cover@20", "--tau", "3")
    open_leaderboard(page, server.url, "?collection=demo&bank=open&tau=3")
    page.get_by_role("button").get_by_text("Export", exact=True).first.click()
    saved(page, "CSV").save_as(tmp_path / "board.csv")
    saved(page, "LaTeX").save_as(tmp_path / "board.tex")
    means = pd.read_csv(tmp_path / "board.csv").set_index("run_id")["mean"].to_dict()
    assert means == pytest.approx({row["run_id"]: row["mean"] for row in board["rows"]}, abs=1e-12)
    latex = (tmp_path / "board.tex").read_text(encoding="utf-8")
    assert latex.startswith("% Needs \\usepackage{booktabs}.\n\\begin{tabular}")
    assert [word for word in (r"\toprule", "bm25") if word not in latex] == []


@pytest.mark.thorough
def test_labels_and_the_report_are_saved(page, dl19, tmp_path):
    open_leaderboard(page, dl19.url, "?collection=dl19&tau=3")
    page.get_by_role("button", name="Share", exact=True).click()
    page.get_by_role("tab", name="Files").click()
    saved(page, "Save labels as qrels").save_as(tmp_path / "labels.qrels")
    saved(page, "Save the report for print (HTML)").save_as(tmp_path / "report.html")
    labels = read_qrels(tmp_path / "labels.qrels", qrels_id="exam").frames["judgments"]
    assert len(labels) == 9260
    page.context.set_offline(True)
    page.goto((tmp_path / "report.html").as_uri())
    expect(
        page.get_by_role("table", name="Cover@20 of Self-rating, FLAN-T5-L (tau 3)").get_by_text("TUW19-p3-f")
    ).to_be_visible()
    expect(page.locator(".js-plotly-plot .point").first).to_be_attached()
    page.set_viewport_size({"width": 400, "height": 800})
    page.emulate_media(color_scheme="dark")
    page.reload()
    expect(page.locator(".js-plotly-plot")).to_have_count(8)
    until(page, "document.documentElement.scrollWidth === 400")
    expect(page.locator("body")).to_have_css("color", "rgb(232, 237, 243)")
    expect(page.locator(".js-plotly-plot .xtick text").first).to_have_css("fill", "rgb(232, 237, 243)")
    page.context.set_offline(False)


def picture(page, path):
    """What the first chart's button saves."""
    page.locator(".js-plotly-plot").first.hover()
    with page.expect_download() as download:
        page.locator(".modebar-btn[data-title*=Download]").first.click(force=True)
    download.value.save_as(path)
    return path


def test_a_chart_is_saved_as_a_picture(page, server, tmp_path):
    open_leaderboard(page, server.url, "?collection=car-y3-published")
    lines = picture(page, tmp_path / "chart.svg").read_text(encoding="utf-8")
    assert "ICT-DRMMTKS" in " ".join(ElementTree.fromstring(lines).itertext())
    page.get_by_role("button", name="Share", exact=True).click()
    page.get_by_role("tab", name="Files").click()
    page.get_by_text("PNG", exact=True).click()
    page.keyboard.press("Escape")
    done(page)
    assert picture(page, tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")


def write_into_cell(page, name, across, words):
    """Write into a cell of a table's second row, once the table can be written into."""
    cells, field = page.locator(f"[class*=st-key-{name}] canvas").first, page.locator("#portal :is(input, textarea)")
    done(page)
    cells.scroll_into_view_if_needed()
    box = cells.bounding_box()
    assert box

    def opened():
        cells.dblclick(position={"x": across * box["width"], "y": 35 * 2.5}, force=True)
        page.wait_for_timeout(500)
        return field.count()

    assert soon(page, opened)
    field.first.fill(words)
    page.keyboard.press("Enter")


@pytest.mark.thorough
def test_a_run_is_tagged_on_the_page_and_the_tag_is_taken_back(page, own):
    open_page(page, own.url, "outliers", "?collection=demo&bank=open&reference=qrels:nDCG@10")
    page.get_by_text("Is the grader biased towards some runs?").click()
    write_into_cell(page, "run_tags", 0.7, "uses an LLM")
    page.keyboard.press("Tab")
    expect(page.get_by_text("demo: bm25 is tagged uses an LLM now; before, nothing.")).to_be_visible()
    assert Store(own.store).snapshot("demo").tags == (("bm25", ("uses an LLM",)),)
    expect(page.get_by_text("uses an LLM (1 of 15 runs): promoted by")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("No run here has a tag.")).to_be_visible()
    assert Store(own.store).snapshot("demo").tags == ()


@pytest.mark.thorough
def test_a_grader_is_named_on_the_page_and_the_address_keeps_its_id(page, own):
    open_page(page, own.url, "grading", "?collection=demo-nuggets&modes=nuggetizer")
    chips = page.get_by_test_id("stSidebar").get_by_role("toolbar", name="Grading modes").get_by_role("button")
    chosen = chips.and_(page.get_by_role("button", pressed=True))
    page.get_by_text("Names of grading modes").click()
    write_into_cell(page, "grader_names", 0.1, "By hand")
    expect(page.get_by_text("nuggetizer is called By hand now; it was Nuggetizer.")).to_be_visible()
    assert Store(own.store).snapshot("demo-nuggets").aliases == (("nuggetizer", "By hand"),)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Undo")).to_have_count(0)
    go_to(page, "Leaderboard")
    expect(chosen).to_have_text(["Nuggetizer"])
    chips.get_by_text("Lexical match", exact=True).click()
    expect(page).to_have_url(re.compile("modes=nuggetizer&modes=lexical.pourpre-idf"))
    page.reload()
    settled(page)
    expect(chosen).to_have_text(["Nuggetizer", "Lexical match"])


def upload(page, name, content):
    """Give a file to the uploader."""
    page.get_by_test_id("stFileUploader").locator("input[type=file]").set_input_files(
        {"name": name, "mimeType": "text/plain", "buffer": content.encode()}
    )


def test_a_file_with_an_error_is_refused_and_the_right_one_imported_and_undone(page, own):
    page.set_viewport_size({"width": 1366, "height": 768})
    open_page(page, own.url, "collections", "?collection=demo")
    for first in (".st-key-holdings_collections_table", "[data-testid=stFileUploader]"):
        expect(page.locator(first).first).to_be_in_viewport(ratio=1)
    before = Store(own.store).snapshot("demo").fingerprint
    upload(page, "mine.run", "demo-01 Q0 d1 one 2.0 mine\n")
    select(page, "Collection to add to", "demo")
    expect(page.get_by_text("mine.run:1")).to_be_visible()
    assert page.get_by_role("button", name="Import", exact=True).count() == 0
    upload(page, "mine.run", "demo-01 Q0 d1 1 2.0 mine\n")
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text("Done", exact=True)).to_be_visible()
    expect(page.get_by_text("1 run").first).to_be_visible()
    assert Store(own.store).snapshot("demo").fingerprint != before
    page.get_by_role("button", name="Undo this import").first.click()
    assert soon(page, lambda: Store(own.store).snapshot("demo").fingerprint == before)

"""The HTML report, and tables as HTML and for spreadsheets."""

import csv
import io
import re
from html import unescape
from html.parser import HTMLParser

import pandas as pd
import pytest
from analysis.worlds import labels_of_three

from exam_core.analysis.comparison import AGREEMENTS
from exam_core.analysis.figures import figures_of
from exam_core.analysis.leaderboard import ROWS, SCORES
from exam_core.request import Request
from exam_core.store import Store
from exam_core.table_text import as_html, spreadsheet
from exam_core.wings.stage.report_page import CORRELATED, ReportOrigin, beyond, html_report

ODD = ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\tx", "<script>alert(1)</script>", "plain, with a comma"]
CAVEAT = "Few queries make scores noisy, which lowers correlations."
ORIGIN = ReportOrigin("car-y3-published", "0123", "what was <chosen>", "2026-11-21", "http://127.0.0.1/?a=1&b=2")


class Cells(HTMLParser):
    """Texts of a page's cells, and the names of all its elements."""

    def __init__(self, text):
        super().__init__()
        self.cells: list[str] = []
        self.elements: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, _attrs):
        self.elements.append(tag)
        if tag == "td":
            self.cells.append("")

    def handle_data(self, data):
        if self.cells and self.elements[-1] == "td":
            self.cells[-1] += data


def test_no_cell_of_a_spreadsheet_begins_a_formula():
    rows = list(csv.reader(io.StringIO(spreadsheet(pd.DataFrame({"run_id": ODD, "mean": -0.5})))))
    assert [row[0][0] in "=+-@\t\r" for row in rows[1:]] == [False] * len(ODD)
    assert [row[0].removeprefix("'") for row in rows[1:]] == ODD
    assert {row[1] for row in rows[1:]} == {"-0.5"}


def test_a_table_as_html_shows_every_text_letter_for_letter():
    found = Cells(as_html(pd.DataFrame({"run_id": ODD, "mean": float("nan")}), {"run_id": "Run"}, caption="a < b"))
    assert found.cells[::2] == ODD
    assert set(found.cells[1::2]) == {"-"}
    assert "script" not in found.elements


@pytest.fixture(scope="module")
def report(demo_store):
    snapshot = Store(demo_store).snapshot(ORIGIN.collection)
    asked = Request("Cover@20", tau=4, label_rank=1, relevant_from=2, reference="official")
    figures, series = figures_of(snapshot), figures_of(snapshot).series()
    return html_report(figures.compare(series, asked), figures.correlate(series, asked), ORIGIN)


def test_a_report_holds_the_printed_correlations_and_scores(report):
    cells = Cells(report.partition("</script></head>")[2]).cells
    assert "ICT-DRMMTKS" in cells
    place = cells.index("Cover@20 (generated questions, tau 4)")
    assert cells[place + 1 : place + 3] == ["16", "0.869"], "runs and Spearman, EXAM++, table 3"
    assert not re.search("genq (Cover|P)@20", report), "columns have names, not ids"
    assert "Not in this report, but in the dashboard: passages" in report
    assert [words for words in ("what was &lt;chosen&gt;", "?a=1&amp;b=2") if words not in report] == []


def test_a_report_has_a_language_and_a_described_chart_and_asks_the_network_for_nothing(report):
    head, _, page = report.partition("</script></head>")
    assert 'lang="en"' in report
    assert 'role="img" aria-label="Scores of ' in page
    assert Cells(page).elements[:2] == ["body", "main"]
    loading = ("src=", "href=", "url(", "@import")
    assert not [part for part in loading if part in head.partition("<script>")[0] + page]


@pytest.fixture(scope="module")
def of_grades(demo_store):
    """The report of the demo, with all that it can have."""
    figures, asked = figures_of(Store(demo_store).snapshot("demo")), Request(bank="open", tau=3)
    series = ("lexical.pourpre-idf",)
    found = figures.compare(series, asked)
    return html_report(found, figures.correlate(series, asked), ORIGIN, beyond=beyond(figures, series, asked))


def headings(page):
    return re.findall("<h2>(.*?)</h2>", page.partition("</script></head>")[2])


def test_a_report_of_grades_has_taus_and_displacements_and_its_notes_come_last(of_grades):
    found = headings(of_grades)
    assert [one.split(" ")[0] for one in found] == [
        "Leaderboard", "Correlation", "Agreement", "Scores:", "Every", "Displaced",
        "Run", "Stability", "Rank", "Kappa", "Questions", "Notes",
    ]  # fmt: skip
    assert of_grades.count('class="chart"') == 8


def test_a_shared_rank_is_the_first_of_its_places_and_has_an_interval_beside_it(of_grades):
    page = of_grades.partition("<h2>Scores")[2].partition("</table>")[0]
    rows = [Cells(row).cells for row in page.partition("<tbody>")[2].split("</tr>")[:-1]]
    heads = re.findall('<th scope="col">(.*?)</th>', page)
    assert heads[:4] == ["Rank", "Run", "Tier", "95% rank interval"]
    places = [int(row[0].rstrip("=")) for row in rows]
    assert places == [1 + sum(other < place for other in places) for place in places]
    assert [row[0].endswith("=") for row in rows] == [places.count(place) > 1 for place in places]
    ends = [[int(end) for end in row[3].split("-")] for row in rows]
    assert [row for row, end, place in zip(rows, ends, places, strict=True) if not end[0] <= place <= end[-1]] == []


def test_a_heading_is_that_of_the_declared_column(report):
    heads = set(map(unescape, re.findall('<th scope="col">(.*?)</th>', report)))
    declared = {column.label for of in (CORRELATED, SCORES, AGREEMENTS, ROWS) for column in of.columns}
    assert heads - declared == set()


def test_what_a_report_can_not_have_is_said_and_the_rest_is_there(demo_store):
    figures = figures_of(Store(demo_store).snapshot("demo"))
    found = beyond(figures, ("lexical.pourpre-idf",), Request(bank="open", tau=3, reference="nobody"))
    assert (found.standing, found.outliers) == ({}, None)
    assert [why for why in found.missing if "nobody" not in why] == []
    assert found.missing


def test_the_report_says_once_which_modes_have_no_questions_and_ends_with_its_notes(tmp_path):
    snapshot = labels_of_three(tmp_path)
    found = figures_of(snapshot).compare(("rater", "labels", "Sun", "Thomas"), Request(bank="genq", tau=2))
    page = html_report(found, [], ReportOrigin("world", "f", "w", "2024-01-01"))
    assert page.count("which this measure needs") == 1
    assert page.index("<h2>Leaderboard") < page.index("which this measure needs")
    assert page.rindex("<h2>") == page.index("<h2>Notes")


def test_the_report_has_the_reason_why_intervals_lie_beside_their_value(demo_store):
    figures, asked = figures_of(Store(demo_store).snapshot("demo")), Request("P@5", "open", tau=2, reference="official")
    series = ("lexical.pourpre-idf",)
    correlated = figures.correlate(series, asked)
    assert any(CAVEAT in note for note in correlated[0].notes)
    report = html_report(figures.compare(series, asked), correlated, ReportOrigin("demo", "f", "w", "2024-01-01"))
    assert report.count(CAVEAT) == 1

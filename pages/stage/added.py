"""What the stage adds to the pages."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from functools import partial

from exam_core.wings.stage.report_page import ReportOrigin, beyond, html_report
from pages.shared import data, share_and_export
from pages.shared.selection import Selection
from pages.stage import pinning, presenting
from pages.stage.pinning import NO_CHOICES as NO_CHOICES
from pages.stage.pinning import is_presented

is_instead, draw_top = is_presented, pinning.draw_menu


def draw_instead(selection: Selection, title: str) -> bool:
    """Draw the slide, where one is shown in the place of the page."""
    if not is_presented():
        return False
    presenting.draw(selection, title)
    return True


def draw_shared(selection: Selection, address: str) -> None:
    """The button that saves the report."""
    text_of = partial(report, selection, address)
    share_and_export.save("Save the report for print (HTML)", text_of, "report.html", "text/html")


def report(selection: Selection, address: str) -> str:
    """The choice's leaderboards, correlations and agreement as one HTML page."""
    comparison = data.compare(selection)
    correlated = data.ask(selection.figures.correlate, selection.series, selection.request)
    snapshot, today = selection.snapshot, date.today().isoformat()
    origin = ReportOrigin(snapshot.collection, snapshot.fingerprint, selection.in_words(), today, address)
    more = beyond(selection.figures, tuple(comparison.boards), selection.request, data.ask)
    return html_report(comparison, correlated, origin, picture=data.picture(replace(selection, hidden=())), beyond=more)

"""The report for print."""

from __future__ import annotations

from datetime import date
from typing import Annotated

import typer

from exam_core.cli import common as cli
from exam_core.cli.export_commands import Reported, compared
from exam_core.cli.reporting import Report
from exam_core.wording import counted


def write_report(options: Reported) -> None:
    """Write leaderboards, correlations, agreement, taus and outliers as one HTML page."""
    from exam_core.formats.writing import write_lines
    from exam_core.reports.picture import picture_of
    from exam_core.wings.stage.reports.beyond import beyond
    from exam_core.wings.stage.reports.page import ReportOrigin, html_report

    figures, series, asked, found = compared(options)
    origin = ReportOrigin(
        options.collection,
        figures.snapshot.fingerprint,
        "; ".join(f"{name}: {board.title}" for name, board in found.boards.items()),
        date.today().isoformat(),
    )
    correlated = figures.correlate(series, asked)
    more = beyond(figures, tuple(found.boards), asked)
    page = html_report(found, correlated, origin, picture=picture_of(figures, found, asked), beyond=more)
    write_lines(options.file, iter([page.encode()]))
    cli.wrote(options.file, counted({"leaderboards": len(found.boards)}))


def story(
    collection: cli.Collection,
    name: Annotated[str, typer.Argument(help="Name of the story.", show_default=False)],
    file: cli.Target,
) -> None:
    """The pinned views of a story as one HTML page that needs no network: charts, takeaways, notes and choices.

    Example: examboard export story dl19 meeting-3 meeting.html
    """
    from exam_core.analysis.figures import figures_of
    from exam_core.formats.writing import write_lines
    from exam_core.wings.stage.actions import stories
    from exam_core.wings.stage.reports.page import ReportOrigin
    from exam_core.wings.stage.slides.story_page import story_html

    store = cli.open_store()
    told = stories.story_of(store, collection, name)
    figures, views = figures_of(store.snapshot(collection)), counted({"views": len(told.views)})
    origin = ReportOrigin(collection, figures.snapshot.fingerprint, f"story {name}, {views}", date.today().isoformat())
    write_lines(file, iter([story_html(told, lambda one: figures_of(store.snapshot(one)), origin).encode()]))
    cli.wrote(file, views)


REPORTS = (Report(is_static=True, write=write_report),)

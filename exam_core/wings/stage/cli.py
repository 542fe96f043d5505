"""`examboard story`, `examboard export story`, and the report for print."""

from __future__ import annotations

from datetime import date
from typing import Annotated

import typer

from exam_core.cli import common as cli
from exam_core.cli.common import Commands
from exam_core.cli.export_commands import Report, Reported, compared
from exam_core.wording import counted


def write_report(options: Reported) -> None:
    """Write leaderboards, correlations, agreement, taus and outliers as one HTML page."""
    from exam_core.formats.writing import write_lines
    from exam_core.reports.board_lines import choice_in_words
    from exam_core.reports.part import picture_of
    from exam_core.store.summary import names_of
    from exam_core.wings.stage.report_page import ReportOrigin, beyond, html_report

    figures, series, request, comparison = compared(options)
    origin = ReportOrigin(
        options.collection,
        figures.snapshot.fingerprint,
        choice_in_words(figures, series, request, names_of(figures.snapshot)),
        date.today().isoformat(),
    )
    correlated = figures.correlate(series, request)
    more = beyond(figures, tuple(comparison.boards), request)
    page = html_report(comparison, correlated, origin, picture=picture_of(figures, comparison, request), beyond=more)
    write_lines(options.file, iter([page.encode()]))
    cli.wrote(options.file, counted({"leaderboards": len(comparison.boards)}))


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
    from exam_core.wings.stage import stories
    from exam_core.wings.stage.report_page import ReportOrigin
    from exam_core.wings.stage.slides import story_html

    store = cli.open_store()
    pinned = stories.story_of(store, collection, name)
    fingerprint, views = store.snapshot(collection).fingerprint, counted({"views": len(pinned.views)})
    origin = ReportOrigin(collection, fingerprint, f"story {name}, {views}", date.today().isoformat())
    page = story_html(pinned, lambda home: figures_of(store.snapshot(home)), origin, collections=store.collections())
    write_lines(file, iter([page.encode()]))
    cli.wrote(file, views)


REPORTS = (Report(is_static=True, write=write_report),)


app = Commands(help="Stories: views that were pinned in the dashboard.", no_args_is_help=True)


@app.callback()
def stories() -> None:
    """Stories: views that were pinned in the dashboard."""


@app.command("list")
def list_stories(collection: cli.Collection, form: cli.FormatOption = cli.OutputForm.TABLE) -> None:
    """The stories of a collection, with their views in order.

    Example: examboard story list dl19
    """
    from exam_core.wings.stage import stories
    from exam_core.wings.stage.slides import views_table

    store = cli.open_store()
    store.snapshot(collection)
    rows = views_table(stories.stories_of(store, collection))
    for sentence in stories.damaged_stories(store, collection):
        cli.say(sentence, err=True)
    footer = [] if len(rows) else [f"{collection} has no story. Pin views on the dashboard's pages."]
    cli.print_object({"collection": collection, "rows": rows}, rows, form, footer=footer)

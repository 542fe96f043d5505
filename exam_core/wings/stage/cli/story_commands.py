"""`examboard story ...`."""

from __future__ import annotations

from exam_core.cli import common as cli
from exam_core.cli.help_text import Commands

app = Commands(help="Stories: views that were pinned in the dashboard.", no_args_is_help=True)


@app.callback()
def stories() -> None:
    """Stories: views that were pinned in the dashboard."""


@app.command("list")
def list_stories(collection: cli.Collection, form: cli.FormatOption = cli.OutputForm.TABLE) -> None:
    """The stories of a collection, with their views in order.

    Example: examboard story list dl19
    """
    from exam_core.wings.stage.actions import stories
    from exam_core.wings.stage.slides.listing import views_table

    store = cli.open_store()
    store.snapshot(collection)
    rows = views_table(stories.stories_of(store, collection))
    for sentence in stories.damaged_stories(store, collection):
        cli.say(sentence, err=True)
    footer = [] if len(rows) else [f"{collection} has no story. Pin views on the dashboard's pages."]
    cli.print_object({"collection": collection, "rows": rows}, rows, form, footer=footer)

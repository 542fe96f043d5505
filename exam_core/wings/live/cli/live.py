"""`examboard export site`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import date
from typing import Annotated

import typer

from exam_core import asked as options_of
from exam_core.cli import common as cli
from exam_core.cli.options import takes_declared
from exam_core.wording import counted, quoted


@dataclass
class SiteOptions:
    """What a live page offers."""

    collection: cli.Collection
    file: cli.Target
    measure: Annotated[
        list[str] | None,
        typer.Option(help="Measure to offer; may be repeated. By default the usual ones.", show_default=False),
    ] = None
    bank: options_of.Bank = None
    grader: Annotated[
        list[str] | None,
        typer.Option(help="Grading mode to offer; may be repeated. By default all.", show_default=False),
    ] = None
    reference: Annotated[
        list[str] | None,
        typer.Option(
            help="Reference to offer; may be repeated. By default the official leaderboard and nDCG@10 over "
            "the judgments.",
            show_default=False,
        ),
    ] = None
    depth: Annotated[int, typer.Option(min=1, help="Passages of a ranking that are read.")] = 20
    without: options_of.Without = None


@takes_declared()
def site(options: SiteOptions) -> None:
    """Leaderboards in one HTML file where mode, measure, tau, label rank and reference can be chosen without a server.

    Example: examboard export site dl19 dl19.html --measure Cover@20 --measure P@20
    """
    from exam_core.analysis.evaluation.choosing import leave_out, usual
    from exam_core.asked import Asked
    from exam_core.formats.writing import write_lines
    from exam_core.wings.live.analysis.cube import axes_of, cube, first_of, reach_of
    from exam_core.wings.live.reports.forecast import forecast
    from exam_core.wings.live.reports.live_page import live_page

    snapshot = leave_out(cli.open_store().snapshot(options.collection), options.without or [])
    asked = Asked(bank=options.bank, depth=options.depth)
    axes = axes_of(snapshot, asked, options.grader or (), options.measure or (), options.reference or ())
    asked = usual(snapshot, asked.but(grader=axes.modes[0].grader), None)
    expected = forecast(axes, reach_of(snapshot, asked, axes))
    for sentence in filter(None, (expected.in_words, expected.by_choice, expected.advice)):
        cli.say(sentence, err=True)
    with cli.progress_bar("Computing") as progress:
        found = cube(snapshot, asked, axes, progress=progress)
    facts = {
        "Data": f"{snapshot.collection}, fingerprint {snapshot.fingerprint}",
        "Command": _command(options),
        "Made": date.today().isoformat(),
    }
    page = live_page(found, first_of(snapshot, asked, axes), facts).encode()
    write_lines(options.file, iter([page]))
    cli.wrote(options.file, counted({"leaderboards": len(found.boards)}) + f", {len(page) / 1e6:.1f} MB")


def _command(options: SiteOptions) -> str:
    """The command that makes this page again."""
    words = ["examboard", "export", "site", options.collection, options.file.name]
    for one in fields(options):
        value = getattr(options, one.name)
        if one.name not in ("collection", "file") and value != one.default:
            listed = value if isinstance(value, list) else [value]
            words += [word for said in listed for word in (f"--{one.name}", str(said))]
    return " ".join(map(quoted, words))

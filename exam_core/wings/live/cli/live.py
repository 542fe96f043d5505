"""`examboard export site`, and the report as a live page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any

import typer

from exam_core import asked as options_of
from exam_core.cli import common as cli
from exam_core.cli.export_commands import Reported
from exam_core.cli.options import takes_declared
from exam_core.errors import NothingToChoose
from exam_core.wording import counted, quoted

if TYPE_CHECKING:
    from exam_core.asked import Asked
    from exam_core.store import Snapshot
    from exam_core.wings.live.analysis.cube import Axes


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
    from exam_core.analysis.evaluation.choosing import usual
    from exam_core.asked import Asked
    from exam_core.wings.live.analysis.cube import axes_of

    snapshot, asked = _snapshot(options), Asked(bank=options.bank, depth=options.depth)
    axes = axes_of(snapshot, asked, options.grader or (), options.measure or (), options.reference or ())
    asked = usual(snapshot, asked.but(grader=axes.modes[0].grader), None)
    _write(options, snapshot, asked, axes, _command("site", options))


def write_report(options: Reported) -> None:
    """Write the live page that opens with a choice: its grading modes with the usual measures and its own."""
    from exam_core.analysis.evaluation.choosing import usual
    from exam_core.asked import Asked
    from exam_core.wings.live.analysis.cube import JUDGED_FROM, axes_of

    if options.relevant_from not in JUDGED_FROM:
        cuts = " and ".join(map(str, JUDGED_FROM))
        raise NothingToChoose(f"A live page has kappa from the judgments {cuts}, not {options.relevant_from}.")
    snapshot = _snapshot(options)
    same = ("bank", "tau", "depth", "label_rank", "reference")
    asked = Asked(**{name: getattr(options, name) for name in same})
    axes = axes_of(snapshot, asked, options.grader or (), (), [options.reference] if options.reference else ())
    asked = usual(snapshot, asked.but(grader=axes.modes[0].grader), options.measure)
    axes = axes.with_measure(asked.measure)
    _write(options, snapshot, asked, axes, _command("report", options))


def _snapshot(options: SiteOptions | Reported) -> Snapshot:
    from exam_core.analysis.evaluation.choosing import leave_out

    return leave_out(cli.open_store().snapshot(options.collection), options.without or [])


def _write(options: SiteOptions | Reported, snapshot: Snapshot, asked: Asked, axes: Axes, command: str) -> None:
    """Say what the page will take, and write it."""
    from exam_core.formats.writing import write_lines
    from exam_core.wings.live.analysis.cube import cube, first_of, reach_of
    from exam_core.wings.live.reports.forecast import forecast
    from exam_core.wings.live.reports.live_page import live_page

    reach = reach_of(snapshot, asked, axes)
    expected = forecast(axes, reach)
    for sentence in filter(None, (expected.in_words, expected.by_choice, expected.advice)):
        cli.say(sentence, err=True)
    facts = {
        "Data": f"{snapshot.collection}, fingerprint {snapshot.fingerprint}",
        "Command": command,
        "Made": date.today().isoformat(),
    }
    sizes: list[int] = []

    def page() -> Iterator[bytes]:
        with cli.progress_bar("Computing") as progress:
            found = cube(snapshot, asked, axes, progress=progress)
        text = live_page(found, first_of(snapshot, asked, axes), facts).encode()
        sizes.append(len(text))
        yield text

    write_lines(options.file, page())
    cli.wrote(options.file, f"{counted({'leaderboards': reach.leaderboards})}, {sizes[0] / 1e6:.1f} MB")


def _command(name: str, options: Any) -> str:
    """The command that makes this page again."""
    words = ["examboard", "export", name, options.collection, options.file.name]
    for one in fields(options):
        value = getattr(options, one.name)
        if one.name not in ("collection", "file") and value != one.default:
            listed = value if isinstance(value, list) else [value]
            words += [word for said in listed for word in (f"--{one.name.replace('_', '-')}", str(said))]
    return " ".join(map(quoted, words))

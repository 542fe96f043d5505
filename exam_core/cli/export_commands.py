"""`examboard export ...`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from exam_core import request as options_of
from exam_core import wings
from exam_core.answers.asking import at_one_tau, evaluation, figures, several
from exam_core.cli import common as cli
from exam_core.cli.analysis_commands import subject
from exam_core.cli.common import Commands, Listing
from exam_core.cli.declared_options import takes_declared
from exam_core.errors import ExamboardError
from exam_core.request import BoardForm, Evaluating, Request
from exam_core.wording import counted

if TYPE_CHECKING:
    from exam_core.analysis.comparison import Comparison
    from exam_core.analysis.figures import Figures

app = Commands(cls=Listing, help="Write what a collection holds for other tools.", no_args_is_help=True)


@app.command()
@takes_declared()
def qrels(
    collection: cli.Collection,
    file: cli.Target,
    bank: options_of.Bank = None,
    grader: options_of.Grader = None,
    label_rank: options_of.LabelRank = 1,
    label_map: options_of.LabelMap = None,
) -> None:
    """EXAM labels as a qrels file for trec_eval.

    Example: examboard export qrels dl19 exam.qrels --bank genq --label-rank 2 --label-map 5=3,4=1
    """
    from exam_core.actions import exporting
    from exam_core.analysis.choosing import choose_labelling
    from exam_core.analysis.figures import figures_of
    from exam_core.analysis.values import pair_labels

    snapshot = figures_of(cli.open_store().snapshot(collection), grader).snapshot
    request = Request(bank=bank, grader=grader, label_rank=label_rank, label_map=label_map)
    labelling = choose_labelling(snapshot, request)
    lines = exporting.export_labels(snapshot, labelling, file)
    cli.wrote(file, counted({"labels": lines}))
    if left_out := len(pair_labels(snapshot, labelling)) - lines:
        cli.say(f"Left out, because no label can be read of them: {counted({'passages': left_out})}.", err=True)


@app.command()
def workbench(collection: cli.Collection, file: cli.Target) -> None:
    """Graded and judged passages as a file of the authors' workbench, with all that imported ones had.

    Example: examboard export workbench dl19 dl19-graded.jsonl.gz
    """
    from exam_core.actions import exporting

    lines, left_out = exporting.export_workbench(cli.open_store().snapshot(collection), file)
    notes = [
        f"  {left_out:,} ranked passages were neither graded nor judged and are left out.",
        "  Export them with: examboard export run, or export duckdb",
    ]
    cli.wrote(file, counted({"queries": lines}), *notes if left_out else ())


@app.command()
def run(
    collection: cli.Collection,
    file: cli.Target,
    run: Annotated[str | None, typer.Option(help="One run only; by default all.")] = None,
) -> None:
    """Rankings as a TREC run file.

    Example: examboard export run dl19 bm25.run --run bm25base_p
    """
    from exam_core.actions import exporting

    lines = exporting.export_run(cli.open_store().snapshot(collection), file, run)
    cli.wrote(file, f"{lines:,} lines")


@app.command()
@takes_declared()
def values(collection: cli.Collection, options: Evaluating, file: cli.Target) -> None:
    """A measure's value for every run and query as JSON lines, each with all options; --tau all for every tau.

    Example: examboard export values dl19 dl19-values.jsonl --measure Cover@20 --tau 3
    """
    from exam_core.actions import exporting

    about = subject(collection)
    contents, (request, taus) = figures(about, options), several(about, options)
    every: list[float | None] = [*taus] or [request.tau]
    choices = [evaluation(contents, request.but(tau=tau), "no values by query are printed.") for tau in every]
    lines = exporting.export_values(contents.snapshot, choices, file)
    cli.wrote(file, f"{lines:,} values")


@dataclass
class BoardFile:
    """Which leaderboard is written, and how."""

    name: Annotated[str | None, typer.Option(help="Leaderboard that was imported, instead of one by a measure.")] = None
    form: Annotated[BoardForm, typer.Option(help="Format of the file.")] = "csv"


@app.command()
@takes_declared()
def leaderboard(collection: cli.Collection, evaluating: Evaluating, file: cli.Target, options: BoardFile) -> None:
    """A leaderboard as a table, or with its values by query as TREC Auto-Judge writes them.

    Example: examboard export leaderboard dl19 board.txt --measure P@20 --form run-measure-topic-value

    Example: examboard export leaderboard mine official.csv --name official
    """
    from exam_core.actions import exporting

    about = subject(collection)
    contents = figures(about, evaluating)
    if options.name is None:
        choice = evaluation(contents, at_one_tau(about, evaluating), "name one with --name.")
        board = exporting.board_of(contents.snapshot, choice)
    else:
        board = exporting.stored_board(contents.snapshot, options.name)
    lines = exporting.export_leaderboard(board, file, options.form)
    cli.wrote(file, f"{lines:,} lines")


@dataclass
class Reported:
    """What a report is about."""

    collection: cli.Collection
    file: cli.Target
    measure: options_of.MeasureName = None
    bank: options_of.Bank = None
    grader: Annotated[
        list[str] | None, typer.Option(help="Grading mode, or printed column; may be repeated. By default all.")
    ] = None
    tau: options_of.Tau = None
    depth: Annotated[int, typer.Option(min=1, help="Passages of a ranking that are read.")] = 20
    label_rank: options_of.LabelRank = 1
    relevant_from: options_of.RelevantFrom = 2
    reference: Annotated[str | None, typer.Option(help="Leaderboard to compare with.")] = None
    without: options_of.Without = None
    own_document: options_of.OwnDocumentRule = "yes"


def compared(options: Reported) -> tuple[Figures, tuple[str, ...], Request, Comparison]:
    """The collection's figures, the series, what is asked, and the leaderboards side by side.

    Raises ExamboardError where there is no leaderboard.
    """
    from exam_core.analysis.choice import TAUS
    from exam_core.analysis.choosing import grader_id, own_taus, restrict, usual
    from exam_core.analysis.figures import figures_of

    snapshot = restrict(cli.open_store().snapshot(options.collection), options)
    figures = figures_of(snapshot, *(options.grader or []), options.reference)
    series = tuple(grader_id(snapshot, text) for text in options.grader or figures.series(options.bank))
    same = ("bank", "depth", "label_rank", "relevant_from", "reference")
    request = Request(grader=next(iter(series), None), **{name: getattr(options, name) for name in same})
    own = own_taus(snapshot, series) if options.tau is None else ()
    request = request.but(tau=options.tau or TAUS[-2], own_taus=own)
    request = usual(snapshot, request, options.measure).but(grader=None)
    comparison = figures.compare(series, request)
    if not comparison.boards:
        raise ExamboardError(" ".join(comparison.missing) or f"There is nothing to report in {options.collection}.")
    return figures, series, request, comparison


@app.command()
def duckdb(
    file: cli.Target,
    collection: Annotated[list[str] | None, typer.Option(help="Only this collection; may be repeated.")] = None,
) -> None:
    """The store as one DuckDB file, for sharing and for SQL of your own.

    Example: examboard export duckdb shared.duckdb --collection dl19
    """
    from exam_core.actions import exporting

    names = exporting.export_store(cli.open_store(), file, collection or [])
    cli.wrote(file, ", ".join(names))


Write = Callable[[Reported], None]


class Report(NamedTuple):
    """A way to write a report.

    Attributes
    ----------
    is_static : whether it shows one choice, for print; from the other one, other choices can be made
    write : writes it; raises NothingToChoose where it is not static and no other choice could be made
    """

    is_static: bool
    write: Write


def writer(*, is_static: bool) -> Write | None:
    """What writes a report; None where no wing does."""
    declared: list[Report] = [*wings.declared("reports")]
    return next((report.write for report in declared if report.is_static == is_static), None)

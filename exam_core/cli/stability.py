"""The commands that ask how much of a leaderboard is chance: significance, stability, swaps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from exam_core.asked import HELP, Curve, Drawn, PairTest
from exam_core.cli import common as cli
from exam_core.cli.evaluation import Typed
from exam_core.cli.options import takes_declared
from exam_core.defaults import DRAWS, SEED, TOP_RUNS
from exam_core.errors import UsageError

if TYPE_CHECKING:
    from exam_core.analysis.chance.significance import Significance
    from exam_core.analysis.evaluation.choice import Evaluation
    from exam_core.analysis.figures.protocol import Figures
    from exam_core.store import Snapshot


class Tested(NamedTuple):
    """How pairs of runs are tested."""

    test: PairTest
    draws: int
    seed: int


Seed = Annotated[int, typer.Option(help="Seed of the resampling; the same seed gives the same answer.")]


@dataclass
class Testing:
    """Which pairs are tested, and how."""

    pairs: Annotated[bool, typer.Option("--pairs", help="List every pair of runs, with wins, ties and losses.")] = False
    baseline: Annotated[
        str | None,
        typer.Option(help="List every other run beside this one; Holm's adjustment is for these comparisons alone."),
    ] = None
    leaderboard: Annotated[str | None, typer.Option(help=HELP["tested_board"])] = None
    test: Annotated[PairTest, typer.Option(help="Test whose p values are listed and make the tiers.")] = "t"
    draws: Annotated[int, typer.Option(help="Bootstrap samples, and random sign flips.")] = DRAWS
    seed: Seed = SEED


@takes_declared()
def significance(typed: Typed, options: Testing, form: cli.FormatOption = cli.Form.TABLE) -> None:
    """Which runs differ significantly: tiers, intervals of means and ranks, tests of all pairs (Holm).

    Example: examboard significance dl19 --measure Cover@20 --tau 3 --pairs --test randomisation --draws 20000

    Example: examboard significance dl19 --measure Cover@20 --tau 3 --baseline UNH_bm25

    Example: examboard significance mine --leaderboard official
    """
    from exam_core.analysis.chance.significance import PAIRS, ROWS, of_values
    from exam_core.analysis.evaluation.choosing import check_draws
    from exam_core.analysis.figures.protocol import Sampling
    from exam_core.reports import stability as reports

    baseline, leaderboard = options.baseline, options.leaderboard
    tested = Tested(options.test, options.draws, options.seed)
    check_draws(options.draws, options.seed)
    if options.pairs and baseline:
        raise UsageError("--pairs and --baseline list different things: choose one of them.")
    figures, asked = typed.figures(), typed.asked()
    question = {"collection": typed.collection, "leaderboard": leaderboard} if leaderboard else figures.question(asked)
    if baseline is not None:
        _print_against(figures, leaderboard or figures.evaluation(asked), question, baseline, tested, form)
        return
    found: Significance | None
    if leaderboard:
        found = of_values(figures.snapshot, leaderboard, **tested._asdict())
    else:
        found = figures.significance(asked, options.test, Sampling(options.draws, options.seed))
    if found is None:
        _print_undefined(reports.undefined_answer(question, "test", PAIRS if options.pairs else ROWS), form)
        return
    rows, more = cli.shown(found.pairs, form) if options.pairs else (found.rows, [])
    answer = reports.significance_answer(question, found, pairs=options.pairs)
    cli.print_object(answer, rows, form, footer=[*more, *reports.significance_lines(found)])


def _print_against(
    figures: Figures,
    choice: Evaluation | str | None,
    question: dict[str, Any],
    baseline: str,
    tested: Tested,
    form: cli.Form,
) -> None:
    from exam_core.analysis.chance.significance import BASELINE, against
    from exam_core.reports import stability as reports

    if choice is None:
        _print_undefined(reports.undefined_answer(question, "test", BASELINE), form)
        return
    found = against(figures.snapshot, choice, baseline, **tested._asdict())
    cli.print_object(reports.against_answer(question, found), found.rows, form, footer=reports.against_lines(found))


@dataclass
class Drawing:
    """What is drawn, or left out, how often, and from which seed."""

    of: Annotated[
        Drawn | None, typer.Option(help="What is drawn: queries (default), questions of each query, or both.")
    ] = None
    curve: Annotated[
        Curve | None, typer.Option(help="Correlation against the number of questions per query, or of queries.")
    ] = None
    leave_one_out: Annotated[bool, typer.Option("--leave-one-out", help="Leave out each question in turn.")] = False
    reference: cli.Reference = None
    draws: Annotated[
        int | None,
        typer.Option(
            help="By default 2000 resamplings of queries, 200 of questions, 50 subsets of each size of a curve."
        ),
    ] = None
    seed: Seed = SEED
    top: Annotated[int, typer.Option(help="Count how often a run is among the first K.")] = TOP_RUNS


@takes_declared()
def stability(typed: Typed, options: Drawing, form: cli.FormatOption = cli.Form.TABLE) -> None:
    """How the ranks and the correlation change with other queries, other questions, or fewer of them.

    Example: examboard stability dl19 --measure Cover@20 --tau 3 --of both

    Example: examboard stability dl19 --measure Cover@20 --tau 3 --curve bank-size
    """
    from exam_core.analysis.chance import bank_size, leave_one_out, stability
    from exam_core.analysis.evaluation.choosing import MOST_DRAWS, check_draws, check_range
    from exam_core.reports.stability import undefined_answer

    if sum((options.of is not None, options.curve is not None, options.leave_one_out)) > 1:
        raise UsageError("--of, --curve and --leave-one-out ask different things: choose one of them.")
    check_draws(options.draws, options.seed)
    check_range("--top", options.top, 1, MOST_DRAWS)
    figures, asked = typed.figures(options.reference), typed.asked(reference=options.reference)
    question, choice = figures.question(asked), figures.evaluation(asked)
    if choice is None:
        rows = leave_one_out.ROWS if options.leave_one_out else bank_size.ROWS if options.curve else stability.ROWS
        _print_undefined(undefined_answer(question, "draw", rows), form)
    elif options.leave_one_out:
        _print_left_out(figures.snapshot, choice, question, form)
    elif options.curve:
        _print_curve(figures.snapshot, choice, options, question, form)
    else:
        _print_drawn(figures.snapshot, choice, options, question, form)


def _print_drawn(
    snapshot: Snapshot, choice: Evaluation, options: Drawing, question: dict[str, Any], form: cli.Form
) -> None:
    from exam_core.analysis.chance.stability import stability
    from exam_core.reports import stability as reports

    of, draws = options.of or "queries", options.draws
    with cli.progress_bar("Drawing") as progress:
        found = stability(snapshot, choice, of=of, draws=draws, seed=options.seed, top=options.top, progress=progress)
    answer = reports.stability_answer(question, found)
    cli.print_object(answer, found.rows, form, footer=reports.stability_lines(found))


def _print_left_out(snapshot: Snapshot, choice: Evaluation, question: dict[str, Any], form: cli.Form) -> None:
    from exam_core.analysis.chance.leave_one_out import leave_one_out
    from exam_core.reports import stability as reports

    with cli.progress_bar("Leaving out each question") as progress:
        found = leave_one_out(snapshot, choice, progress=progress)
    rows, more = cli.shown(found.rows, form)
    answer = reports.leave_one_out_answer(question, found)
    cli.print_object(answer, rows, form, footer=[*more, *reports.leave_one_out_lines(found)])


def _print_curve(
    snapshot: Snapshot, choice: Evaluation, options: Drawing, question: dict[str, Any], form: cli.Form
) -> None:
    from exam_core.analysis.chance.bank_size import SUBSETS, size_curve
    from exam_core.reports import stability as reports

    of, subsets = options.curve or "bank-size", options.draws or SUBSETS
    with cli.progress_bar("Drawing subsets") as progress:
        found = size_curve(snapshot, choice, of=of, subsets=subsets, seed=options.seed, progress=progress)
    cli.print_object(reports.curve_answer(question, found), found.rows, form, footer=reports.curve_lines(found))


@takes_declared()
def swaps(
    typed: Typed,
    reference: cli.Reference = None,
    width: Annotated[
        float | None, typer.Option("--bin", help="Width of the histogram's bins, as a difference in score.")
    ] = None,
    pairs: Annotated[bool, typer.Option("--pairs", help="List the swapped pairs instead of the histogram.")] = False,
    form: cli.FormatOption = cli.Form.TABLE,
) -> None:
    """Pairs of runs that two leaderboards order differently, by how far their scores are apart.

    A tie on one side only is no swap and is counted separately. Of a published collection, printed columns.

    Example: examboard swaps dl19 --measure P@20 --tau 3 --reference qrels:nDCG@10
    """
    from exam_core.reports import stability as reports

    figures, asked = typed.figures(reference), typed.asked(reference=reference)
    question, found = figures.question(asked), figures.swaps(asked, width)
    rows, more = cli.shown(found.swapped, form) if pairs else (found.rows, [])
    cli.print_object(reports.swaps_answer(question, found), rows, form, footer=[*more, *reports.swaps_lines(found)])


def _print_undefined(answer: dict[str, Any], form: cli.Form) -> None:
    cli.print_object(answer, answer["rows"], form, footer=answer["notes"])

"""The commands that ask how much of a leaderboard is chance: significance, stability, swaps."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from exam_core.cli import common as cli
from exam_core.cli.evaluation import Typed, evaluates
from exam_core.defaults import DRAWS, SEED, TOP_RUNS
from exam_core.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from exam_core.analysis.leaderboard import Leaderboard
    from exam_core.store import Snapshot

MOST_DRAWS = 1_000_000
SHOWN = 40
"""Pairs and questions in a table; every other form has them all."""

Seed = Annotated[int, typer.Option(help="Seed of the draws; the same seed gives the same answer.")]


class PairTest(StrEnum):
    """How a pair of runs is tested."""

    T = "t"
    BOOTSTRAP = "bootstrap"
    RANDOMISATION = "randomisation"


class Drawn(StrEnum):
    """What is drawn with replacement."""

    QUERIES = "queries"
    QUESTIONS = "questions"
    BOTH = "both"


class CurveName(StrEnum):
    """What a curve has fewer of."""

    BANK_SIZE = "bank-size"
    QUERIES = "queries"


@evaluates
def significance(
    typed: Typed,
    pairs: Annotated[bool, typer.Option("--pairs", help="List every pair of runs.")] = False,
    test: Annotated[PairTest, typer.Option(help="Test whose p values are listed and make the tiers.")] = PairTest.T,
    draws: Annotated[int, typer.Option(help="Draws of the bootstrap and of random signs.")] = DRAWS,
    seed: Seed = SEED,
    form: cli.FormatOption = cli.Form.TABLE,
) -> None:
    """Which runs can be told apart: tiers, intervals of means and ranks, tests of all pairs with Holm's adjustment.

    Example: examboard significance dl19 --measure Cover@20 --tau 3 --pairs --test randomisation --draws 20000
    """
    from exam_core.analysis import printed
    from exam_core.analysis.configuration import check_range
    from exam_core.analysis.significance import PAIRS, ROWS, printed_significance
    from exam_core.analysis.significance import significance as significance_of
    from exam_core.reports import stability as reports

    check_range("--draws", draws, 1, MOST_DRAWS)
    check_range("--seed", seed, 0, 2**32)
    snapshot = typed.snapshot()
    if printed.is_printed(snapshot):
        question = _printed_question(snapshot, typed)
        if snapshot.frame("leaderboards")["stderr"].isna().all():
            _print_undefined(reports.undefined_answer(question, "test", PAIRS if pairs else ROWS), form)
            return
        found = printed_significance(_printed_board(snapshot, typed))
    else:
        choice = typed.choice(snapshot)
        question = typed.question(snapshot, choice)
        found = significance_of(snapshot, choice, test=test.value, draws=draws, seed=seed)
    rows, more = _shown(found.pairs, form) if pairs else (found.rows, [])
    answer = reports.significance_answer(question, found, pairs=pairs)
    cli.print_object(answer, rows, form, footer=[*more, *reports.significance_lines(found)])


@evaluates
def stability(
    typed: Typed,
    of: Annotated[
        Drawn | None, typer.Option(help="What is drawn: queries (default), questions of each query, or both.")
    ] = None,
    curve: Annotated[
        CurveName | None, typer.Option(help="Correlation against the number of questions per query, or of queries.")
    ] = None,
    leave_one_out: Annotated[bool, typer.Option("--leave-one-out", help="Leave out each question in turn.")] = False,
    reference: cli.Reference = None,
    draws: Annotated[
        int | None,
        typer.Option(help="By default 2000 draws of queries, 200 of questions, 50 subsets of each size of a curve."),
    ] = None,
    seed: Seed = SEED,
    top: Annotated[int, typer.Option(help="Count how often a run is among the first K.")] = TOP_RUNS,
    form: cli.FormatOption = cli.Form.TABLE,
) -> None:
    """How the ranks and the correlation change with other queries, other questions, or fewer of them.

    Example: examboard stability dl19 --measure Cover@20 --tau 3 --of both

    Example: examboard stability dl19 --measure Cover@20 --tau 3 --curve bank-size
    """
    from exam_core.analysis import bank_size, printed
    from exam_core.analysis import leave_one_out as leaving
    from exam_core.analysis import stability as drawing
    from exam_core.analysis.configuration import check_range
    from exam_core.reports import stability as reports

    if sum((of is not None, curve is not None, leave_one_out)) > 1:
        raise UsageError("--of, --curve and --leave-one-out ask different things: choose one of them.")
    check_range("--draws", draws, 1, MOST_DRAWS)
    check_range("--seed", seed, 0, 2**32)
    check_range("--top", top, 1, MOST_DRAWS)
    snapshot = typed.snapshot()
    if printed.is_printed(snapshot):
        question = _printed_question(snapshot, typed)
        columns = leaving.ROWS if leave_one_out else bank_size.ROWS if curve else drawing.ROWS
        _print_undefined(reports.undefined_answer(question, "draw", columns), form)
        return
    choice = typed.choice(snapshot, reference=reference)
    question = typed.question(snapshot, choice)
    if leave_one_out:
        with cli.progress_bar("Leaving out each question") as progress:
            effects = leaving.leave_one_out(snapshot, choice, progress=progress)
        rows, more = _shown(effects.rows, form)
        footer = [*more, *reports.leave_one_out_lines(effects)]
        cli.print_object(reports.leave_one_out_answer(question, effects), rows, form, footer=footer)
        return
    if curve:
        with cli.progress_bar("Drawing subsets") as progress:
            sizes = bank_size.size_curve(
                snapshot,
                choice,
                of=curve.value,
                subsets=draws or bank_size.SUBSETS,
                seed=seed,
                progress=progress,
            )
        cli.print_object(reports.curve_answer(question, sizes), sizes.rows, form, footer=reports.curve_lines(sizes))
        return
    with cli.progress_bar("Drawing") as progress:
        found = drawing.stability(
            snapshot,
            choice,
            of=(of or Drawn.QUERIES).value,
            draws=draws,
            seed=seed,
            top=top,
            progress=progress,
        )
    answer = reports.stability_answer(question, found)
    cli.print_object(answer, found.rows, form, footer=reports.stability_lines(found))


@evaluates
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
    from exam_core.analysis import printed
    from exam_core.analysis.rank_swaps import printed_swaps, rank_swaps
    from exam_core.reports import stability as reports

    snapshot = typed.snapshot()
    if printed.is_printed(snapshot):
        question = _printed_question(snapshot, typed)
        found = printed_swaps(snapshot, _printed_board(snapshot, typed), reference, width)
    else:
        choice = typed.choice(snapshot, reference=reference)
        question = typed.question(snapshot, choice)
        found = rank_swaps(snapshot, choice, width)
    rows, more = _shown(found.swapped, form) if pairs else (found.rows, [])
    cli.print_object(reports.swaps_answer(question, found), rows, form, footer=[*more, *reports.swaps_lines(found)])


def _shown(rows: pd.DataFrame, form: cli.Form) -> tuple[pd.DataFrame, list[str]]:
    """The rows that a table shows, and a line about the others."""
    if form is not cli.Form.TABLE or len(rows) <= SHOWN:
        return rows, []
    return rows[:SHOWN], [f"The first {SHOWN} of {len(rows):,}; --format csv or json prints all."]


def _print_undefined(answer: dict[str, Any], form: cli.Form) -> None:
    cli.print_object(answer, answer["rows"], form, footer=answer["notes"])


def _printed_board(snapshot: Snapshot, typed: Typed) -> Leaderboard:
    """The printed column that is asked for; what it is compared with is somebody else's business."""
    from exam_core.analysis import printed

    column = printed.find_column(snapshot, bank=typed.bank, measure=typed.measure, tau=_printed_tau(typed))
    return printed.printed_leaderboard(snapshot, column)


def _printed_tau(typed: Typed) -> int | None:
    if typed.tau == "all":
        raise UsageError("--tau all: this command looks at one tau; choose 1 to 5.")
    return typed.taus()[0]


def _printed_question(snapshot: Snapshot, typed: Typed) -> dict[str, Any]:
    """What was asked of printed figures, with the keys that other collections have."""
    from exam_core.analysis.configuration import check_range
    from exam_core.analysis.evaluation import TAUS
    from exam_core.measures import Measure

    measure, tau = Measure.parse(typed.measure), _printed_tau(typed)
    check_range("--tau", tau, TAUS[0], TAUS[-1])
    return {
        "collection": snapshot.collection,
        "bank": typed.bank,
        "grader": None,
        "judgments": None,
        "measure": str(measure),
        "tau": tau,
        "depth": measure.depth,
        "label_rank": None,
    }

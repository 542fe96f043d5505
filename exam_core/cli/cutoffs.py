"""The commands that compare grading modes and taus: grid, cutoffs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from exam_core.asked import Asked
from exam_core.cli import common as cli
from exam_core.cli.evaluation import Typed, evaluates, left_out
from exam_core.defaults import DEFAULT_MEASURES, DRAWS, SEED, SPLITS
from exam_core.errors import UsageError

if TYPE_CHECKING:
    from exam_core.analysis.cutoffs import Cutoffs
    from exam_core.analysis.grid import Grid

MOST = 1_000_000


def grid(
    collection: cli.Collection,
    measures: Annotated[
        str | None,
        typer.Option("--measures", "--measure", help=f"The columns; by default {','.join(DEFAULT_MEASURES)}."),
    ] = None,
    taus: Annotated[str, typer.Option("--taus", "--tau", help="The taus, for instance 1,3,5; or all.")] = "all",
    graders: Annotated[
        str | None, typer.Option("--graders", "--grader", help="Grading modes, with commas between; by default all.")
    ] = None,
    bank: Annotated[str | None, typer.Option(help="Question bank; by default all. genq@2 pins a version.")] = None,
    reference: cli.Reference = None,
    depth: cli.Depth = "20",
    label_rank: cli.LabelRank = 1,
    label_map: cli.LabelMap = None,
    missing: cli.Missing = cli.MissingRule.ZERO,
    order: cli.Order = cli.OrderRule.SCORE,
    ncover_pool: cli.NcoverPool = cli.PoolRule.GRADED,
    rounded: cli.Rounded = cli.RoundedRule.NONE,
    without: cli.Without = None,
    form: cli.FormatOption = cli.Form.TABLE,
) -> None:
    """Spearman and Kendall of every grading mode at every tau, under several measures, as in table 3 of EXAM++.

    A table marks the best of each column and what is within 0.05 of it; LaTeX needs booktabs and xcolor.

    Example: examboard grid dl19 --measures AP,nDCG@20,Cover@20 --taus 1,3,4,5 --format latex
    """
    from exam_core.analysis.configuration import depth_number, leave_out
    from exam_core.analysis.grid import grid as grid_of
    from exam_core.analysis.grid import grid_choices
    from exam_core.analysis.printed import is_printed
    from exam_core.analysis.printed_taus import printed_grid
    from exam_core.measures import Measure

    snapshot = leave_out(cli.open_store().snapshot(collection), without or [])
    asked = [Measure.parse(name) for name in _listed(measures)]
    wanted = _taus(taus)
    if is_printed(snapshot):
        found = printed_grid(snapshot, asked, bank=bank, taus=wanted, reference=reference)
        _print_grid(found, form, bank=bank, taus=wanted)
        return
    asked = asked or [Measure.parse(name) for name in DEFAULT_MEASURES]
    rules: dict[str, Any] = {
        "depth": depth_number(depth),
        "label_rank": label_rank,
        "label_map": label_map,
        "missing": missing.value,
        "order": order.value,
        "ncover_pool": ncover_pool.value,
        "rounded": rounded.value,
    }
    rule = Asked(bank=bank, reference=reference).but(**rules)
    choices = grid_choices(snapshot, rule, asked, _listed(graders))
    with cli.progress_bar("Comparing") as progress:
        found = grid_of(snapshot, choices, asked, taus=wanted, progress=progress)
    _print_grid(found, form, bank=bank, graders=_listed(graders) or None, taus=wanted, **left_out(snapshot), **rules)


@evaluates
def cutoffs(
    typed: Typed,
    reference: cli.Reference = None,
    draws: Annotated[int, typer.Option(help="Draws of the bootstrap that gives the intervals.")] = DRAWS,
    splits: Annotated[int, typer.Option(help="Random halves of the queries that choose a tau.")] = SPLITS,
    seed: Annotated[int, typer.Option(help="Seed of draws and halves; the same seed gives the same answer.")] = SEED,
    rounded: cli.Rounded = cli.RoundedRule.NONE,
    form: cli.FormatOption = cli.Form.TABLE,
) -> None:
    """Every tau of a measure side by side, and which to use by cross-validation over the queries.

    Correlation with the reference, standard errors, separable pairs of runs, kappa with official judgments, grades
    that are missing. --tau N asks to weigh that tau against the recommended one.

    Example: examboard cutoffs dl19 --measure Cover@20 --reference qrels:nDCG@10 --seed 1
    """
    from exam_core.analysis.configuration import check_range
    from exam_core.analysis.cutoffs import advice
    from exam_core.analysis.cutoffs import cutoffs as cutoffs_of
    from exam_core.analysis.printed import is_printed
    from exam_core.analysis.printed_taus import printed_cutoffs
    from exam_core.measures import Measure

    check_range("--draws", draws, 1, MOST)
    check_range("--splits", splits, 1, MOST)
    check_range("--seed", seed, 0, 2**32)
    snapshot = typed.snapshot()
    if is_printed(snapshot):
        measure = Measure.parse(typed.measure)
        printed = printed_cutoffs(snapshot, measure, bank=typed.bank, reference=reference)
        _print_cutoffs(
            printed,
            printed.notes,
            {"collection": snapshot.collection, "bank": typed.bank, "measure": str(measure)},
            form,
        )
        return
    any_tau = {"tau": None} if typed.tau == "all" else {}
    choice = typed.choice(snapshot, rounded=rounded.value, reference=reference, **any_tau)
    with cli.progress_bar("Comparing") as progress:
        found = cutoffs_of(
            snapshot,
            choice,
            relevant_from=typed.relevant_from,
            draws=draws,
            splits=splits,
            seed=seed,
            progress=progress,
        )
    question = typed.question(snapshot, choice) | {"relevant_from": typed.relevant_from, "rounded": rounded.value}
    _print_cutoffs(found, [*found.notes, *advice(found, choice.tau)], question, form)


def _print_cutoffs(found: Cutoffs, notes: list[str], question: dict[str, Any], form: cli.Form) -> None:
    answer = {
        **question,
        "reference": found.reference,
        "draws": found.draws,
        "splits": found.splits,
        "seed": found.seed,
        "recommended": found.recommended,
        "chosen_kendall": found.chosen_kendall,
        "rows": found.rows,
        "notes": notes,
    }
    rows = found.rows[_shown_columns()] if form in (cli.Form.TABLE, cli.Form.LATEX) else found.rows
    footer = [f"{found.collection} {found.title} against {found.reference or 'nothing'}", *notes]
    cli.print_object(answer, rows, form, footer=footer)


def _shown_columns() -> list[str]:
    """Columns of a table and of LaTeX; every other form has them all."""
    from exam_core.analysis.cutoffs import CUTOFF_FIELDS

    hidden = ("tau_ap", "spearman_", "kappa_", "recommended")
    return [name for name in CUTOFF_FIELDS if not name.startswith(hidden)]


def _print_grid(found: Grid, form: cli.Form, **question: object) -> None:
    from exam_core.reports.grid import LEGEND, grid_latex, grid_table, method_grid_answer

    if form is cli.Form.LATEX:
        cli.say(grid_latex(found))
        return
    rows = grid_table(found) if form is cli.Form.TABLE else found.rows
    footer = [f"Against {found.reference}. {LEGEND}", *found.notes]
    cli.print_object(method_grid_answer(found, **question), rows, form, footer=footer)


def _listed(text: str | None) -> list[str]:
    """Names with commas between, each once."""
    return list(dict.fromkeys(name.strip() for name in (text or "").split(",") if name.strip()))


def _taus(text: str) -> list[int]:
    """The taus, ascending."""
    from exam_core.analysis.configuration import check_range
    from exam_core.analysis.evaluation import TAUS

    if text == "all":
        return list(TAUS)
    names = _listed(text)
    if not names or not all(name.isascii() and name.isdecimal() for name in names):
        raise UsageError(f"--taus {text}: give numbers from 1 to 5 with commas between, or all.")
    for name in names:
        check_range("--taus", int(name), TAUS[0], TAUS[-1])
    return sorted({int(name) for name in names})

"""The commands that compare grading modes and taus: grid, cutoffs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from exam_core.asked import HELP, Asked
from exam_core.cli import common as cli
from exam_core.cli.evaluation import Typed
from exam_core.cli.options import takes_declared
from exam_core.defaults import DRAWS, SEED, SPLITS
from exam_core.errors import UsageError
from exam_core.wording import plain_number

if TYPE_CHECKING:
    from exam_core.analysis.beside.grid import Grid
    from exam_core.analysis.chance.cutoffs import Cutoffs

MOST = 1_000_000
IN_PRINT = ("collection", "bank", "measure")
"""What of a question there is to say where taus are printed."""


@dataclass
class Modes:
    """Which cells a grid has, and by which rules."""

    collection: cli.Collection
    measures: Annotated[
        str | None,
        typer.Option("--measures", "--measure", help=HELP["columns"]),
    ] = None
    taus: Annotated[str, typer.Option("--taus", "--tau", help=HELP["taus"])] = "all"
    graders: Annotated[str | None, typer.Option("--graders", "--grader", help=HELP["all_graders"])] = None
    bank: Annotated[str | None, typer.Option(help=HELP["any_bank"])] = None
    reference: cli.Reference = None
    depth: cli.Depth = "20"
    label_rank: cli.LabelRank = 1
    label_map: cli.LabelMap = None
    missing: cli.Missing = "zero"
    order: cli.Order = "score"
    ncover_pool: cli.NcoverPool = "graded"
    rounded: cli.Rounded = "none"
    without: cli.Without = None


@takes_declared()
def grid(options: Modes, form: cli.FormatOption = cli.Form.TABLE) -> None:
    """Spearman and Kendall of every grading mode at every tau, under several measures, as in table 3 of EXAM++.

    A table marks the best of each column and what is within 0.05 of it; LaTeX needs booktabs and xcolor.

    Example: examboard grid dl19 --measures AP,nDCG@20,Cover@20 --taus 1,3,4,5 --format latex
    """
    from exam_core.analysis.evaluation.choosing import depth_number, leave_out
    from exam_core.analysis.figures import figures_of
    from exam_core.analysis.figures.graded import RULES
    from exam_core.measures import Measure

    snapshot = leave_out(cli.open_store().snapshot(options.collection), options.without or [])
    rules = {name: value for name, value in vars(options).items() if name in (*RULES, "bank", "reference")}
    asked = Asked(**(rules | {"depth": depth_number(options.depth)}))
    columns = [Measure.parse(name) for name in cli.listed(options.measures)]
    taus, graders = _taus(options.taus), cli.listed(options.graders)
    with cli.progress_bar("Comparing") as progress:
        found = figures_of(snapshot, options.graders, options.reference).grid(asked, columns, graders, taus, progress)
    _print_grid(found, form)


@takes_declared()
def cutoffs(
    typed: Typed,
    reference: cli.Reference = None,
    draws: Annotated[int, typer.Option(help="Simulations of the true means that give the intervals.")] = DRAWS,
    splits: Annotated[int, typer.Option(help="Random halves of the queries that choose a tau.")] = SPLITS,
    seed: Annotated[
        int, typer.Option(help="Seed of simulations and halves; the same seed gives the same answer.")
    ] = SEED,
    rounded: cli.Rounded = "none",
    form: cli.FormatOption = cli.Form.TABLE,
) -> None:
    """Every tau of a measure side by side, and which to use by cross-validation over the queries.

    Correlation with the reference, standard errors, separable pairs of runs, kappa with official judgments, grades
    that are missing. --tau N asks to weigh that tau against the recommended one.

    Example: examboard cutoffs dl19 --measure Cover@20 --reference qrels:nDCG@10 --seed 1
    """
    from exam_core.analysis.evaluation.choosing import check_range
    from exam_core.analysis.figures.protocol import Sampling
    from exam_core.reports.cutoffs import advice_in_full

    check_range("--draws", draws, 1, MOST)
    check_range("--splits", splits, 1, MOST)
    check_range("--seed", seed, 0, 2**32)
    figures, any_tau = typed.figures(reference), {"tau": None} if typed.tau == "all" else {}
    asked = typed.asked(rounded=rounded, reference=reference, **any_tau)
    with cli.progress_bar("Comparing") as progress:
        found = figures.cutoffs(asked, Sampling(draws, seed, splits), progress)
    choice, notes = figures.evaluation(asked), found.notes
    question: dict[str, Any] = {name: value for name, value in figures.question(asked).items() if name in IN_PRINT}
    if choice is not None:
        question = figures.question(asked) | {"relevant_from": asked.relevant_from, "rounded": asked.rounded}
        notes = [*notes, *advice_in_full(found, choice.tau)]
    _print_cutoffs(found, notes, question, form)


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
    rows = found.rows[_shown_columns()] if form is cli.Form.TABLE or form.is_latex else found.rows
    footer = [f"{found.collection} {found.title} against {found.reference or 'nothing'}", *notes]
    cli.print_object(answer, rows, form, footer=footer)


def _shown_columns() -> list[str]:
    """Columns of a table and of LaTeX; every other form has them all."""
    from exam_core.analysis.chance.cutoffs import CUTOFFS

    hidden = ("tau_ap", "spearman_", "kappa_", "recommended")
    return [name for name in CUTOFFS.names if not name.startswith(hidden)]


def _print_grid(found: Grid, form: cli.Form) -> None:
    from exam_core.reports.grid import LEGEND, grid_latex, grid_table, method_grid_answer

    if form.is_latex:
        cli.say(grid_latex(replace(found, rows=cli.for_a_paper(found.collection, found.rows))))
        return
    rows = grid_table(found) if form is cli.Form.TABLE else found.rows
    footer = [f"Against {found.reference}. {LEGEND}", *found.notes]
    cli.print_object(method_grid_answer(found), rows, form, footer=footer)


def _taus(text: str) -> list[int]:
    """The taus, ascending."""
    from exam_core.analysis.evaluation.choice import TAUS
    from exam_core.analysis.evaluation.choosing import check_range

    if text == "all":
        return list(TAUS)
    found = {plain_number(name) for name in cli.listed(text)}
    if not found or None in found:
        raise UsageError(f"--taus {text}: give numbers from 1 to 5 with commas between, or all.")
    for tau in found:
        check_range("--taus", tau, TAUS[0], TAUS[-1])
    return sorted(filter(None, found))

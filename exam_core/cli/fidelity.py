"""The commands that ask what a grader's word is worth: fidelity, votes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from exam_core.asked import HELP, Asked, PairTest
from exam_core.cli import common as cli
from exam_core.cli.evaluation import Typed
from exam_core.cli.options import takes_declared
from exam_core.defaults import BEST_RUNS, DRAWS, SEED
from exam_core.errors import UsageError
from exam_core.tables import OFFICIAL


@dataclass
class Testing:
    """Which pairs are tested against what, and how."""

    reference: Annotated[str | None, typer.Option(help=HELP["reference_by_query"])] = None
    pairs: Annotated[bool, typer.Option("--pairs", help="List every pair of runs, disagreements first.")] = False
    test: Annotated[PairTest, typer.Option(help=HELP["pair_test"])] = "t"
    top: Annotated[int, typer.Option(help=HELP["best"])] = BEST_RUNS
    draws: Annotated[int, typer.Option(help=HELP["draws_and_signs"])] = DRAWS
    seed: Annotated[int, typer.Option(help=HELP["seed"])] = SEED


@takes_declared()
def fidelity(typed: Typed, options: Testing, form: cli.FormatOption = cli.Form.TABLE) -> None:
    """Of the pairs of runs that differ significantly by judgments, which do by grades, and in which order?

    A test of every pair on both sides, with Holm's adjustment over all pairs and without.

    Example: examboard fidelity dl19 --bank genq --measure P@20 --tau 4
    """
    from exam_core.analysis.chance.fidelity import PAIRS, ROWS
    from exam_core.analysis.evaluation.choosing import MOST_DRAWS, check_draws, check_range
    from exam_core.analysis.figures.protocol import Sampling
    from exam_core.reports.fidelity import fidelity_answer, fidelity_lines
    from exam_core.reports.stability import undefined_answer

    check_draws(options.draws, options.seed)
    check_range("--top", options.top, 2, MOST_DRAWS)
    figures, asked = typed.figures(options.reference), typed.asked(reference=options.reference)
    question = figures.question(asked)
    found = figures.fidelity(asked, options.test, Sampling(options.draws, options.seed), options.top)
    if found is None:
        answer = undefined_answer(question, "test", PAIRS if options.pairs else ROWS)
        cli.print_object(answer, answer["rows"], form, footer=answer["notes"])
        return
    answer = fidelity_answer(question, found, pairs=options.pairs)
    rows, more = cli.shown(found.pairs, form) if options.pairs else (found.rows, [])
    cli.print_object(answer, rows, form, footer=[*more, *fidelity_lines(found), *found.notes])


@dataclass
class Voting:
    """Who votes, and on what."""

    collection: cli.Collection
    graders: Annotated[str | None, typer.Option(help=HELP["voters"])] = None
    bank: cli.Bank = None
    label_rank: cli.LabelRank = 1
    relevant_from: cli.RelevantFrom = 2
    judgments: Annotated[str, typer.Option(help=HELP["against"])] = OFFICIAL
    pairs: Annotated[bool, typer.Option("--pairs", help="List every pair of graders.")] = False
    thresholds: Annotated[
        bool, typer.Option("--thresholds", help="List how many graders have to find a passage relevant.")
    ] = False
    draws: Annotated[int, typer.Option(help=HELP["draws"])] = DRAWS
    seed: Annotated[int, typer.Option(help=HELP["seed"])] = SEED


@takes_declared()
def votes(options: Voting, form: cli.FormatOption = cli.Form.TABLE) -> None:
    """How independent are the graders? Their agreement, the correlation of their errors, what a majority gains.

    Each grader's label is cut in two at its default tau, one below its scale's end, or at the cut behind its @.

    Example: examboard votes dl19 --graders FagB,HELM,Sun,Thomas
    """
    from exam_core.analysis.evaluation.choosing import check_draws
    from exam_core.analysis.figures import figures_of
    from exam_core.analysis.figures.protocol import Sampling
    from exam_core.analysis.judges.votes import PAIRS, ROWS, THRESHOLDS
    from exam_core.reports.stability import undefined_answer
    from exam_core.reports.votes import votes_answer, votes_lines

    if options.pairs and options.thresholds:
        raise UsageError("--pairs and --thresholds: choose one of them.")
    check_draws(options.draws, options.seed)
    figures = figures_of(cli.open_store().snapshot(options.collection), options.graders)
    asked = Asked(bank=options.bank, label_rank=options.label_rank, relevant_from=options.relevant_from)
    sampling = Sampling(options.draws, options.seed)
    with cli.progress_bar("Reading grades") as progress:
        found = figures.votes(asked, cli.listed(options.graders), sampling, options.judgments, progress)
    if found is None:
        table = PAIRS if options.pairs else THRESHOLDS if options.thresholds else ROWS
        answer = undefined_answer({"collection": options.collection}, "vote on", table)
        cli.print_object(answer, answer["rows"], form, footer=answer["notes"])
        return
    rows = found.pairs if options.pairs else found.thresholds if options.thresholds else found.rows
    answer = votes_answer(found, collection=options.collection)
    cli.print_object(answer, rows, form, footer=[*votes_lines(found), *found.notes])

"""`examboard bank health`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from exam_core.cli import common as cli
from exam_core.cli.evaluation import Typed
from exam_core.cli.explaining import ids_in
from exam_core.cli.options import takes_declared
from exam_core.defaults import SEED
from exam_core.errors import ExamboardError, UsageError

if TYPE_CHECKING:
    from exam_core.analysis.bank.health import Health
    from exam_core.analysis.evaluation.choice import Evaluation
    from exam_core.store import Snapshot

SHOWN = 40
"""Rows of a table; every other form has them all."""


class Listed(StrEnum):
    """What a table, CSV or LaTeX lists; JSON has all of it."""

    QUESTIONS = "questions"
    PAIRS = "pairs"
    QUERIES = "queries"
    SEEDS = "seeds"
    DISPLACED = "displaced"


@dataclass
class Looking:
    """What is looked for in a bank, and what is listed of it."""

    alike: Annotated[float, typer.Option(help="Questions at least so alike are near duplicates, 0.5 to 1.")] = 0.9
    judged_by: Annotated[str | None, typer.Option(help="Human judgments that say what is relevant.")] = None
    reference: cli.Reference = None
    listed: Annotated[
        Listed,
        typer.Option(
            "--list",
            help="Questions, pairs that may be one, queries, seeds (relevant passages that no question reaches), or "
            "displaced runs; JSON has them all.",
        ),
    ] = Listed.QUESTIONS
    hidden: Annotated[
        int | None,
        typer.Option(help="Instead: what runs gain on one half of the bank against the other, in N random halves."),
    ] = None
    public: Annotated[
        Path | None, typer.Option(help="With --hidden: file with the question_ids that were public, one on each line.")
    ] = None
    saw: Annotated[
        list[str] | None, typer.Option(help="With --hidden: run that saw the public questions; may be repeated.")
    ] = None
    seed: Annotated[int, typer.Option(help="Seed of the random halves; the same seed gives the same answer.")] = SEED


@takes_declared()
def health(typed: Typed, options: Looking, form: cli.FormatOption = cli.Form.TABLE) -> None:
    """What ails a bank: dead, redundant, over-broad and misleading questions, each with a proposal; what none asks.

    With --hidden: do runs gain on the half of the bank that they may have seen?

    Example: examboard bank health dl19 --bank genq --tau 3 --list pairs --alike 0.85

    Example: examboard bank health dl19 --hidden 200 --public seen.txt --saw runid3 --saw runid4
    """
    from exam_core.analysis.bank.health import health as health_of
    from exam_core.analysis.bank.health import health_of_words, ungraded_bank
    from exam_core.analysis.evaluation.choosing import check_range
    from exam_core.analysis.figures.graded import Graded, question_of

    check_range("--seed", options.seed, 0, 2**32)
    figures = typed.figures()
    if not isinstance(figures, Graded):
        raise ExamboardError(
            f"{typed.collection} has printed figures only: there is no bank whose questions to look at."
        )
    if options.hidden is None and (options.public or options.saw):
        raise UsageError("--public and --saw say who saw what: add --hidden with a number of random halves, say 200.")
    asked, snapshot = typed.asked(reference=options.reference), figures.snapshot
    if options.hidden is not None:
        _print_hidden(snapshot, figures.evaluation(asked), options, form)
        return
    if bank := ungraded_bank(snapshot, asked):
        found = health_of_words(snapshot, bank, alike=options.alike)
        _print({"collection": typed.collection}, found, options.listed, form)
        return
    choice = figures.evaluation(asked)
    judged: dict[str, Any] = {"judgments": options.judged_by, "relevant_from": typed.relevant_from}
    with cli.progress_bar("Leaving out each question") as progress:
        found = health_of(snapshot, choice, alike=options.alike, **judged, progress=progress)
    _print(question_of(snapshot, choice), found, options.listed, form)


def _print(question: dict[str, Any], found: Health, listed: Listed, form: cli.Form) -> None:
    from exam_core.reports import bank_health as reports

    rows = found.rows if listed is Listed.QUESTIONS else getattr(found, listed.value)
    more: list[str] = []
    if form is cli.Form.TABLE:
        rows = reports.questions_in_short(rows) if listed is Listed.QUESTIONS else rows
        more = [f"The first {SHOWN} of {len(rows):,}; --format csv or json prints all."] if len(rows) > SHOWN else []
        rows = rows[:SHOWN]
    answer = reports.health_answer(question, found)
    cli.print_object(answer, rows, form, footer=[*more, *reports.health_lines(found)])


def _print_hidden(snapshot: Snapshot, choice: Evaluation, options: Looking, form: cli.Form) -> None:
    from exam_core.analysis.bank.hidden import hidden
    from exam_core.analysis.figures.graded import question_of
    from exam_core.reports import bank_health as reports

    public = None if options.public is None else ids_in(options.public)
    with cli.progress_bar("Drawing halves") as progress:
        found = hidden(
            snapshot,
            choice,
            halves=options.hidden or 0,
            seed=options.seed,
            saw=options.saw or [],
            public=public,
            progress=progress,
        )
    answer = reports.hidden_answer(question_of(snapshot, choice), found)
    cli.print_object(answer, found.rows, form, footer=reports.hidden_lines(found))

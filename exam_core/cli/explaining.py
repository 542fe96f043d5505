"""The commands that ask why: outliers, holes, whatif."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from exam_core.asked import HELP
from exam_core.cli import common as cli
from exam_core.cli.evaluation import Typed
from exam_core.cli.options import takes_declared
from exam_core.defaults import DRAWS, SEED, TOP_CAUSES
from exam_core.errors import ExamboardError, UsageError


@dataclass
class Displacing:
    """By which methods displacements are found, and which run is explained."""

    run: Annotated[str | None, typer.Option("--run", help=HELP["run"])] = None
    graders: Annotated[str | None, typer.Option(help=HELP["graders"])] = None
    measures: Annotated[str | None, typer.Option(help=HELP["measures"])] = None
    reference: cli.Reference = None
    top: Annotated[int, typer.Option(help=HELP["top"])] = TOP_CAUSES
    draws: Annotated[int, typer.Option(help=HELP["draws"])] = DRAWS
    seed: Annotated[int, typer.Option(help=HELP["seed"])] = SEED


@takes_declared()
def outliers(typed: Typed, options: Displacing, form: cli.FormatOption = cli.Form.TABLE) -> None:
    """How far each run is displaced against a reference, by every method and by all together; with --run, why.

    Example: examboard outliers dl19 --measures Cover@20,P@20 --tau 3

    Example: examboard outliers dl19 --bank genq --tau 3 --run ICT-BERT2 --format json
    """
    from exam_core.analysis.figures.protocol import Sampling
    from exam_core.reports import displaced
    from exam_core.reports import explaining as reports

    figures, asked = typed.figures(options.graders, options.reference), typed.asked(reference=options.reference)
    wanted = displaced.Displacing(
        cli.listed(options.measures) or [asked.measure],
        cli.listed(options.graders) or ([typed.grader] if typed.grader else []),
        Sampling(options.draws, options.seed),
        options.run,
        options.top,
    )
    with cli.progress_bar("Drawing queries") as progress:
        done = displaced.displaced(figures, asked, wanted, progress)
    more = reports.explanation_lines(done.explained) if done.explained else []
    cli.print_object(done.answer, done.found.rows, form, footer=[*reports.outliers_lines(done.found), *more])


@takes_declared()
def holes(
    typed: Typed,
    depths: Annotated[str | None, typer.Option(help="Depths, with commas between; by default 1,5,10,20.")] = None,
    judged_by: Annotated[str | None, typer.Option(help="Human judgments that say what is unjudged.")] = None,
    form: cli.FormatOption = cli.Form.TABLE,
) -> None:
    """Ungraded passages at each depth, and the bounds of each run's score if they were graded.

    Example: examboard holes dl19 --measure P@20 --tau 3 --depths 5,20
    """
    from exam_core.analysis.figures.graded import question_of
    from exam_core.analysis.holdings.holes import ROWS
    from exam_core.analysis.holdings.holes import holes as holes_of
    from exam_core.reports import explaining as reports

    figures, at = typed.figures(), _depths(depths)
    choice = figures.evaluation(typed.asked())
    if choice is None:
        note = f"{typed.collection} has printed figures only: without rankings there are no passages to grade."
        answer = reports.undefined_answer({"collection": typed.collection}, note)
        cli.print_object(answer, ROWS.of(), form, footer=[note])
        return
    with cli.progress_bar("Bounding scores") as progress:
        found = holes_of(figures.snapshot, choice, at, judgments=judged_by, progress=progress)
    answer = reports.holes_answer(question_of(figures.snapshot, choice), found)
    cli.print_object(answer, found.rows, form, footer=[found.title, *found.notes])


@takes_declared()
def whatif(
    typed: Typed,
    drop: Annotated[list[str] | None, typer.Option(help="Question that is dropped; may be repeated.")] = None,
    drop_file: Annotated[
        Path | None, typer.Option(help="File with a question_id on each line; all of them are dropped.")
    ] = None,
    only: Annotated[list[str] | None, typer.Option(help="Question that is kept, alone; may be repeated.")] = None,
    weight: Annotated[
        list[str] | None, typer.Option(help="Another weight for a question, ID=2, for wCover; may be repeated.")
    ] = None,
    reference: cli.Reference = None,
    form: cli.FormatOption = cli.Form.TABLE,
) -> None:
    """The leaderboard, its correlation and the labels if the bank had other questions; nothing is changed.

    Example: examboard whatif dl19 --tau 3 --drop-file disputed.txt --reference official
    """
    from exam_core.analysis.bank.whatif import whatif as whatif_of
    from exam_core.analysis.figures.graded import question_of
    from exam_core.reports import explaining as reports

    figures = typed.figures(reference)
    dropped = [*(drop or []), *(ids_in(drop_file) if drop_file else [])]
    weights = _weights(weight or [])
    choice = figures.evaluation(typed.asked(reference=reference))
    if choice is None:
        raise ExamboardError(f"{typed.collection} has printed figures only: there is no bank whose questions to edit.")
    found = whatif_of(figures.snapshot, choice, drop=dropped, only=only, weights=weights)
    answer = reports.whatif_answer(question_of(figures.snapshot, choice), found)
    cli.print_object(answer, found.rows, form, footer=reports.whatif_lines(found))


def _depths(text: str | None) -> list[int]:
    names = cli.listed(text)
    if text is not None and not (names and all(re.fullmatch("[0-9]{1,6}", name) for name in names)):
        raise UsageError(f"--depths {text}: give numbers of passages with commas between, for instance 1,5,20.")
    return [int(name) for name in names]


def ids_in(path: Path) -> list[str]:
    """The ids of a file, one on each line; empty lines are skipped.

    Raises
    ------
    ExamboardError : it is no text, or names no question
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise ExamboardError(f"{path} is no UTF-8 text. Write one question_id on each line.") from None
    ids = [line.strip() for line in lines if line.strip()]
    if not ids:
        raise ExamboardError(f"{path} names no question. Write one question_id on each line.")
    return ids


def _weights(texts: list[str]) -> dict[str, float]:
    """Weights by question, each written ID=2."""
    weights: dict[str, float] = {}
    for text in texts:
        name, sign, number = text.rpartition("=")
        try:
            value = float(number) if name and sign else None
        except ValueError:
            value = None
        if value is None:
            raise UsageError(f"--weight {text}: write the question and its weight, for instance ID=2.")
        if name in weights:
            raise UsageError(f"--weight {text}: {name} has a weight already.")
        weights[name] = value
    return weights

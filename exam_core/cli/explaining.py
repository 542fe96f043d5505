"""The commands that ask why: outliers, holes, whatif."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from exam_core.cli import common as cli
from exam_core.cli.evaluation import Typed, evaluates
from exam_core.defaults import DRAWS, SEED, TOP_CAUSES
from exam_core.errors import ExamboardError, UsageError

if TYPE_CHECKING:
    from exam_core.store import Snapshot

MOST_DRAWS = 1_000_000


@evaluates
def outliers(
    typed: Typed,
    run: Annotated[str | None, typer.Option("--run", help="Explain this run: queries, questions, passages.")] = None,
    graders: Annotated[
        str | None, typer.Option(help="Grading modes, with commas between; by default all of the bank.")
    ] = None,
    measures: Annotated[
        str | None, typer.Option(help="Measures, with commas between, for instance Cover@20,P@20.")
    ] = None,
    reference: cli.Reference = None,
    top: Annotated[
        int, typer.Option(help="With --run: of so many queries, questions and passages are listed.")
    ] = TOP_CAUSES,
    draws: Annotated[int, typer.Option(help="Draws of the bootstrap over queries.")] = DRAWS,
    seed: Annotated[int, typer.Option(help="Seed of the draws; the same seed gives the same answer.")] = SEED,
    form: cli.FormatOption = cli.Form.TABLE,
) -> None:
    """How far each run is displaced against a reference, by every method and by all together; with --run, why.

    Example: examboard outliers dl19 --measures Cover@20,P@20 --tau 3

    Example: examboard outliers dl19 --bank genq --tau 3 --run ICT-BERT2 --format json
    """
    from exam_core.analysis import printed
    from exam_core.analysis.configuration import check_range
    from exam_core.analysis.explanation import explain
    from exam_core.analysis.outliers import method_choices, named
    from exam_core.analysis.outliers import outliers as outliers_of
    from exam_core.reports import explaining as reports

    check_range("--draws", draws, 1, MOST_DRAWS)
    check_range("--seed", seed, 0, 2**32)
    check_range("--top", top, 1, MOST_DRAWS)
    snapshot = typed.snapshot()
    if printed.is_printed(snapshot):
        _print_printed(snapshot, run, reference, form)
        return
    wanted = _listed(measures) or [typed.measure]
    modes = _listed(graders) or ([typed.grader] if typed.grader else [])
    notes: list[str] = []
    if typed.judgments:
        choices = [typed.choice(snapshot, measure=measure, reference=reference) for measure in wanted]
    else:
        choices, notes = method_choices(snapshot, typed.asked(reference=reference), wanted, modes)
    with cli.progress_bar("Drawing queries") as progress:
        found = outliers_of(snapshot, choices, draws=draws, seed=seed, progress=progress)
    found.notes.extend(notes)
    explained = None
    if run is not None:
        mine = found.rows.loc[found.rows["run_id"] == run, "method"]
        # the method that displaces it most; a run that isn't there is refused by name
        choice = dict(zip(named(choices), choices, strict=True))[mine.iloc[0]] if len(mine) else choices[0]
        explained = explain(snapshot, choice, run, top=top)
    question = typed.question(snapshot, choices[0])
    if len(choices) > 1:
        question |= {"bank": typed.bank, "grader": None, "measure": None, "tau": None}
    answer = reports.outliers_answer(question, found, explained)
    more = reports.explanation_lines(explained) if explained else []
    cli.print_object(answer, found.rows, form, footer=[*reports.outliers_lines(found), *more])


def _print_printed(snapshot: Snapshot, run: str | None, reference: str | None, form: cli.Form) -> None:
    from exam_core.analysis.outliers import printed_outliers
    from exam_core.reports import explaining as reports

    found = printed_outliers(snapshot, reference)
    if run is not None and run not in set(found.rows["run_id"]):
        known = ", ".join(sorted(found.rows["run_id"].unique()))
        raise UsageError(f"{found.reference} ranks no run {run}. It ranks: {known}.")
    if run is not None:
        found.notes.append(f"{snapshot.collection} prints no values by query: nothing explains {run}.")
    answer: dict[str, Any] = reports.outliers_answer({"collection": snapshot.collection}, found)
    if run is not None:
        answer |= {"queries": [], "questions": [], "passages": []}
    cli.print_object(answer, found.rows, form, footer=reports.outliers_lines(found))


@evaluates
def holes(
    typed: Typed,
    depths: Annotated[str | None, typer.Option(help="Depths, with commas between; by default 1,5,10,20.")] = None,
    judged_by: Annotated[str | None, typer.Option(help="Human judgments that say what is unjudged.")] = None,
    form: cli.FormatOption = cli.Form.TABLE,
) -> None:
    """Places without a grade at each depth, and the bounds of each run's score if they were filled.

    Example: examboard holes dl19 --measure P@20 --tau 3 --depths 5,20
    """
    import pandas as pd

    from exam_core.analysis import printed
    from exam_core.analysis.holes import ROWS
    from exam_core.analysis.holes import holes as holes_of
    from exam_core.reports import explaining as reports

    snapshot = typed.snapshot()
    at = _depths(depths)
    if printed.is_printed(snapshot):
        note = f"{snapshot.collection} has printed figures only: without rankings there are no places to fill."
        answer = reports.undefined_answer({"collection": snapshot.collection}, note)
        cli.print_object(answer, pd.DataFrame(columns=list(ROWS)), form, footer=[note])
        return
    choice = typed.choice(snapshot)
    with cli.progress_bar("Filling holes") as progress:
        found = holes_of(snapshot, choice, at, judgments=judged_by, progress=progress)
    answer = reports.holes_answer(typed.question(snapshot, choice), found)
    cli.print_object(answer, found.rows, form, footer=[found.title, *found.notes])


@evaluates
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
    from exam_core.analysis import printed
    from exam_core.analysis.whatif import whatif as whatif_of
    from exam_core.reports import explaining as reports

    snapshot = typed.snapshot()
    dropped = [*(drop or []), *_ids_in(drop_file)]
    weights = _weights(weight or [])
    if printed.is_printed(snapshot):
        raise ExamboardError(
            f"{snapshot.collection} has printed figures only: there is no bank whose questions to edit."
        )
    choice = typed.choice(snapshot, reference=reference)
    found = whatif_of(snapshot, choice, drop=dropped, only=only, weights=weights)
    answer = reports.whatif_answer(typed.question(snapshot, choice), found)
    cli.print_object(answer, found.rows, form, footer=reports.whatif_lines(found))


def _listed(text: str | None) -> list[str]:
    """Names with commas between, each once."""
    return list(dict.fromkeys(part.strip() for part in (text or "").split(",") if part.strip()))


def _depths(text: str | None) -> list[int]:
    names = _listed(text)
    if text is not None and not (names and all(re.fullmatch("[0-9]{1,6}", name) for name in names)):
        raise UsageError(f"--depths {text}: give numbers of passages with commas between, for instance 1,5,20.")
    return [int(name) for name in names]


def _ids_in(path: Path | None) -> list[str]:
    """The ids of a file, one on each line; empty lines are skipped."""
    if path is None:
        return []
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

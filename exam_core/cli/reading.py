"""The commands that read: list, leaderboard, correlate, agreement."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from exam_core.asked import Asked
from exam_core.cli import common as cli
from exam_core.cli.evaluation import Typed, evaluates
from exam_core.defaults import LABEL_RANKS
from exam_core.errors import StoreError, UsageError
from exam_core.tables import OFFICIAL

if TYPE_CHECKING:
    from exam_core.analysis.evaluation import Labelling
    from exam_core.analysis.leaderboard import Leaderboard
    from exam_core.store import Snapshot


def list_collections(form: cli.FormatOption = cli.Form.TABLE) -> None:
    """The collections with their counts; one that is damaged is named, and the exit status is 1.

    Example: examboard list --format json
    """
    import pandas as pd

    from exam_core.store.summary import of_each

    store = cli.open_store()
    rows, damaged = of_each(store)
    frame = pd.DataFrame(rows).map(lambda value: " ".join(value) if isinstance(value, list) else value)
    if not rows and not damaged and form is cli.Form.TABLE:
        cli.say(f"The store {store.path} is empty. Build the demo with: python -m exam_core demo")
        return
    cli.print_object(rows, frame, form)
    if damaged:
        raise StoreError("\n".join(damaged))


@evaluates
def leaderboard(
    typed: Typed,
    reference: cli.Reference = None,
    rounded: cli.Rounded = cli.RoundedRule.NONE,
    form: cli.FormatOption = cli.Form.TABLE,
) -> None:
    """Runs by a measure: mean, standard error, re-normalised, rank, and the reference's rank.

    Example: examboard leaderboard dl19 --bank genq --measure Cover@20 --tau 3
    """
    from exam_core.analysis import printed
    from exam_core.analysis.leaderboard import leaderboard as leaderboard_of

    snapshot = typed.snapshot()
    if printed.is_printed(snapshot):
        boards = _printed_boards(snapshot, typed, reference)
    else:
        choices = typed.choices(snapshot, rounded=rounded.value, reference=reference)
        boards = [leaderboard_of(snapshot, choice) for choice in choices]
    _print_boards(boards, typed.tau, form)


@evaluates
def correlate(
    typed: Typed,
    reference: cli.Reference = None,
    rounded: cli.Rounded = cli.RoundedRule.NONE,
    form: cli.FormatOption = cli.Form.TABLE,
) -> None:
    """Correlation with a reference: Spearman, Kendall, tau-AP, RBO, R2, RMSE, with 95% intervals over queries.

    Of a published collection every printed column is correlated. A reference is a stored leaderboard,
    a measure over human judgments (qrels:nDCG@10), or over other grades (grades:Cover@20:tau=3).

    Example: examboard correlate dl19 --measure P@20 --tau all --reference qrels:AP
    """
    import pandas as pd

    from exam_core.analysis import printed
    from exam_core.analysis.correlation import correlations_of, printed_correlations
    from exam_core.reports.answers import correlation_answer

    snapshot = typed.snapshot()
    if printed.is_printed(snapshot):
        found = printed_correlations(snapshot, reference)
    else:
        found = correlations_of(snapshot, typed.choices(snapshot, rounded=rounded.value, reference=reference))
    answer = correlation_answer(found)
    rows = pd.DataFrame(answer).drop(columns=["notes"], errors="ignore")
    notes = list(dict.fromkeys(note for one in found for note in one.notes))
    cli.print_object(answer, rows, form, footer=notes)


def agreement(
    collection: cli.Collection,
    bank: cli.Bank = None,
    grader: cli.Grader = None,
    tau: cli.Tau = None,
    relevant_from: cli.RelevantFrom = 2,
    label_rank: cli.LabelRank = 1,
    label_map: cli.LabelMap = None,
    judgments: Annotated[str, typer.Option(help="The human judgments.")] = OFFICIAL,
    per_query: Annotated[bool, typer.Option("--per-query", help="Each query's counts and kappa too.")] = False,
    grid: Annotated[
        bool,
        typer.Option(
            "--grid",
            help=f"Every tau and judgment cut at label ranks {', '.join(map(str, LABEL_RANKS))}; those asked for do "
            "not apply.",
        ),
    ] = False,
    form: cli.FormatOption = cli.Form.TABLE,
) -> None:
    """Confusion of predicted labels and human judgments; kappa with interval, precision, recall and F1.

    Kappa is of the two classes that --tau and --relevant-from cut; kappa over all classes and the weighted kappas are
    of the graded matrix. With --label-map all of them, and --tau, are about mapped labels.

    Example: examboard agreement dl19 --bank genq --tau 4 --relevant-from 2 --label-rank 2
    """
    from exam_core.analysis import printed
    from exam_core.analysis.agreement import agreement as agreement_of
    from exam_core.analysis.configuration import check_range, choose_labelling, choose_tau
    from exam_core.analysis.evaluation import TAUS
    from exam_core.reports.agreement import agreement_lines, agreement_rows, per_query_rows
    from exam_core.reports.answers import agreement_answer
    from exam_core.reports.tables import as_text

    if grid and per_query:
        raise UsageError("--grid and --per-query: choose one of them.")
    snapshot = cli.open_store().snapshot(collection)
    if label_map is not None and printed.is_printed(snapshot):
        raise UsageError(f"--label-map: {collection} holds printed tables, whose labels can't be mapped. Leave it out.")
    if grid:
        _print_grid(snapshot, bank, grader, label_map, judgments, form)
        return
    if printed.is_printed(snapshot):
        check_range("--tau", tau, TAUS[0], TAUS[-1])
        cut = TAUS[-2] if tau is None else tau
        at: dict[str, Any] = {"bank": bank, "tau": cut, "relevant_from": relevant_from}
        found = printed.printed_agreement(snapshot, **at)
        question = {"bank": printed.agreement_bank(snapshot, **at), "grader": None, "judgments": None}
    else:
        asked = Asked(bank=bank, grader=grader, tau=tau, label_rank=label_rank, label_map=label_map)
        labelling = choose_labelling(snapshot, asked)
        cut = choose_tau(snapshot, labelling, tau)
        found = agreement_of(snapshot, labelling, tau=cut, relevant_from=relevant_from, judgments=judgments)
        question = _question(snapshot, labelling, judgments)
    answer = agreement_answer(found, per_query=per_query, collection=collection, **question)
    queries = [as_text(per_query_rows(found), "table"), ""] if per_query else []
    rows = agreement_rows(found, form.value, per_query=per_query)
    cli.print_object(answer, rows, form, footer=[*queries, *agreement_lines(found)])


def _question(snapshot: Snapshot, labelling: Labelling, judgments: str) -> dict[str, str | None]:
    """Whose labels are compared with which judgments."""
    from exam_core.analysis.leaderboard import bank_name

    grading = labelling.grading
    return {"bank": bank_name(snapshot, grading), "grader": grading.grader, "judgments": judgments}


def _print_grid(
    snapshot: Snapshot, bank: str | None, grader: str | None, label_map: str | None, judgments: str, form: cli.Form
) -> None:
    from exam_core.analysis import printed
    from exam_core.analysis.agreement import agreement_grid, grid_notes
    from exam_core.analysis.configuration import choose_labelling
    from exam_core.reports.answers import grid_answer

    if printed.is_printed(snapshot):
        rows, notes = printed.printed_grid(snapshot, bank=bank)
        question = {"bank": bank, "grader": None, "judgments": None, "label_map": None}
    else:
        labelling = choose_labelling(snapshot, Asked(bank=bank, grader=grader, label_map=label_map))
        rows, notes = agreement_grid(snapshot, labelling, judgments), grid_notes(snapshot, labelling, judgments)
        question = _question(snapshot, labelling, judgments) | {"label_map": labelling.written_map}
    answer = grid_answer(rows, notes, collection=snapshot.collection, **question)
    cli.print_object(answer, rows, form, footer=notes)


def _printed_boards(snapshot: Snapshot, typed: Typed, reference: str | None) -> list[Leaderboard]:
    from exam_core.analysis import printed
    from exam_core.analysis.configuration import check_range
    from exam_core.analysis.evaluation import TAUS
    from exam_core.measures import Measure

    Measure.parse(typed.measure)
    for value in typed.taus():
        check_range("--tau", value, TAUS[0], TAUS[-1])
    taus = [None] if typed.tau == "all" else typed.taus()
    columns = [printed.find_column(snapshot, bank=typed.bank, measure=typed.measure, tau=value) for value in taus]
    return [printed.printed_leaderboard(snapshot, column, reference) for column in columns]


def _print_boards(boards: list[Leaderboard], tau: str | None, form: cli.Form) -> None:
    import pandas as pd

    from exam_core.reports.answers import ROW_FIELDS, leaderboard_answer, shown_rows

    answers = [leaderboard_answer(board) for board in boards]
    frames = [board.rows[list(ROW_FIELDS)] for board in boards]
    if form in (cli.Form.TABLE, cli.Form.LATEX):
        frames = [shown_rows(frame) for frame in frames]
    if len(boards) > 1:
        frames = [frame.assign(tau=board.tau) for frame, board in zip(frames, boards, strict=True)]
    answer = answers if tau == "all" else answers[0]
    footer = [line for board in boards for line in _board_lines(board)]
    cli.print_object(answer, pd.concat(frames, ignore_index=True), form, footer=footer)


def _board_lines(board: Leaderboard) -> list[str]:
    lines = [f"{board.collection} {board.title}", board.population]
    if board.overall:
        lines.append(f"All graded passages together: {board.overall_heading} {board.overall[0]:.3f}")
    if board.correlation:
        spearman, kendall = (_number(value) for value in (board.correlation.spearman, board.correlation.kendall))
        lines.append(f"Against {board.reference}: Spearman {spearman}, Kendall {kendall} (n = {board.correlation.n})")
    if board.ungraded:
        pairs, missing, share = board.ungraded.pairs, board.ungraded.slots_missing, board.ungraded.share_at_depth
        lines.append(
            f"{board.ungraded_heading}: {pairs:,} passages; {missing:,} places that the files left out "
            f"({share:.1%} of all)"
        )
    return lines + board.notes


def _number(value: float) -> str:
    from exam_core.reports.tables import UNDEFINED

    return UNDEFINED if math.isnan(value) else f"{value:.3f}"

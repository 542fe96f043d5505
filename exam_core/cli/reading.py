"""The commands that read: list, leaderboard, correlate, agreement."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer

from exam_core.analysis import printed
from exam_core.analysis.agreement import Agreement
from exam_core.analysis.agreement import agreement as agreement_of
from exam_core.analysis.configuration import TAUS, Choice, check_range, choose
from exam_core.analysis.leaderboard import Leaderboard
from exam_core.analysis.leaderboard import leaderboard as leaderboard_of
from exam_core.cli import common as cli
from exam_core.errors import UsageError
from exam_core.measures import Measure
from exam_core.reports.answers import ROW_FIELDS, agreement_answer, correlation_answer, leaderboard_answer
from exam_core.reports.tables import UNDEFINED
from exam_core.store import Snapshot
from exam_core.store.summary import summary
from exam_core.tables import OFFICIAL

TauOrAll = Annotated[str | None, typer.Option(help="Smallest grade that counts, 1 to 5, or all.")]


def list_collections(form: cli.FormatOption = cli.Form.TABLE) -> None:
    """The collections with their counts.

    Example: examboard list --format json
    """
    store = cli.open_store()
    rows = [summary(store.snapshot(name)) for name in store.collections()]
    frame = pd.DataFrame(rows).map(lambda value: " ".join(value) if isinstance(value, list) else value)
    if not rows and form is cli.Form.TABLE:
        typer.echo(f"The store {store.path} is empty. Build the demo with: python -m exam_core demo")
        return
    cli.print_object(rows, frame, form)


def leaderboard(
    collection: cli.Collection,
    measure: cli.MeasureName,
    bank: cli.Bank = None,
    grader: cli.Grader = None,
    tau: TauOrAll = None,
    depth: cli.Depth = "20",
    label_rank: cli.LabelRank = 1,
    judgments: cli.Judgments = None,
    relevant_from: cli.RelevantFrom = 2,
    reference: cli.Reference = None,
    missing: cli.Missing = cli.MissingRule.ZERO,
    order: cli.Order = cli.OrderRule.SCORE,
    ncover_pool: cli.NcoverPool = cli.PoolRule.GRADED,
    form: cli.FormatOption = cli.Form.TABLE,
) -> None:
    """Runs by a measure: mean, standard error, re-normalised, rank, and the reference's rank.

    Example: examboard leaderboard dl19 --bank genq --measure Cover@20 --tau 3
    """
    snapshot = cli.open_store().snapshot(collection)
    if printed.is_printed(snapshot):
        _print_boards(_printed_boards(snapshot, bank, measure, tau, reference), tau, form)
        return
    choices = _choices(
        snapshot,
        tau,
        measure=measure,
        bank=bank,
        grader=grader,
        depth=cli.depth_number(depth),
        label_rank=label_rank,
        judgments=judgments,
        relevant_from=relevant_from,
        missing=missing.value,
        order=order.value,
        ncover_pool=ncover_pool.value,
    )
    boards = [leaderboard_of(snapshot, choice, reference) for choice in choices]
    _print_boards(boards, tau, form)


def correlate(
    collection: cli.Collection,
    measure: cli.MeasureName = "Cover@20",
    bank: cli.Bank = None,
    grader: cli.Grader = None,
    tau: TauOrAll = None,
    depth: cli.Depth = "20",
    label_rank: cli.LabelRank = 1,
    judgments: cli.Judgments = None,
    relevant_from: cli.RelevantFrom = 2,
    reference: Annotated[str, typer.Option(help="Leaderboard to compare with.")] = OFFICIAL,
    missing: cli.Missing = cli.MissingRule.ZERO,
    order: cli.Order = cli.OrderRule.SCORE,
    ncover_pool: cli.NcoverPool = cli.PoolRule.GRADED,
    form: cli.FormatOption = cli.Form.TABLE,
) -> None:
    """Spearman's and Kendall's rank correlation with a reference leaderboard.

    Of a published collection every printed column is correlated.

    Example: examboard correlate car-y3-published --reference official
    """
    snapshot = cli.open_store().snapshot(collection)
    if printed.is_printed(snapshot):
        boards = printed.printed_boards(snapshot, reference)
    else:
        choices = _choices(
            snapshot,
            tau,
            measure=measure,
            bank=bank,
            grader=grader,
            depth=cli.depth_number(depth),
            label_rank=label_rank,
            judgments=judgments,
            relevant_from=relevant_from,
            missing=missing.value,
            order=order.value,
            ncover_pool=ncover_pool.value,
        )
        boards = [leaderboard_of(snapshot, choice, reference) for choice in choices]
    answer = correlation_answer(boards)
    rows = pd.DataFrame(answer).drop(columns=["spearman_interval", "kendall_interval"], errors="ignore")
    cli.print_object(answer, rows, form)


def agreement(
    collection: cli.Collection,
    bank: cli.Bank = None,
    grader: cli.Grader = None,
    tau: cli.Tau = None,
    relevant_from: cli.RelevantFrom = 2,
    label_rank: cli.LabelRank = 1,
    judgments: Annotated[str, typer.Option(help="The human judgments.")] = OFFICIAL,
    form: cli.FormatOption = cli.Form.TABLE,
) -> None:
    """Confusion of predicted labels and human judgments, and Cohen's kappa.

    Example: examboard agreement dl19 --bank genq --tau 4 --relevant-from 2 --label-rank 2
    """
    snapshot = cli.open_store().snapshot(collection)
    if printed.is_printed(snapshot):
        check_range("--tau", tau, TAUS[0], TAUS[-1])
        cut = TAUS[-2] if tau is None else tau
        found = printed.printed_agreement(snapshot, bank=bank, tau=cut, relevant_from=relevant_from)
    else:
        choice = choose(snapshot, measure="P@1", bank=bank, grader=grader, tau=tau, label_rank=label_rank)
        found = agreement_of(snapshot, choice, relevant_from=relevant_from, judgments=judgments)
    cli.print_object(agreement_answer(found), _confusion_frame(found), form, footer=_kappa_line(found))


def _choices(snapshot: Snapshot, tau: str | None, **options: Any) -> list[Choice]:
    """A choice for each tau that is asked for."""
    return [choose(snapshot, tau=value, **options) for value in _taus(tau)]


def _taus(tau: str | None) -> list[int | None]:
    if tau is None:
        return [None]
    if tau == "all":
        return list(TAUS)
    if not (tau.isascii() and tau.isdecimal()):
        raise UsageError(f"--tau {tau}: choose 1 to 5, or all.")
    return [int(tau)]


def _printed_boards(
    snapshot: Snapshot, bank: str | None, measure: str, tau: str | None, reference: str | None
) -> list[Leaderboard]:
    Measure.parse(measure)
    for value in _taus(tau):
        check_range("--tau", value, TAUS[0], TAUS[-1])
    columns = [
        printed.find_column(snapshot, bank=bank, measure=measure, tau=value)
        for value in ([None] if tau in (None, "all") else _taus(tau))
    ]
    return [printed.printed_leaderboard(snapshot, column, reference) for column in columns]


def _print_boards(boards: list[Leaderboard], tau: str | None, form: cli.Form) -> None:
    answers = [leaderboard_answer(board) for board in boards]
    frames = [board.rows[list(ROW_FIELDS)] for board in boards]
    if len(boards) > 1:
        frames = [frame.assign(tau=board.tau) for frame, board in zip(frames, boards, strict=True)]
    answer = answers if tau == "all" else answers[0]
    footer = [line for board in boards for line in _board_lines(board)]
    cli.print_object(answer, pd.concat(frames, ignore_index=True), form, footer=footer)


def _board_lines(board: Leaderboard) -> list[str]:
    lines = [f"{board.collection} {board.title}"]
    if board.overall:
        lines.append(f"All graded passages together: {board.overall[0]:.3f}")
    if board.correlation:
        spearman, kendall = (_number(value) for value in (board.correlation.spearman, board.correlation.kendall))
        lines.append(f"Against {board.reference}: Spearman {spearman}, Kendall {kendall} (n = {board.correlation.n})")
    if board.ungraded:
        share = board.ungraded.share_at_depth
        lines.append(
            f"Ungraded: {board.ungraded.pairs:,} passages; {board.ungraded.slots_missing:,} places that the files "
            f"left out ({share:.1%} of all)"
        )
    return lines + board.notes


def _confusion_frame(found: Agreement) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "predicted": [f">= {found.tau}", f"< {found.tau}"],
            f"judged >= {found.relevant_from}": found.confusion[:, 0],
            f"judged < {found.relevant_from}": found.confusion[:, 1],
        }
    )


def _kappa_line(found: Agreement) -> list[str]:
    return [f"Cohen's kappa {_number(found.kappa)} (n = {found.n:,})", *found.notes]


def _number(value: float) -> str:
    return UNDEFINED if np.isnan(value) else f"{value:.3f}"

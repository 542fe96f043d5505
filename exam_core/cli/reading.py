"""The commands that read: list, leaderboard, correlate, agreement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from exam_core.asked import HELP, MEASURE, Asked
from exam_core.cli import common as cli
from exam_core.cli.evaluation import Typed
from exam_core.cli.options import takes_declared
from exam_core.defaults import LABEL_RANKS
from exam_core.errors import StoreError, UsageError
from exam_core.tables import OFFICIAL

if TYPE_CHECKING:
    from exam_core.analysis.evaluation.leaderboard import Leaderboard
    from exam_core.analysis.reviews.corrected import Corrected


def list_collections(form: cli.FormatOption = cli.Form.TABLE) -> None:
    """The collections with their counts; one that is damaged is named, and the exit status is 1.

    Example: examboard list --format json
    """
    import pandas as pd

    from exam_core.store.reviews import reviews_of
    from exam_core.store.summary import OF_GRADERS, of_each, summary

    store = cli.open_store()
    rows, damaged = of_each(store, lambda snapshot: summary(snapshot, reviews=len(reviews_of(store, snapshot))))
    frame = pd.DataFrame(rows).drop(columns=list(OF_GRADERS), errors="ignore")
    frame = frame.map(lambda value: " ".join(value) if isinstance(value, list) else value)
    if not rows and not damaged and form is cli.Form.TABLE:
        cli.say(f"The store {store.path} is empty. Build the demo with: python -m exam_core demo")
        return
    cli.print_object(rows, frame, form)
    if damaged:
        raise StoreError("\n".join(damaged))


@takes_declared()
def leaderboard(
    typed: Typed,
    reference: cli.Reference = None,
    rounded: cli.Rounded = "none",
    corrected: Annotated[bool, typer.Option("--corrected", help=HELP["corrected"])] = False,
    form: cli.FormatOption = cli.Form.TABLE,
) -> None:
    """Runs by a measure: mean, standard error, re-normalised, rank, and the reference's rank.

    Example: examboard leaderboard dl19 --bank genq --measure Cover@20 --tau 3
    """
    asked, taus = typed.several(rounded=rounded, reference=reference)
    figures = typed.figures(reference)
    boards = figures.boards(asked, taus)
    by_reviews = []
    if corrected:
        from exam_core.analysis.reviews.boards import corrected_boards
        from exam_core.store.reviews import reviews_of

        reviews = reviews_of(cli.open_store(), figures.snapshot)
        by_reviews = corrected_boards(figures, asked, taus, reviews)
    _print_boards(boards, by_reviews, typed.tau, form)


@takes_declared()
def correlate(
    typed: Typed,
    reference: cli.Reference = None,
    rounded: cli.Rounded = "none",
    form: cli.FormatOption = cli.Form.TABLE,
) -> None:
    """Correlation with a reference: Spearman, Kendall, tau-AP, RBO, R2, RMSE, with 95% intervals over queries.

    Of a published collection every printed column is correlated. A reference is a stored leaderboard,
    a measure over human judgments (qrels:nDCG@10), or over other grades (grades:Cover@20:tau=3).

    Example: examboard correlate dl19 --measure P@20 --tau all --reference qrels:AP
    """
    import pandas as pd

    from exam_core.reports.answers import correlation_answer

    asked, taus = typed.several(rounded=rounded, reference=reference)
    found = typed.figures(reference).correlations(asked, taus)
    answer = correlation_answer(found)
    rows = pd.DataFrame(answer).drop(columns=["notes"], errors="ignore")
    notes = list(dict.fromkeys(note for one in found for note in one.notes))
    cli.print_object(answer, rows, form, footer=notes)


@dataclass
class Agreeing:
    """Whose labels are compared with which judgments, and what is listed."""

    collection: cli.Collection
    bank: cli.Bank = None
    grader: cli.Grader = None
    tau: cli.Tau = None
    relevant_from: cli.RelevantFrom = 2
    label_rank: cli.LabelRank = 1
    label_map: cli.LabelMap = None
    judgments: Annotated[str, typer.Option(help=HELP["against"])] = OFFICIAL
    per_query: Annotated[
        bool,
        typer.Option(
            "--per-query", help="Each query's counts, kappa and correlation of runs too; where both part comes first."
        ),
    ] = False
    measure: Annotated[str, typer.Option(help=HELP["of_runs"])] = MEASURE
    reference: Annotated[str | None, typer.Option(help=HELP["of_queries"])] = None
    grid: Annotated[
        bool,
        typer.Option(
            "--grid",
            help=f"Every tau and judgment cut at label ranks {', '.join(map(str, LABEL_RANKS))}; those asked for do "
            "not apply.",
        ),
    ] = False


@takes_declared()
def agreement(options: Agreeing, form: cli.FormatOption = cli.Form.TABLE) -> None:
    """Confusion of predicted labels and human judgments; kappa with interval, precision, recall and F1.

    Kappa is of the two classes that --tau and --relevant-from cut; kappa over all classes and the weighted kappas are
    of the graded matrix. With --label-map all of them, and --tau, are about mapped labels.

    Example: examboard agreement dl19 --bank genq --tau 4 --relevant-from 2 --label-rank 2
    """
    from exam_core.analysis.evaluation.references import refuse_without_values
    from exam_core.analysis.figures import figures_of
    from exam_core.reports.agreement import agreement_lines, agreement_rows, per_query_rows
    from exam_core.reports.answers import agreement_answer, grid_answer
    from exam_core.reports.tables import as_text

    if options.grid and options.per_query:
        raise UsageError("--grid and --per-query: choose one of them.")
    figures = figures_of(cli.open_store().snapshot(options.collection), options.grader)
    if options.reference:
        refuse_without_values(figures.snapshot, options.reference)
    named = {name: getattr(options, name) for name in ("bank", "grader", "label_map", "reference")}
    asked = Asked(options.measure, **named)
    if options.grid:
        cuts = figures.agreement_grid(asked, options.judgments)
        cli.print_object(grid_answer(cuts, collection=options.collection), cuts.rows, form, footer=cuts.notes)
        return
    cut = {"tau": options.tau, "relevant_from": options.relevant_from, "label_rank": options.label_rank}
    found = figures.agreement(asked.but(**cut), options.judgments)
    answer = agreement_answer(found, per_query=options.per_query, collection=options.collection)
    queries = [as_text(per_query_rows(found), "table"), ""] if options.per_query else []
    rows = agreement_rows(found, form.value, per_query=options.per_query)
    cli.print_object(answer, rows, form, footer=[*queries, *agreement_lines(found)])


def _print_boards(boards: list[Leaderboard], by_reviews: list[Corrected], tau: str | None, form: cli.Form) -> None:
    import pandas as pd

    from exam_core.analysis.evaluation.leaderboard import ROWS
    from exam_core.reports.answers import corrected_answer, leaderboard_answer, shown_rows, with_corrected
    from exam_core.reports.boards import board_lines, corrected_lines

    answers = [leaderboard_answer(board) for board in boards]
    frames = [ROWS.of(board.rows) for board in boards]
    if by_reviews:
        answers = [corrected_answer(*both) for both in zip(answers, by_reviews, strict=True)]
        frames = [with_corrected(*both) for both in zip(frames, by_reviews, strict=True)]
    if form is cli.Form.TABLE or form.is_latex:
        frames = [shown_rows(frame) for frame in frames]
    if len(boards) > 1:
        frames = [frame.assign(tau=board.tau) for frame, board in zip(frames, boards, strict=True)]
    answer = answers if tau == "all" else answers[0]
    footer = [line for board in boards for line in board_lines(board)]
    footer += [line for one in by_reviews for line in corrected_lines(one)]
    cli.print_object(answer, pd.concat(frames, ignore_index=True), form, footer=footer)

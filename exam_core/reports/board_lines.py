"""Leaderboards as text, and what was chosen for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from exam_core.analysis.caveats import UNREADABLE, unreadable_first
from exam_core.analysis.choosing import by_judgments, reachable_cut
from exam_core.analysis.comparison import Comparison, needs_questions
from exam_core.analysis.figures import Figures
from exam_core.analysis.grade_scales import reachable_tau
from exam_core.analysis.leaderboard import Leaderboard
from exam_core.analysis.shared_columns import KAPPA, KENDALL, SERIES, SPEARMAN, TAU
from exam_core.measures import Measure
from exam_core.names import enumerated, listed
from exam_core.numbers.rank_correlations import DIGITS
from exam_core.request import JUDGED, Request
from exam_core.results import ResultTable, text
from exam_core.table_text import UNDEFINED, as_text, cell, written
from exam_core.wording import closest, counted, method_in_words, rank_heading, reference_in_words

BESIDE = 5
"""Series that fit beside each other on a page."""


def board_lines(board: Leaderboard) -> list[str]:
    """The board's title, and what is known of the whole of it; how much can't be read first, where that is much."""
    first, rest = unreadable_first(board.notes)
    lines = [*first, f"{board.collection} {board.title}", board.population]
    if board.overall:
        lines.append(f"All graded passages together: {board.overall_heading} {written(board.overall[0])}")
    if board.correlation:
        spearman, kendall = (written(value) for value in (board.correlation.spearman, board.correlation.kendall))
        lines.append(f"Against {board.reference}: Spearman {spearman}, Kendall {kendall} (n = {board.correlation.n})")
    return [*lines, *about_gaps(board), *rest]


def about_gaps(board: Leaderboard) -> list[str]:
    """What the grades don't cover of a board's rankings: what is ungraded or left out, and what can't be read."""
    if not (gaps := board.ungraded):
        why = "not known, since no run returned anything for the queries of this leaderboard"
        return [f"{board.ungraded_heading}: {why}"] if board.fits_nobody else []
    empty = f"; {gaps.slots_empty:,} more ranks were not filled" if gaps.slots_empty else ""
    parts = [counted({f"{board.ungraded_heading.lower()} passages": gaps.pairs})] if gaps.pairs else []
    if gaps.slots_missing:
        parts.append(f"{counted({'ranks': gaps.slots_missing})} whose passage the imported files do not have")
    of_which = f" ({', '.join(parts)})" if parts else ""
    lines = [f"{board.ungraded_heading}: {gaps.share_at_depth:.1%} of the filled ranks{of_which}{empty}"]
    if not board.judgments:
        passages = ""
        if gaps.unreadable:
            passages = f"; {counted({'passages have': gaps.unreadable_pairs})} no readable answer "
            passages += f"({gaps.unreadable_at_depth:.1%} of the filled ranks)"
        lines.append(f"{UNREADABLE} {gaps.unreadable:,} of {counted({'answers': gaps.answers})}{passages}")
    return lines


def board_latex(comparison: Comparison, reference: str | None) -> str:
    """Leaderboards for LaTeX (booktabs): of one series with its ranks, of several five side by side in a table.

    Runs stand best first, and of several series in the reference's order, each score with its standard error and its
    rank. Ranks are as everywhere: tied runs share their mean rank.
    """
    if len(comparison.boards) == 1:
        [board] = comparison.boards.values()
        return _in_latex(_columns(board, reference))
    names = list(comparison.boards)
    tables = []
    for place in range(0, len(names), BESIDE):
        columns = {"Run": pd.Series(comparison.order)}
        for name in names[place : place + BESIDE]:
            rows = comparison.boards[name].rows.set_index("run_id").reindex(comparison.order).reset_index()
            columns[comparison.names.get(name, name)] = rows.apply(_scored, axis=1)
        tables.append(_in_latex(columns))
    return "\n\n".join([f"% {comparison.measured or 'scores'} ± standard error (rank)", *tables])


def _columns(board: Leaderboard, reference: str | None) -> dict[str, pd.Series]:
    rows = board.rows
    columns = {"Rank": rows["rank"].map(_rank), "Run": rows["run_id"]}
    columns |= {board.heading: rows["mean"], "s.e.": rows["stderr"], "re-normalised": rows["normalised"]}
    return columns | ({rank_heading(reference): rows["reference_rank"].map(_rank)} if reference else {})


def _in_latex(columns: dict[str, pd.Series]) -> str:
    return as_text(pd.DataFrame(columns), "latex", right=[name for name in columns if name != "Run"])


def _scored(row: pd.Series) -> str:
    if row["mean"] != row["mean"]:
        return UNDEFINED
    error = "" if row["stderr"] != row["stderr"] else f" ± {cell(row['stderr'])}"
    return f"{cell(row['mean'])}{error} ({_rank(row['rank'])})"


def _rank(value: float) -> str:
    return UNDEFINED if value != value else f"{value:g}"


def of_same_labels(board: Leaderboard, reference: str) -> bool:
    """Whether a board and its reference are made of judgments, or of one grader's grades on one bank: their agreement
    says nothing of a judge.
    """
    kind, *sentences = reference.split(":")
    banks = [part.removeprefix("bank=") for part in sentences if part.startswith("bank=")]
    of_grader = kind == "grades" and f"grader={board.grader}" in sentences and banks in ([], [board.bank])
    return of_grader or (board.judgments is not None and reference.startswith("qrels:"))


def best_run(board: Leaderboard) -> str:
    """The best run, or those that share its place, with mean, standard error and queries; that none has a mean."""
    rows = board.rows[board.rows["rank"] == board.rows["rank"].min()]
    if rows.empty:
        return f"No run has a mean of {board.heading}"
    row, tied = rows.iloc[0], f" and {counted({'others': len(rows) - 1})}, tied" if len(rows) > 1 else ""
    error = "" if tied or pd.isna(row["stderr"]) else f" ± {written(row['stderr'])}"
    over = "" if pd.isna(row["n_queries"]) else f" over {counted({'queries': int(row['n_queries'])})}"
    return f"Best: {row['run_id']}{tied}, {board.heading} {written(row['mean'])}{error}{over}"


def all_tied(board: Leaderboard) -> str:
    """That all runs have the same mean, where there are several; else empty."""
    means = board.rows["mean"].dropna().round(DIGITS)
    if len(means) < 2 or means.nunique() > 1:
        return ""
    return f"All {len(means)} runs have the same {board.heading}, {written(means.iloc[0])}"


HEADLINE = ResultTable(
    "leaderboard: headline",
    "Agreement of several grading modes, or printed columns, with the reference and the judgments",
    SERIES,
    replace(TAU, help=""),
    SPEARMAN,
    KENDALL,
    KAPPA,
    text("cut", "Relevant", "Smallest label and smallest judgment that count as relevant, for kappa."),
    text("queries", "Queries", "Number of queries that count, if not all do."),
)
Few = Mapping[str, tuple[int, int] | None]
"""By series, how many queries count and of how many; None where all do."""


def headline(comparison: Comparison, reference: str | None, few: Few) -> str:
    """Rank correlations and kappa of the one series of a comparison in a line, and of how few queries they are.

    Of judgments beside a measure of judgments, and where no rank correlation is defined, the best run; where all runs
    are tied, that.
    """
    sentences: list[str] = []
    boards = list(comparison.boards.values())
    for board in boards:
        if same := board.all_zero or all_tied(board):
            return same
    correlated = comparison.correlations[["spearman", "kendall"]].notna().any(axis=None)
    if reference and boards and (not correlated or all(of_same_labels(board, reference) for board in boards)):
        sentences += map(best_run, boards)
    elif reference and correlated:
        spearman, kendall = (written(comparison.correlations[name].iloc[0]) for name in ("spearman", "kendall"))
        sentences.append(f"Against {reference_in_words(reference)}: Spearman {spearman}, Kendall {kendall}")
    sentences += [
        f"kappa with the judgments {written(row.kappa)} (relevant: {comparison.cut(row.series)})"
        for row in comparison.agreements.itertuples()
    ]
    sentences += [
        f"{'' if sentences else 'The leaderboard '}rests on {n:,} of {counted({'queries': of})}"
        for n, of in filter(None, few.values())
    ]
    return "; ".join(sentences)


def closest_to_reference(comparison: Comparison, called: Mapping[str, str]) -> str:
    """Which of several series orders the runs most as the reference does, and how well the others do; empty of one."""
    boards = {name: board for name, board in comparison.boards.items() if board.correlation and not board.of_itself}
    kendall = {called.get(name, name): board.correlation.kendall for name, board in boards.items() if board.correlation}
    message = closest(kendall, "Kendall") if len(comparison.boards) > 1 else ""
    reference = next((str(board.reference) for board in boards.values()), "")
    return message and f"Closest to {reference_in_words(reference, called)}: {message}"


def headline_table(comparison: Comparison, few: Few) -> pd.DataFrame:
    """The same of several series: `HEADLINE`, a row for each, without the columns of which nothing is known."""
    of_reference, of_judges = (rows.set_index("series") for rows in (comparison.correlations, comparison.agreements))
    rows = pd.DataFrame({"series": list(comparison.boards)})
    rows["tau"] = [board.tau if board.tau_applies else None for board in comparison.boards.values()]
    for name, known in (("spearman", of_reference), ("kendall", of_reference), ("kappa", of_judges)):
        rows[name] = rows["series"].map(known[name]).astype(float)
    cuts = {name: comparison.cut(str(name)) for name in of_judges.index}
    rows["cut"] = rows["series"].map(cuts)
    shares = [few.get(name) for name in comparison.boards]
    rows["queries"] = [f"{share[0]:,} of {share[1]:,}" if share else None for share in shares]
    return HEADLINE.of(rows).dropna(axis="columns", how="all")


def choice_in_words(
    figures: Figures, series: Sequence[str], request: Request, called: Mapping[str, str] | None = None
) -> str:
    """What is evaluated, in one line; the bank as it is asked for. `called` has other names of graders."""
    snapshot = figures.snapshot
    if figures.in_print:
        left_out = [f"without {listed(snapshot.left_out_in_words)}"] if snapshot.left_out_in_words else []
        columns = "; ".join((called or {}).get(name) or method_in_words(name) for name in series)
        return ", ".join([snapshot.collection, f"figures as printed: {columns}", *left_out])
    of_grades = Measure.parse(request.measure).info.of_grades
    # A measure of questions says nothing of modes that have none, unless all are so.
    series = [name for name in series if not needs_questions(snapshot, name, request.measure)] or series
    judged = by_judgments(snapshot, series)
    graders = [(called or {}).get(name, name) for name in series]
    return ", ".join(
        [
            snapshot.collection,
            *([f"bank {request.bank}"] if request.bank and not judged else []),
            *([f"{'by' if judged else 'graded by'} {enumerated(graders)}"] if series and of_grades else []),
            request.measure,
            *([tau_in_words(figures, series, request, called)] if of_grades else []),
            f"depth {request.depth}",
            *([f"label rank {request.label_rank}"] if of_grades and not judged else []),
            *([f"against {reference_in_words(request.reference, called)}"] if request.reference else []),
            *(["groups of runs as one"] if request.groups == "yes" else []),
            *([f"without {enumerated(snapshot.left_out_in_words)}"] if snapshot.left_out_in_words else []),
        ]
    )


def tau_in_words(
    figures: Figures, series: Sequence[str], request: Request, called: Mapping[str, str] | None = None
) -> str:
    """The request's tau, if a series has it, and that of each other series; of judgments, from where up they count."""
    if by_judgments(figures.snapshot, series):
        cuts = [reachable_cut(figures.snapshot, name.removeprefix(JUDGED), request.relevant_from) for name in series]
        return f"judged relevant from {' or '.join(map(str, sorted(set(cuts))))}"
    tau = request.tau or 0
    own_taus = {reachable_tau(figures.snapshot, name, request.of(name).tau or 0) for name in series}
    if len(own_taus) == 1 and all(name in dict(request.own_taus) for name in series):
        return f"tau = {own_taus.pop()}"
    others = []
    for name in series:
        wanted = request.of(name).tau or 0
        own = reachable_tau(figures.snapshot, name, wanted)
        if own != tau:
            ends = ", where its scale ends" if own < wanted else ""
            others.append(f"{(called or {}).get(name, name)}: {own}{ends}")
    shared = f"tau = {tau}" if len(others) < max(1, len(series)) else "tau"
    return shared + (f" ({'; '.join(others)})" if others else "")

"""Collections that hold printed figures only: their columns as leaderboards, their tables as agreement."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
import pandas as pd

from exam_core.analysis.agreement import Agreement, grid_rows, of_confusion, of_matrix
from exam_core.analysis.evaluation import TAUS
from exam_core.analysis.leaderboard import Leaderboard, against, ranked
from exam_core.analysis.references import find_reference, leaderboard_rows
from exam_core.errors import ExamboardError, UsageError
from exam_core.measures.agreement import binary_counts
from exam_core.measures.gradebook import Ints
from exam_core.store import Snapshot
from exam_core.store.summary import leaderboard_ids
from exam_core.tables import OFFICIAL, OVERALL

_NO_QUERIES = "From a printed table; there are no queries to draw an interval from."
_TITLE = re.compile(r"(?P<bank>\S+) (?P<measure>\w+@\d+)(?: tau=(?P<tau>\d))?(?: .*)?")


@lru_cache(maxsize=64)
def is_printed(snapshot: Snapshot) -> bool:
    """Whether there are printed scores or agreement tables, and nothing that could be evaluated."""
    if any(_has(snapshot, table) for table in ("grades", "rankings", "judgments")):
        return False
    return _has(snapshot, "confusions") or bool(printed_columns(snapshot))


def _has(snapshot: Snapshot, table: str) -> bool:
    """Whether a table has a row."""
    if not snapshot.tables.get(table):
        return False
    return bool(snapshot.query(f"SELECT count(*) > 0 AS some FROM {table}")["some"].iloc[0])


def printed_columns(snapshot: Snapshot) -> list[str]:
    """The printed leaderboards that have scores, in the order of print."""
    frame = snapshot.query("SELECT leaderboard_id FROM leaderboards GROUP BY leaderboard_id HAVING count(score) > 0")
    named = set(frame["leaderboard_id"])
    order = snapshot.frame("leaderboards")["leaderboard_id"].drop_duplicates()
    return [name for name in order if name in named]


def printed_leaderboard(snapshot: Snapshot, column: str, reference: str | None = None) -> Leaderboard:
    """A printed column as a leaderboard; standard errors that are not printed are NaN."""
    rows = leaderboard_rows(snapshot, column)
    has_scores = bool(rows["score"].notna().any())
    if has_scores:
        rows = rows[rows["score"].notna()]
        scores = rows["score"]
    else:
        scores = -rows["rank"]
    board = rows[["run_id", "stderr"]].assign(mean=scores, n_queries=pd.NA, unanswered=pd.NA)
    match = _TITLE.fullmatch(column)
    overall = snapshot.query(
        "SELECT score FROM leaderboards WHERE leaderboard_id = ? AND run_id = ? AND score IS NOT NULL",
        [column, OVERALL],
    )
    made = Leaderboard(
        collection=snapshot.collection,
        title=column,
        bank=match["bank"] if match else None,
        grader=None,
        measure=match["measure"] if match else column,
        heading=match["measure"] if match else column,
        tau=int(match["tau"]) if match and match["tau"] else None,
        tau_applies=bool(match and match["tau"]),
        depth=int(match["measure"].split("@")[1]) if match else None,
        label_rank=None,
        rows=ranked(board.reset_index(drop=True)),
        overall=(float(overall["score"].iloc[0]), np.nan) if len(overall) else None,
        reference=None,
        correlation=None,
        ungraded=None,
        notes=[f"Printed figures: {column}."],
    )
    return against(made, find_reference(snapshot, reference), of_scores=has_scores)


def find_column(snapshot: Snapshot, *, bank: str | None, measure: str, tau: int | None) -> str:
    """The printed column that is asked for.

    Raises
    ------
    ExamboardError : there is none; the message lists those there are
    """
    columns = printed_columns(snapshot)
    found = []
    for column in columns:
        match = _TITLE.fullmatch(column)
        if match and match["measure"] == measure and bank in (None, match["bank"]):
            found.append((column, match["tau"]))
    exact = [column for column, printed in found if tau is None or printed == str(tau)]
    if len(exact) == 1:
        return exact[0]
    # A column without a tau has answers that are right or wrong: it is meant only where its bank is named.
    if not exact and bank is not None:
        exact = [column for column, printed in found if printed is None]
    if len(exact) == 1:
        return exact[0]
    asked = " ".join([*([bank] if bank else []), measure, *([f"tau={tau}"] if tau else [])])
    many = "is printed more than once" if exact else "is not printed"
    raise ExamboardError(
        f"{asked} {many} in {snapshot.collection}. Printed are: {'; '.join(columns)}. "
        "Choose one with --bank, --measure and --tau."
    )


def printed_boards(snapshot: Snapshot, reference: str | None = None) -> list[Leaderboard]:
    """Every printed leaderboard but the reference, against the reference."""
    name = reference or OFFICIAL
    known = snapshot.frame("leaderboards")["leaderboard_id"].drop_duplicates()
    if name not in leaderboard_ids(snapshot):
        raise UsageError(f"There is no leaderboard {name}. There are: {', '.join(known)}.")
    return [printed_leaderboard(snapshot, column, name) for column in known if column != name]


def printed_agreement(snapshot: Snapshot, *, bank: str | None, tau: int, relevant_from: int) -> Agreement:
    """Agreement from a printed table: any cut of a graded matrix, the printed cut of a 2 x 2 table.

    Raises
    ------
    ExamboardError : no such table, or not at this cut; the message lists the cuts there are
    """
    _, rows = _table_at(snapshot, bank, tau, relevant_from)
    if _is_graded(rows):
        counted = _matrix(rows)
        return of_matrix(*counted, tau=tau, relevant_from=relevant_from, label_rank=None, notes=[_NO_QUERIES])
    return _of_2x2(rows, tau, relevant_from)


def agreement_bank(snapshot: Snapshot, *, bank: str | None, tau: int, relevant_from: int) -> str:
    """The bank of the table that `printed_agreement` reads.

    Raises
    ------
    ExamboardError : as `printed_agreement`
    """
    return _table_at(snapshot, bank, tau, relevant_from)[0].split()[0]


def _table_at(snapshot: Snapshot, bank: str | None, tau: int, relevant_from: int) -> tuple[str, pd.DataFrame]:
    """Name and rows of the printed table that can be read at a cut: a graded one before 2 x 2 tables."""
    tables = _agreement_tables(snapshot, bank)
    for name, rows in tables.items():
        if _is_graded(rows):
            return name, rows
    cuts = {name: _printed_cut(rows) for name, rows in tables.items()}
    for name, cut in cuts.items():
        if cut == (tau, relevant_from):
            return name, tables[name]
    listed = "; ".join(f"{name}: --tau {cut[0]} --relevant-from {cut[1]}" for name, cut in cuts.items())
    raise ExamboardError(
        f"{snapshot.collection} prints no counts for --tau {tau} --relevant-from {relevant_from}, "
        f"only 2 x 2 tables at these cuts: {listed}."
    )


def printed_grid(snapshot: Snapshot, *, bank: str | None) -> tuple[pd.DataFrame, list[str]]:
    """Every cut of the printed graded matrix, or the cuts that 2 x 2 tables are printed for; and notes.

    Raises
    ------
    ExamboardError : no such table
    """
    tables = _agreement_tables(snapshot, bank)
    for rows in tables.values():
        if _is_graded(rows):
            matrix, labels, relevances = _matrix(rows)
            cuts = relevances[relevances > 0]
            counts = binary_counts(matrix, labels, relevances, np.array(TAUS), cuts)[:, :, None]
            return grid_rows(counts, TAUS, cuts.tolist(), label_rank=None), [_NO_QUERIES]
    frames = []
    for rows in tables.values():
        tau, relevant_from = _printed_cut(rows)
        counts = _of_2x2(rows, tau, relevant_from).confusion[None, None, None]
        frames.append(grid_rows(counts, [tau], [relevant_from], label_rank=None))
    notes = [_NO_QUERIES, "Only 2 x 2 tables are printed: there are no other cuts."]
    return pd.concat(frames, ignore_index=True), notes


def printed_banks(snapshot: Snapshot) -> list[str]:
    """The banks that have a printed agreement table, in the order of print."""
    names = snapshot.frame("confusions")["confusion_id"]
    return list(dict.fromkeys(str(name).split()[0] for name in names))


def _agreement_tables(snapshot: Snapshot, bank: str | None) -> dict[str, pd.DataFrame]:
    """The printed agreement tables of a bank, or of all; refused where there is none."""
    tables = {str(name): rows for name, rows in snapshot.frame("confusions").groupby("confusion_id", sort=False)}
    mine = {name: rows for name, rows in tables.items() if bank is None or name.split()[0] == bank}
    if not mine:
        raise ExamboardError(
            f"{snapshot.collection} has no agreement table"
            + (f" for bank {bank}. There are: {', '.join(tables)}." if tables else ".")
        )
    return mine


def _is_graded(rows: pd.DataFrame) -> bool:
    """Whether a table has a row for each grade: its labels are single ones, and more than two."""
    single = all(rows[name].str.fullmatch(r"\d").all() for name in ("grade", "relevance"))
    return single and rows["grade"].nunique() > 2


def _matrix(rows: pd.DataFrame) -> tuple[Ints, Ints, Ints]:
    """Counts, labels and relevances of a graded table, ascending."""
    numbers = rows.assign(grade=rows["grade"].astype(int), relevance=rows["relevance"].astype(int))
    wide = numbers.pivot(index="grade", columns="relevance", values="count").fillna(0).astype(np.int64)
    return wide.to_numpy(), wide.index.to_numpy(np.int64), wide.columns.to_numpy(np.int64)


def _of_2x2(rows: pd.DataFrame, tau: int, relevant_from: int) -> Agreement:
    counts = np.zeros((2, 2), np.int64)
    graded: dict[str, dict[str, int]] = {}
    for row in rows.itertuples():
        counts[int(_lowest(row.grade) < tau), int(_lowest(row.relevance) < relevant_from)] += row.count
        graded.setdefault(row.grade, {})[row.relevance] = int(row.count)
    return of_confusion(counts, graded, tau=tau, relevant_from=relevant_from, notes=[_NO_QUERIES])


def _printed_cut(rows: pd.DataFrame) -> tuple[int, int]:
    """The tau and the smallest relevance of a 2 x 2 table."""
    return _lowest_positive(rows["grade"]), _lowest_positive(rows["relevance"])


def _lowest(labels: str) -> int:
    """Smallest label of a printed range: 1+2+3, 4-5, ≤0 (0) or a single one."""
    return min(int(digit) for digit in re.findall(r"\d", labels))


def _lowest_positive(labels: pd.Series) -> int:
    """Where the upper of two printed ranges begins."""
    return max(_lowest(label) for label in labels.unique())

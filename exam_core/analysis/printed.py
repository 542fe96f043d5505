"""Printed figures: leaderboards and agreement tables of the papers, in the form of computed ones."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from exam_core.analysis.agreement import Agreement, grid_rows, of_confusion, of_matrix
from exam_core.analysis.choice import TAUS
from exam_core.analysis.leaderboard import Leaderboard, against, ranked
from exam_core.analysis.references import find_reference, leaderboard_rows
from exam_core.errors import ExamboardError, UsageError
from exam_core.measures import Measure
from exam_core.numbers.annotator_agreement import binary_counts
from exam_core.numbers.arrays import Ints
from exam_core.request import MEASURE
from exam_core.store import Snapshot
from exam_core.store.snapshot import cached_by_snapshot
from exam_core.store.summary import leaderboard_ids
from exam_core.tables import OFFICIAL, OVERALL

_NO_QUERIES = "From a printed table; there are no queries to draw an interval from."


def agreement(snapshot: Snapshot, *, bank: str | None, tau: float, relevant_from: int) -> Agreement:
    """Agreement from a printed table: any cut of a graded matrix, or else the printed cut of a 2 x 2 table.

    Raises ExamboardError where there is no such table, or not at this cut; the message lists the printed cuts.
    """
    tables = _agreement_tables(snapshot, bank)
    for name, rows in tables.items():
        if _is_graded(rows):
            matrix = _matrix(rows)
            result = of_matrix(*matrix, tau=tau, relevant_from=relevant_from, label_rank=None, notes=[_NO_QUERIES])
            return replace(result, bank=_bank_of(name))
    cuts = {name: _printed_cut(rows) for name, rows in tables.items()}
    for name, cut in cuts.items():
        if cut == (tau, relevant_from):
            return replace(_of_2x2(tables[name], tau, relevant_from), bank=_bank_of(name))
    listed = "; ".join(f"tau {cut[0]}, judged ≥ {cut[1]} ({name})" for name, cut in cuts.items())
    raise ExamboardError(
        f"The papers print no table of {snapshot.collection} for tau {tau}, judged ≥ {relevant_from}. "
        f"Printed: {listed}."
    )


def agreement_grid(snapshot: Snapshot, *, bank: str | None) -> tuple[pd.DataFrame, list[str]]:
    """Every cut of the printed graded matrix, or the cuts of printed 2 x 2 tables; and notes.

    Raises ExamboardError where there is no such table.
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
    notes = [_NO_QUERIES, "Only 2 x 2 tables are printed, so there is no other tau or threshold."]
    return pd.concat(frames, ignore_index=True), notes


def banks(snapshot: Snapshot) -> list[str]:
    """The banks that have a printed agreement table, in the order of print."""
    return list(dict.fromkeys(_bank_of(str(name)) for name in snapshot.frame("confusions")["confusion_id"]))


def _agreement_tables(snapshot: Snapshot, bank: str | None) -> dict[str, pd.DataFrame]:
    """The printed agreement tables of a bank, or of all. Raises ExamboardError where there is none."""
    tables = {str(name): rows for name, rows in snapshot.frame("confusions").groupby("confusion_id", sort=False)}
    mine = {name: rows for name, rows in tables.items() if bank is None or _bank_of(name) == bank}
    if not mine:
        raise ExamboardError(
            f"{snapshot.collection} has no agreement table"
            + (f" for bank {bank}. There are: {', '.join(tables)}." if tables else ".")
        )
    return mine


def _bank_of(name: str) -> str:
    """The bank that a printed table is about, or the paper."""
    return name.split()[0]


def _is_graded(rows: pd.DataFrame) -> bool:
    """Whether a table has a row for each grade: its labels are single ones, and more than two."""
    single = all(rows[name].str.fullmatch(r"\d").all() for name in ("grade", "relevance"))
    return single and rows["grade"].nunique() > 2


def _matrix(rows: pd.DataFrame) -> tuple[Ints, Ints, Ints]:
    """Counts, labels and relevances of a graded table, ascending."""
    numbers = rows.assign(grade=rows["grade"].astype(int), relevance=rows["relevance"].astype(int))
    wide = numbers.pivot(index="grade", columns="relevance", values="count").fillna(0).astype(np.int64)
    return wide.to_numpy(), wide.index.to_numpy(np.int64), wide.columns.to_numpy(np.int64)


def _of_2x2(rows: pd.DataFrame, tau: float, relevant_from: int) -> Agreement:
    counts = np.zeros((2, 2), np.int64)
    graded: dict[str, dict[str, int]] = {}
    for row in rows.itertuples():
        counts[int(lowest(row.grade) < tau), int(lowest(row.relevance) < relevant_from)] += row.count
        graded.setdefault(row.grade, {})[row.relevance] = int(row.count)
    return of_confusion(counts, graded, tau=tau, relevant_from=relevant_from, notes=[_NO_QUERIES])


def _printed_cut(rows: pd.DataFrame) -> tuple[int, int]:
    """The tau and the smallest relevance of a 2 x 2 table: the beginnings of the upper of its printed ranges."""
    return max(map(lowest, rows["grade"])), max(map(lowest, rows["relevance"]))


def lowest(labels: str) -> int:
    """Smallest label of a printed range: 1+2+3, 4-5, ≤0 (0) or a single one."""
    return min(int(digit) for digit in re.findall(r"\d", labels))


@dataclass(frozen=True)
class Facts:
    """Facts of a printed column beyond its name, None where unknown; `grading` is without bank and tau."""

    bank: str | None = None
    measure: str | None = None
    tau: float | None = None
    grading: str | None = None


@cached_by_snapshot(512)
def facts(snapshot: Snapshot, column: str) -> Facts:
    """The facts that a printed column's rows state."""
    fields = extra_fields(snapshot, column)
    texts = {name: fields[name] for name in ("bank", "measure", "grading") if isinstance(fields.get(name), str)}
    try:
        Measure.parse(texts.get("measure") or "P@1")
    except UsageError:
        return Facts()
    return Facts(tau=fields["tau"] if fields.get("tau") in TAUS else None, **texts)


def extra_fields(snapshot: Snapshot, leaderboard_id: str) -> dict[str, Any]:
    """The further fields of a leaderboard's rows; those of another program may have any value."""
    rows = snapshot.query(
        "SELECT extra FROM leaderboards WHERE leaderboard_id = ? AND extra IS NOT NULL LIMIT 1", [leaderboard_id]
    )
    with suppress(ValueError):
        fields = json.loads(rows["extra"].iloc[0]) if len(rows) else {}
        return fields if isinstance(fields, dict) else {}
    return {}


def is_printed(snapshot: Snapshot) -> bool:
    """Whether a collection has printed figures, and nothing that could be evaluated."""

    def has_rows(table: str) -> bool:
        return bool(snapshot.tables.get(table)) and not snapshot.query(f"SELECT 1 FROM {table} LIMIT 1").empty

    if any(map(has_rows, ("grades", "rankings", "judgments"))):
        return False
    return has_rows("confusions") or bool(columns(snapshot))


def columns(snapshot: Snapshot) -> list[str]:
    """The printed leaderboards that have scores, in the order of print."""
    frame = snapshot.query("SELECT leaderboard_id FROM leaderboards GROUP BY leaderboard_id HAVING count(score) > 0")
    named = set(frame["leaderboard_id"])
    order = snapshot.frame("leaderboards")["leaderboard_id"].drop_duplicates()
    return [name for name in order if name in named]


def find_column(snapshot: Snapshot, *, bank: str | None, measure: str, tau: float | None) -> str:
    """The printed column of a bank, measure and tau. Raises ExamboardError where there is none, and lists all."""
    known = {column: facts(snapshot, column) for column in columns(snapshot)}
    if bank in known:
        return str(bank)  # by its own name: an imported list says neither bank nor measure
    if bank is None and len(known) == 1 and (measure == MEASURE or facts(snapshot, next(iter(known))).measure is None):
        return next(iter(known))  # the only one, where nobody asks for another
    names = [column for column, own in known.items() if own.measure == measure and bank in (None, own.bank)]
    exact = [column for column in names if tau is None or known[column].tau == tau]
    if len(exact) == 1:
        return exact[0]
    # A column without a tau has answers that are right or wrong: it is meant only where its bank is named.
    if not exact and bank is not None:
        exact = [column for column in names if known[column].tau is None]
    if len(exact) == 1:
        return exact[0]
    name = " ".join([*([bank] if bank else []), measure, *([f"tau={tau}"] if tau else [])])
    many = "is printed more than once" if exact else "is not printed"
    raise ExamboardError(
        f"{name} {many} in {snapshot.collection}. Printed are: {'; '.join(known)}. "
        "Choose one by --measure and --tau, and --bank if several are left; or give its name as --bank."
    )


def board(snapshot: Snapshot, column: str, reference: str | None = None) -> Leaderboard:
    """A printed column as a leaderboard; standard errors that are not printed are NaN."""
    rows, about = leaderboard_rows(snapshot, column), facts(snapshot, column)
    has_scores = bool(rows["score"].notna().any())
    if has_scores:
        rows = rows[rows["score"].notna()]
        scores = rows["score"]
    else:
        scores = -rows["rank"]
    frame = rows[["run_id", "stderr"]].assign(mean=scores, n_queries=pd.NA, unanswered=pd.NA)
    overall = snapshot.query(
        "SELECT score FROM leaderboards WHERE leaderboard_id = ? AND run_id = ? AND score IS NOT NULL",
        [column, OVERALL],
    )
    printed = Leaderboard(
        collection=snapshot.collection,
        title=column,
        bank=about.bank,
        grader=None,
        measure=about.measure or column,
        heading=about.measure or column,
        tau=about.tau,
        tau_applies=about.tau is not None,
        depth=Measure.parse(about.measure).depth if about.measure else None,
        label_rank=None,
        rows=ranked(frame.reset_index(drop=True)),
        overall=(float(overall["score"].iloc[0]), np.nan) if len(overall) else None,
        reference=None,
        correlation=None,
        ungraded=None,
        notes=[f"Printed figures: {column}."],
    )
    return against(printed, find_reference(snapshot, reference), of_scores=has_scores)


def boards(snapshot: Snapshot, reference: str | None = None) -> list[Leaderboard]:
    """Every printed leaderboard but the reference, against it. Raises UsageError where there is no such reference."""
    name = reference or OFFICIAL
    known = snapshot.frame("leaderboards")["leaderboard_id"].drop_duplicates()
    if name not in leaderboard_ids(snapshot):
        raise UsageError(f"There is no leaderboard {name}. There are: {', '.join(known)}.")
    return [board(snapshot, column, name) for column in known if column != name]


RANKS, RULES = "ranks", "rules"
"""The basis of our figures: ranks of generated answers, or the paper's own words."""


@dataclass(frozen=True)
class StudyFigure:
    """A printed figure beside ours; where they differ, `reason` is a known explanation and its source."""

    about: str
    figure: str
    printed: str
    printed_in: str
    ours: float
    setting: str
    reason: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class Study:
    """A paper that prints no leaderboard; a wing declares its own.

    Attributes
    ----------
    key, paper : names of the collection and of the paper
    basis : of our figures, `RANKS` or `RULES`
    takes : whether the paper is about a collection
    figures : the printed figures that a collection gives, and notes on what the others need
    of_a_collection : whether the paper is about this very collection, and not about all of its kind
    """

    key: str
    paper: str
    basis: str
    takes: Callable[[Snapshot], bool]
    figures: Callable[[Snapshot], tuple[list[StudyFigure], list[str]]]
    of_a_collection: bool = False

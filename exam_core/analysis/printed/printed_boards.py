"""The columns that papers print, as leaderboards; what is known of one stands in its rows."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from exam_core.analysis.evaluation.choice import TAUS
from exam_core.analysis.evaluation.leaderboard import Leaderboard, against, ranked
from exam_core.analysis.evaluation.references import find_reference, leaderboard_rows
from exam_core.asked import MEASURE
from exam_core.errors import ExamboardError, UsageError
from exam_core.measures import Measure
from exam_core.store import Snapshot
from exam_core.store.snapshot_cache import kept
from exam_core.store.summary import leaderboard_ids
from exam_core.tables import OFFICIAL, OVERALL


@dataclass(frozen=True)
class Facts:
    """What is known of a printed column beyond its name: None where it is not said.

    Parameters
    ----------
    grading : what is said of the grading, besides bank and tau
    """

    bank: str | None = None
    measure: str | None = None
    tau: int | None = None
    grading: str | None = None


@kept(512)
def facts(snapshot: Snapshot, column: str) -> Facts:
    """What a printed column's rows say of it."""
    said = said_of(snapshot, column)
    texts = {name: said[name] for name in ("bank", "measure", "grading") if isinstance(said.get(name), str)}
    try:
        Measure.parse(texts.get("measure") or "P@1")
    except UsageError:
        return Facts()
    return Facts(tau=said["tau"] if said.get("tau") in TAUS else None, **texts)


def said_of(snapshot: Snapshot, leaderboard_id: str) -> dict[str, Any]:
    """What a leaderboard's rows say beyond their columns; another program's rows may say anything there."""
    rows = snapshot.query(
        "SELECT extra FROM leaderboards WHERE leaderboard_id = ? AND extra IS NOT NULL LIMIT 1", [leaderboard_id]
    )
    with suppress(ValueError):
        said = json.loads(rows["extra"].iloc[0]) if len(rows) else {}
        return said if isinstance(said, dict) else {}
    return {}


def is_printed(snapshot: Snapshot) -> bool:
    """Whether a collection has printed figures, and nothing that could be evaluated."""
    if any(_has(snapshot, table) for table in ("grades", "rankings", "judgments")):
        return False
    return _has(snapshot, "confusions") or bool(columns(snapshot))


def _has(snapshot: Snapshot, table: str) -> bool:
    """Whether a table has a row."""
    if not snapshot.tables.get(table):
        return False
    return bool(snapshot.query(f"SELECT count(*) > 0 AS some FROM {table}")["some"].iloc[0])


def columns(snapshot: Snapshot) -> list[str]:
    """The printed leaderboards that have scores, in the order of print."""
    frame = snapshot.query("SELECT leaderboard_id FROM leaderboards GROUP BY leaderboard_id HAVING count(score) > 0")
    named = set(frame["leaderboard_id"])
    order = snapshot.frame("leaderboards")["leaderboard_id"].drop_duplicates()
    return [name for name in order if name in named]


def find_column(snapshot: Snapshot, *, bank: str | None, measure: str, tau: int | None) -> str:
    """The printed column that is asked for.

    Raises ExamboardError where there is none; the message lists those there are.
    """
    known = {column: facts(snapshot, column) for column in columns(snapshot)}
    if bank in known:
        return str(bank)  # by its own name: an imported list says neither bank nor measure
    if bank is None and len(known) == 1 and (measure == MEASURE or facts(snapshot, next(iter(known))).measure is None):
        return next(iter(known))  # the only one, where nobody asks for another
    found = [column for column, one in known.items() if one.measure == measure and bank in (None, one.bank)]
    exact = [column for column in found if tau is None or known[column].tau == tau]
    if len(exact) == 1:
        return exact[0]
    # A column without a tau has answers that are right or wrong: it is meant only where its bank is named.
    if not exact and bank is not None:
        exact = [column for column in found if known[column].tau is None]
    if len(exact) == 1:
        return exact[0]
    asked = " ".join([*([bank] if bank else []), measure, *([f"tau={tau}"] if tau else [])])
    many = "is printed more than once" if exact else "is not printed"
    raise ExamboardError(
        f"{asked} {many} in {snapshot.collection}. Printed are: {'; '.join(known)}. "
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
    made = Leaderboard(
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
    return against(made, find_reference(snapshot, reference), of_scores=has_scores)


def boards(snapshot: Snapshot, reference: str | None = None) -> list[Leaderboard]:
    """Every printed leaderboard but the reference, against the reference.

    Raises
    ------
    UsageError : no such reference
    """
    name = reference or OFFICIAL
    known = snapshot.frame("leaderboards")["leaderboard_id"].drop_duplicates()
    if name not in leaderboard_ids(snapshot):
        raise UsageError(f"There is no leaderboard {name}. There are: {', '.join(known)}.")
    return [board(snapshot, column, name) for column in known if column != name]

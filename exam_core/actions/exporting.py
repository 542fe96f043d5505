"""Exports: what a collection holds, as files that other tools read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import pandas as pd

from exam_core.actions.verbs import verb
from exam_core.analysis.choice import Evaluation, LabelRule
from exam_core.analysis.figures import question_of
from exam_core.analysis.leaderboard import leaderboard
from exam_core.analysis.printed import extra_fields
from exam_core.analysis.references import leaderboard_rows, needed_reference, values_of_leaderboard
from exam_core.analysis.values import by_query, counted_values, gradebook, pair_labels
from exam_core.errors import UsageError
from exam_core.formats.leaderboards import BoardValues, board_lines
from exam_core.formats.trec import qrels_lines, write_run
from exam_core.formats.workbench import page_of, write_workbench
from exam_core.formats.writing import content_of, write_lines
from exam_core.request import BoardForm
from exam_core.store import Snapshot, Store
from exam_core.store.sharing import export_duckdb, whole_tables
from exam_core.store.summary import leaderboard_ids, of_citations
from exam_core.tables import POOL, UNREADABLE

WORKBENCH_TABLES = ("passages", "judgments", "rankings", "grades")


@verb("read")
def export_labels(snapshot: Snapshot, labelling: LabelRule, path: Path) -> int:
    """Write EXAM labels as a qrels file for trec_eval; returns the number of lines. Errors as `exam_labels`."""
    return write_lines(path, qrels_lines(exam_labels(snapshot, labelling)))


@verb("read")
def export_values(snapshot: Snapshot, choices: Sequence[Evaluation], path: Path) -> int:
    """Write a measure's value for every run and query, each on a line of JSON with all that was chosen; count the
    lines.

    An undefined value is null. `choices` come one after the other, for instance of several taus. Errors as of a
    leaderboard.
    """
    lines = [
        # NaN becomes null
        msgspec.json.encode(question | {"run_id": row.run_id, "query_id": row.query_id, "value": float(row.value)})
        for choice in choices
        for question in [question_of(snapshot, choice)]
        for row in by_query(snapshot, choice).itertuples()
    ]
    return write_lines(path, lines)


@verb("read")
def export_leaderboard(board: BoardValues, path: Path, form: BoardForm) -> int:
    """Write a leaderboard with its values by topic, and count the lines. UsageError if the form has no place for it."""
    return write_lines(path, board_lines(board, form))


@verb("read", has_line=False)
def board_of(snapshot: Snapshot, choice: Evaluation) -> BoardValues:
    """A choice's leaderboard with its values by query. Errors as those of a leaderboard."""
    values = counted_values(snapshot, choice)
    rows = leaderboard(snapshot, choice).rows.rename(columns={"mean": "score"})
    return BoardValues(
        str(choice.measure),
        rows[["run_id", "rank", "score", "stderr"]].astype({"rank": "float64"}),
        pd.DataFrame(values.values, values.run_ids, values.query_ids),
    )


@verb("read", has_line=False)
def stored_board(snapshot: Snapshot, leaderboard_id: str) -> BoardValues:
    """A leaderboard that was imported, with its values by query where it came with them.

    Raises UsageError where there is none of that name, or it has ranks alone.
    """
    name = needed_reference(snapshot, leaderboard_id).name
    if name not in leaderboard_ids(snapshot):
        raise UsageError(f"{name} is computed here. Export it by its measure and judgments instead of --name.")
    rows = leaderboard_rows(snapshot, name)
    rows = rows[~rows["run_id"].isin(snapshot.left_out)].sort_values(["rank", "run_id"], ignore_index=True)
    values = values_of_leaderboard(snapshot, name)
    table = None if values is None else pd.DataFrame(values.values, values.run_ids, values.query_ids)
    measure = extra_fields(snapshot, name).get("measure")
    return BoardValues(measure if isinstance(measure, str) and measure else name, rows, table)


@verb("read", has_line=False)
def labels_text(snapshot: Snapshot, labelling: LabelRule) -> bytes:
    """EXAM labels as the content of a qrels file. Errors as `exam_labels`."""
    return content_of(qrels_lines(exam_labels(snapshot, labelling)))


def exam_labels(snapshot: Snapshot, labelling: LabelRule) -> pd.DataFrame:
    """EXAM labels: query_id, doc_id, relevance.

    Every graded passage has a row, zeros too; one whose grades can't be read has none. Raises UsageError where
    no passage has a label.
    """
    labelling = labelling.at(0)  # the format has whole numbers
    if why := without_labels(snapshot, labelling):
        raise UsageError(why)
    book = gradebook(snapshot, labelling)
    label = pair_labels(snapshot, labelling)
    readable = np.flatnonzero(label > UNREADABLE)
    return pd.DataFrame(
        {"query_id": book.queries_of(readable), "doc_id": book.docs.take(readable), "relevance": label[readable]}
    )


@verb("read", has_line=False)
def without_labels(snapshot: Snapshot, labelling: LabelRule) -> str | None:
    """Why a labelling has no labels to export, as a sentence; None where it has some."""
    if (pair_labels(snapshot, labelling) > UNREADABLE).any():
        return None
    if labelling.label_rank == 1:
        return f"{labelling.grading.grader} gave no grade that can be read: there are no labels to write."
    return (
        f"No passage has {labelling.label_rank} readable grades of {labelling.grading.grader}, so there are no labels "
        f"at label rank {labelling.label_rank}. Choose a smaller label rank."
    )


@verb("read")
def export_workbench(snapshot: Snapshot, path: Path) -> tuple[int, int]:
    """Write a collection as the authors' workbench file; returns its lines (queries) and what it leaves out.

    The format has a place only for passages that were graded or judged: rankings of others are left
    out, and so are query texts, banks and leaderboards.

    Passages that were graded or judged under a query from elsewhere (label files, qrels) follow
    those of the original file; their text is empty if it isn't known. It has no place for grades of citations.
    """
    frames = {name: snapshot.frame(name) for name in WORKBENCH_TABLES}
    citing = [name for name in snapshot.graders if of_citations(snapshot, name)]
    frames["grades"] = frames["grades"][~frames["grades"]["grader_id"].isin(citing)]
    frames["pool"] = _with_other_pairs(snapshot.frame("pool"), frames)
    if not len(frames["pool"]):
        raise UsageError(f"{snapshot.collection} has no graded or judged passages, so there is nothing to write.")
    write_workbench(frames, snapshot.graders, path)
    listed = set(_pairs(frames["pool"]))
    ranked = _pages(frames["rankings"], listed)
    return int(frames["pool"]["query_id"].nunique()), sum(pair not in listed for pair in ranked)


def _with_other_pairs(pool: pd.DataFrame, frames: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """The pool, then in the order of their names the pairs that were graded or judged elsewhere."""
    listed = set(_pairs(pool))
    judged = zip(_pairs(frames["judgments"]), _pages(frames["judgments"], listed), strict=True)
    other = {pair for pair, page in judged if page not in listed} | (set(_pairs(frames["grades"])) - listed)
    if not other:
        return pool
    query_ids, doc_ids = zip(*sorted(other), strict=True)
    places = range(len(pool), len(pool) + len(other))
    return pd.concat([pool, POOL.frame({"query_id": query_ids, "doc_id": doc_ids, "position": places})])


def _pairs(frame: pd.DataFrame) -> list[tuple[str, str]]:
    return list(zip(frame["query_id"], frame["doc_id"], strict=True))


def _pages(frame: pd.DataFrame, listed: set[tuple[str, str]]) -> list[tuple[str, str]]:
    """The pair under which each row is written: a facet's passage is listed under its page."""
    rows = zip(frame["query_id"], frame["doc_id"], frame["extra"], strict=True)
    return [(page_of(query_id, doc_id, extra, listed), doc_id) for query_id, doc_id, extra in rows]


@verb("read")
def export_run(snapshot: Snapshot, path: Path, run_id: str | None = None) -> int:
    """Write one run, or all of them, as a TREC run file; returns the number of lines."""
    rankings = snapshot.frame("rankings")
    if run_id is not None:
        if run_id not in set(rankings["run_id"]):
            raise UsageError(f"There is no run {run_id} in {snapshot.collection}.")
        rankings = rankings[rankings["run_id"] == run_id]
    if not len(rankings):
        raise UsageError(f"{snapshot.collection} has no runs.")
    write_run(rankings, path)
    return len(rankings)


@verb("read")
def export_store(store: Store, path: Path, collections: list[str]) -> list[str]:
    """Write collections (all, if none is named) with all reviews to one `.duckdb` file; returns their names."""
    names = collections or store.collections()
    if not names:
        raise UsageError("The store is empty. Build the demo with: examboard demo")
    snapshots = [store.snapshot(name) for name in names]
    export_duckdb(snapshots, path, whole_tables(store, snapshots))
    return names

"""A leaderboard that was imported with values by query serves wherever a computed reference does, with its figures."""

import numpy as np
import pandas as pd
import pytest

from exam_core.actions.exporting import board_of, stored_board
from exam_core.actions.importing import import_shared
from exam_core.actions.importing_boards import import_leaderboard
from exam_core.actions.undoing import undo_import
from exam_core.analysis.choosing import choose, leave_out
from exam_core.analysis.comparison import correlations_of
from exam_core.analysis.leaderboard import leaderboard
from exam_core.analysis.references import (
    has_values,
    needed_reference,
    pair_with,
    reference_by_query,
    values_of_leaderboard,
)
from exam_core.analysis.uncertainty import values_of_runs
from exam_core.errors import UsageError
from exam_core.store import Store
from exam_core.store.sharing import export_duckdb
from tests.analysis.boards import COMPUTED, EXAM, JUDGED, OURS, both, with_board

BASE = "bm25"


@pytest.fixture(scope="module")
def store(demo_store, tmp_path_factory):
    return with_board(demo_store, tmp_path_factory.mktemp("boards"))


@pytest.fixture(scope="module")
def snapshot(store):
    return store.snapshot("demo")


def test_its_rows_are_those_of_the_board_that_was_computed(snapshot):
    board = leaderboard(snapshot, choose(snapshot, JUDGED)).rows.set_index("run_id").sort_index()
    rows = snapshot.query("FROM leaderboards WHERE leaderboard_id = 'theirs'").set_index("run_id").sort_index()
    for ours, name in (("mean", "score"), ("stderr", "stderr"), ("rank", "rank")):
        np.testing.assert_allclose(rows[name], board[ours].astype(float), atol=1e-9)


def test_it_goes_out_as_it_came_in(snapshot):
    ours, theirs = stored_board(snapshot, OURS), board_of(snapshot, choose(snapshot, JUDGED))
    assert (ours.measure, ours.runs) == (theirs.measure, theirs.runs)
    pd.testing.assert_frame_equal(ours.values, theirs.values.loc[ours.values.index, ours.values.columns])
    assert BASE not in stored_board(leave_out(snapshot, [BASE]), OURS).runs
    with pytest.raises(UsageError, match="There is no leaderboard none"):
        stored_board(snapshot, "none")


def test_correlations_have_the_same_intervals(snapshot):
    [computed], [imported] = both(snapshot, lambda *asked: correlations_of(asked[0], [asked[1]]))
    assert imported.correlation.kendall == pytest.approx(computed.correlation.kendall, abs=1e-9)
    assert imported.intervals.keys() == computed.intervals.keys()
    for name, ends in computed.intervals.items():
        assert imported.intervals[name] == pytest.approx(ends, abs=1e-6, nan_ok=True)


def test_what_has_no_values_by_query_is_only_fixed(store, snapshot, tmp_path):
    means = tmp_path / "means.csv"
    rows = snapshot.query("SELECT run_id, score FROM leaderboards WHERE leaderboard_id = 'theirs'")
    means.write_text("run_id,score\n" + "".join(f"{row.run_id},{row.score}\n" for row in rows.itertuples()))
    import_leaderboard(store, "demo", means, name="means")
    imported = store.snapshot("demo")
    assert [has_values(imported, name) for name in ("means", OURS, COMPUTED)] == [False, True, True]
    assert reference_by_query(imported, EXAM.but(reference="means"), judged=False) is None
    assert reference_by_query(imported, EXAM.but(reference=OURS), judged=True) == OURS
    undo_import(store, "demo")


def test_values_of_other_queries_leave_means_alone(store, tmp_path):
    rows = store.snapshot("demo").query("SELECT DISTINCT run_id FROM rankings")["run_id"]
    other = tmp_path / "other.txt"
    other.write_text(
        "".join(f"{run} AP elsewhere-{topic} 0.{n}{topic}\n" for n, run in enumerate(rows) for topic in (1, 2))
    )
    import_leaderboard(store, "demo", other, name="other")
    snapshot = store.snapshot("demo")
    [correlated] = correlations_of(snapshot, [choose(snapshot, EXAM.but(reference="other"))])
    assert not np.isnan(correlated.correlation.kendall)
    other = choose(store.snapshot("demo"), EXAM.but(reference="other"))
    reference = needed_reference(store.snapshot("demo"), "other", other)
    assert pair_with(values_of_runs(store.snapshot("demo"), other), reference).reference_values is None
    undo_import(store, "demo")


def test_a_single_file_carries_it_and_an_undo_takes_it_back(store, snapshot, tmp_path):
    export_duckdb([snapshot], tmp_path / "one.duckdb", {})
    again = Store(tmp_path / "again")
    import_shared(again, tmp_path / "one.duckdb")
    np.testing.assert_equal(*(values_of_leaderboard(one, OURS).values for one in (again.snapshot("demo"), snapshot)))
    undo_import(store, "demo")
    assert OURS not in set(store.snapshot("demo").frame("leaderboards")["leaderboard_id"])
    assert not len(store.snapshot("demo").query("FROM scores WHERE method = 'leaderboard:theirs'"))

"""Runs beside their reference: by hand, against the outliers and the leaderboard, and in print."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import linregress, rankdata

from exam_core.analysis import printed
from exam_core.analysis.choosing import choose
from exam_core.analysis.comparison import correlations_of
from exam_core.analysis.figures import figures_of
from exam_core.analysis.leaderboard import leaderboard
from exam_core.analysis.outliers import outliers
from exam_core.errors import UsageError
from exam_core.request import Request
from exam_core.wings.comparing.of_figures import residuals_of
from exam_core.wings.comparing.residuals import residuals
from tests.analysis.test_imported_boards import both as computed_and_imported
from tests.analysis.test_imported_boards import snapshot as snapshot
from tests.analysis.test_imported_boards import store as store
from tests.analysis.worlds import question, store_of

REFERENCES = ("official", "qrels:P@5", "grades:P@5:tau=2")


def cover(snapshot, **options):
    return choose(snapshot, Request(measure="Cover@20", grader="rater", **options))


def by_run(frame, column):
    return dict(zip(frame["run_id"], frame[column], strict=True))


@pytest.mark.parametrize("reference", REFERENCES)
def test_normalised_residuals_are_the_score_displacements_of_the_outliers(random_world, reference):
    found = residuals(random_world, replace(cover(random_world), reference=reference)).rows
    twin = outliers(random_world, [cover(random_world, reference=reference)], draws=10).rows
    for mine, theirs in (
        ("residual", "score_displacement"),
        ("displacement", "rank_displacement"),
        ("expected", "expected"),
        ("score", "normalised"),
    ):
        assert by_run(found, mine) == pytest.approx(by_run(twin, theirs), nan_ok=True)


@pytest.mark.parametrize("reference", REFERENCES)
def test_raw_scores_and_errors_are_those_of_the_leaderboard(random_world, reference):
    found = residuals(random_world, replace(cover(random_world), reference=reference), raw=True).rows
    board = leaderboard(random_world, replace(cover(random_world), reference=reference)).rows
    shared = board[board["run_id"].isin(found["run_id"])]
    assert by_run(found, "score") == pytest.approx(by_run(shared, "mean"))
    assert by_run(found, "stderr") == pytest.approx(by_run(shared, "stderr"), nan_ok=True)
    assert len(found) == correlations_of(random_world, [cover(random_world, reference=reference)])[0].correlation.n


@pytest.mark.parametrize("reference", REFERENCES)
def test_the_fitted_line_is_that_of_scipy(random_world, reference):
    found = residuals(random_world, replace(cover(random_world), reference=reference), raw=True)
    fit = linregress(found.rows["reference"], found.rows["score"])
    assert not found.identity
    np.testing.assert_allclose(found.rows["expected"], fit.intercept + fit.slope * found.rows["reference"], atol=1e-9)


def test_ranks_are_counted_among_the_runs_that_both_have_and_stand_for_a_reference_of_ranks(random_world):
    rows = residuals(random_world, cover(random_world)).rows
    assert rows["reference_rank"].tolist() == [1, 2, 3, 4]
    np.testing.assert_allclose(rows["rank"], rankdata(-rows["score"].round(9)))
    np.testing.assert_allclose(rows["displacement"], rows["reference_rank"] - rows["rank"])
    found = residuals(random_world, cover(random_world), raw=True)
    assert (found.of_ranks, found.identity) == (True, False)
    assert found.rows["reference"].equals(found.rows["reference_rank"])
    assert found.rows["reference_stderr"].isna().all()
    assert "1 of 5 runs has no rank in the official ranking and is left out of correlations." in found.notes


@pytest.mark.parametrize(
    ("reference", "raw", "identity"),
    [
        ("grades:Cover@20:tau=2", True, True),
        ("grades:Cover@20", True, True),
        ("grades:P@20:tau=2", True, False),
        ("grades:P@20:tau=2", False, True),
        ("official", False, False),
    ],
    ids=["same measure", "same measure without options", "other measure", "re-normalised", "ranks"],
)
def test_the_line_is_the_identity_where_both_sides_are_on_one_scale(random_world, reference, raw, identity):
    found = residuals(random_world, replace(cover(random_world), reference=reference), raw=raw)
    assert found.identity is identity
    assert found.rows["expected"].equals(found.rows["reference"]) is identity


def test_a_computed_reference_has_its_own_errors(random_world):
    found = residuals(random_world, replace(cover(random_world), reference="grades:P@5:tau=2"), raw=True).rows
    twin = leaderboard(random_world, choose(random_world, Request(measure="P@5", grader="rater", tau=2))).rows
    assert by_run(found, "reference") == pytest.approx(by_run(twin, "mean"))
    assert by_run(found, "reference_stderr") == pytest.approx(by_run(twin, "stderr"), nan_ok=True)


@pytest.fixture(scope="module")
def hand_made(tmp_path_factory):
    """Three runs that cover 1, 1/2 and 0 of two questions, printed with scores and errors of another measure."""
    answered = {"one": "ab", "two": "a"}
    printed = [("nDCG", "a", 2.0, 0.6, 0.06), ("nDCG", "b", 1.0, 0.8, 0.08), ("nDCG", "c", 3.0, 0.4, 0.04)]
    frames = {
        "questions": [question(name, "q") for name in answered],
        "grades": [("rater", name, "q", run, 5 * (run in runs)) for name, runs in answered.items() for run in "abc"],
        "rankings": [(run, "q", run, 1, 1, 1.0, False) for run in "abc"],
        "leaderboards": printed,
    }
    return store_of(tmp_path_factory.mktemp("hand"), frames)


def test_runs_stand_beside_the_first_reference_mapped_to_0_to_1_with_their_errors(hand_made):
    rows = residuals(hand_made, replace(cover(hand_made), reference="nDCG")).rows
    assert rows["run_id"].tolist() == ["b", "a", "c"]
    # reference 0.8, 0.6, 0.4 has the range 0.4; scores 0.5, 1, 0 have the range 1
    np.testing.assert_allclose(rows["reference"], [1, 0.5, 0])
    np.testing.assert_allclose(rows["reference_stderr"], [0.2, 0.15, 0.1])
    np.testing.assert_allclose(rows["residual"], [-0.5, 0.5, 0])
    np.testing.assert_allclose(rows["displacement"], [-1, 1, 0])
    assert residuals(hand_made, cover(hand_made)).reference == "nDCG"


@pytest.mark.parametrize("collection", ["car-y3-published", "dl19-published", "dl20-published"])
def test_residuals_of_every_printed_column_are_those_of_the_outliers(printed_store, collection):
    snapshot = printed_store.snapshot(collection)
    twins = figures_of(snapshot).outliers(Request())[0].rows
    for column, twin in twins.groupby("method"):
        found = residuals_of(figures_of(snapshot), column, Request()).rows
        assert by_run(found, "residual") == pytest.approx(by_run(twin, "score_displacement"), nan_ok=True)
        assert by_run(found, "displacement") == pytest.approx(by_run(twin, "rank_displacement"), nan_ok=True)
    assert len(twins) > 0


def test_two_printed_columns_of_one_measure_are_on_one_scale(printed_store):
    snapshot = printed_store.snapshot("car-y3-published")
    found = residuals_of(
        figures_of(snapshot), "tqa Cover@20 verified answers", Request(reference="genq Cover@20 tau=4"), raw=True
    )
    assert (found.identity, found.of_ranks) == (True, False)
    board = printed.board(snapshot, "tqa Cover@20 verified answers").rows.set_index("run_id")["mean"]
    other = printed.board(snapshot, "genq Cover@20 tau=4").rows.set_index("run_id")["mean"]
    pd.testing.assert_series_equal(
        found.rows.set_index("run_id")["residual"].sort_index(), (board - other).sort_index(), check_names=False
    )


def test_a_column_of_ranks_alone_has_a_note_and_one_that_is_not_printed_is_refused(printed_store):
    found = residuals_of(figures_of(printed_store.snapshot("car-y3-published")), "original EXAM", Request(), raw=True)
    assert "Only ranks are printed for original EXAM" in found.notes[-1]
    assert found.rows["score"].max() == -1
    with pytest.raises(UsageError, match=r"There is no printed column nonesuch\. There are: .*original EXAM"):
        residuals_of(figures_of(printed_store.snapshot("car-y3-published")), "nonesuch", Request())


def test_residuals_are_the_same(snapshot):
    computed, imported = computed_and_imported(snapshot, lambda *asked: residuals(*asked, raw=True))
    pd.testing.assert_frame_equal(
        imported.rows.drop(columns=["expected", "residual"]), computed.rows.drop(columns=["expected", "residual"])
    )

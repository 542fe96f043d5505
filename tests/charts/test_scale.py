"""Which runs the axis of a leaderboard leaves out, worked by hand."""

import math

import pandas as pd
import pytest

from exam_core.charts.chart_layout import Outside, ScoreAxis, scale_of

NAN = math.nan
GOOD = [0.80, 0.84, 0.88, 0.92, 0.96, 1.0]


def board(values, errors=0.0, unranked=()):
    names = [f"r{number}" for number in range(len(values))]
    rows = pd.DataFrame({"run_id": names, "normalised": values, "normalised_stderr": errors})
    reference = [NAN if number in unranked else number + 1.0 for number in range(len(values))]
    return rows.assign(mean=rows["normalised"] / 2, stderr=rows["normalised_stderr"] / 2, reference_rank=reference)


def scale(values, *, errors=0.0, unranked=(), holes=None, **options):
    frame = board(values, errors, unranked)
    lacking = None if holes is None else {"m": pd.Series(holes)}
    return scale_of({"m": frame}, list(frame["run_id"]), holes=lacking, **options)


def test_the_axis_holds_what_remains_with_its_errors_and_five_percent():
    actual = scale([*GOOD, 0.0], errors=[0.1, 0, 0, 0, 0, 0.1, 0.05])
    # 0.8 - 0.1 to 1.0 + 0.1, and 5% of 0.4 at each end
    assert actual.span == pytest.approx((0.68, 1.12))
    assert repr(actual.outside) == repr((Outside("m", "r6", 0.0, above=False, far=True),))


@pytest.mark.parametrize(
    ("values", "outside"),
    [
        ([*GOOD, 0.0], ["r6"]),
        ([0.1, 0.12, 0.14, 0.16, 0.2, 1.0], ["r5"]),  # far above
        ([*GOOD, 0.9, 0.91, 0.93, 0.1, 0.0], ["r9", "r10"]),  # two below one gap
        ([*GOOD, 0.95, 0.9, 0.85, 0.4, 0.0], []),  # 0.4 of 1 to the next: no gap is more than half
        ([0.0, 0.5, 1.0], []),  # exactly half
        ([0.0, 0.9, 1.0], []),  # one of three is more than a fifth
        ([0.9, 0.95, 1.0, 0.0, 0.05, 0.1], []),  # two groups
        ([*GOOD, 0.9, 0.9, 0.9, 0.3, -2.0], ["r9", "r10"]),  # a gap of 2.3, then one of 0.5 of the 0.7 that remain
        ([1.0, 1.0, 1.0, 1.0, 1.0, 0.0], []),  # the others have no range to look at
        ([0.5], []),
        ([], []),
        ([NAN, NAN], []),
    ],
)
def test_runs_beyond_a_gap_of_half_the_range_are_outside_unless_they_are_more_than_a_fifth(values, outside):
    actual = scale(values)
    assert sorted(one.run_id for one in actual.outside) == sorted(outside)
    assert (actual.span is None) == (not outside)


def test_a_run_without_rank_and_with_many_holes_is_outside_where_it_lies_beyond_the_others():
    runs = [*GOOD, 0.7, 0.9]
    holes = {"r6": 0.3, "r7": 0.3}
    actual = scale(runs, unranked=(6, 7), holes=holes)
    assert actual.outside == (Outside("m", "r6", 0.7, above=False, far=False, holes=0.3),)
    assert scale(runs, unranked=(7,), holes=holes).outside == ()  # the reference ranks it
    assert scale(runs, unranked=(6, 7), holes={"r6": 0.25}).outside == ()
    assert scale(runs, unranked=range(8), holes=holes).outside == ()  # no reference at all


def test_raw_scores_have_an_axis_of_their_own_and_ranks_none():
    assert scale([*GOOD, 0.0], view="raw").span == pytest.approx((0.395, 0.505))
    assert scale([*GOOD, 0.0], view="ranks") == ScoreAxis("ranks")


def test_series_share_the_axis_and_a_run_may_be_outside_by_one_alone():
    frames = {"m": board([*GOOD, 0.0]), "n": board([0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 0.75])}
    actual = scale_of(frames, list(frames["m"]["run_id"]))
    assert [(one.series, one.run_id) for one in actual.outside] == [("m", "r6")]
    assert actual.span == pytest.approx((0.475, 1.025))
    low = frames | {"n": board([0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 0.75])}
    assert scale_of(low, list(frames["m"]["run_id"])).span is None  # the other series needs the whole axis


def test_runs_that_are_not_shown_are_no_reason_to_cut_the_axis():
    frame = board([*GOOD, 0.0])
    assert scale_of({"m": frame}, [f"r{number}" for number in range(6)]) == ScoreAxis()


def test_the_label_of_a_run_has_its_number_or_those_of_the_series():
    outside = [
        Outside("m", "a", 0.001, False, True),
        Outside("n", "a", 0.12, False, True),
        Outside("m", "b", 7, True, True),
    ]
    labels = ScoreAxis(span=(1, 2), outside=tuple(outside)).labels()
    assert labels == [("a", False, "0.00 to 0.12"), ("b", True, "7.00")]

"""A leaderboard against its reference: points, line, residuals, and the runs that are named."""

import itertools

import numpy as np
import pandas as pd
import pytest

from exam_core.wings.comparing.residuals import NAMED, farthest, scatter_alternative, scatter_figure

RUNS = ["<b>up</b>", "down", "on the line"]

ROWS = pd.DataFrame(
    {
        "run_id": RUNS,
        "score": [0.9, 0.2, 0.5],
        "stderr": [0.1, 0.05, np.nan],
        "reference": [0.6, 0.8, 0.5],
        "reference_stderr": [0.02, np.nan, 0.01],
        "expected": [0.6, 0.8, 0.5],
        "residual": [0.3, -0.6, 0.0],
        "rank": [1.0, 3.0, 2.0],
        "reference_rank": [2.0, 1.0, 3.0],
        "displacement": [1.0, -2.0, 1.0],
    }
)

AXES = {"x": "official", "y": "Cover@20"}


def traces(figure, name, axis="y"):
    return [trace for trace in figure.data if trace.name == name and trace.yaxis == axis]


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([0.1, -0.5, 0.3], ["b", "c", "a"]),
        ([0, 0, 1e-12], []),
        ([9, 8, 7, 6, 5, 4, 3, 2], list("abcdef")),
        ([9, 8, 7, 6, 5, 4, 4, 2], list("abcde")),
        ([1, -1, 1, -1, 1, -1, 1, -1], list("abcdef")),
    ],
    ids=["by size", "nothing", "a few", "a tie at the end stays out", "all tied"],
)
def test_few_runs_are_farthest(sizes, expected):
    frame = pd.DataFrame({"run_id": list("abcdefgh")[: len(sizes)], "residual": [float(size) for size in sizes]})
    assert farthest(frame, "residual") == expected
    assert len(expected) <= NAMED


@pytest.mark.parametrize(("identity", "name"), [(True, "equal scores"), (False, "least-squares line")])
def test_the_line_goes_through_what_is_expected(identity, name):
    (line,) = traces(scatter_figure(ROWS, **AXES, identity=identity), name)
    assert (line.x.tolist(), line.y.tolist()) == ([0.5, 0.6, 0.8], [0.5, 0.6, 0.8])


def test_the_best_rank_of_a_reference_stands_on_the_right():
    ranked = ROWS.assign(reference=ROWS["reference_rank"])
    first, last = scatter_figure(ranked, **AXES, of_ranks=True).layout.xaxis.range
    assert first > 3 > 1 > last > 0


def test_names_of_neighbours_stand_at_different_heights():
    rows = pd.concat([ROWS.iloc[[0]]] * 4, ignore_index=True)
    rows = rows.assign(run_id=list("abcd"), reference=[0.1, 0.2, 0.3, 0.4], residual=[0.4, 0.3, 0.2, 0.1])
    heights = [note.ay for note in scatter_figure(rows, **AXES).layout.annotations]
    assert all(one != other for one, other in itertools.pairwise(heights))


@pytest.mark.parametrize(("of_ranks", "expected"), [(False, ["left", "right"]), (True, ["right", "left"])])
def test_names_at_the_edges_stay_inside(of_ranks, expected):
    rows = ROWS.assign(reference=[1.0, 9.0, 5.0])
    notes = scatter_figure(rows, **AXES, of_ranks=of_ranks).layout.annotations
    assert [note.xanchor for note in notes] == expected


def test_runs_without_scores_leave_the_chart_empty_but_drawn():
    flat = ROWS.assign(score=np.nan, expected=np.nan, residual=np.nan)
    figure = scatter_figure(flat, **AXES)
    assert [len(trace.x) for trace in figure.data if trace.customdata is not None] == [0, 0, 0, 0]
    assert scatter_alternative(flat, **AXES, identity=False).startswith("No line can be drawn")


def test_the_scatter_in_words_names_the_farthest_runs_with_their_residuals():
    assert scatter_alternative(ROWS, **AXES, identity=True) == (
        "Cover@20 of 3 runs against official. Farthest from the line of equal scores: down -0.600, <b>up</b> +0.300."
    )


def test_every_run_is_a_point_with_one_standard_error_around_it_and_its_residual_below():
    figure = scatter_figure(ROWS, **AXES)
    points = [
        (trace.customdata[place][0], trace.x[place], trace.y[place])
        for name in ("runs", "farthest from the line")
        for trace in traces(figure, name)
        for place in range(len(trace.x))
    ]
    assert sorted(points) == [("&lt;b&gt;up&lt;/b&gt;", 0.6, 0.9), ("down", 0.8, 0.2), ("on the line", 0.5, 0.5)]
    figure = scatter_figure(ROWS, **AXES)
    (trace,), (below,) = (traces(figure, "farthest from the line", axis) for axis in ("y", "y2"))
    np.testing.assert_equal([list(trace.error_y.array), list(trace.error_x.array)], [[0.1, 0.05], [0.02, np.nan]])
    assert (below.x.tolist(), below.y.tolist()) == ([0.6, 0.8], [0.3, -0.6])


def test_the_farthest_runs_are_named_letter_for_letter_and_hovering_tells_of_the_others():
    figure = scatter_figure(ROWS, **AXES)
    named = {note.text: note.ay - note.y for note in figure.layout.annotations}
    assert list(named) == ["&lt;b&gt;up&lt;/b&gt;", "down"]
    assert named["&lt;b&gt;up&lt;/b&gt;"] > 0 > named["down"]
    (trace,) = traces(scatter_figure(ROWS, **AXES), "runs")
    assert list(trace.customdata[0]) == ["on the line", "0.500", "0.500", "+0.000", "2", "3"]

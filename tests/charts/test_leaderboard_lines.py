"""Figure 2: a series for each method, error bars, and names that are not read as HTML."""

import pandas as pd
import pytest

from exam_core.charts.chart_layout import ScoreAxis, scale_of
from exam_core.charts.leaderboard_lines import leaderboard_alternative, leaderboard_figure

RAW = ScoreAxis("raw")
ORDER = ["alpha", "<b>beta</b> & co", "gamma"]


def rows(means, errors, names=ORDER):
    low, span = min(means), max(means) - min(means)
    frame = pd.DataFrame({"run_id": names, "mean": means, "stderr": errors})
    frame["normalised"] = (frame["mean"] - low) / span
    frame["normalised_stderr"] = frame["stderr"] / span
    frame["reference_rank"] = [1.0, 2.0, *[None] * (len(names) - 2)]
    return frame.assign(rank=frame["mean"].rank(ascending=False)).sort_values("rank", ignore_index=True)


BOARDS = {"Cover <i>": rows([0.2, 0.6, 0.4], [0.04, 0.1, 0.02]), "P": rows([0.5, 0.1, 0.3], [0.1, 0.2, 0.3])}


@pytest.fixture
def figure():
    return leaderboard_figure(BOARDS, ORDER)


def test_each_series_has_a_symbol_and_a_line_of_its_own_and_they_are_set_side_by_side_around_the_run(figure):
    assert [trace.name for trace in figure.data] == ["Cover &lt;i&gt;", "P"]
    looks = [(trace.marker.symbol, trace.line.dash, trace.offsetgroup) for trace in figure.data]
    assert ([len(set(look)) for look in zip(*looks, strict=True)], figure.layout.scattermode) == ([2] * 3, "group")


@pytest.mark.parametrize(
    ("raw", "scores", "errors"),
    [
        # range 0.6 - 0.2 = 0.4
        (False, [0, 1, 0.5], [0.1, 0.25, 0.05]),
        (True, [0.2, 0.6, 0.4], [0.04, 0.1, 0.02]),
    ],
    ids=["re-normalised", "raw"],
)
def test_scores_and_errors_stand_in_the_given_order(raw, scores, errors):
    trace = leaderboard_figure(BOARDS, ORDER, scale=RAW if raw else ScoreAxis()).data[0]
    assert (list(trace.y), list(trace.error_y.array)) == (pytest.approx(scores), pytest.approx(errors))


def test_run_names_on_the_axis_are_not_read_as_html(figure):
    expected = ("alpha", "&lt;b&gt;beta&lt;/b&gt; &amp; co", "gamma")
    assert (figure.layout.xaxis.categoryarray, figure.data[0].x) == (expected, expected)


def test_runs_named_by_numbers_stay_names():
    rows = {"one": BOARDS["P"].assign(run_id=["2", "1", "10"])}
    figure = leaderboard_figure(rows, ["1", "2", "10"])
    assert (figure.layout.xaxis.type, figure.data[0].x) == ("category", ("1", "2", "10"))


def test_a_point_carries_the_name_to_show_the_rank_and_the_run(figure):
    assert [list(details) for details in figure.data[1].customdata] == [
        ["alpha", "1", "alpha"],
        ["&lt;b&gt;beta&lt;/b&gt; &amp; co", "3", "<b>beta</b> & co"],
        ["gamma", "2", "gamma"],
    ]


def test_a_long_series_name_is_broken_into_lines():
    name = leaderboard_figure({"x" * 85: BOARDS["P"]}, ORDER).data[0].name
    assert name == "<br>".join(("x" * 40, "x" * 40, "x" * 5))


def test_scores_without_errors_have_no_bars():
    bare = {"printed": BOARDS["P"].assign(stderr=float("nan"), normalised_stderr=float("nan"))}
    figure = leaderboard_figure(bare, ORDER, scale=RAW)
    assert (figure.data[0].error_y.visible, "±" in figure.data[0].hovertemplate) == (False, False)
    assert figure.layout.yaxis.title.text == "score"


def test_a_run_that_a_series_lacks_leaves_a_gap_and_no_series_an_empty_figure():
    board = {"one": BOARDS["P"].query("run_id != 'gamma'")}
    assert pd.isna(leaderboard_figure(board, ORDER, scale=RAW).data[0].y[2])
    assert leaderboard_figure({}, []).data == ()


@pytest.mark.parametrize(
    ("boards", "reference", "words", "lines"),
    [
        # alpha at 0 and beta at 1 are ranked, gamma at 2 is not
        (BOARDS, "<i>", ["not ranked by &lt;i&gt;"], [1.5]),
        (BOARDS, None, [], []),
        ({name: board.assign(reference_rank=1.0) for name, board in BOARDS.items()}, "official", [], []),
    ],
    ids=["reference", "none", "all ranked"],
)
def test_runs_that_the_reference_does_not_rank_are_set_off_by_a_line_before_the_first(boards, reference, words, lines):
    layout = leaderboard_figure(boards, ORDER, reference=reference).layout
    assert ([note.text for note in layout.annotations], [line.x0 for line in layout.shapes]) == (words, lines)


@pytest.mark.parametrize(
    ("reference", "words"), [("official", "in the order of the official ranking"), (None, "sorted by the first")]
)
def test_the_chart_in_words_names_the_order_and_the_best_run(reference, words):
    expected = (
        f"Scores with standard errors of 3 runs by 2 grading modes, {words}. "
        "Cover <i>: best is <b>beta</b> & co; P: best is alpha."
    )
    assert leaderboard_alternative(BOARDS, ORDER, reference) == expected


def test_one_series_has_points_and_several_have_lines_that_end_before_runs_without_rank():
    alone = leaderboard_figure({"P": BOARDS["P"]}, ORDER, reference="official").data[0]
    first = leaderboard_figure(BOARDS, ORDER, reference="official").data[0]
    assert (alone.mode, first.mode) == ("markers", "markers+lines")
    assert first.x == ("alpha", "&lt;b&gt;beta&lt;/b&gt; &amp; co", None, "gamma")


def test_a_run_beyond_the_axis_is_a_triangle_at_its_end_with_name_and_number():
    names = [f"r{number}" for number in range(7)]
    boards = {"P": rows([0.8, 0.84, 0.88, 0.92, 0.96, 1.0, 0.0], [0.0] * 7, names)}
    scale = scale_of(boards, names)
    drawn = leaderboard_figure(boards, names, scale=scale, ringed="r6")
    trace = drawn.data[0]
    assert (trace.marker.symbol[-1], trace.marker.symbol[0], trace.text[-1]) == ("triangle-down", "circle", "0.000")
    assert drawn.layout.yaxis.range[0] < trace.y[-1] < scale.span[0] < trace.y[0]
    assert [note.text for note in drawn.layout.annotations] == ["r6 0.00"]
    assert leaderboard_alternative(boards, names, None, scale).endswith("Beyond the axis: r6 0.000 (P).")


def test_ranks_have_their_intervals_and_the_best_is_on_top():
    standing = {"P": BOARDS["P"].assign(rank_low=[1, 1, 2], rank_high=[2.5, 3, 3])}
    drawn = leaderboard_figure(standing, ORDER, scale=ScoreAxis("ranks"))
    trace, place = drawn.data[0], ORDER.index("alpha")
    assert (trace.y[place], trace.error_y.array[place], trace.error_y.arrayminus[place]) == (1, 1.5, 0)
    assert drawn.layout.yaxis.range == (3.7, 0.3)
    words = leaderboard_alternative(standing, ORDER, None, ScoreAxis("ranks"))
    assert words.endswith("Half of the intervals are this wide: P, at least 1.5 ranks.")


def test_of_many_series_the_legend_names_the_one_that_stands_out_and_counts_the_others():
    boards = dict.fromkeys("abcde", BOARDS["P"])
    figure = leaderboard_figure(boards, ORDER, highlighted="b", ringed=ORDER[0])
    named = [trace for trace in figure.data if trace.showlegend is not False]
    assert [trace.name for trace in named] == ["b", "4 others in grey (hover for names)"]
    # A click on that line hides all that it stands for.
    assert [trace.name for trace in figure.data if trace.legendgroup == named[1].legendgroup][:4] == list("acde")


@pytest.mark.parametrize("means", [[1.0, 1.0, 1.0], [1.0, 0.95, 0.05]])
def test_neither_the_axis_of_scores_nor_a_bar_leaves_the_range_of_the_measure_and_hovering_tells_the_whole_error(means):
    board = rows([0.9, 0.5, 0.1], [0.1, 0.1, 0.1]).assign(mean=means)
    scale = scale_of({"P": board}, ORDER, "raw", bounds=[(0, 1)])
    figure = leaderboard_figure({"P": board}, ORDER, scale=scale)
    assert (figure.layout.yaxis.minallowed, figure.layout.yaxis.maxallowed) == (0, 1)
    [trace] = figure.data
    assert max(trace.y + trace.error_y.array) <= 1
    assert min(trace.y - trace.error_y.arrayminus) >= 0
    assert set(trace.hovertext) == {" ± 0.100"}


def test_of_several_measures_the_widest_range_holds_and_re_normalised_scores_have_none():
    bounds = [(0, 1), (float("-inf"), 1)]
    axes = [leaderboard_figure(BOARDS, ORDER, scale=scale_of(BOARDS, ORDER, view, bounds=bounds)).layout.yaxis
            for view in ("raw", "re-normalised")]  # fmt: skip
    assert [(axis.minallowed, axis.maxallowed) for axis in axes] == [(None, 1), (None, None)]

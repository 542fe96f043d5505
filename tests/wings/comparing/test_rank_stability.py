"""Charts of stability: what is undefined is a gap, and each chart has its words."""

import math

import pandas as pd
import pytest

from exam_core.charts.chart_layout import beginning
from exam_core.wings.comparing.stability_charts import (
    curve_alternative,
    curve_figure,
    ranks_alternative,
    ranks_figure,
    swaps_alternative,
    swaps_figure,
)

NAN = math.nan

RANKS = pd.DataFrame(
    {
        "run_id": ["<b>one", "two", "none"],
        "rank": [1.0, 2.0, NAN],
        "rank_low": [1.0, 1.5, NAN],
        "rank_median": [1.0, 2.0, NAN],
        "rank_high": [1.5, 3.0, NAN],
        "first": [0.75, 0.25, NAN],
    }
)

CURVE = pd.DataFrame(
    {
        "against": ["official", "official", "leaderboard", "leaderboard"],
        "size": [1, 2, 1, 2],
        "kendall": [NAN, 0.5, 0.25, 1.0],
        "kendall_low": [NAN, 0.4, 0.1, 1.0],
        "kendall_high": [NAN, 0.6, 0.5, 1.0],
        "spearman": [0.1, 0.6, 0.3, 1.0],
        "spearman_low": [0.0, 0.5, 0.2, 1.0],
        "spearman_high": [0.2, 0.7, 0.4, 1.0],
    }
)

SWAPS = pd.DataFrame(
    {
        "low": [0.0, 0.02, 0.04],
        "high": [0.02, 0.04, 0.06],
        "pairs": [5, 3, 2],
        "swaps": [2, 1, 0],
        "tied_once": [1, 0, 0],
    }
)


def test_intervals_of_ranks_are_lines_with_gaps_between_them_above_names_letter_for_letter():
    figure = ranks_figure(RANKS)
    assert list(figure.data[0].y[:6]) == [1.0, 1.5, None, 1.5, 3.0, None]
    assert figure.layout.xaxis.categoryarray == ("&lt;b&gt;one", "two", "none")


SWAPPED = "3 of 10 pairs of runs are swapped; none of those whose scores in x are 0.04 or more apart."

WORDS = {
    "ranks": (
        ranks_alternative,
        (RANKS,),
        "Ranks of 2 runs over the resamplings. <b>one is first, alone or tied, in 75% of resamplings; typical 95% rank "
        "interval: 1 place wide.",
    ),
    "no ranks": (ranks_alternative, (RANKS.tail(1),), "No run has a rank."),
    "curves": (
        curve_alternative,
        (CURVE, "queries"),
        "Kendall's tau-b with the official ranking: undefined with 1, 0.500 with 2 queries. "
        "Kendall's tau-b with the leaderboard of all: 0.250 with 1, 1.000 with 2 queries.",
    ),
    "swaps": (swaps_alternative, (SWAPS, "x"), SWAPPED),
    "no swaps": (swaps_alternative, (SWAPS.tail(1), "x"), "0 of 2 pairs of runs are swapped."),
}


@pytest.mark.parametrize(("alternative", "of", "words"), WORDS.values(), ids=WORDS)
def test_each_chart_has_its_words(alternative, of, words):
    assert alternative(*of) == words


def test_each_comparison_has_a_curve_and_a_band_that_leaves_out_what_is_undefined():
    figure = curve_figure(CURVE, "queries")
    assert [trace.fill for trace in figure.data] == ["toself", None, "toself", None]
    titles = [one.text for one in curve_figure(CURVE.replace("official", "<b>"), "queries").layout.annotations]
    assert titles == ["with &lt;b&gt;", "with the leaderboard of all"]
    assert (list(figure.data[0].x), list(figure.data[3].y)) == ([2, 2], [0.25, 1.0])
    assert list(curve_figure(CURVE, "bank-size", "spearman").data[1].y) == [0.1, 0.6]
    lines = [trace for trace in figure.data if trace.fill is None]
    assert (lines[0].line.dash, lines[0].marker.symbol) != (lines[1].line.dash, lines[1].marker.symbol)


def test_the_bars_of_a_bin_add_up_to_its_pairs_and_are_told_apart_by_their_patterns():
    bars = swaps_figure(SWAPS, "official").data
    assert [sum(parts) for parts in zip(*(trace.y for trace in bars), strict=True)] == [5, 3, 2]
    assert len({trace.marker.pattern.shape for trace in bars}) == 3


@pytest.mark.parametrize(
    ("text", "expected"), [("a\n b", "a b"), (None, ""), ("abcdefgh", "ab..."), ("abcde", "abcde")]
)
def test_the_beginning_of_a_text_fits_a_line(text, expected):
    assert beginning(text, 5) == expected

"""Ranks side by side, drawn from tables."""

from itertools import pairwise

import pandas as pd
import pytest

from exam_core.wings.comparing.two_boards import ranks_alternative, ranks_figure

RANKS = pd.DataFrame(
    {
        "run_id": ["<i>up</i>", "down", "tied one", "tied two"],
        "rank_a": [4.0, 1.0, 2.5, 2.5],
        "rank_b": [1.0, 4.0, 2.5, 2.5],
        "mean_a": [0.1, 0.4, 0.2, 0.2],
        "mean_b": [0.9, 0.6, 0.7, 0.7],
    }
).assign(displacement=lambda rows: rows["rank_a"] - rows["rank_b"])


@pytest.fixture
def ranks():
    return ranks_figure(RANKS)


def test_each_way_to_move_has_its_own_line_and_symbol_and_both_sides_name_their_runs(ranks):
    drawn = [trace for trace in ranks.data if trace.name]
    assert [trace.name for trace in drawn] == ["same rank", "higher in B", "lower in B"]
    assert len({(trace.line.dash, trace.marker.symbol) for trace in drawn}) == 3
    assert drawn[0].line.width < min(trace.line.width for trace in drawn[1:])
    named = [ranks.layout.yaxis.ticktext, ranks.layout.yaxis2.ticktext]
    assert named[0] == ("down", "tied one + 1", "&lt;i&gt;up&lt;/i&gt;") == named[1][::-1]


def test_many_runs_have_a_bounded_height_and_name_those_that_move_farthest():
    places = [float(place) for place in range(1, 152)]
    many = pd.DataFrame({"run_id": [f"run {place:g}" for place in places], "rank_a": places, "rank_b": places})
    many.loc[[0, 75], "rank_b"] = [76.0, 1.0]
    many = many.assign(displacement=many["rank_a"] - many["rank_b"], mean_a=0.1, mean_b=0.2)
    layout = ranks_figure(many).layout
    assert layout.height == 850
    assert {"run 1", "run 76"} < set(layout.yaxis.ticktext) & set(layout.yaxis2.ticktext)
    assert min(b - a for a, b in pairwise(layout.yaxis.tickvals)) * 760 / 151 >= 14


@pytest.mark.parametrize(("kind", "ends"), [(0, (2.5, 2.5, None) * 2), (1, (4, 1, None)), (2, (1, 4, None))])
def test_a_line_joins_the_ranks_of_a_run(ranks, kind, ends):
    assert ranks.data[kind].y == ends


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (
            RANKS,
            "Ranks of 4 runs by one and by two: 2 runs change rank. Farthest apart is <i>up</i>: rank 4 on A, 1 on B.",
        ),
        (RANKS.head(0), "No run is on both leaderboards."),
    ],
    ids=["runs", "none"],
)
def test_the_ranks_are_drawn_and_the_farthest_run_is_named_in_words(rows, words):
    assert ranks_alternative(rows, "one", "two") == words
    assert ranks_figure(rows).to_json()


def test_a_run_far_down_is_on_the_axis_also_where_the_runs_before_it_are_not_shown():
    layout = ranks_figure(RANKS.tail(1).assign(rank_a=9.0, rank_b=12.0)).layout
    assert layout.yaxis.range[0] > 12

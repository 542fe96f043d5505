"""Matrices whose cells can be clicked, kappas by cut and by query: what they show, and what they leave open."""

import numpy as np
import pandas as pd
import pytest

from exam_core.analysis.agreement_matrices import (
    counts_figure,
    kappa_alternative,
    kappa_figure,
    per_query_alternative,
    per_query_figure,
)

CELLS = pd.DataFrame(
    {
        "label": ["1", "1", "0", "0"],
        "relevance": ["<b>yes</b>", "no", "<b>yes</b>", "no"],
        "n": [1200, 3, 5, 7],
        "of_label": [1200 / 1203, 3 / 1203, 5 / 12, 7 / 12],
        "of_relevance": [1200 / 1205, 0.3, 5 / 1205, 0.7],
        "name": ["tp", "fp", "fn", "tn"],
    }
)
GRID = pd.DataFrame(
    [(tau, cut, rank, 0.1 * tau + 0.01 * cut, 0.0, 0.5, 10) for rank in (1, 2) for cut in (1, 2) for tau in (1, 2)],
    columns=["tau", "relevant_from", "label_rank", "kappa", "kappa_low", "kappa_high", "n"],
).astype({"label_rank": "Int64"})
QUERIES = pd.DataFrame({"query_id": ["a", "<i>b</i>", "c"], "n": [4, 5, 6], "kappa": [0.5, -0.1, np.nan]})


def texts(figure):
    return [note.text for note in figure.layout.annotations]


def test_a_matrix_shows_every_count_and_every_sum():
    figure = counts_figure(CELLS)
    assert figure.data[0].text == (["1,200", "3"], ["5", "7"])
    assert texts(figure) == ["1,203", "12", "1,205", "10", "1,215"]


def test_a_cell_says_which_it_is_over_its_whole_width():
    (cells,) = counts_figure(CELLS).data
    assert [[said[0] for said in row] for row in cells.customdata] == [["tp", "fp"], ["fn", "tn"]]
    assert (cells.type, cells.x, cells.hoverinfo) == ("heatmap", None, None)  # each from half to half, none skipped


def test_the_chosen_cell_has_a_frame_around_all_of_it():
    (frame,) = counts_figure(CELLS, choice="fn").layout.shapes
    assert (frame.type, frame.x0, frame.x1, frame.y0, frame.y1) == ("rect", -0.5, 0.5, 0.5, 1.5)


def test_the_first_row_stands_on_top_and_names_are_shown_letter_for_letter():
    figure = counts_figure(CELLS)
    assert figure.layout.yaxis.range == (2.5, -0.5)
    assert figure.layout.xaxis.ticktext == ("&lt;b&gt;yes&lt;/b&gt;", "no", "all")


def test_lines_are_drawn_behind_what_counts_as_relevant():
    shapes = counts_figure(CELLS, cuts=(1, 1)).layout.shapes
    assert [(shape.y0, shape.x0) for shape in shapes] == [(0.5, 0), (0, 0.5)]
    assert not counts_figure(CELLS).layout.shapes


@pytest.mark.parametrize(("tau", "frames"), [(2, [((2,), (1,), "y2")]), (5, [])], ids=["there", "not there"])
def test_the_chosen_cut_is_framed_in_its_own_panel_only(tau, frames):
    drawn = [
        trace for trace in kappa_figure(GRID, tau=tau, relevant_from=1, label_rank=2).data if trace.type == "scatter"
    ]
    assert [(frame.x, frame.y, frame.yaxis) for frame in drawn] == frames


def test_an_undefined_kappa_is_a_dash_and_a_gap():
    figure = kappa_figure(GRID.assign(kappa=[np.nan, *GRID["kappa"][1:]]))
    assert "-" in texts(figure)
    assert np.isnan(figure.data[0].z[0])


def test_an_undefined_kappa_of_a_query_is_a_gap_at_the_end():
    figure = per_query_figure(QUERIES, 0.2, (0.1, 0.3))
    (trace,) = figure.data
    np.testing.assert_array_equal(trace.y, [-0.1, 0.5, np.nan])
    assert trace.x == ("&lt;i&gt;b&lt;/i&gt;", "a", "c")


@pytest.mark.parametrize(("interval", "shapes"), [((0.1, 0.3), 2), (None, 1)])
def test_the_interval_of_all_together_is_a_band_where_there_is_one(interval, shapes):
    assert len(per_query_figure(QUERIES, 0.2, interval).layout.shapes) == shapes


@pytest.mark.parametrize(
    ("alternative", "of", "words"),
    [
        (
            kappa_alternative,
            (GRID,),
            "Cohen's kappa at 8 pairs of tau and threshold. The largest is 0.220 at tau 2, judgment >= 2, label rank "
            "1; the smallest is 0.110 at tau 1, judgment >= 1, label rank 1.",
        ),
        (
            per_query_alternative,
            (QUERIES, 0.2),
            "Cohen's kappa of 2 of 3 queries, from -0.100 (<i>b</i>) to 0.500 (a); all together 0.200.",
        ),
        (kappa_alternative, (GRID.assign(kappa=np.nan),), "Kappa is undefined at every tau and threshold."),
        (per_query_alternative, (QUERIES.assign(kappa=np.nan), np.nan), "Kappa is undefined for every query."),
    ],
    ids=["cuts", "queries", "undefined cuts", "undefined queries"],
)
def test_the_kappas_are_told_in_words(alternative, of, words):
    assert alternative(*of) == words

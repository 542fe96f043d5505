"""Strips of colours for many series: values in their cells, recommended taus framed, flagged runs marked."""

import numpy as np
import pandas as pd

from exam_core.charts.strips import displacement_strips, tau_strips
from exam_core.charts.tau_curves import cutoffs_figure
from tests.charts.test_displacement_charts import METHODS, ROWS
from tests.charts.test_tau_curves import FULL, rows

SERIES = {"<i>a": FULL, "b": rows(kendall=[0.1, 0.2, 0.3])[:2]}


def test_a_strip_has_the_correlation_at_each_tau_and_a_gap_where_there_is_none():
    heat, frames = tau_strips(SERIES, coefficient="kendall").data
    np.testing.assert_equal(np.array(heat.z), [[0.5, np.nan, 0.7], [0.1, 0.2, np.nan]])
    assert (list(frames.x), list(frames.y)) == ([3], [0])


def test_a_run_has_a_strip_of_its_displacements_with_numbers_and_diamonds_where_it_is_flagged():
    heat, diamonds = displacement_strips(ROWS, METHODS, "official").data
    np.testing.assert_equal(np.array(heat.z), [[4.0, 3.0], [np.nan, 0.0], [-3.0, np.nan]])
    assert [list(line) for line in heat.text] == [["+4", "+3"], ["", "0"], ["-3", ""]]
    assert (len(diamonds.x), list(diamonds.y)) == (1, [0])
    assert heat.customdata[0][0][-2:] == ["<b>up", "m1"]


def test_the_series_that_stands_out_has_colour_band_and_name_and_the_others_neither():
    figure = cutoffs_figure({"a": FULL, "b": FULL}, highlighted="b")
    assert [trace.name for trace in figure.data if trace.showlegend] == ["b", "recommended"]
    assert sum(trace.fill == "toself" for trace in figure.data) == 2
    assert "b" in [note.text for note in figure.layout.annotations]
    greys = {trace.line.color for trace in figure.data if trace.name == "a"}
    assert len(greys) == 1
    assert not greys & {trace.line.color for trace in figure.data if trace.name == "b"}


def test_strips_name_series_letter_for_letter_and_their_axis_the_measure_and_can_be_empty():
    layout = tau_strips(SERIES, coefficient="kendall", measured="P@20").layout
    assert layout.yaxis.ticktext == ("&lt;i&gt;a", "b")
    assert layout.xaxis.title.text.replace("<br>", " ") == "tau; colour and number: Kendall's tau-b of P@20"
    assert displacement_strips(pd.DataFrame(columns=ROWS.columns), METHODS, "official").to_json()

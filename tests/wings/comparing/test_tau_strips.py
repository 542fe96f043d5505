"""A strip for each grading mode, and one that stands out among curves."""

import numpy as np

from exam_core.wings.comparing.cutoff_charts import cutoffs_figure, tau_strips
from tests.wings.comparing.test_tau_curves import FULL, rows

SERIES = {"<i>a": FULL, "b": rows(kendall=[0.1, 0.2, 0.3])[:2]}


def test_a_strip_has_the_correlation_at_each_tau_and_a_gap_where_there_is_none():
    heat, frames = tau_strips(SERIES, coefficient="kendall").data
    np.testing.assert_equal(np.array(heat.z), [[0.5, np.nan, 0.7], [0.1, 0.2, np.nan]])
    assert (list(frames.x), list(frames.y)) == ([3], [0])


def test_the_series_that_stands_out_has_colour_band_and_name_and_the_others_neither():
    figure = cutoffs_figure({"a": FULL, "b": FULL}, highlighted="b")
    assert [trace.name for trace in figure.data if trace.showlegend] == ["b", "recommended"]
    assert sum(trace.fill == "toself" for trace in figure.data) == 2
    assert "b" in [note.text for note in figure.layout.annotations]
    greys = {trace.line.color for trace in figure.data if trace.name == "a"}
    assert len(greys) == 1
    assert not greys & {trace.line.color for trace in figure.data if trace.name == "b"}


def test_strips_name_series_letter_for_letter_and_their_axis_the_measure():
    layout = tau_strips(SERIES, coefficient="kendall", measured="P@20").layout
    assert layout.yaxis.ticktext == ("&lt;i&gt;a", "b")
    assert layout.xaxis.title.text.replace("<br>", " ") == "tau; colour and number: Kendall's tau-b of P@20"

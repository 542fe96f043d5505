"""The chart of tagged runs: a point and an interval for each method that has a score."""

import numpy as np
import pandas as pd

from exam_core.wings.trust.circularity import circularity_alternative, circularity_figure

ROWS = pd.DataFrame(
    [("a", "Cover", 0.02, 0.01, 0.04), ("a", "all", np.nan, np.nan, np.nan), ("<i>b</i>", "Cover", -0.1, -0.2, 0.0)],
    columns=["tag", "method", "score_displacement", "score_low", "score_high"],
)


def test_each_tag_has_its_displacement_and_interval():
    first, second = circularity_figure(ROWS, "official").data
    assert (list(first.x), first.name, second.name) == ([0.02], "a", "&lt;i&gt;b&lt;/i&gt;")
    np.testing.assert_allclose([first.error_x.array[0], first.error_x.arrayminus[0]], [0.02, 0.01])


def test_what_has_no_score_is_left_out_of_the_chart_and_its_words():
    assert circularity_figure(ROWS, "official").layout.yaxis.ticktext == ("Cover",)
    assert circularity_alternative(ROWS, "official").endswith("a by Cover +0.020; <i>b</i> by Cover -0.100.")
    assert circularity_alternative(ROWS.iloc[[1]], "official").endswith("undefined.")

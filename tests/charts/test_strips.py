"""Strips of colours for many methods: values in their cells, flagged runs marked."""

import numpy as np

from exam_core.charts.strips import displacement_strips
from tests.charts.test_displacement_charts import METHODS, ROWS


def test_a_run_has_a_strip_of_its_displacements_with_numbers_and_diamonds_where_it_is_flagged():
    heat, diamonds = displacement_strips(ROWS, METHODS, "official").data
    np.testing.assert_equal(np.array(heat.z), [[4.0, 3.0], [np.nan, 0.0], [-3.0, np.nan]])
    assert [list(line) for line in heat.text] == [["+4", "+3"], ["", "0"], ["-3", ""]]
    assert (len(diamonds.x), list(diamonds.y)) == (1, [0])
    assert heat.customdata[0][0][-2:] == ["<b>up", "m1"]


def test_strips_can_be_empty():
    assert displacement_strips(ROWS[:0], METHODS, "official").to_json()

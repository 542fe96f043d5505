"""Colours that stay with their series: legible on both grounds, and never the only cue."""

import itertools
import tomllib
from pathlib import Path

import pytest

from exam_core.charts.chart_layout import SERIES, colour, dash

THEME = tomllib.loads((Path(__file__).parents[2] / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
LEAST_CONTRAST = 3
"""Of graphical objects: WCAG 2.1, criterion 1.4.11."""


def luminance(colour):
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first, second):
    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("ground", ["light", "dark"])
@pytest.mark.parametrize("series", SERIES)
def test_every_colour_is_legible_on_the_grounds_of_the_theme(series, ground):
    assert contrast(series, THEME[ground]["backgroundColor"]) >= LEAST_CONTRAST


def test_neighbours_differ_in_colour_and_in_dash():
    looks = [(colour(place), dash(place)) for place in range(40)]
    assert all(one != other and two != another for (one, two), (other, another) in itertools.pairwise(looks))

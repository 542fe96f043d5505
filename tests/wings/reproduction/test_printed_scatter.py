"""The figure of printed against ours: every score where it belongs, counts and undefined left out."""

import pandas as pd
import pytest

from exam_core.wings.reproduction.slides import reproduction_alternative, reproduction_figure, scores_of, share_drawn

VERDICTS = ("equal", "otherwise", "differs", "undefined")
ROWS = pd.DataFrame(
    {
        "figure": ["Cover of a", "Cover of <b>", "count", "tau"],
        "printed": ["0.700", "0.500", "1627", "0.54"],
        "ours": [0.7, 0.8, 1627.0, float("nan")],
        "verdict": ["equal", "differs", "equal", "undefined"],
    }
)


@pytest.fixture
def figure():
    return reproduction_figure(ROWS, VERDICTS, 0.005)


@pytest.mark.parametrize(("verdict", "point"), [("equal", (2, 0.0)), ("differs", (1, 0.3))])
def test_the_largest_difference_stands_first(figure, verdict, point):
    (trace,) = [trace for trace in figure.data if (trace.name or "").startswith(verdict)]
    assert (*trace.x, *trace.y) == pytest.approx(point)


def test_a_large_difference_has_its_name_beside_it(figure):
    assert [one.text for one in figure.layout.annotations] == ["Cover of &lt;b&gt;"]


def test_each_verdict_has_a_symbol_of_its_own(figure):
    symbols = [trace.marker.symbol for trace in figure.data if trace.mode == "markers"]
    assert len(set(symbols)) == len(VERDICTS)


def test_a_verdict_without_figures_is_not_in_the_legend(figure):
    assert [trace.showlegend for trace in figure.data] == [True, False, True, False]


def test_counts_and_undefined_figures_are_left_out_and_names_are_no_markup(figure):
    assert scores_of(ROWS)["figure"].tolist() == ["Cover of a", "Cover of <b>"]
    assert [row[0] for trace in figure.data for row in trace.customdata] == ["Cover of a", "Cover of &lt;b&gt;"]


def test_the_legend_counts_all_figures_of_a_verdict_and_says_how_many_are_drawn(figure):
    assert [trace.name for trace in figure.data[:3]] == ["equal (2, 1 drawn)", "otherwise (0)", "differs (1)"]
    assert share_drawn(ROWS) == (
        "2 of 4 figures are drawn: 1 is a count, whose differences have another unit, and 1 is undefined here. "
        "All stand in the table."
    )


def test_the_words_name_what_is_farthest_apart():
    said = reproduction_alternative(scores_of(ROWS))
    assert "1 equal, 1 differs" in said
    assert "Cover of <b>, printed 0.500, ours 0.800" in said

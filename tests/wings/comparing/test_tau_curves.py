"""Charts and a table over tau: values where they belong, gaps, bands, marks, and names that are not read as HTML."""

import numpy as np
import pandas as pd
import pytest

from exam_core.wings.comparing.cutoff_charts import (
    cutoffs_alternative,
    cutoffs_figure,
    multiples_alternative,
    multiples_figure,
)
from exam_core.wings.comparing.cutoffs import CUTOFFS, SERIES_CUTOFFS, Cutoffs, cutoffs_table, typed_rows

TAUS = [1, 2, 3]

NAMED = "<b>mode</b> & co"


def rows(**columns):
    """Rows of three taus; what is not given is undefined."""
    names = ["kendall", "spearman", "tau_ap", "stderr", "separable_bars", "separable_t", "kappa"]
    names += [f"{name}_{end}" for name in ("kendall", "spearman", "tau_ap", "kappa") for end in ("low", "high")]
    frame = pd.DataFrame(np.nan, index=range(3), columns=names).assign(tau=TAUS, recommended=False)
    return frame.assign(**columns)


FULL = rows(
    kendall=[0.5, np.nan, 0.7],
    kendall_low=[0.4, np.nan, 0.6],
    kendall_high=[0.6, np.nan, 0.8],
    stderr=[0.03, 0.04, 0.05],
    separable_bars=[0.3, 0.2, 0.1],
    separable_t=[0.2, 0.1, 0.0],
    kappa=[0.1, 0.3, 0.2],
    kappa_low=[0.0, 0.2, 0.1],
    kappa_high=[0.2, 0.4, 0.3],
    recommended=[False, False, True],
)


@pytest.fixture
def figure():
    return cutoffs_figure({NAMED: FULL, "other": rows(stderr=[0.01, 0.02, 0.03])}, tau=2)


def lines(figure, name):
    """The lines of a series: those that can be hovered."""
    return [trace for trace in figure.data if trace.name == name and trace.mode == "lines+markers"]


def titles(figure):
    return [axis.title.text for axis in figure.select_yaxes()]


def test_the_correlation_that_is_asked_for_is_shown():
    figure = cutoffs_figure({"one": rows(spearman=[0.1, 0.2, 0.3])}, coefficient="spearman")
    assert titles(figure) == ["Spearman's rho"]
    assert lines(figure, "one")[0].y.tolist() == [0.1, 0.2, 0.3]


def test_no_name_is_read_as_a_template():
    figure = cutoffs_figure({"%{y}": FULL})
    assert all("%{y}<br>" not in (trace.hovertemplate or "") for trace in figure.data)


@pytest.mark.parametrize(("tau", "lines_at"), [(2, [2]), (5, []), (None, [])], ids=["used", "not reached", "none"])
def test_the_tau_in_use_has_a_line_in_every_panel(tau, lines_at):
    figure = cutoffs_figure({"one": FULL}, tau=tau)
    assert [shape.x0 for shape in figure.layout.shapes] == lines_at * 4


def test_the_chart_in_words_has_every_defined_value_and_the_recommendation():
    words = cutoffs_alternative({"mode": FULL})
    assert "mode, Kendall's tau-b: 0.500 at tau 1, 0.700 at tau 3." in words
    assert "mode, separable pairs: 30% at tau 1, 20% at tau 2, 10% at tau 3." in words
    assert words.endswith("mode: tau 3 is recommended.")


def test_without_values_nothing_is_drawn_and_the_words_say_so():
    assert (len(cutoffs_figure({}).data), cutoffs_alternative({"mode": rows()})) == (0, "No tau has a value.")


SWEPT = pd.DataFrame(
    [
        ("one", "P@20", 1, 0.5),
        ("one", "P@20", 2, 0.8),
        ("one", "<i>", 1, np.nan),
        ("one", "<i>", 2, np.nan),
        ("two", "P@20", 1, 0.2),
        ("two", "<i>", 1, -0.4),
    ],
    columns=["series", "measure", "tau", "kendall"],
)


@pytest.fixture
def multiples():
    return multiples_figure(SWEPT, ["P@20", "<i>"], coefficient="kendall")


def test_one_series_needs_no_legend():
    alone = SWEPT[SWEPT["series"] == "two"]
    (trace,) = multiples_figure(alone, ["P@20"], coefficient="kendall").data
    assert trace.showlegend is False


def test_small_panels_in_words_name_the_best_tau_of_each_measure():
    assert multiples_alternative(SWEPT, ["P@20", "<i>"], coefficient="kendall") == (
        "Kendall's tau-b by measure and tau. one, P@20: best 0.800 at tau 2, least 0.500. one, <i>: undefined. "
        "two, P@20: best 0.200 at tau 1, least 0.200. two, <i>: best -0.400 at tau 1, least -0.400."
    )


def test_the_series_that_stands_out_has_colour_band_and_name_and_the_others_neither():
    figure = cutoffs_figure({"a": FULL, "b": FULL}, highlighted="b")
    assert [trace.name for trace in figure.data if trace.showlegend] == ["b", "recommended"]
    assert sum(trace.fill == "toself" for trace in figure.data) == 2
    assert "b" in [note.text for note in figure.layout.annotations]
    greys = {trace.line.color for trace in figure.data if trace.name == "a"}
    assert len(greys) == 1
    assert not greys & {trace.line.color for trace in figure.data if trace.name == "b"}


@pytest.fixture
def swept():
    rows = pd.DataFrame({"tau": [1, 2]}).reindex(columns=CUTOFFS.names)
    rows = rows.assign(kendall=[0.5, 0.6], kendall_low=[0.4, np.nan], kendall_high=[0.7, np.nan], n=7)
    return Cutoffs("c", "genq Cover@20", "Cover@20", "official", typed_rows(rows, 2))


def test_no_column_of_the_cutoffs_is_lost():
    ends = [name.removesuffix("_low").removesuffix("_high") for name in CUTOFFS.names]
    assert set(SERIES_CUTOFFS.names) - {"series"} == {
        f"{stem}_interval" if name.endswith(("_low", "_high")) else name
        for name, stem in zip(CUTOFFS.names, ends, strict=True)
    }


def test_every_value_stands_above_its_tau_in_a_panel_for_each_quantity_that_has_one(figure):
    assert titles(figure) == ["Kendall's tau-b", "standard error", "separable pairs", "Cohen's kappa"]
    assert {axis.matches for axis in figure.select_xaxes()} == {None, "x4"}
    assert {tuple(axis.tickvals) for axis in figure.select_xaxes()} == {(1, 2, 3)}
    assert titles(cutoffs_figure({"one": rows(stderr=[0.1, 0.1, 0.1])})) == ["standard error"]
    found = [trace.y.tolist() for trace in lines(figure, "&lt;b&gt;mode&lt;/b&gt; &amp; co")]
    columns = ["kendall", "stderr", "separable_bars", "separable_t", "kappa"]
    assert [trace.x.tolist() for trace in lines(figure, "other")] == [TAUS] * 5
    np.testing.assert_equal(found, [FULL[name].tolist() for name in columns])


def test_a_series_has_a_band_and_one_colour_symbol_and_dash_in_all_panels_and_a_star(figure):
    band = next(trace for trace in figure.data if trace.fill == "toself")
    assert (list(band.x), list(band.y)) == ([1, 3, 3, 1], [0.6, 0.8, 0.6, 0.4])
    looks = [
        {
            (trace.line.color, trace.line.dash, trace.marker.symbol.removesuffix("-open"))
            for trace in lines(figure, name)
        }
        for name in ("&lt;b&gt;mode&lt;/b&gt; &amp; co", "other")
    ]
    assert [len(one) for one in looks] == [1, 1]
    assert all(one != other for one, other in zip(*(next(iter(one)) for one in looks), strict=True))
    stars = [trace for trace in figure.data if trace.name == "recommended"]
    assert [(list(star.x), list(star.y)) for star in stars] == [([3], [0.7]), ([], [])]


def test_each_measure_has_a_small_panel_with_the_same_axes_and_its_values(multiples):
    assert [note.text for note in multiples.layout.annotations] == ["P@20", "&lt;i&gt;"]
    found = [(trace.name, trace.xaxis, trace.x.tolist(), trace.y.tolist()) for trace in multiples.data]
    np.testing.assert_equal(
        found,
        [
            ("one", "x", [1, 2], [0.5, 0.8]),
            ("two", "x", [1], [0.2]),
            ("one", "x2", [1, 2], [np.nan, np.nan]),
            ("two", "x2", [1], [-0.4]),
        ],
    )
    ranges = {axis.range for axis in multiples.select_yaxes()}
    ((low, high),) = ranges
    assert low < -0.4 < 0.8 < high
    empty = multiples_figure(SWEPT[SWEPT["kendall"].isna()], ["<i>"], coefficient="kendall")
    assert next(empty.select_yaxes()).range == (0, 1)


def test_cutoffs_have_a_row_for_each_series_and_tau_and_pairs_for_intervals(swept):
    table = cutoffs_table({"one": swept, "two": swept})
    assert list(zip(table["series"], table["tau"], strict=True)) == [("one", 1), ("one", 2), ("two", 1), ("two", 2)]
    assert table["recommended"].tolist() == [False, True, False, True]
    assert cutoffs_table({"one": swept})["kendall_interval"].tolist() == [(0.4, 0.7), None]

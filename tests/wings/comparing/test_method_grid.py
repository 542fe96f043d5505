"""The method grid and its tabs, on the demo and on published figures: its numbers are those of the analysis."""

from dataclasses import replace

import numpy as np
import pytest
from dashboards import charts, opened, sentences, table
from thoroughly import thoroughly

from exam_core.analysis.choosing import choose
from exam_core.analysis.comparison import correlations_of
from exam_core.analysis.figures import figures_of
from exam_core.measures import Measure
from exam_core.numbers.rank_correlations import COEFFICIENTS
from exam_core.request import Request
from exam_core.store import Store
from exam_core.wings.comparing.grid import grid, grid_choices, wide_grid
from exam_core.wings.comparing.of_figures import residuals_of
from exam_core.wings.comparing.residuals import residuals

PAGE, RUNS, ALL = "pages/methods/methods.py", {"methods_part": "Run by run"}, {"methods_part": "All coefficients"}
PUBLISHED = ["car-y3-published", *thoroughly("dl19-published", "dl20-published")]
LINE = "open, lexical.pourpre-idf, tau 2"


@pytest.fixture
def shown(demo_store, monkeypatch):
    return opened(PAGE, demo_store, monkeypatch, collection="demo", bank="open", tau="3", **ALL)


def coefficients(test):
    return table(test, "coefficient")["value"].tolist()


def values_of(found):
    return [getattr(found.correlation, name) for name in COEFFICIENTS]


def test_the_grid_is_that_of_the_analysis(shown, demo):
    measures = [Measure.parse(name) for name in ("AP@20", "nDCG@20", "Rprec", "Cover@20")]
    twin = wide_grid(grid(demo, grid_choices(demo, Request(bank="open"), measures), measures)).table
    mine = table(shown, "Cover@20 K")
    assert mine["tau"].tolist() == twin["tau"].tolist()
    assert [set(mine["grader"]), set(twin["grader"])] == [{"Lexical match"}, {"lexical.pourpre-idf"}]
    for name in mine.columns[2:]:
        np.testing.assert_allclose(mine[name].astype(float), twin[name].astype(float))
    # Left alone, the page shows the mode, measure and tau of the bar, with intervals.
    choice = choose(demo, Request(measure="Cover@20", bank="open", tau=3, reference="official"))
    [found] = correlations_of(demo, [choice])
    np.testing.assert_allclose(coefficients(shown), values_of(found))
    assert "Lexical match Cover@20 (tau 3), against the official ranking: 15 runs." in sentences(shown)
    low, high = found.intervals["kendall"]
    assert table(shown, "coefficient")["value_interval"][1] == f"[{low:.3f}, {high:.3f}]"


def test_a_method_and_a_measure_can_be_picked_by_the_address(demo_store, monkeypatch, demo):
    picked = {"correlation_method": LINE, "correlation_measure": "AP@20"}
    test = opened(PAGE, demo_store, monkeypatch, collection="demo", bank="open", tau="5", **picked, **ALL)
    choice = choose(demo, Request(measure="AP@20", bank="open", tau=2))
    np.testing.assert_allclose(
        coefficients(test), values_of(correlations_of(demo, [replace(choice, reference="official")])[0])
    )


@pytest.mark.parametrize("scores", ["raw", "re-normalised"])
def test_the_runs_are_those_of_the_analysis_raw_and_re_normalised_and_of_the_method_that_is_picked(
    scores, demo_store, monkeypatch, demo
):
    test = opened(PAGE, demo_store, monkeypatch, collection="demo", bank="open", tau="3", scores=scores, **RUNS)
    for tau in (3, 2):
        choice = choose(demo, Request(measure="Cover@20", bank="open", tau=tau))
        twin, mine = (
            residuals(demo, replace(choice, reference="official"), raw=scores == "raw").rows,
            table(test, "residual"),
        )
        assert mine["run_id"].tolist() == twin["run_id"].tolist()
        for name in ("score", "residual", "displacement"):
            np.testing.assert_allclose(mine[name], twin[name])
        test.selectbox(key="correlation_method").set_value(LINE).run()


@pytest.mark.parametrize("collection", PUBLISHED)
def test_printed_columns_are_the_methods_of_a_published_collection(collection, demo_store, monkeypatch):
    test = opened(PAGE, demo_store, monkeypatch, collection=collection)
    twins = figures_of(Store(demo_store).snapshot(collection)).correlations(Request(reference="official"))
    assert table(test, "leaderboard")["kendall"].tolist() == [twin.correlation.kendall for twin in twins]


def test_a_printed_column_can_be_picked_and_its_chart_names_the_outlier_of_the_papers(demo_store, monkeypatch):
    column = "tqa Cover@20 verified answers"
    test = opened(PAGE, demo_store, monkeypatch, collection="car-y3-published", correlation_column=column, **RUNS)
    twin = residuals_of(figures_of(Store(demo_store).snapshot("car-y3-published")), column, Request()).rows
    np.testing.assert_allclose(table(test, "residual")["residual"], twin["residual"])
    assert "ICT-DRMMTKS +" in charts(test)[0].alt


def test_without_a_leaderboard_to_compare_with_the_page_says_what_to_do(labelled, monkeypatch):
    test = opened(PAGE, labelled, monkeypatch)
    assert "There is no leaderboard to compare with" in sentences(test)

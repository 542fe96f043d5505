"""Boards and runs beside each other where a run returned nothing for some queries."""

from dataclasses import replace

import pytest

from exam_core.measures import Measure
from exam_core.request import Request
from exam_core.wings.comparing.cutoffs import cutoffs
from exam_core.wings.comparing.grid import grid, grid_choices, grid_latex, grid_table, wide_grid
from exam_core.wings.comparing.residuals import residuals
from exam_core.wings.comparing.run_pairs import run_pair, significance
from exam_core.wings.comparing.two_boards import versus
from tests.analysis.test_caveats import SHORT, chosen
from tests.analysis.test_caveats import short_run as short_run


@pytest.mark.parametrize(
    "analysis",
    [
        lambda snapshot, choice: versus(snapshot, choice, replace(choice, tau=1), draws=3),
        lambda snapshot, choice: grid(snapshot, grid_choices(snapshot, Request(), [choice.measure]), [choice.measure]),
        lambda snapshot, choice: cutoffs(snapshot, choice, draws=3, splits=2),
        lambda snapshot, choice: residuals(snapshot, choice),
        lambda snapshot, choice: run_pair(snapshot, choice, "full", "short", draws=3),
        lambda snapshot, choice: significance(snapshot, choice, draws=3),
    ],
    ids=["versus", "grid", "cutoffs", "residuals", "run-pair", "significance"],
)
def test_whatever_is_made_with_such_a_run_says_so_once(short_run, analysis):
    assert analysis(short_run, chosen(short_run)).notes.count(SHORT) == 1


def test_columns_of_the_grid_say_what_is_read(short_run):
    measures = [Measure("AP"), Measure("Rprec"), Measure("P", 2)]
    found = grid(short_run, grid_choices(short_run, Request(), measures), measures)
    heads = ["MAP (first 20) S", "Rprec (first 20) S", "P@2 S"]
    assert [name for name in grid_table(found).columns if name.endswith(" S")] == heads
    assert "{Rprec (first 20)}" in grid_latex(found)
    assert "AP (first 20) K" in wide_grid(found).table.columns
    assert (found.measures, set(found.rows["measure"])) == (["AP", "Rprec", "P@2"], {"AP", "Rprec", "P@2"})

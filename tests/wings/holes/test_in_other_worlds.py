"""Holes of worlds that other analyses are tested on: unanswered queries, runs of other queries, unreadable answers."""

from dataclasses import replace

import pandas as pd
import pytest

from exam_core.analysis.choosing import choose
from exam_core.analysis.contents import hole_shares
from exam_core.measures import OF_GRADES, Measure
from exam_core.request import Request
from exam_core.wings.holes.score_bounds import holes
from tests.analysis.test_caveats import SHORT, chosen
from tests.analysis.test_caveats import short_run as short_run
from tests.analysis.test_misfits import both as both
from tests.analysis.test_unreadable import asking
from tests.analysis.test_unreadable import nothing as nothing

MEASURED = [str(Measure.at(info.name, 5)) for info in OF_GRADES.values()]


def test_holes_count_unanswered_queries_beside_the_holes(short_run):
    found = holes(short_run, chosen(short_run))
    counted = found.rows.groupby("run_id")["unanswered"].max()
    assert (counted.to_dict(), SHORT in found.notes) == ({"full": 0, "other": 0, "short": 3, "third": 0}, True)


def test_a_run_with_none_of_the_queries_has_no_holes_and_no_bounds(both):
    rows = holes(both, choose(both, Request(measure="P@2", judgments="official"))).rows
    strange = rows[rows["run_id"] == "strange"]
    assert strange[["holes", "lower", "upper", "range", "unjudged"]].isna().all(axis=None)


@pytest.mark.parametrize("measure", MEASURED)
@pytest.mark.parametrize("missing", ["zero", "skip"])
def test_shares_of_holes_are_those_of_the_analysis_of_holes(random_world, measure, missing):
    choice = choose(random_world, Request(measure=measure, bank="genq", grader="rater", tau=3, depth=7))
    choice = replace(choice, missing=missing)
    found = holes(random_world, choice, [Measure.parse(measure).depth or 7]).rows.set_index("run_id")["holes"]
    pd.testing.assert_series_equal(hole_shares(random_world, choice), found, check_names=False)


def test_of_a_grader_of_which_nothing_can_be_read_every_passage_is_a_hole_because_it_is_unreadable(nothing):
    rows = holes(nothing, asking(nothing), [1]).rows.set_index("run_id")
    # lost returned nothing for one of three queries.
    assert rows[["unreadable", "empty"]].loc["lost"].tolist() == pytest.approx([1, 1 / 3])
    assert (rows["unreadable"] == 1).all()
    assert rows["holes"].equals(rows["unreadable"])
    assert (rows["ungraded"].max(), rows["n_queries"].min(), rows["lower"].max()) == (0, 3, 0)

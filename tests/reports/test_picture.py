"""What is said of runs that a chart's axis leaves out, and above boards."""

import math

import pandas as pd
import pytest

from exam_core.analysis.comparison import AGREEMENTS, CORRELATIONS, Comparison
from exam_core.analysis.figures import figures_of
from exam_core.charts.chart_layout import Outside, ScoreAxis
from exam_core.reports.board_lines import headline
from exam_core.reports.part import Picture, about_outside, picture_of
from exam_core.request import Request
from exam_core.store import Store
from tests.analysis.unread import unread

NAN = math.nan


def said(*outside, series=1, view="re-normalised", lacking=()):
    boards = {name: pd.DataFrame() for name in "mno"[:series]}
    order = list("abcdefgh")
    return about_outside(Picture(boards, order, "official", "P@20", ScoreAxis(view), outside, 20, lacking))  # type: ignore[arg-type]


def test_a_board_of_one_score_is_drawn_as_it_is(tmp_path):
    unread(tmp_path, readable=False)
    figures, asked = figures_of(Store(tmp_path).snapshot("world")), Request(grader="rater", measure="Cover@2")
    assert picture_of(figures, figures.compare(("rater",), asked), asked).scale.view == "raw"


def run(name, value, *, far=True, above=False, holes=NAN, of="m"):
    return Outside(of, name, value, above, far, holes)


@pytest.mark.parametrize(
    ("outside", "sentence"),
    [
        (
            [run("a", 0.0, holes=0.437)],
            "a is far below all others and sets the 0 of the scale; 44% of its first 20 passages are ungraded.",
        ),
        ([run("a", 0.1, far=False, holes=0.09)], "a is below all others."),
        ([run("a", 1.0, above=True)], "a is far above all others and sets the 1 of the scale."),
        (
            [run("a", 0.0, holes=0.3), run("b", 0.02, holes=0.5)],
            "a and b are far below all others; a sets the 0 of the scale; 30% to 50% of their first 20 passages are "
            "ungraded.",
        ),
    ],
)
def test_a_sentence_says_which_runs_are_outside_and_why(outside, sentence):
    assert said(*outside) == [sentence]


def test_runs_below_and_above_have_a_sentence_each_and_series_are_named_where_not_all_agree():
    both = said(run("a", 0.0), run("a", 0.2, of="n"), run("b", 1.0, above=True, of="n"), series=2)
    assert both[0].startswith("a is far below all others and sets the 0")
    assert both[1] == "b is far above all others by n and sets the 1 of the scale."


def test_scores_as_they_are_have_no_end_of_the_scale_and_other_runs_with_holes_are_named():
    assert said(run("a", 0.0), view="raw") == ["a is far below all others."]
    assert said(lacking=("b", "c")) == ["More than 25% of the first 20 passages of b, c are ungraded."]
    assert said(lacking=tuple("abcdef")) == ["More than 25% of the first 20 passages of 6 of 8 runs are ungraded."]


def compared(*rows):
    correlations = CORRELATIONS.of([(name, spearman, kendall, 9) for name, spearman, kendall, _ in rows])
    kappas = AGREEMENTS.of([(name, 4, 2, kappa, 1, 1, 1, 1, 4) for name, _, _, kappa in rows])
    return Comparison({}, [], correlations, kappas)


def test_the_line_above_a_board_says_on_how_few_queries_it_rests():
    one = compared(("m", 0.5, 0.25, NAN))
    assert headline(one, "qrels:AP", {"m": (1, 8)}) == (
        "Against AP of the judgments: Spearman 0.500, Kendall 0.250; "
        "kappa with the judgments undefined (relevant: grade at least 4, human judgment at least 2); "
        "rests on 1 of 8 queries"
    )
    assert headline(compared(), None, {"m": (1, 8)}) == "The leaderboard rests on 1 of 8 queries"
    assert headline(compared(), None, {"m": None}) == ""

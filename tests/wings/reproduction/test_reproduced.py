"""The slide of reproduction against the analysis; its figure and its counts in words, by hand."""

import pandas as pd
import pytest

from exam_core.analysis.figures import figures_of
from exam_core.errors import UsageError
from exam_core.request import Request
from exam_core.slides.slide import SlideContext
from exam_core.store import Store
from exam_core.view import View
from exam_core.wings.reproduction.reproduction import DIFFERS, ROWS, Reproduction, reproduction
from exam_core.wings.reproduction.slides import (
    SIGNS,
    SLIDES,
    reasons_table,
    reproduction_alternative,
    reproduction_figure,
    scores_of,
    share_drawn,
)


def slide_of(figures, hidden=(), **address):
    [row] = SLIDES
    view = View(row.title, tuple(figures.series()), Request("", tau=4), hidden, address=address)
    return row.make(SlideContext(view, figures, lambda made, *asked: made(*asked)))


def test_it_is_of_all_runs_and_the_verdicts_that_were_picked(demo_store):
    figures = figures_of(Store(demo_store).snapshot("dl19-published"))
    picked = {"reproduce_verdicts": [SIGNS[DIFFERS]]}
    slide = slide_of(figures, **picked)
    assert slide.takeaway == reproduction(figures.snapshot).sentence
    assert set(slide.table["verdict"]) == {DIFFERS}
    run = figures.board(figures.series()[0]).rows["run_id"].iloc[0]
    assert len(slide_of(figures, (run,), **picked).table) == len(slide.table)


def test_figures_that_are_no_scores_have_none(demo_store):
    of_rules = figures_of(Store(demo_store).snapshot("demo-nuggets"))
    with pytest.raises(UsageError, match="None of them is a score"):
        slide_of(of_rules)


VERDICTS = ("equal", "otherwise", "differs", "undefined")

DRAWN = pd.DataFrame(
    {
        "figure": ["Cover of a", "Cover of <b>", "count", "tau"],
        "printed": ["0.700", "0.500", "1627", "0.54"],
        "ours": [0.7, 0.8, 1627.0, float("nan")],
        "verdict": ["equal", "differs", "equal", "undefined"],
    }
)


@pytest.fixture
def figure():
    return reproduction_figure(DRAWN, VERDICTS, 0.005)


@pytest.mark.parametrize(("verdict", "point"), [("equal", (2, 0.0)), ("differs", (1, 0.3))])
def test_the_largest_difference_stands_first(figure, verdict, point):
    (trace,) = [trace for trace in figure.data if (trace.name or "").startswith(verdict)]
    assert (*trace.x, *trace.y) == pytest.approx(point)


def test_the_words_name_what_is_farthest_apart():
    said = reproduction_alternative(scores_of(DRAWN))
    assert "1 equal, 1 differs" in said
    assert "Cover of <b>, printed 0.500, ours 0.800" in said


FIGURES = pd.DataFrame(
    [
        ("E", "t1", "a", "f1", "0.50", 0.50, 0.0, "equal", "", ""),
        ("E", "t1", "a", "f2", "0.50", 0.505, 0.005, "differs", "rounding", "s"),
        ("E", "t1", "a", "f3", "0.50", 0.6, 0.1, "differs", "", ""),
        ("E", "t2", "b", "f4", "7", 8.0, 1.0, "differs", "rounding", "s"),
        ("E", "t2", "b", "f5", "0.1", 0.1, 0.0, "equal by another rule", "rounding", "s"),
    ],
    columns=["paper", "printed_in", "about", "figure", "printed", "ours", "difference", "verdict", "reason", "source"],
).assign(by_stated_rule=float("nan"), setting="")

FOUND = Reproduction("x", "dl19", "grades", ROWS.of(FIGURES))


def test_the_largest_difference_has_its_name_and_each_verdict_a_symbol_if_it_has_figures(figure):
    assert [one.text for one in figure.layout.annotations] == ["Cover of &lt;b&gt;"]
    symbols = [trace.marker.symbol for trace in figure.data if trace.mode == "markers"]
    assert len(set(symbols)) == len(VERDICTS)
    assert [trace.showlegend for trace in figure.data] == [True, False, True, False]


def test_counts_and_undefined_figures_are_left_out_and_the_legend_says_how_many(figure):
    assert scores_of(DRAWN)["figure"].tolist() == ["Cover of a", "Cover of <b>"]
    assert [row[0] for trace in figure.data for row in trace.customdata] == ["Cover of a", "Cover of &lt;b&gt;"]
    assert [trace.name for trace in figure.data[:3]] == ["equal (2, 1 drawn)", "otherwise (0)", "differs (1)"]
    assert share_drawn(DRAWN) == (
        "2 of 4 figures are drawn: 1 is a count, whose differences have another unit, and 1 is undefined here. "
        "All stand in the table."
    )


def test_the_sentence_says_what_was_compared_what_is_equal_and_why_the_rest_differs():
    assert FOUND.sentence == (
        "Of 5 printed figures: 1 equal to the last digit, 1 equal by another tau or label rank than the paper states, "
        "3 differ (1 by at most 0.005); the reason is known for 2 of them."
    )
    told = reasons_table(FOUND)[["figures", "reason"]].to_numpy().tolist()
    assert told == [[3, "rounding"], [1, "No reason is known."]]

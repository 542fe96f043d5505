"""How sure is the order, on the demo and on published figures: each tab shows the numbers of its analysis."""

import pandas as pd
import pytest
from dashboards import opened, sentences, table

from exam_core.analysis.choosing import choose
from exam_core.analysis.figures import figures_of
from exam_core.request import Request
from exam_core.store import Store
from exam_core.table_text import to_read
from exam_core.wings.comparing.of_figures import swaps_of
from exam_core.wings.comparing.run_pairs import against, every_pair
from exam_core.wings.comparing.stability import RANKS, size_curve, stability
from exam_core.wings.comparing.swaps import rank_swaps

PAGE = "pages/reliability/reliability.py"
EACH = {"stability_view": "Rank of each run"}
ASKED = {"collection": "demo", "bank": "manual", "tau": "3"}


@pytest.fixture(scope="module")
def chosen(demo_store):
    snapshot = Store(demo_store).snapshot("demo")
    return snapshot, choose(snapshot, Request(measure="Cover@20", bank="manual", tau=3, reference="official"))


def test_intervals_of_ranks_are_those_of_the_analysis(demo_store, chosen, monkeypatch):
    mine = table(opened(PAGE, demo_store, monkeypatch, **ASKED, **EACH), "rank_low")
    theirs = stability(*chosen).rows
    assert mine["run_id"].tolist() == theirs["run_id"].tolist()
    both = ["rank_low", "first"]
    assert mine[both].to_dict("list") == to_read(theirs, RANKS)[0][both].to_dict("list")


@pytest.mark.parametrize(
    ("view", "of"),
    [("Fewer queries", "queries"), pytest.param("Fewer questions", "bank-size", marks=pytest.mark.thorough)],
)
def test_curves_are_those_of_the_analysis(view, of, demo_store, chosen, monkeypatch):
    mine = table(opened(PAGE, demo_store, monkeypatch, **ASKED, stability_view=view), "kendall_low")
    assert mine.equals(size_curve(*chosen, of=of).rows)


def test_swapped_pairs_are_those_of_the_analysis(demo_store, chosen, monkeypatch):
    test = opened(PAGE, demo_store, monkeypatch, **ASKED, stability_view="Rank swaps")
    found = rank_swaps(*chosen)
    assert table(test, "run_b")["run_b"].tolist() == found.swapped["run_b"].tolist()
    assert f"{found.swaps} of {found.pairs} pairs of {found.n} runs are swapped" in sentences(test)


def test_of_printed_figures_the_swaps_of_a_column_are_shown_and_why_nothing_else(demo_store, monkeypatch):
    column = "genq Cover@20 tau=4"
    test = opened(PAGE, demo_store, monkeypatch, collection="car-y3-published", mode=column)
    snapshot = Store(demo_store).snapshot("car-y3-published")
    found = swaps_of(figures_of(snapshot), Request(), column)
    assert "The papers print only means" in sentences(test)
    assert f"{found.swaps} of {found.pairs} pairs" in sentences(test)


def test_all_pairs_a_baseline_and_the_first_sentence_are_those_of_the_analysis(demo_store, chosen, monkeypatch):
    test, pairs = opened(PAGE, demo_store, monkeypatch, **ASKED), every_pair(*chosen).pairs
    assert f"{pairs['separable'].sum()} of 105 pairs of runs differ significantly (paired t-test over" in sentences(
        test
    )
    rows = stability(*chosen).rows
    width = round((rows["rank_high"] - rows["rank_low"]).median())
    assert f"typical 95% rank interval: {width} places wide" in sentences(test)
    pd.testing.assert_frame_equal(table(test, "run_b"), pairs, check_dtype=False)
    test.selectbox(key="compare_baseline").set_value("bm25").run()
    mine = table(test, "losses")
    pd.testing.assert_frame_equal(mine, against(*chosen, "bm25").rows, check_dtype=False)
    assert "of 14 runs are better" in sentences(test)


def test_where_there_are_no_grades_nothing_offers_to_draw_questions(judged_store, monkeypatch):
    test = opened("pages/reliability/reliability.py", judged_store, monkeypatch, collection="mine")
    tabs = ["Pairs of runs", "Rank of each run", "Fewer queries", "Rank swaps"]
    assert (len(test.error), [one.label for one in test.get("tab")]) == (0, tabs)


def test_home_says_how_many_pairs_of_runs_differ(demo_store, monkeypatch):
    test = opened("pages/home/home.py", demo_store, monkeypatch, "from app.py", collection="demo", bank="open", tau="3")
    assert [one for one in test.get("page_link") if "more than chance explains" in one.proto.label]

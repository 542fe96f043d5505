"""The leaderboard on the demo and on published figures: its numbers are those of the analysis."""

import pandas as pd
import pytest
from analysis.worlds import store_of
from analysis.worlds import table as rows_of
from dashboards import charts, opened, sentences, table

from exam_core.analysis import printed
from exam_core.analysis.choosing import choose
from exam_core.analysis.figures import figures_of
from exam_core.analysis.leaderboard import SCORES, leaderboard, run_passages, run_queries, standing
from exam_core.request import Request
from exam_core.store import Store
from exam_core.table_text import to_read
from exam_core.tables import JUDGMENTS

PAGE = "pages/leaderboard/leaderboard.py"


@pytest.fixture
def shown(store, monkeypatch):
    return opened(PAGE, store, monkeypatch, collection="demo", bank="open", tau="3")


def _figure(test, place=0):
    return charts(test)[place].figure


def test_the_table_is_the_standing_of_the_runs_below_how_well_the_board_agrees(shown, demo):
    choice = choose(demo, Request(measure="Cover@20", bank="open", tau=3, reference="official"))
    expected, mine = to_read(standing(demo, choice), SCORES)[0], table(shown, "displacement")
    pd.testing.assert_frame_equal(mine, expected[mine.columns], check_dtype=False)
    found = leaderboard(demo, choice).correlation
    said = f"Against the official ranking: Spearman {found.spearman:.3f}, Kendall {found.kendall:.3f}; kappa with"
    assert said in sentences(shown)
    # Without a run there are no queries.
    assert [box.value for box in shown.selectbox if box.key == "leaderboard_run"] == [None]
    assert len(charts(shown)) == 1


@pytest.mark.parametrize(("order", "names"), [("reference", "reference_rank"), ("first series", "rank")])
def test_runs_stand_in_the_order_that_is_asked_for(order, names, store, monkeypatch, demo):
    test = opened(PAGE, store, monkeypatch, collection="demo", bank="open", tau="3", order=order)
    rows = standing(demo, choose(demo, Request(measure="Cover@20", bank="open", tau=3, reference="official")))
    expected = rows.sort_values([names, "rank", "run_id"])["run_id"].tolist()
    assert _figure(test)["layout"]["xaxis"]["categoryarray"] == expected
    assert ("the order of the official ranking" in sentences(test)) == (order == "reference")


def test_each_printed_column_is_a_series(store, monkeypatch):
    columns = [f"genq {name} tau=4" for name in ("Cover@20", "P@20")]
    test = opened(PAGE, store, monkeypatch, collection="car-y3-published", columns=columns)
    assert [trace["name"] for trace in _figure(test)["data"]] == [
        "Cover@20 (generated questions, tau 4)",
        "P@20 (generated questions, tau 4)",
    ]


def test_a_runs_queries_and_their_passages_are_those_of_the_analysis_and_it_stays_chosen_while_tau_moves(
    store, monkeypatch, demo
):
    picked = {"leaderboard_run": "bm25", "leaderboard_query": "demo-04"}
    test = opened(PAGE, store, monkeypatch, collection="demo", bank="open", tau="3", **picked)
    choice = choose(demo, Request(measure="Cover@20", bank="open", tau=3))
    pd.testing.assert_frame_equal(table(test, "n_runs"), run_queries(demo, choice, "bm25"), check_dtype=False)
    expected = run_passages(demo, choice, "bm25", "demo-04")
    pd.testing.assert_frame_equal(table(test, "first_answered"), expected, check_dtype=False)
    test.slider(key="tau").set_value(1).run()
    assert test.selectbox(key="leaderboard_run").value == "bm25"


def test_a_printed_column_is_listed_with_its_displacements(store, monkeypatch):
    snapshot = Store(store).snapshot("car-y3-published")
    column = "genq Cover@20 tau=4"
    test = opened(PAGE, store, monkeypatch, collection="car-y3-published", columns=[column])
    mine = table(test, "displacement")
    expected = figures_of(snapshot).standing(column, Request(reference="official"))
    pd.testing.assert_frame_equal(mine, expected[mine.columns], check_dtype=False)
    assert printed.board(snapshot, column).rows["run_id"].tolist() == mine["run_id"].tolist()


def test_printed_figures_say_why_no_run_can_be_looked_into(store, monkeypatch):
    test = opened(PAGE, store, monkeypatch, collection="dl20-published")
    assert "The papers print no values by query" in sentences(test)


def test_labels_of_whole_passages_have_no_cover_and_names_are_shown_letter_for_letter(labelled, monkeypatch):
    said = "Sun labels whole passages: it has no questions, which this measure needs."
    assert said in sentences(opened(PAGE, labelled, monkeypatch))
    assert "&lt;b&gt;*bold*" in str(_figure(opened(PAGE, labelled, monkeypatch, measure="P")))


def test_a_page_that_is_printed_has_its_tables_whole(store, monkeypatch):
    sheet = opened(PAGE, store, monkeypatch, collection="demo", print="1")
    assert not sheet.dataframe
    runs = table(opened(PAGE, store, monkeypatch, collection="demo"), "normalised")["run_id"]
    assert [run for run in runs if f'<td dir="auto">{run}</td>' not in sentences(sheet)] == []


def test_dl19_opens_on_the_runs_that_the_reference_ranks_and_says_which_run_is_outside(full_dl19_store, monkeypatch):
    test = opened(PAGE, full_dl19_store, monkeypatch, collection="dl19", bank="genq", tau="4", measure="Cover")
    said = (
        "UNH_exDL_bm25 is far below all others and sets the 0 of the scale; 44% of its first 20 passages are ungraded."
    )
    assert said in sentences(test)
    assert 0.6 < _figure(test)["layout"]["yaxis"]["range"][0] < 0.8
    assert "Beyond the axis: UNH_exDL_bm25 0.000" in charts(test)[0].alt
    test.toggle(key="whole_axis").set_value(True).run()
    assert "range" not in _figure(test)["layout"]["yaxis"]
    assert said in sentences(test)
    test.button(key="leave_out").click().run()
    assert "without UNH_exDL_bm25" in sentences(test)
    assert said not in sentences(test)


def test_a_collection_without_runs_says_so(tmp_path, monkeypatch):
    store_of(tmp_path, {"judgments": rows_of(JUDGMENTS, [("official", "q", "d", 2)])})
    assert "There are no runs to rank." in sentences(opened(PAGE, tmp_path, monkeypatch))

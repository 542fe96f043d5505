"""What each tau trades off, on the page of methods: its numbers are those of the analysis."""

from dataclasses import replace

import numpy as np
import pytest
from dashboards import charts, opened, sentences, table, unfolded
from thoroughly import thoroughly

from exam_core.analysis.choosing import choose
from exam_core.request import Request
from exam_core.store import Store
from exam_core.wings.comparing import of_figures
from exam_core.wings.comparing.cutoffs import advice, cutoffs
from pages.methods import by_tau

PAGE = "pages/methods/methods.py"

PUBLISHED = ["car-y3-published", *thoroughly("dl19-published", "dl20-published")]


@pytest.fixture
def shown(demo_store, monkeypatch):
    return opened(PAGE, demo_store, monkeypatch, collection="demo", bank="open", tau="3")


@pytest.fixture(scope="module")
def expected(demo_store):
    snapshot = Store(demo_store).snapshot("demo")
    return cutoffs(snapshot, choose(snapshot, Request(measure="Cover@20", bank="open")))


def figure(test, place):
    return charts(test)[place].figure


def test_the_table_is_that_of_the_analysis_and_each_goal_has_a_sentence_with_its_tau(shown, expected):
    mine = table(unfolded(shown, "cutoffs_figures"), "held_out_kendall")
    for name in ("tau", "kendall", "spearman", "stderr", "separable_bars", "kappa", "wins", "held_out_kendall"):
        np.testing.assert_allclose(mine[name], expected.rows[name])
    low, high = expected.rows.loc[0, ["kendall_low", "kendall_high"]]
    assert mine["kendall_interval"][0] == f"[{low:.3f}, {high:.3f}]"
    assert list(advice(expected, 3)) == ["order", "labels", "differences"]
    assert [sentence for sentence in advice(expected, 3).values() if sentence not in sentences(shown)] == []


def test_where_no_tau_is_better_than_another_the_page_says_it_first(expected, monkeypatch):
    said = []
    monkeypatch.setattr(by_tau.show, "text", said.append)
    zeros = replace(expected, rows=expected.rows.assign(kappa=np.nan, separable_t=0.0), recommended=None)
    by_tau.which_tau({"mode": zeros}, None)
    assert said == [by_tau.NO_BEST]


def test_a_button_sets_the_recommended_tau_and_moving_tau_weighs_another_and_leaves_the_table(shown, expected):
    assert figure(shown, 0)["layout"]["yaxis"]["title"]["text"] == "Kendall's tau-b<br>of Cover@20"
    shown.segmented_control(key="cutoffs_coefficient").set_value("Spearman").run()
    assert figure(shown, 0)["layout"]["yaxis"]["title"]["text"] == "Spearman's rho<br>of Cover@20"
    shown.button(key="cutoffs_use_order").click().run()
    assert shown.slider(key="tau").value == expected.recommended != 3
    assert "cutoffs_use_order" not in [button.key for button in shown.button]
    before = table(unfolded(shown, "cutoffs_figures"), "held_out_kendall")
    shown.slider(key="tau").set_value(2).run()
    assert advice(expected, 2)["labels"] in sentences(shown)
    assert table(shown, "held_out_kendall").equals(before)


def test_many_grading_modes_have_a_table_and_one_that_stands_out(full_dl19_store, monkeypatch):
    modes = ["NuggetSelfRatedPrompt", "QuestionSelfRatedUnanswerablePromptWithChoices", "Sun", "Thomas"]
    asked = {"measure": "P", "modes": modes, "cutoffs_series": "Thomas"}
    test = opened(PAGE, full_dl19_store, monkeypatch, **asked)
    rows = table(test, "order_tau").set_index("series")
    snapshot = Store(full_dl19_store).snapshot("dl19")
    twins = {mode: cutoffs(snapshot, choose(snapshot, Request("P@20", grader=mode))) for mode in ("Sun", "Thomas")}
    assert rows["order_tau"][["Sun", "Thomas"]].tolist() == [twins[one].recommended for one in twins]
    assert [trace["name"] for trace in figure(test, 0)["data"] if trace.get("showlegend")] == ["Thomas", "recommended"]
    assert "use tau" not in sentences(test)


@pytest.mark.parametrize("collection", PUBLISHED)
def test_of_published_figures_the_printed_taus_are_listed(collection, demo_store, monkeypatch):
    test = opened(PAGE, demo_store, monkeypatch, collection=collection, methods_part="By tau")
    rows = of_figures.grid(Store(demo_store).snapshot(collection)).rows
    twin = rows[rows["undefined"] == ""]
    np.testing.assert_allclose(table(test, "kendall")["kendall"], twin["kendall"])
    assert "so only the printed taus are shown" in sentences(test)


def test_a_tau_does_not_apply_to_a_measure_of_graded_labels_and_the_page_says_so(demo_store, monkeypatch):
    test = opened(PAGE, demo_store, monkeypatch, collection="demo", bank="open", measure="nDCG")
    assert "Tau does not apply to nDCG@20" in sentences(test)
    assert "For the order of the runs" not in sentences(test)

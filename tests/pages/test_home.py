"""The page Home: its figures are those of the analyses, and it says where to begin."""

from dataclasses import replace

import pytest
from dashboards import charts, opened, sentences

from exam_core.analysis.figures import figures_of
from exam_core.request import Request
from exam_core.store import Store
from exam_core.store.sharing import export_duckdb, import_duckdb
from tests.wings import rows_added

PAGE = "pages/home/home.py"
MODE = "lexical.pourpre-idf"


def links(test):
    """The links of the page, as Markdown shows them."""
    return [link.proto.label.replace("\\", "") for link in test.get("page_link")]


def test_the_board_and_what_is_known_are_those_of_the_analysis(demo_store, monkeypatch):
    test = opened(PAGE, demo_store, monkeypatch, "from app.py", collection="demo", bank="open", tau="3")
    found = figures_of(Store(demo_store).snapshot("demo")).compare(
        (MODE,), Request(bank="open", tau=3, reference="official")
    )
    best = found.boards[MODE].rows.iloc[0]
    (chart,) = charts(test)
    assert chart.alt.startswith(f"The first 8 runs by Cover@20: {best['run_id']} {best['mean']:.3f}, ")
    assert f"Best: {best['run_id']} and 1 other, tied, Cover@20 {best['mean']:.3f} over 8 queries" in links(test)
    kendall = f"{found.correlations['kendall'][0]:.3f} over 15 runs"
    assert f"Kendall's rank correlation with the official ranking: {kendall}" in links(test)
    kappa = f"{found.agreements['kappa'][0]:.3f} over {found.agreements['n'][0]:,} passages"
    cut = "grade at least 3, human judgment at least 2"
    assert f"Cohen's kappa with the judges: {kappa} (relevant: {cut})" in links(test)


def test_judgments_have_no_outlier_beside_another_measure_of_themselves(judged_store, monkeypatch):
    test = opened(PAGE, judged_store, monkeypatch, "from app.py", collection="mine", reference="qrels:RR")
    assert any(one.startswith("Best: ") for one in links(test))
    assert not [one for one in links(test) if "displaced" in one or " places " in one]
    assert any("are made of the same judgments. " in one for one in links(test))


def test_the_slider_of_home_moves_that_of_the_bar(demo_store, monkeypatch):
    test = opened(PAGE, demo_store, monkeypatch, collection="demo", bank="open")
    assert [said for said in ("4 of 5", "4 is at least 4") if said not in sentences(test)] == []
    test.slider(key="home_tau").set_value(5).run()
    assert (test.slider(key="tau").value, "4 is below 5" in sentences(test)) == (5, True)
    test.slider(key="tau").set_value(2).run()
    assert (test.slider(key="home_tau").value, "4 is at least 2" in sentences(test)) == (2, True)


@pytest.mark.parametrize(("collection", "mode", "end"), rows_added("OWN_TAU"))
def test_the_slider_is_that_of_the_board_s_mode_where_its_scale_ends_elsewhere(
    collection, mode, end, demo_store, monkeypatch
):
    test = opened(PAGE, demo_store, monkeypatch, collection=collection, modes=mode)
    slider = test.slider(key=f"home_tau_{mode}")
    assert slider.max == end
    slider.set_value(end).run()
    assert test.number_input(key=f"tau_{mode}").value == end


@pytest.mark.parametrize("collection", ["dl19-published", *rows_added("WITHOUT_EXAMPLE")])
def test_a_collection_without_an_example_has_its_board_and_no_apology(collection, demo_store, monkeypatch):
    test = opened(PAGE, demo_store, monkeypatch, collection=collection)
    said = sentences(test)
    assert (len(charts(test)), [key for key in test.slider if key.key == "home_tau"]) == (1, [])
    assert [word for word in ("strip", "example", "without passages", "Drag tau") if word in said] == []


def test_who_may_change_nothing_sees_an_empty_store(tmp_path, monkeypatch):
    monkeypatch.setenv("EXAMBOARD_READ_ONLY", "1")
    test = opened(PAGE, tmp_path, monkeypatch)
    assert ("The store is empty." in sentences(test), list(tmp_path.iterdir())) == (True, [])


def test_each_collection_has_a_card_that_says_what_it_is_and_printed_ones_share_one(
    demo_store, two_graders, tmp_path, monkeypatch
):
    alone = tmp_path / "store"
    export_duckdb([replace(Store(two_graders).snapshot("demo"), collection="mine")], tmp_path / "mine.duckdb")
    import_duckdb(Store(alone), tmp_path / "mine.duckdb")
    for store, first in ((demo_store, "demo"), (alone, "mine")):
        test = opened(PAGE, store, monkeypatch, collection=first)
        cards = [button.label.replace("\\", "") for button in test.button if button.key.startswith("door_")]
        said = dict(card.removeprefix("**").replace("**  \n", ": ").split(": ", 1) for card in cards)
        assert next(iter(said)) == first
        printed = [name for name in said if name.endswith("-published")]
        assert list(said)[-len(printed) :] == printed
    assert said == {
        "mine": "15 runs, 8 queries, 144 questions, 2 grading modes",
        "demo": "small, written for Examboard: not built yet; takes seconds",
        "car-y3-published": "not built yet; takes seconds",
    }
    assert not [button for button in test.button if button.key.startswith("first_")]

"""The page Home: its figures are those of the analyses, and it says where to begin."""

from dataclasses import replace

import pytest
from dashboards import charts, opened, sentences

from exam_core.analysis.figures import figures_of
from exam_core.asked import Asked
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
        (MODE,), Asked(bank="open", tau=3, reference="official")
    )
    best = found.boards[MODE].rows.iloc[0]
    (chart,) = charts(test)
    assert chart.alt.startswith(f"The first 8 runs by Cover@20: {best['run_id']} {best['mean']:.3f}, ")
    assert f"Best run: {best['run_id']}, Cover@20 {best['mean']:.3f} ± {best['stderr']:.3f}" in links(test)
    assert f"Kendall's tau-b with the official ranking: {found.correlations['kendall'][0]:.3f} over 15 runs" in links(
        test
    )
    kappa = f"{found.agreements['kappa'][0]:.3f} over {found.agreements['n'][0]:,} passages"
    assert f"Cohen's kappa with the judges: {kappa} (relevant: grade ≥ 3, judgment ≥ 2)" in links(test)


@pytest.mark.parametrize("reference", ["", "qrels:RR"])
def test_judgments_have_no_outlier_beside_another_measure_of_themselves(reference, judged_store, monkeypatch):
    test = opened(PAGE, judged_store, monkeypatch, "from app.py", collection="mine", reference=reference)
    assert any(one.startswith("Best run: ") for one in links(test))
    assert not [one for one in links(test) if "displaced" in one or " places " in one]
    assert any("are made of the same judgments: " in one for one in links(test))


def test_the_slider_of_home_moves_that_of_the_bar(demo_store, monkeypatch):
    test = opened(PAGE, demo_store, monkeypatch, collection="demo", bank="open")
    assert [said for said in ("4 of 5", "4 is at least 4") if said not in sentences(test)] == []
    test.slider(key="home_tau").set_value(5).run()
    assert (test.slider(key="tau").value, "4 is below 5" in sentences(test)) == (5, True)
    test.slider(key="tau").set_value(2).run()
    assert (test.slider(key="home_tau").value, "4 is at least 2" in sentences(test)) == (2, True)


@pytest.mark.parametrize(
    ("collection", "said"),
    [("dl19-published", "Printed figures come without passages"), *rows_added("WITHOUT_EXAMPLE")],
)
def test_where_there_is_no_example_the_page_says_why(collection, said, demo_store, monkeypatch):
    test = opened(PAGE, demo_store, monkeypatch, collection=collection)
    assert (said in sentences(test), "home_tau" in [one.key for one in test.slider]) == (True, False)


@pytest.mark.thorough
def test_an_empty_store_has_a_button_that_builds_the_demo(tmp_path, monkeypatch):
    test = opened(PAGE, tmp_path, monkeypatch)
    test.button(key="build_demo").click().run()
    assert ("demo" in Store(tmp_path).collections(), len(charts(test))) == (True, 1)


def test_each_collection_has_a_card_that_says_what_it_is_and_the_demo_has_one_before_it_is_built(
    demo_store, two_graders, tmp_path, monkeypatch
):
    alone = tmp_path / "store"
    export_duckdb([replace(Store(two_graders).snapshot("demo"), collection="mine")], tmp_path / "mine.duckdb")
    import_duckdb(Store(alone), tmp_path / "mine.duckdb")
    for store, first in ((demo_store, "demo"), (alone, "mine")):
        test = opened(PAGE, store, monkeypatch, collection=first)
        cards = [button.label.replace("\\", "") for button in test.button if button.key.startswith("door_")]
        said = {card.split("**")[1]: card.split("\n")[1] for card in cards}
        assert next(iter(said)) == first
    assert said == {
        "mine": "15 runs, 8 queries, 144 questions, 2 grading modes",
        "demo": "small, written for Examboard: not here yet, built in seconds",
        "car-y3-published": "as printed in the papers: not here yet, built in seconds",
    }

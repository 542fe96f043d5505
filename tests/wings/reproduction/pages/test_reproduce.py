"""The page Reproduce on embedded collections: its numbers are those of the analysis."""

import pytest
from dashboards import opened, sentences, table
from thoroughly import thoroughly

from exam_core.store import Store
from exam_core.wings.reproduction.analysis.reproduction import DIFFERS, reproduction
from exam_core.wings.reproduction.reports.reproduction_table import SIGNS

PAGE = "pages/reproduce/reproduce.py"
PUBLISHED = ["car-y3-published", *thoroughly("dl19-published", "dl20-published")]


@pytest.mark.parametrize("collection", PUBLISHED)
def test_every_figure_of_the_analysis_is_on_the_page(collection, store, monkeypatch):
    test = opened(PAGE, store, monkeypatch, collection=collection)
    found = reproduction(Store(store).snapshot(collection))
    shown = table(test, "printed")
    assert shown["figure"].tolist() == found.rows["figure"].tolist()
    assert shown["ours"].tolist() == found.rows["ours"].tolist()
    assert shown["printed"].tolist() == found.rows["printed"].tolist()


@pytest.mark.parametrize("collection", PUBLISHED)
def test_the_sentence_and_the_summary_are_those_of_the_analysis(collection, store, monkeypatch):
    test = opened(PAGE, store, monkeypatch, collection=collection, reproduce_part="By table")
    found = reproduction(Store(store).snapshot(collection))
    assert found.sentence in sentences(test)
    assert table(test, "largest_difference")["figures"].tolist() == found.summary["figures"].tolist()


def test_verdicts_can_be_chosen_and_without_one_the_page_says_what_to_do(store, monkeypatch):
    test = opened(PAGE, store, monkeypatch, collection="dl19-published")
    test.pills(key="reproduce_verdicts").set_value([SIGNS[DIFFERS]]).run()
    assert set(table(test, "printed")["verdict"]) == {"✗ differs"}
    test.pills(key="reproduce_verdicts").set_value([]).run()
    assert "Choose above which figures to show" in sentences(test)


def test_a_page_that_is_not_in_the_menu_is_at_its_address_and_says_what_it_takes(demo_store, monkeypatch):
    test = opened(PAGE, demo_store, monkeypatch, "from app.py", collection="demo")
    assert "Choose" in sentences(test) or "choose" in sentences(test) or "The demo has some" in sentences(test)

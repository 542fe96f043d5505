"""The part Reproduce of Reliability on embedded collections: its numbers are those of the analysis."""

import pytest
from dashboards import at_tab, charts, opened, sentences, table
from thoroughly import thoroughly

from exam_core.aliases import in_words
from exam_core.store import Store
from exam_core.store.summary import names_of
from exam_core.wings.reproduction.reproduction import DIFFERS, reproduction
from exam_core.wings.reproduction.slides import SIGNS

PAGE, PART = "pages/reliability/reliability.py", {"reliability_part": "Reproduce"}
PUBLISHED = ["car-y3-published", *thoroughly("dl19-published", "dl20-published")]


@pytest.mark.parametrize("collection", PUBLISHED)
def test_every_figure_the_sentence_and_the_summary_are_those_of_the_analysis(collection, demo_store, monkeypatch):
    test = opened(PAGE, demo_store, monkeypatch, **PART, collection=collection)
    found = reproduction(Store(demo_store).snapshot(collection))
    shown = table(test, "printed")
    names = names_of(Store(demo_store).snapshot(collection))
    assert shown["figure"].tolist() == [in_words(one, names) for one in found.rows["figure"]]
    assert shown["ours"].tolist() == found.rows["ours"].tolist()
    assert shown["printed"].tolist() == found.rows["printed"].tolist()
    assert found.sentence in sentences(test)
    at_tab(test, "reproduce_part", "By table")
    assert table(test, "largest_difference")["figures"].tolist() == found.summary["figures"].tolist()


def test_verdicts_can_be_chosen_and_without_one_the_page_says_what_to_do(demo_store, monkeypatch):
    test = opened(PAGE, demo_store, monkeypatch, **PART, collection="dl19-published")
    test.pills(key="reproduce_verdicts").set_value([SIGNS[DIFFERS]]).run()
    assert set(table(test, "printed")["verdict"]) == {"✗ differs"}
    test.pills(key="reproduce_verdicts").set_value([]).run()
    assert "Choose above which figures to show" in sentences(test)


def test_the_part_is_offered_where_papers_print_the_collection_and_elsewhere_opens_by_its_address_alone(
    demo_store, monkeypatch
):
    def offered(**asked):
        test = opened(PAGE, demo_store, monkeypatch, **asked)
        return test, [one.key for one in test.button_group if one.key == "reliability_part"]

    assert offered(collection="dl19-published")[1] == ["reliability_part"]
    assert offered(collection="demo")[1] == []
    assert "choose one of the published collections" in sentences(offered(collection="demo", **PART)[0])


def test_what_has_no_scores_has_no_chart(demo_store, monkeypatch):
    test = opened(PAGE, demo_store, monkeypatch, **PART, collection="demo-nuggets", reproduce_part="Why figures differ")
    assert charts(test) == []

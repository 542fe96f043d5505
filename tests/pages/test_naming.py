"""Names on pages: graders, majorities in the address, and options by the labels of their boxes."""

from __future__ import annotations

import pytest
from dashboards import charts, opened, sentences, table

from exam_core.analysis.choosing import check_range
from exam_core.errors import UsageError
from exam_core.jobs.task import texts_come
from pages.shared import naming


def test_a_refusal_names_the_boxes_of_a_page_and_a_command_stays_to_be_copied():
    with pytest.raises(UsageError) as refused:
        check_range("--label-rank", 0, 1, 100)
    assert naming.sentence(str(refused.value)).startswith("“Label rank” 0: ")
    assert (
        naming.sentence("Say with --model which one; --go-on goes on.") == "Say with “Model” which one; go on goes on."
    )
    assert naming.sentence(texts_come("c")) == texts_come("c")


ASKED = {"collection": "demo", "measure": "P@20", "modes": ["nuggetizer", "lexical.pourpre-idf"]}


def test_boxes_show_names_and_mean_ids(two_graders, monkeypatch):
    test = opened("pages/leaderboard/leaderboard.py", two_graders, monkeypatch, **ASKED)
    chips = test.pills(key="modes_by_name")
    assert (chips.options, chips.value) == (["Nuggetizer", "Lexical match"], ["Nuggetizer", "Lexical match"])
    assert test.selectbox(key="mode_by_name").value == "Nuggetizer"

    test.selectbox(key="mode_by_name").set_value("Lexical match").run()
    assert test.selectbox(key="mode").value == "lexical.pourpre-idf"
    chips.set_value(["Lexical match"]).run()
    assert test.pills(key="modes").value == ["lexical.pourpre-idf"]


def test_what_is_known_of_the_graders_stands_beside_their_names(two_graders, monkeypatch):
    test = opened("pages/grading/grading.py", two_graders, monkeypatch, collection="demo")
    assert table(test, "missing")["grader_id"].tolist() == ["Lexical match", "Nuggetizer"]
    assert table(test, "given").to_dict("list") == {
        "alias": ["Lexical match", "Nuggetizer"],
        "grader": ["lexical.pourpre-idf", "nuggetizer"],
        "given": [False, False],
    }


PAGE = "pages/agreement/agreement.py"
ALL = "majority(a,b,c)"


def test_several_modes_have_a_small_table_of_their_kappas(voters, monkeypatch):
    test = opened(PAGE, voters, monkeypatch, collection="world", modes=["a", "b"])
    (small,) = (one for one in sentences(test).split("<table")[1:] if "Kappa of each grading mode" in one)
    kappa = next(metric.value for metric in test.metric if metric.label == "Cohen's kappa")
    assert [f">{text}<" in small for text in ("a", "b", kappa)] == [True] * 3


@pytest.mark.parametrize("page", ["leaderboard", "outliers"])
def test_an_address_names_a_majority(voters, monkeypatch, page):
    test = opened(page, voters, monkeypatch, collection="world", modes=ALL, measure="P", reference="qrels:P@10")
    assert test.pills(key="modes").value == [ALL]
    assert "Majority of 3" in sentences(test) + " ".join(chart.alt for chart in charts(test))


def test_a_majority_that_cannot_be_made_is_named_as_missing(voters, monkeypatch):
    test = opened("pages/leaderboard/leaderboard.py", voters, monkeypatch, collection="world", modes="majority(a,x)")
    assert "There is no grading mode majority(a,x) in world; shown is a." in sentences(test).replace("\\", "")

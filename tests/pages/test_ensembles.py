"""Majorities in the address, and several grading modes on Agreement."""

import pytest
from dashboards import charts, opened, sentences

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

"""Majorities in the address, and several grading modes on Agreement."""

import pytest
from dashboards import charts, opened, sentences

from tests.analysis.electorate import electorate

GRADERS = {"a": "110011010010", "b": "101101100110", "c": "111000101101"}
JUDGED = "210320012302"
PAGE = "pages/agreement/agreement.py"
ALL = "majority(a,b,c)"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("electorate")
    electorate(path, GRADERS, JUDGED)
    return path


def test_several_modes_have_a_small_table_of_their_kappas(folder, monkeypatch):
    test = opened(PAGE, folder, monkeypatch, collection="world", modes=["a", "b"])
    (small,) = (one for one in sentences(test).split("<table")[1:] if "Kappa of each grading mode" in one)
    kappa = next(metric.value for metric in test.metric if metric.label == "Cohen's kappa")
    assert [f">{text}<" in small for text in ("a", "b", kappa)] == [True] * 3


@pytest.mark.parametrize("page", ["leaderboard", "outliers"])
def test_an_address_names_a_majority(folder, monkeypatch, page):
    test = opened(page, folder, monkeypatch, collection="world", modes=ALL, measure="P", reference="qrels:P@10")
    assert not test.exception
    assert test.pills(key="modes").value == [ALL]
    assert "Majority of 3" in sentences(test) + " ".join(chart.alt for chart in charts(test))


def test_a_majority_that_cannot_be_made_is_named_as_missing(folder, monkeypatch):
    test = opened("pages/leaderboard/leaderboard.py", folder, monkeypatch, collection="world", modes="majority(a,x)")
    assert not test.exception
    assert "There is no grading mode majority(a,x) in world; shown is a." in sentences(test).replace("\\", "")

"""Pairs of runs on How sure is the order?: the sentences are those of the command line."""

import pytest
from dashboards import opened, sentences, table


@pytest.mark.thorough
def test_runs_of_dl19_are_told_apart_as_on_the_command_line(full_dl19_store, monkeypatch):
    tab = {"stability_view": "Pairs by grades and judgments"}
    test = opened(
        "pages/how_sure/how_sure.py", full_dl19_store, monkeypatch, collection="dl19", measure="P", tau="4", **tab
    )
    assert not test.exception
    said = sentences(test)
    assert "Of 666 pairs of 37 runs, 291 differ significantly by qrels:P@20:relevant_from=2 and 78 by genq P@20" in said
    assert "77 by both, in the same order; 0 by both, in opposite orders; 214 by the reference alone; 1 by" in said
    assert "0.791 among the best 10 by the reference" in said
    assert table(test, "verdict")["verdict"].iloc[0] == "the grader alone"

"""What the control bar chooses is what the numbers of methods, of two sides and of how sure a board is are about."""

import json

import numpy as np
import pytest
from dashboards import charts, opened, sentences, table

from tests.pages.test_choices import LEADERBOARD, OUTLIERS, RUNS, renormalised, with_figures, without_official
from tests.pages.test_choices import graded as graded

COMPARE, METHODS = "pages/compare/compare.py", "pages/methods/methods.py"
ALL = {"methods_part": "All coefficients"}


def test_the_grid_has_the_modes_and_the_measure_of_the_bar(graded, monkeypatch):
    test = opened(METHODS, graded, monkeypatch, modes=["labels"], measure="RR", **ALL)
    rows = table(test, "RR@20 S")
    assert (set(rows["grader"]), rows["tau"].tolist()) == ({"labels"}, [1, 2])


def test_a_re_normalised_score_is_one_number_on_every_page(graded, monkeypatch):
    # The official list does not rank the run `1`, which is the best or the worst of some board.
    asked = {"bank": "genq", "modes": ["rater"], "tau": "2", "without": ["alpha"]}
    board = renormalised(opened(LEADERBOARD, graded, monkeypatch, **asked), "normalised")
    others = [(METHODS, "score"), (OUTLIERS, "normalised"), (COMPARE, "normalised_a")]
    asked |= RUNS | {"compare_tab": "All runs"}
    tests = {page: opened(page, graded, monkeypatch, **asked) for page, _ in others}
    found = [renormalised(with_figures(tests[page], page), column) for page, column in others]
    np.testing.assert_allclose(found, board, rtol=1e-12)


@pytest.mark.parametrize("page", [COMPARE, "pages/reliability/reliability.py"])
def test_hidden_runs_are_not_compared_on_screen(graded, monkeypatch, page):
    test = opened(page, graded, monkeypatch, bank="genq", modes=["rater"], tau="2", runs="-alpha")
    assert not test.exception
    assert "alpha" not in "".join(one.value.to_json() for one in test.dataframe)
    assert "alpha" not in json.dumps(charts(test)[0].figure)


def test_a_reference_by_judgments_does_not_end_with_the_depth_of_the_bar(tmp_path, monkeypatch):
    without_official(tmp_path)
    test = opened(METHODS, tmp_path, monkeypatch, bank="genq", modes=["rater"], tau="2", depth="5", **ALL)
    assert "against nDCG@10 of the judgments" in sentences(test)


CAVEAT = "Few queries make scores noisy, which lowers correlations."
LOW = {"collection": "demo", "bank": "open", "measure": "P", "depth": "5", "tau": "2"}
"""Correlations of this board and the official list lie in the lowest quarter of their intervals."""


@pytest.mark.parametrize("more", [ALL, {}], ids=["all", "by tau"])
def test_a_correlation_low_in_its_interval_has_the_reason_beside_it(demo_store, monkeypatch, more):
    assert sentences(opened(METHODS, demo_store, monkeypatch, **LOW | more)).count(CAVEAT) == 1

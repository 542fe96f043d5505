"""What the control bar chooses is what the numbers of the pages are about, and the pages say so."""

from __future__ import annotations

import pytest
from analysis.planted import planted
from analysis.worlds import store_of, world
from dashboards import charts, opened, sentences

LEADERBOARD, CORRELATION = "pages/leaderboard.py", "pages/correlation.py"


@pytest.fixture(scope="session")
def graded(tmp_path_factory):
    """A store with a small collection: two graders of questions, and one that labels passages 0 to 2."""
    path = tmp_path_factory.mktemp("graded")
    store_of(path, world(1))
    return path


def legend(test):
    return [trace["name"] for trace in charts(test)[0].figure["data"]]


@pytest.mark.parametrize(("asked", "used"), [("1", 1), ("2", 2), ("3", 2), ("4", 2)])
def test_labels_are_cut_at_tau_or_at_their_largest_at_every_place_of_the_slider(graded, monkeypatch, asked, used):
    test = opened(LEADERBOARD, graded, monkeypatch, bank="genq", modes=["labels"], measure="P", tau=asked)
    assert f"labels P@20 tau={used}." in sentences(test)


def test_legend_header_and_table_name_the_tau_that_a_mode_is_cut_at(graded, monkeypatch):
    modes = ["rater", "labels"]
    test = opened(LEADERBOARD, graded, monkeypatch, bank="genq", modes=modes, measure="P", tau="4")
    assert legend(test) == ["rater", "labels, tau 2"]
    assert "tau = 4 (labels: 2, its largest label)" in sentences(test)
    assert "labels, tau 2</td>" in sentences(test)


def test_the_row_of_a_grid_and_the_runs_below_it_have_the_same_tau(tmp_path, monkeypatch):
    # Some of Thomas's labels are beyond its scale, so that the grid has rows for them.
    planted(tmp_path, scale=2)
    test = opened(CORRELATION, tmp_path, monkeypatch, tau="1", correlation_method="bank, rater, tau 4")
    assert "bank Cover@20 tau=4, graded by rater" in sentences(test)

"""The matrix of wins."""

from itertools import combinations

import pandas as pd

from exam_core.wings.comparing.run_pairs import HIGHEST, MARK, MARKED, wins_alternative, wins_figure


def test_the_matrix_of_wins_has_each_pair_both_ways():
    pairs = pd.DataFrame(
        [("a", "b", 3, 1, 1, 5, 0.01, True), ("a", "c", 2, 1, 2, 5, 0.9, False), ("b", "c", 1, 0, 4, 5, 0.3, False)],
        columns=["run_a", "run_b", "wins", "ties", "losses", "n_queries", "p_holm", "separable"],
    )
    figure = wins_figure(pairs, baseline="b")
    assert [list(row) for row in figure.data[0].z] == [[None, 0.6, 0.4], [0.2, None, 0.2], [0.4, 0.8, None]]
    assert [list(row) for row in figure.data[0].text] == [["", MARK, ""], [MARK, "", ""], ["", "", ""]]
    assert figure.data[0].hovertext[1][0].startswith("b beats a on 1 of 5 queries, 1 ties")
    assert [(shape.x0, shape.y0) for shape in figure.layout.shapes] == [(0.5, -0.5), (-0.5, 0.5)]
    assert "1 of 3 pairs differ significantly. In 1 pairs" in wins_alternative(pairs)


def test_of_many_runs_only_pairs_that_differ_significantly_have_a_colour_and_nothing_is_written_into_cells():
    runs = [f"run{place}" for place in range(MARKED + 1)]
    rows = [(*pair, 3, 1, 1, 5, 0.01, pair == ("run0", "run1")) for pair in combinations(runs, 2)]
    figure = wins_figure(
        pd.DataFrame(rows, columns=["run_a", "run_b", "wins", "ties", "losses", "n_queries", "p_holm", "separable"])
    )
    cells = [(row, column, z) for row, line in enumerate(figure.data[0].z) for column, z in enumerate(line)]
    filled = [(row, column) for row, column, z in cells if z is not None]
    assert filled == [(0, 1), (1, 0)]
    assert figure.data[0].texttemplate is None
    assert figure.layout.height == HIGHEST < 768  # a screen

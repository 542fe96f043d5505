"""Charts of votes: what they draw is what they are given."""

import pandas as pd

from exam_core.wings.trust.votes import accuracy_figure, matrix_alternative, matrix_figure

PAIRS = pd.DataFrame(
    [("a", "<b>", 0.25, 0.5), ("a", "c", 1.0, float("nan")), ("<b>", "c", -0.5, float("nan"))],
    columns=["grader_a", "grader_b", "kappa", "error_correlation"],
)


def test_a_matrix_is_symmetric_what_is_undefined_is_empty_and_names_are_shown_letter_for_letter():
    figure = matrix_figure(PAIRS, ["a", "<b>", "c"], "error_correlation")
    (heat,) = figure.data
    assert [list(row) for row in heat.z] == [[None, 0.5, None], [0.5, None, None], [None, None, None]]
    assert heat.text[0][1] == "0.50"
    assert list(figure.layout.yaxis.ticktext) == ["1 a", "2 &lt;b&gt;", "3 c"]


def test_the_words_of_a_matrix_name_both_ends():
    said = matrix_alternative(PAIRS, "kappa")
    assert "over 3 pairs of graders: from -0.50 for <b> and c to 1.00 for a and c" in said
    assert "undefined" in matrix_alternative(PAIRS[1:], "error_correlation")


def test_the_majority_is_drawn_apart_from_the_graders():
    rows = pd.DataFrame(
        {"grader": ["a", "b", "majority(a,b)"], "accuracy": 0.5, "accuracy_low": 0.25, "accuracy_high": 0.875}
    )
    single, majority = accuracy_figure(rows).data
    assert (list(single.y), list(majority.y)) == ([0, 1], [2])
    assert (majority.error_x.array[0], majority.error_x.arrayminus[0]) == (0.375, 0.25)

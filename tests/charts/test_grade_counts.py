"""Grades of one grader: a bar for each grade, and one for what could not be read."""

import pandas as pd
import pytest

from exam_core.charts.query_differences import UNREADABLE, ratings_alternative, ratings_figure

ROWS = pd.DataFrame(
    {"grade": pd.array([0, 1, 2, None], "Int64"), "count": [1500, 0, 400, 100], "share": [0.75, 0.0, 0.2, 0.05]}
)


def test_each_grade_has_a_bar_of_its_count_and_is_no_number_on_an_axis():
    figure = ratings_figure(ROWS)
    grades, _ = figure.data
    assert dict(zip(grades.x, grades.y, strict=True)) == {"0": 1500, "1": 0, "2": 400}
    assert figure.layout.xaxis.type == "category"


def test_what_is_unreadable_is_told_apart_by_its_name_and_its_hatching():
    grades, unread = ratings_figure(ROWS).data
    assert (list(unread.x), list(unread.y)) == ([UNREADABLE], [100])
    assert unread.marker.pattern.shape != grades.marker.pattern.shape


@pytest.mark.parametrize(
    ("rows", "words"),
    [(ROWS, "2,000 grades. 0: 1,500, 1: 0, 2: 400, unreadable: 100."), (ROWS.assign(count=0), "No grades.")],
    ids=["some", "none"],
)
def test_the_chart_in_words(rows, words):
    assert ratings_alternative(rows) == words
